import type { ViewedStudy } from '#shared/contract/viewed-images.ts'

/** The header fields that distinguish patients. */
export type Patient = Pick<ViewedStudy, 'patientName' | 'patientId' | 'patientBirthDate'>

/**
 * Names the fields in which two headers of the same study differ. A field that is missing in one of
 * them does not differ. Names are compared without case, accents, spaces and empty components
 * (PS3.5 §6.2.1.1).
 */
export function differencesOf(one: Patient, other: Patient): string[] {
  return [
    ...(isDifferent(one.patientName, other.patientName, comparableName) ? ['name'] : []),
    ...(isDifferent(one.patientId, other.patientId, comparableId) ? ['patient ID'] : []),
    ...(isDifferent(one.patientBirthDate, other.patientBirthDate, comparableDate)
      ? ['date of birth']
      : []),
  ]
}

/**
 * Names the fields in which a header and a study of the interface differ. The name of a study is
 * free text in any order: its words must be contained in the other name, or the reverse.
 */
export function rowDifferencesOf(
  header: Patient,
  row: { readonly patientName: string; readonly mrn: string },
): string[] {
  return [
    ...(isDifferentName(header.patientName, row.patientName) ? ['name'] : []),
    ...(isDifferent(header.patientId, row.mrn, (id) => comparableId(id).replace(/^0+(?=.)/, ''))
      ? ['patient ID']
      : []),
  ]
}

/**
 * Names the fields that show that two studies belong to different people: the date of birth, or
 * both the name and the patient ID. A name alone may change with marriage, and an ID with the
 * hospital.
 */
export function personDifferencesOf(one: Patient, other: Patient): string[] {
  const hasDifferentBirthDate = isDifferent(
    one.patientBirthDate,
    other.patientBirthDate,
    comparableDate,
  )
  const hasDifferentName = isDifferentName(one.patientName, other.patientName)
  const hasDifferentId = isDifferent(one.patientId, other.patientId, comparableId)
  const isDifferentPatient = hasDifferentBirthDate || (hasDifferentName && hasDifferentId)
  return isDifferentPatient ? differencesOf(one, other) : []
}

export const isSamePerson = (one: string, other: string) =>
  one !== '' && other !== '' && !isDifferentName(one, other)

const isDifferent = (one: string, other: string, formOf: (text: string) => string) => {
  const [form, otherForm] = [formOf(one), formOf(other)]
  return form !== '' && otherForm !== '' && form !== otherForm
}

function isDifferentName(one: string, other: string): boolean {
  const oneGroups = groupsOf(one)
  const others = groupsOf(other)
  if (oneGroups.length === 0 || others.length === 0) return false
  return !oneGroups.some((group) =>
    others.some((otherGroup) => {
      const [short, long] =
        group.size <= otherGroup.size ? [group, otherGroup] : [otherGroup, group]
      return [...short].every((word) => long.has(word))
    }),
  )
}

/**
 * Maximum number of component groups (PS3.5 §6.2.1). Groups are compared pairwise, and a malformed
 * name may contain very many.
 */
const MAX_GROUPS = 3

/** The set of words of each component group (alphabetic, ideographic, phonetic). */
const groupsOf = (name: string) =>
  name.split('=', MAX_GROUPS).flatMap((group) => {
    const words = normalizeText(group).split(/[^\p{L}\p{N}]+/u)
    const known = new Set(words.filter((word) => word !== ''))
    return known.size === 0 ? [] : [known]
  })

// Replacements for letters that some modalities cannot write, so that Müller, Mueller and Muller
// are equal.
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/æ/g, 'a'],
  [/œ|ø/g, 'o'],
  [/ß/g, 'ss'],
  [/ς/g, 'σ'],
  [/([aou])e/g, '$1'],
]

const normalizeText = (text: string) =>
  REPLACEMENTS.reduce(
    (name, [letter, written]) => name.replace(letter, written),
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]+/g, '')
      .toLowerCase(),
  )

const comparableName = (name: string) =>
  normalizeText(name)
    .split('=')
    .map((group) => group.replace(/[\s^]+/g, ' ').trim())
    .filter((group) => group !== '')[0] ?? ''
const comparableId = (id: string) => id.trim().toUpperCase()
const comparableDate = (date: string) => date.replace(/\D/g, '')
