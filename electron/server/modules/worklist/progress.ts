import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import { dayOf } from './dates.ts'
import { isMet, keysFor } from './matching.ts'
import type { WorklistQuery } from './query.ts'
import { rowAt, type StepProgress, type WorklistRow } from './row.ts'

/** A list with what its steps have come to. */
interface ListProgress {
  /** The same rows at the same places; those of which something is known say it. */
  readonly list: AnswerRows
  /**
   * What of it bears on a query, as a short text: as long as that is the same, so is the result. ''
   * where nothing does, so that a step that ends leaves alone what was made for queries that never
   * got it.
   */
  bearingOn(query: WorklistQuery): string
}

/**
 * Rows looked at before others get a turn on the event loop: a step that nobody has asked about
 * lately is looked up in the database.
 */
const SLICE = 200

/** Effect of MPPS and of images on the worklist. */
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

  /** Undefined for a list of which no step has begun. */
  of(list: AnswerRows): Promise<ListProgress | undefined> {
    const { settings } = this.#context
    const closeOnImages = settings.get('worklist.closeOnImages')
    const zone = settings.get('clinic.timeZone')
    // Every row is looked at once for each change of a step anywhere, and not once for each query.
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
    if (index > 0 && index % SLICE === 0) await setImmediate()
    const progress = of(row)
    if (progress) begun.set(index, progress)
  }
  if (begun.size === 0) return undefined
  const list: AnswerRows = {
    order,
    extras,
    rows: rows.map((row, index) => withProgress(row, begun.get(index))),
  }
  const bearings = new WeakMap<WorklistQuery, string>()
  return {
    list,
    bearingOn(query) {
      let bearing = bearings.get(query)
      if (bearing === undefined) {
        // The status is what changes: whether a row meets a key on it is no reason to pass it over.
        const keys = keysFor(query.keys, list).filter(
          ({ name }) => name !== 'ScheduledProcedureStepStatus',
        )
        const bears = [...begun].filter(([index]) =>
          keys.every((key) => isMet(key, rowAt(rows, index))),
        )
        bearing =
          bears.length === 0
            ? ''
            : digest(
                bears.map(([index, of]) => `${index} ${Object.values(of).join(' ')}`).join('\n'),
              )
        bearings.set(query, bearing)
      }
      return bearing
    },
  }
}

function withProgress(row: WorklistRow, progress: StepProgress | undefined): WorklistRow {
  if (!progress) return row
  if (progress.state !== 'started') return { ...row, progress }
  return { ...row, progress, values: { ...row.values, ScheduledProcedureStepStatus: 'STARTED' } }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Why a row is not served; null where it is. */
export function performedWords({ progress }: WorklistRow, hideStarted: boolean): Message | null {
  if (!progress || (progress.state === 'started' && !hideStarted)) return null
  const { state, when, day, time } = progress
  if (state === 'completed') return message('worklist.done-by-report', { when, day, time })
  if (state === 'received') return message('worklist.done-by-images', { when, day, time })
  return message('worklist.in-progress', { when, day, time })
}

/** Whether the reason is one of `performedWords`. */
export const isPerformed = (reason: Message | null): boolean =>
  reason !== null &&
  ['worklist.done-by-report', 'worklist.done-by-images', 'worklist.in-progress'].includes(
    reason.code,
  )

/** What the inspector says of a row that is served although its step has begun. */
export const startedRemark = ({ when, day, time }: StepProgress): Message =>
  message('worklist.sent-as-started', { when, day, time })
