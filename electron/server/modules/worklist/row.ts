import { withoutEnd } from '#server/dicom/data-set/vr.ts'
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/
/** Whether a text is in the default character repertoire. */
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

/** Alphabetic, ideographic and phonetic (PS3.5 §6.2.1). */
const MAX_GROUPS = 3

/**
 * The component groups of a PN in the form in which they are compared: without compatibility
 * variants, case, diacritics of Latin, Greek and Cyrillic letters, and trailing empty components.
 * PS3.4 C.2.2.2.4 leaves this to the implementation; docs/CONFORMANCE.md documents it.
 */
export const foldName = (name: string): readonly string[] =>
  name.split('=', MAX_GROUPS).map(foldGroup)

function foldGroup(group: string): string {
  const trimmed = withoutEnd(
    group
      .split('^')
      .map((component) => component.trim())
      .join('^'),
    '^',
  )
  if (isAscii(trimmed)) return trimmed.toLowerCase()
  // Upper case first, so that ß and ſ match ss and s. Recomposed at the end, so that Hangul
  // syllables and kana with marks stay whole.
  return trimmed
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}
