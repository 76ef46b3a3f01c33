import type { WorklistItem } from '#shared/contract/webhooks.ts'

/**
 * Words of patients and reports that may be in no log. Invented, and nowhere else in the program.
 */
export const CANARY = /KANAREK|PIDKAN|ACCKAN|kanarienbefund|19470\d{3}/i

export interface Patient {
  readonly name: string
  readonly id: string
  readonly birthDate: string
  readonly sex: 'M' | 'F'
}

/** Who has the number; two numbers are two people. */
export const patient = (number: number): Patient => ({
  name: `KANAREK${number}^${['Ada', 'Bo', 'Cleo', 'Dino'][number % 4]}`,
  id: `PIDKAN${number}`,
  birthDate: `19470${1 + (number % 9)}1${number % 9}`,
  sex: number % 2 === 0 ? 'F' : 'M',
})

/** An exam as the partner plans it. */
export interface Exam {
  readonly number: number
  readonly studyInstanceUid: string
  readonly stepId: string
  readonly accessionNumber: string
  readonly patient: Patient
  /** `YYYYMMDD`. */
  day: string
  /** `HHMMSS`. */
  time: string
  description: string
  isWithdrawn: boolean
}

export const UID_ROOT = '1.2.826.0.1.3680043.10.998'

export const examOf = (
  number: number,
  of: { readonly day: string; readonly time: string; readonly patient: Patient },
): Exam => ({
  ...of,
  number,
  studyInstanceUid: `${UID_ROOT}.${number}`,
  stepId: `S${number}`,
  accessionNumber: `ACCKAN${number}`,
  description: 'CT chest',
  isWithdrawn: false,
})

/** As it is in an answer to `modality_worklist.requested`. */
export const itemOf = ({
  accessionNumber,
  patient,
  studyInstanceUid,
  stepId,
  day,
  time,
  description,
}: Exam): WorklistItem => ({
  AccessionNumber: accessionNumber,
  Modality: 'CT',
  PatientBirthDate: patient.birthDate,
  PatientID: patient.id,
  PatientName: patient.name,
  PatientSex: patient.sex,
  PatientSize: '1.71',
  PatientWeight: '68',
  ProtocolName: 'CHEST',
  RequestedProcedureDescription: description,
  ScheduledProcedureStepSequence: [
    {
      Modality: 'CT',
      ScheduledProcedureStepDescription: description,
      ScheduledProcedureStepID: stepId,
      ScheduledProcedureStepStartDate: day,
      ScheduledProcedureStepStartTime: time,
    },
  ],
  StudyDescription: description,
  StudyInstanceUID: studyInstanceUid,
})
