import type { Element } from '#server/dicom/data-set/coding.ts'
import { vrOf } from '#server/dicom/data-set/data-set.ts'
import { hasWildCard, WILD_CARD_VRS, wildCardTest } from './wild-card.ts'

/**
 * Maximum number of values that have to be tested one by one for each row. Plain values are looked
 * up in a set instead.
 */
export const MAX_TESTED_VALUES = 100

const SINGLE_VALUED_VRS: ReadonlySet<string> = new Set(['LT', 'ST', 'UR', 'UT'])

/**
 * The values of a key without insignificant spaces and without universal ones (PS3.4 C.2.2.2.3; `*`
 * alone in any VR).
 */
export function keyValues(vr: string, text: string): string[] {
  const values = (SINGLE_VALUED_VRS.has(vr) ? [text] : text.split('\\')).map((value) =>
    value.replaceAll('\0', '').trim(),
  )
  const compared = vr === 'CS' ? values.map((value) => value.toUpperCase()) : values
  return [...new Set(compared)].filter((value) => !/^[*=^]*$/.test(value))
}

/** The kind of matching (PS3.4 C.2.2.2) that values of a text key require. */
export function textMatching(
  vr: string,
  values: readonly string[],
): 'wildCard' | 'listOfUid' | 'singleValue' {
  if (WILD_CARD_VRS.has(vr) && values.some(hasWildCard)) return 'wildCard'
  return vr === 'UI' && values.length > 1 ? 'listOfUid' : 'singleValue'
}

/** VR of a key according to the dictionary, or as received if the tag is unknown. */
export const vrOfKey = ({ tag, vr }: Element): string => (vrOf(tag) === 'UN' ? vr : vrOf(tag))

/**
 * The test of a text key with one or several values, one of which must match: single value, list of
 * UID or wild card matching.
 */
export function textTest(vr: string, values: readonly string[]): (held: string) => boolean {
  const isExact = (value: string) => vr !== 'DS' && !(WILD_CARD_VRS.has(vr) && hasWildCard(value))
  const exact = new Set(values.filter(isExact))
  const tests = values.filter((value) => !isExact(value)).map((value) => valueTest(vr, value))
  return (held) => exact.has(held) || tests.some((test) => test(held))
}

// An attribute without a value matches no key value, not even a wild card (PS3.4 K.2.2.1.1.1).
function valueTest(vr: string, value: string): (held: string) => boolean {
  if (vr === 'DS') {
    const number = Number(value)
    return (held) => held !== '' && Number(held) === number
  }
  const test = wildCardTest(value)
  return (held) => held !== '' && test(held)
}
