import { trimTrailing } from '#server/dicom/data-set/vr.ts'

/** PS3.5 §6.2.1: alphabetic, ideographic and phonetic. */
const GROUP_COUNT = 3

// Spellings that modalities without these letters use.
const EXPANSIONS: readonly (readonly [RegExp, string])[] = [
  [/ä|æ/g, 'ae'],
  [/ö|œ/g, 'oe'],
  [/ü/g, 'ue'],
  [/å/g, 'aa'],
  [/ø/g, 'oe'],
]

/**
 * Whether two PN values are the same name. Compatibility forms, case, diacritics and trailing empty
 * components are ignored, and Müller equals Mueller. Each component group is compared with its
 * counterpart; one equal group is sufficient, because many devices store only one.
 */
export function isSameName(one: string, other: string): boolean {
  const oneGroups = groupsOf(one)
  const others = groupsOf(other)
  if (oneGroups.every(isEmpty) && others.every(isEmpty)) return true
  return oneGroups.some(
    (group, at) =>
      !isEmpty(group) && formsOf(group).some((form) => formsOf(others[at] ?? '').includes(form)),
  )
}

/**
 * The alphabetic group of a PN, or the first non-empty group if it is empty, without trailing empty
 * components.
 */
export function alphabeticForm(name: string): string {
  const groups = name.split('=', GROUP_COUNT).map(trimmed)
  return groups[0] || groups.find((group) => group !== '') || ''
}

const isEmpty = (group: string) => group === ''

const groupsOf = (name: string): string[] =>
  name
    .split('=', GROUP_COUNT)
    .map((group) => trimmed(group.normalize('NFKC').toUpperCase().toLowerCase()))

const trimmed = (group: string): string =>
  trimTrailing(
    group
      .split('^')
      .map((component) => component.replace(/\s+/g, ' ').trim())
      .join('^'),
    '^',
  )

/** The group without diacritics, and with umlauts spelled out. */
function formsOf(group: string): string[] {
  const expanded = EXPANSIONS.reduce(
    (text, [letter, written]) => text.replace(letter, written),
    group.normalize('NFC'),
  )
  return [withoutDiacritics(group), withoutDiacritics(expanded)]
}

const withoutDiacritics = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ø', 'o')
    .replaceAll('ς', 'σ')
