import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import { dayOf } from './dates.ts'
import { applicableKeys, isMatch } from './matching.ts'
import type { WorklistQuery } from './query.ts'
import { rowAt, type StepProgress, type WorklistRow } from './row.ts'

/** A list with the progress of its steps. */
interface ListProgress {
  /** The same rows with the same indices; those whose step has begun carry their progress. */
  readonly list: AnswerRows
  /**
   * A fingerprint of the progress that affects the result of a query; '' if none does. As long as
   * it is unchanged, cached results stay valid, so that a finished step does not invalidate the
   * results of queries that never included it.
   */
  fingerprintFor(query: WorklistQuery): string
}

/**
 * Rows processed before yielding to the event loop. A step that has not been looked up recently is
 * read from the database.
 */
const ROWS_PER_TURN = 200

/** Adds the progress of steps, known from MPPS and received images, to worklist answers. */
export class Progress {
  readonly #context: Context
  readonly #performedSteps: PerformedSteps
  readonly #known = new WeakMap<
    AnswerRows,
    { readonly version: string; readonly progress: Promise<ListProgress | undefined> }
  >()

  constructor(context: Context, performedSteps: PerformedSteps) {
    this.#context = context
    this.#performedSteps = performedSteps
  }

  /** The progress of a list; undefined if no step has begun. */
  of(list: AnswerRows): Promise<ListProgress | undefined> {
    const { settings } = this.#context
    const closeOnImages = settings.get('worklist.closeOnImages')
    const zone = settings.get('clinic.timeZone')
    // All rows are examined once per change of any step, instead of once per query.
    const version = `${this.#performedSteps.version} ${closeOnImages} ${zone}`
    const last = this.#known.get(list)
    if (last?.version === version) return last.progress
    const timeZone = timeZoneOf(zone)
    const progress = progressOf(list, (row) =>
      stepProgress(row, this.#performedSteps, closeOnImages, timeZone),
    )
    this.#known.set(list, { version, progress })
    progress.catch(() => this.#known.delete(list))
    return progress
  }
}

function stepProgress(
  { values }: WorklistRow,
  performedSteps: PerformedSteps,
  closeOnImages: boolean,
  timeZone: string,
): StepProgress | undefined {
  const {
    StudyInstanceUID: study,
    ScheduledProcedureStepID: step,
    ScheduledProcedureStepStartDate: planned,
  } = values
  const state = performedSteps.stateOf(study, step)
  if (state === undefined || (state === 'received' && !closeOnImages)) return undefined
  const instant = performedSteps.since(study, step)
  if (instant === undefined) return { state, when: 'unknown', day: '', time: '' }
  const { day, time } = wallClock(msOf(instant), timeZone)
  const when = planned !== '' && day === dayOf(planned) ? 'time' : 'day'
  return { state, when, day, time: time.slice(0, 5) }
}

async function progressOf(
  { rows, order, extras }: AnswerRows,
  of: (row: WorklistRow) => StepProgress | undefined,
): Promise<ListProgress | undefined> {
  const begun = new Map<number, StepProgress>()
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await setImmediate()
    const progress = of(row)
    if (progress) begun.set(index, progress)
  }
  if (begun.size === 0) return undefined
  const list: AnswerRows = {
    order,
    extras,
    rows: rows.map((row, index) => withProgress(row, begun.get(index))),
  }
  const fingerprints = new WeakMap<WorklistQuery, string>()
  return {
    list,
    fingerprintFor(query) {
      let fingerprint = fingerprints.get(query)
      if (fingerprint === undefined) {
        // The status itself changes with the progress, so a key on it must not exclude the row
        // here.
        const keys = applicableKeys(query.keys, list).filter(
          ({ name }) => name !== 'ScheduledProcedureStepStatus',
        )
        const relevantSteps = [...begun].filter(([index]) =>
          keys.every((key) => isMatch(key, rowAt(rows, index))),
        )
        fingerprint =
          relevantSteps.length === 0
            ? ''
            : digest(
                relevantSteps
                  .map(([index, of]) => `${index} ${Object.values(of).join(' ')}`)
                  .join('\n'),
              )
        fingerprints.set(query, fingerprint)
      }
      return fingerprint
    },
  }
}

function withProgress(row: WorklistRow, progress: StepProgress | undefined): WorklistRow {
  if (!progress) return row
  if (progress.state !== 'started') return { ...row, progress }
  return { ...row, progress, values: { ...row.values, ScheduledProcedureStepStatus: 'STARTED' } }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Why a row is not sent because of its progress; null if it is sent. */
export function performedReason({ progress }: WorklistRow, hideStarted: boolean): Message | null {
  if (!progress || (progress.state === 'started' && !hideStarted)) return null
  const { state, when, day, time } = progress
  if (state === 'completed') return message('worklist.done-by-report', { when, day, time })
  if (state === 'received') return message('worklist.done-by-images', { when, day, time })
  return message('worklist.in-progress', { when, day, time })
}

/** Whether the reason is one of those of `performedReason`. */
export const isPerformed = (reason: Message | null): boolean =>
  reason !== null &&
  ['worklist.done-by-report', 'worklist.done-by-images', 'worklist.in-progress'].includes(
    reason.code,
  )

/** The inspector's remark on a row that is sent although its step has begun. */
export const startedRemark = ({ when, day, time }: StepProgress): Message =>
  message('worklist.sent-as-started', { when, day, time })
