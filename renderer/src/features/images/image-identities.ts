import type { z } from 'zod'
import type { CorrectedPatient, ImageIdentity } from '#shared/contract/corrections.ts'

export type StudyPatientIdentity = z.infer<typeof ImageIdentity>

/** Values of a patient that images say, with the series they are in. */
interface PatientOfImages extends CorrectedPatient {
  readonly key: string
  readonly count: number
  readonly series: readonly StudyPatientIdentity[]
}

export const PATIENT_FIELDS = [
  'patientName',
  'patientId',
  'patientBirthDate',
  'patientSex',
  'accessionNumber',
] as const

/**
 * The images of a study by what they say of their patient, in the order in which the server lists
 * them.
 */
export function patientsOf(identities: readonly StudyPatientIdentity[]): PatientOfImages[] {
  const byPatient = Map.groupBy(identities, (one) =>
    JSON.stringify(PATIENT_FIELDS.map((field) => one[field])),
  )
  return [...byPatient].flatMap(([key, series]) =>
    series
      .slice(0, 1)
      .map(({ patientName, patientId, patientBirthDate, patientSex, accessionNumber }) => ({
        ...{ patientName, patientId, patientBirthDate, patientSex, accessionNumber, key, series },
        count: idsOf(series).length,
      })),
  )
}

export const idsOf = (identities: readonly StudyPatientIdentity[]): number[] =>
  identities.flatMap(({ instanceIds }) => instanceIds)

/** Every value of a field once. */
export const valuesOf = (
  identities: readonly StudyPatientIdentity[],
  field: (typeof PATIENT_FIELDS)[number],
): string[] => [...new Set(identities.map((one) => one[field]))]

/**
 * Images of a series by their numbers, as of pages to print: `1-20, 35`.
 * @returns undefined where the text is no such list, or names a number that no image has
 */
export function idsByNumber(
  { instanceIds, instanceNumbers }: StudyPatientIdentity,
  text: string,
): number[] | undefined {
  const numbers = instanceNumbers.map((number) =>
    number.trim() === '' ? Number.NaN : Number(number),
  )
  const found = new Set<number>()
  for (const part of text.split(/[,;]/)) {
    const [, from = '', to = from] = /^\s*(\d+)(?:\s*[-–]\s*(\d+))?\s*$/.exec(part) ?? []
    const ids = instanceIds.filter((_, at) => {
      const number = numbers[at] ?? Number.NaN
      return from !== '' && number >= Number(from) && number <= Number(to)
    })
    if (ids.length === 0) return undefined
    for (const id of ids) found.add(id)
  }
  return [...found]
}

/**
 * The lowest and the highest number of a series; undefined where its images cannot be told apart by
 * numbers.
 */
export function numbersOf({
  instanceNumbers,
}: StudyPatientIdentity): readonly [least: number, most: number] | undefined {
  const numbers = instanceNumbers.filter((number) => number.trim() !== '').map(Number)
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  return Number.isInteger(least) && Number.isInteger(most) && least < most
    ? [least, most]
    : undefined
}
