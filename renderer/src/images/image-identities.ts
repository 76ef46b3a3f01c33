import type { z } from 'zod'
import type { CorrectedPatient, ImageIdentity } from '#shared/contract/corrections.ts'

export type Identity = z.infer<typeof ImageIdentity>

/** Values of a patient that images say, with the series they are in. */
export interface PatientOfImages extends CorrectedPatient {
  readonly key: string
  readonly count: number
  readonly series: readonly Identity[]
}

export const PATIENT_FIELDS = ['patientName', 'patientId', 'patientBirthDate', 'patientSex', 'accessionNumber'] as const

/** The images of a study by what they say of their patient, in the order in which the server lists them. */
export function patientsOf(identities: readonly Identity[]): PatientOfImages[] {
  const byPatient = Map.groupBy(identities, (one) => JSON.stringify(PATIENT_FIELDS.map((field) => one[field])))
  return [...byPatient].flatMap(([key, series]) =>
    series.slice(0, 1).map(({ patientName, patientId, patientBirthDate, patientSex, accessionNumber }) => ({
      ...{ patientName, patientId, patientBirthDate, patientSex, accessionNumber, key, series },
      count: idsOf(series).length,
    })),
  )
}

export const idsOf = (identities: readonly Identity[]): number[] => identities.flatMap(({ instanceIds }) => instanceIds)

/** Every value of a field once. */
export const valuesOf = (identities: readonly Identity[], field: (typeof PATIENT_FIELDS)[number]): string[] => [
  ...new Set(identities.map((one) => one[field])),
]
