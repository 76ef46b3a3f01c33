import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import { foldName } from '#server/dicom/matching/person-name.ts'
import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import type { Message } from '#shared/messages/message.ts'
import type { RowKeyword } from './attributes.ts'

/** The progress of a step, reported by MPPS or inferred from received images. */
export interface StepProgress {
  readonly state: StepState
  /**
   * Which of the following fields to show: the time, the day too (if it is not the scheduled day),
   * or neither.
   */
  readonly when: 'time' | 'day' | 'unknown'
  /** `YYYY-MM-DD` and `HH:MM`, in the clinic. */
  readonly day: string
  readonly time: string
}

/** One step of one item of the partner's answer, which is sent as one C-FIND response. */
export interface WorklistRow {
  /** Normalized values; in a withheld row, those that are usable. */
  readonly values: Readonly<Record<RowKeyword, string>>
  /** Why it is withheld from all devices; null if it is valid. */
  readonly withheld: Message | null
  /** What was repaired. */
  readonly remarks: readonly Message[]
  /** The folded component groups of PatientName, see `foldName`. */
  readonly foldedName: readonly string[]
  /** Whether every value is in the default repertoire. */
  readonly isAscii: boolean
  /** Undefined if the step has not begun. */
  readonly progress: StepProgress | undefined
}

export function worklistRow(
  values: WorklistRow['values'],
  withheld: Message | null,
  remarks: readonly Message[],
): WorklistRow {
  return {
    values,
    withheld,
    remarks,
    foldedName: foldName(values.PatientName),
    isAscii: isAscii(Object.values(values).join('')),
    progress: undefined,
  }
}

/** Compares rows by start date, start time, name and step ID: the order in which they are sent. */
export function byStart(a: WorklistRow, b: WorklistRow): number {
  return (
    compare(a.values.ScheduledProcedureStepStartDate, b.values.ScheduledProcedureStepStartDate) ||
    compare(a.values.ScheduledProcedureStepStartTime, b.values.ScheduledProcedureStepStartTime) ||
    compare(a.values.PatientName, b.values.PatientName) ||
    compare(a.values.ScheduledProcedureStepID, b.values.ScheduledProcedureStepID)
  )
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** @throws {RangeError} if there is no row with that index */
export function rowAt(rows: readonly WorklistRow[], index: number): WorklistRow {
  const row = rows[index]
  if (!row) throw new RangeError(`no row ${index}`)
  return row
}
