import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import type { RowKeyword } from './attributes.ts'
import { foldName } from './name.ts'

/** How far a step is, by what a device reported (MPPS) or sent. */
export interface StepProgress {
  readonly state: StepState
  /**
   * ` at 10:42` in the clinic, with the day where it is not that of the plan; '' where nobody
   * knows.
   */
  readonly when: string
}

/** One step of one item of the partner's answer: what a console is sent as one C-FIND response. */
export interface WorklistRow {
  /** Cleaned values; of a row that is withheld, as far as they are usable. */
  readonly values: Readonly<Record<RowKeyword, string>>
  /** Why no console may have it, in plain words; '' where it is fit. */
  readonly withheld: string
  /** Repairs, in plain words. */
  readonly remarks: readonly string[]
  /** PatientName as `matching` compares it: its component groups, folded. */
  readonly foldedName: readonly string[]
  /** Whether every value is of the default repertoire. */
  readonly isAscii: boolean
  /** Undefined where nothing has begun. */
  readonly progress: StepProgress | undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

export function worklistRow(
  values: WorklistRow['values'],
  withheld: string,
  remarks: readonly string[],
): WorklistRow {
  const isAscii = ASCII.test(Object.values(values).join(''))
  return {
    values,
    withheld,
    remarks,
    foldedName: foldName(values.PatientName),
    isAscii,
    progress: undefined,
  }
}

/** Start date, time, name, step id: the order in which rows are sent. */
export function byStart(a: WorklistRow, b: WorklistRow): number {
  return (
    compare(a.values.ScheduledProcedureStepStartDate, b.values.ScheduledProcedureStepStartDate) ||
    compare(a.values.ScheduledProcedureStepStartTime, b.values.ScheduledProcedureStepStartTime) ||
    compare(a.values.PatientName, b.values.PatientName) ||
    compare(a.values.ScheduledProcedureStepID, b.values.ScheduledProcedureStepID)
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** @throws RangeError for a place without a row */
export function rowAt(rows: readonly WorklistRow[], index: number): WorklistRow {
  const row = rows[index]
  if (!row) throw new RangeError(`no row ${index}`)
  return row
}
