import { decodeText, specificCharacterSetFor } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { formatTag, keywordOf } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { message } from '#shared/messages/message.ts'
import { SPECIFIC_CHARACTER_SET } from './attributes.ts'

/**
 * The text of a key; `isSure` is false where bytes had no meaning in the character set: each run of
 * them has become a `*`.
 */
export interface KeyText {
  readonly text: string
  readonly isSure: boolean
}

export type ReadText = (element: Element, vr: string) => KeyText

/** PS3.3 C.12.1.1.2 defines no more of them than that. */
const MOST_TERMS = 20
/** CS: 16 characters and a backslash each. */
const MOST_TERM_CHARACTERS = MOST_TERMS * 17

/**
 * The values of Specific Character Set (0008,0005) of a data set; none for the default repertoire.
 * @throws {DimseError} A900 for more of them than there are: each is tried for each character of
 *   an answer.
 */
export function declaredTerms(dataSet: DataSet): readonly string[] {
  const value = dataSet.find(({ tag }) => tag === SPECIFIC_CHARACTER_SET)?.value
  const text = Buffer.isBuffer(value) ? withoutPadding(value.toString('latin1')) : ''
  if (text.length > MOST_TERM_CHARACTERS || text.split('\\').length > MOST_TERMS)
    throw new DimseError(0xa900, message('worklist.many-character-sets', { most: MOST_TERMS }), [
      SPECIFIC_CHARACTER_SET,
    ])
  return text === '' ? [] : text.split('\\').map((term) => term.trim())
}

/**
 * Reads keys in the set that the query declares, and one that declares none in the device's set
 * (dicom-field §3.4). Bytes without a meaning act as wild cards (PS3.4 C.2.2.2).
 */
export function textReader(terms: readonly string[], deviceSet: CharacterSet | null): ReadText {
  const used = terms.length === 0 && deviceSet !== null ? specificCharacterSetFor(deviceSet) : terms
  return ({ value }, vr) => {
    if (!Buffer.isBuffer(value)) return { text: '', isSure: true }
    const { text, exact } = decodeText(value, used, vr)
    const trimmed = withoutPadding(text)
    return exact
      ? { text: trimmed, isSure: true }
      : { text: trimmed.replace(/\ufffd+/g, '*'), isSure: false }
  }
}

/** Characters of a key that are kept for the screen. */
const SHOWN = 256

/** A key as the screen shows it. */
export function receivedKey(
  element: Element,
  vr: string,
  text: string,
  matching: ReceivedKey['matching'],
  within?: number,
): ReceivedKey {
  const tag = formatTag(element.tag)
  return {
    tag: within === undefined ? tag : `${formatTag(within)} > ${tag}`,
    keyword: keywordOf(element.tag),
    vr,
    value: text.slice(0, SHOWN),
    matching,
  }
}
