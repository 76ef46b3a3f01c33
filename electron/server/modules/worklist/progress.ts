import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { PerformedSteps, StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import type { AnswerRows } from './answer.ts'
import { dayOf } from './calendar.ts'
import { isMet, keysFor } from './matching.ts'
import type { WorklistQuery } from './query.ts'
import { rowAt, type StepProgress, type WorklistRow } from './row.ts'

/** A list with what its steps have come to. */
export interface Progress {
  /** The same rows at the same places; those of which something is known say it. */
  readonly list: AnswerRows
  /**
   * What of it bears on a query, as a short text: as long as that is the same, so is the result. ''
   * where nothing does, so that a step that ends leaves alone what was made for queries that never
   * got it.
   */
  bearingOn(query: WorklistQuery): string
}

export interface ProgressDeps {
  readonly performedSteps: Pick<PerformedSteps, 'stateOf' | 'since' | 'version'>
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
}

/**
 * Rows looked at before others get a turn on the event loop: a step that nobody has asked about
 * lately is looked up in the database.
 */
const SLICE = 200

/**
 * Effect of MPPS and of images on the worklist (dicom-field §5.9). Undefined for a list of which no
 * step has begun.
 */
export function openProgress({
  performedSteps,
  setting,
}: ProgressDeps): (list: AnswerRows) => Promise<Progress | undefined> {
  const known = new WeakMap<
    AnswerRows,
    { readonly at: string; readonly progress: Promise<Progress | undefined> }
  >()
  return (list) => {
    const closeOnImages = setting('worklist.closeOnImages')
    const zone = setting('clinic.timeZone')
    // Every row is looked at once for each change of a step anywhere, and not once for each query.
    const at = `${performedSteps.version} ${closeOnImages} ${zone}`
    const last = known.get(list)
    if (last?.at === at) return last.progress
    const timeZone = timeZoneOf(zone)
    const progress = progressOf(list, (row) =>
      stepProgress(row, performedSteps, closeOnImages, timeZone),
    )
    known.set(list, { at, progress })
    progress.catch(() => known.delete(list))
    return progress
  }
}

function stepProgress(
  { values }: WorklistRow,
  performedSteps: ProgressDeps['performedSteps'],
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
  if (instant === undefined) return { state, when: '' }
  const { day, time } = wallClock(msOf(instant), timeZone)
  return {
    state,
    when: `${planned !== '' && day === dayOf(planned) ? '' : ` on ${day}`} at ${time.slice(0, 5)}`,
  }
}

async function progressOf(
  { rows, order, extras }: AnswerRows,
  of: (row: WorklistRow) => StepProgress | undefined,
): Promise<Progress | undefined> {
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
            : digest(bears.map(([index, { state, when }]) => `${index} ${state}${when}`).join('\n'))
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

const DONE = 'done: '
const IN_PROGRESS = 'in progress: '
const WORDS: Readonly<Record<StepState, (when: string) => string>> = {
  completed: (when) => `${DONE}the device reported it completed${when} (MPPS)`,
  received: (when) => `${DONE}its images arrived${when}`,
  started: (when) =>
    `${IN_PROGRESS}a device reported it started${when} (MPPS), and this device is not given started exams`,
}

/** Why a row is not served; '' where it is. */
export function performedWords({ progress }: WorklistRow, hideStarted: boolean): string {
  if (!progress || (progress.state === 'started' && !hideStarted)) return ''
  return WORDS[progress.state](progress.when)
}

/** Whether the reason is one of `performedWords`. */
export const isPerformed = (reason: string): boolean =>
  reason.startsWith(DONE) || reason.startsWith(IN_PROGRESS)

/** What the inspector says of a row that is served although its step has begun. */
export const startedRemark = ({ when }: StepProgress): string =>
  `sent as STARTED: a device reported it started${when} (MPPS)`
