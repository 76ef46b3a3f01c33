import { withoutEnd } from '#server/dicom/data-set/vr.ts'
import type { StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import type { Message } from '#shared/messages/message.ts'
import type { RowKeyword } from './attributes.ts'

/** How far a step is, by what a device reported (MPPS) or sent. */
export interface StepProgress {
  readonly state: StepState
  /** When in the clinic: with the day where it is not that of the plan; or nobody knows. */
  readonly when: 'time' | 'day' | 'unknown'
  /** `YYYY-MM-DD` and `HH:MM`. */
  readonly day: string
  readonly time: string
}

/** One step of one item of the partner's answer: what a console is sent as one C-FIND response. */
export interface WorklistRow {
  /** Cleaned values; of a row that is withheld, as far as they are usable. */
  readonly values: Readonly<Record<RowKeyword, string>>
  /** Why no console may have it; null where it is fit. */
  readonly withheld: Message | null
  /** Repairs. */
  readonly remarks: readonly Message[]
  /** PatientName as `matching` compares it: its component groups, folded. */
  readonly foldedName: readonly string[]
  /** Whether every value is of the default repertoire. */
  readonly isAscii: boolean
  /** Undefined where nothing has begun. */
  readonly progress: StepProgress | undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/
/** Whether a text is of the default character repertoire. */
export const isAscii = (text: string): boolean => ASCII.test(text)

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

/** Start date, time, name, step id: the order in which rows are sent. */
export function byStart(a: WorklistRow, b: WorklistRow): number {
  return (
    compare(a.values.ScheduledProcedureStepStartDate, b.values.ScheduledProcedureStepStartDate) ||
    compare(a.values.ScheduledProcedureStepStartTime, b.values.ScheduledProcedureStepStartTime) ||
    compare(a.values.PatientName, b.values.PatientName) ||
    compare(a.values.ScheduledProcedureStepID, b.values.ScheduledProcedureStepID)
  )
}

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** @throws RangeError for a place without a row */
export function rowAt(rows: readonly WorklistRow[], index: number): WorklistRow {
  const row = rows[index]
  if (!row) throw new RangeError(`no row ${index}`)
  return row
}

/** PS3.5 §6.2.1: alphabetic, ideographic and phonetic. */
const MOST_GROUPS = 3

/**
 * Component groups of a PN as they are compared: compatibility forms made one, without case and
 * without the diacritics of Latin, Greek and Cyrillic letters, without empty components at the end.
 * PS3.4 C.2.2.2.4 leaves this to the implementation; docs/CONFORMANCE.md says it.
 */
export const foldName = (name: string): readonly string[] =>
  name.split('=', MOST_GROUPS).map(foldGroup)

function foldGroup(group: string): string {
  const trimmed = withoutEnd(
    group
      .split('^')
      .map((component) => component.trim())
      .join('^'),
    '^',
  )
  if (isAscii(trimmed)) return trimmed.toLowerCase()
  // Upper case first, so that ß and ſ meet ss and s. Recomposed at the end: Hangul syllables and
  // kana with their marks stay whole.
  return trimmed
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}
