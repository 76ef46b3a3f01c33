import type { ViewedStudy } from '#shared/contract/viewed-images.ts'

/** What tells patients apart in headers. */
export type Patient = Pick<ViewedStudy, 'patientName' | 'patientId' | 'patientBirthDate'>

/**
 * What two headers of one study disagree on; what only one of them has is no disagreement. Names:
 * as written, whatever their case, accents, spaces and empty components (PS3.5 §6.2.1.1).
 */
export function differencesOf(one: Patient, other: Patient): string[] {
  return [
    ...(isOther(one.patientName, other.patientName, nameForm) ? ['name'] : []),
    ...(isOther(one.patientId, other.patientId, idForm) ? ['patient ID'] : []),
    ...(isOther(one.patientBirthDate, other.patientBirthDate, dateForm) ? ['date of birth'] : []),
  ]
}

/**
 * What a header and the study's own row disagree on. A row's name is free text, in any order: the
 * shorter one is within the longer one.
 */
export function rowDifferencesOf(
  header: Patient,
  row: { readonly patientName: string; readonly mrn: string },
): string[] {
  return [
    ...(isOtherPerson(header.patientName, row.patientName) ? ['name'] : []),
    ...(isOther(header.patientId, row.mrn, (id) => idForm(id).replace(/^0+(?=.)/, ''))
      ? ['patient ID']
      : []),
  ]
}

/**
 * What says that two studies are of two people: names change with marriage and numbers with the
 * hospital, but not both, and no date of birth.
 */
export function personDifferencesOf(one: Patient, other: Patient): string[] {
  const isBornApart = isOther(one.patientBirthDate, other.patientBirthDate, dateForm)
  const isNamedApart = isOtherPerson(one.patientName, other.patientName)
  const isNumberedApart = isOther(one.patientId, other.patientId, idForm)
  const isApart = isBornApart || (isNamedApart && isNumberedApart)
  return isApart ? differencesOf(one, other) : []
}

export const isSamePerson = (one: string, other: string) =>
  one !== '' && other !== '' && !isOtherPerson(one, other)

const isOther = (one: string, other: string, formOf: (text: string) => string) => {
  const [form, otherForm] = [formOf(one), formOf(other)]
  return form !== '' && otherForm !== '' && form !== otherForm
}

function isOtherPerson(one: string, other: string): boolean {
  const ones = groupsOf(one)
  const others = groupsOf(other)
  if (ones.length === 0 || others.length === 0) return false
  return !ones.some((group) =>
    others.some((otherGroup) => {
      const [short, long] =
        group.size <= otherGroup.size ? [group, otherGroup] : [otherGroup, group]
      return [...short].every((word) => long.has(word))
    }),
  )
}

/** PS3.5 §6.2.1. Each is held against each: a header's name may be a megabyte of them. */
const MOST_GROUPS = 3

/** The words of each component group (alphabetic, ideographic, phonetic). */
const groupsOf = (name: string) =>
  name.split('=', MOST_GROUPS).flatMap((group) => {
    const words = plain(group).split(/[^\p{L}\p{N}]+/u)
    const known = new Set(words.filter((word) => word !== ''))
    return known.size === 0 ? [] : [known]
  })

// Umlauts as consoles write them that have no letters for them: Müller, Mueller and Muller are one.
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/æ/g, 'a'],
  [/œ|ø/g, 'o'],
  [/ß/g, 'ss'],
  [/ς/g, 'σ'],
  [/([aou])e/g, '$1'],
]

const plain = (text: string) =>
  WRITTEN.reduce(
    (name, [letter, written]) => name.replace(letter, written),
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]+/g, '')
      .toLowerCase(),
  )

const nameForm = (name: string) =>
  plain(name)
    .split('=')
    .map((group) => group.replace(/[\s^]+/g, ' ').trim())
    .filter((group) => group !== '')[0] ?? ''
const idForm = (id: string) => id.trim().toUpperCase()
const dateForm = (date: string) => date.replace(/\D/g, '')
