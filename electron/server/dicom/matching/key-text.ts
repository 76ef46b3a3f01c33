import { decodeText, specificCharacterSetFor } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import { message } from '#shared/messages/message.ts'

export const SPECIFIC_CHARACTER_SET = 0x00080005

/**
 * The text of a key. `isExact` is false if bytes are invalid in the character set; each run of them
 * is replaced with `*`.
 */
export interface KeyText {
  readonly text: string
  readonly isExact: boolean
}

export type ReadText = (element: Element, vr: string) => KeyText

/** PS3.3 C.12.1.1.2 defines fewer terms than this. */
const MAX_TERMS = 20
/** Each CS value has at most 16 characters and a backslash. */
const MAX_TERM_CHARACTERS = MAX_TERMS * 17

/**
 * The values of Specific Character Set (0008,0005) of a data set; empty for the default repertoire.
 * @throws {DimseError} A900 if there are more terms than DICOM defines, because each is tried for
 *   each character of an answer
 */
export function declaredTerms(dataSet: DataSet): readonly string[] {
  const value = dataSet.find(({ tag }) => tag === SPECIFIC_CHARACTER_SET)?.value
  const text = Buffer.isBuffer(value) ? withoutPadding(value.toString('latin1')) : ''
  if (text.length > MAX_TERM_CHARACTERS || text.split('\\').length > MAX_TERMS)
    throw new DimseError(0xa900, message('worklist.many-character-sets', { most: MAX_TERMS }), [
      SPECIFIC_CHARACTER_SET,
    ])
  return text === '' ? [] : text.split('\\').map((term) => term.trim())
}

/**
 * Returns the function that decodes keys: in the character set that the query declares, or if it
 * declares none, in that of the device. Invalid bytes act as wild cards (PS3.4 C.2.2.2).
 */
export function textReader(terms: readonly string[], deviceSet: CharacterSet | null): ReadText {
  const effectiveTerms =
    terms.length === 0 && deviceSet !== null ? specificCharacterSetFor(deviceSet) : terms
  return ({ value }, vr) => {
    if (!Buffer.isBuffer(value)) return { text: '', isExact: true }
    const { text, isExact } = decodeText(value, effectiveTerms, vr)
    const trimmed = withoutPadding(text)
    return isExact
      ? { text: trimmed, isExact: true }
      : { text: trimmed.replace(/\ufffd+/g, '*'), isExact: false }
  }
}
