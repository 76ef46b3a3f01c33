import { decodeText, specificCharacterSetFor } from '#gateway/dimse/character-set.ts'
import { type DataSet, type Element, formatTag, keywordOf } from '#gateway/dimse/data-set.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { SPECIFIC_CHARACTER_SET } from './attributes.ts'

/** The text of a key; `isSure` is false where bytes had no meaning in the character set: each run of them has become a `*`. */
export interface KeyText {
  readonly text: string
  readonly isSure: boolean
}

export type ReadText = (element: Element, vr: string) => KeyText

/** The values of Specific Character Set (0008,0005) of a data set; none for the default repertoire. */
export function declaredTerms(dataSet: DataSet): readonly string[] {
  const value = dataSet.find(({ tag }) => tag === SPECIFIC_CHARACTER_SET)?.value
  const text = Buffer.isBuffer(value) ? value.toString('latin1').replace(/[\0 ]+$/, '') : ''
  return text === '' ? [] : text.split('\\').map((term) => term.trim())
}

/**
 * Reads keys in the set that the query declares, and one that declares none in the device's set (dicom-field §3.4). Bytes without a
 * meaning act as wild cards (PS3.4 C.2.2.2).
 */
export function textReader(terms: readonly string[], deviceSet: CharacterSet | null): ReadText {
  const used = terms.length === 0 && deviceSet !== null ? specificCharacterSetFor(deviceSet) : terms
  return ({ value }, vr) => {
    if (!Buffer.isBuffer(value)) return { text: '', isSure: true }
    const { text, exact } = decodeText(value, used, vr)
    const trimmed = text.replace(/[\0 ]+$/, '')
    return exact ? { text: trimmed, isSure: true } : { text: trimmed.replace(/\ufffd+/g, '*'), isSure: false }
  }
}

/** Characters of a key that are kept for the screen. */
const SHOWN = 256

/** A key as the screen shows it. */
export function receivedKey(element: Element, vr: string, text: string, matching: ReceivedKey['matching'], within?: number): ReceivedKey {
  const tag = formatTag(element.tag)
  return {
    tag: within === undefined ? tag : `${formatTag(within)} > ${tag}`,
    keyword: keywordOf(element.tag),
    vr,
    value: text.slice(0, SHOWN),
    matching,
  }
}
