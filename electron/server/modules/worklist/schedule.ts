import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { findDevice } from '#server/modules/devices/device-queries.ts'
import type { PartnerState } from '#server/modules/partners/state.ts'
import { isStepClosed } from '#server/modules/procedure-steps/closed-step-queries.ts'
import type { PerformedSteps, StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  EXAM_FILTERS,
  Exam,
  ExamDay,
  ExamSource,
  ExamTally,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { WorklistTestQuery } from '#shared/contract/worklist.ts'
import { hasStartTime } from '#shared/exam-start-time.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { daOf, secondsAt } from './dates.ts'
import type { DeviceLists, PlannedRow } from './device-lists.ts'
import { type ExamFacts, findExamFacts } from './queries.ts'
import { compare, type WorklistRow } from './row.ts'
import type { QueryingUser, Worklist } from './worklist.ts'

/** The counts of a day, and the exams that are overdue by more than an hour. */
export interface TodaysExams extends ExamTally {
  readonly late: number
  /** When the first of those was due; null if there is none. */
  readonly lateSince: string | null
}

/** An exam of a day, with a value of its row that the window does not show. */
export interface ScheduledExam {
  readonly exam: Exam
  readonly requestedProcedureId: string
}

/** How long the counts of today are cached. */
const COUNT_TTL_MS = 15_000
const LATE_AFTER_MS = 60 * 60_000
/** Rows processed before yielding to the event loop. */
const ROWS_PER_TURN = 500
/** Maximum number of concurrent requests, so that the partner is not overloaded. */
const MAX_CONCURRENT_REQUESTS = 4

/**
 * The exams of a day as staff see them: the partner's newest answers, combined with what devices
 * were sent and did.
 */
export class Schedule {
  readonly #context: Context
  readonly #lists: DeviceLists
  readonly #performedSteps: PerformedSteps
  readonly #partnerState: PartnerState
  #lastCount: { readonly day: string; readonly at: number; readonly exams: TodaysExams } | undefined
  #counting: Promise<TodaysExams> | undefined

  constructor(
    context: Context,
    lists: DeviceLists,
    performedSteps: PerformedSteps,
    partnerState: PartnerState,
  ) {
    this.#context = context
    this.#lists = lists
    this.#performedSteps = performedSteps
    this.#partnerState = partnerState
  }

  /** `day`: `YYYY-MM-DD`; `time`: `HHMMSS`. */
  #now() {
    const { clock, settings } = this.#context
    const { day, time } = wallClock(clock(), timeZoneOf(settings.get('clinic.timeZone')))
    return { day, time: time.replaceAll(':', '') }
  }

  /**
   * All exams of a day, `YYYY-MM-DD`. `oldestAt` is when the least recent of the devices' newest
   * answers was received.
   */
  async scheduled(day: string, device?: Device) {
    const { database } = this.#context
    const now = this.#now()
    const { rows: planned, receivedAt, oldestAt } = await this.#lists.ofDay(day, device)
    const rows = [...planned.values()]
    const uids = new Set(rows.map(({ row }) => row.values.StudyInstanceUID))
    const facts = findExamFacts(database, [...uids])
    const exams: ScheduledExam[] = []
    for (const [index, one] of rows.entries()) {
      if (index > 0 && index % ROWS_PER_TURN === 0) await setImmediate()
      const { StudyInstanceUID: study, ScheduledProcedureStepID: step } = one.row.values
      exams.push({
        exam: examOf(one, {
          facts: facts.get(study),
          progress: this.#performedSteps.stateOf(study, step),
          progressSince: this.#performedSteps.since(study, step) ?? null,
          isClosed: isStepClosed(database, study, step),
          isPast: isPast(one.row, day, now),
        }),
        requestedProcedureId: one.row.values.RequestedProcedureID,
      })
    }
    exams.sort((a, b) => byTime(a.exam, b.exam))
    return { exams, source: this.#sourceOf(receivedAt), oldestAt }
  }

  #sourceOf(receivedAt: string | null): ExamSource {
    const { state, fault: lastFault, downSince } = this.#partnerState.status()
    const fault = state === 'unset' ? 'no-endpoint' : lastFault
    const kind = receivedAt === null ? 'none' : fault === null ? 'live' : 'stored'
    const awaySince = fault === null || state === 'unset' ? null : downSince
    return { kind, receivedAt, fault, awaySince }
  }

  /** The exams of a day from stored answers. The partner is not queried. */
  async day({ day: asked, deviceId, show = 'all' }: ScheduleQuery, most: number): Promise<ExamDay> {
    const now = this.#now()
    const day = asked ?? now.day
    const device = deviceId === undefined ? undefined : findDevice(this.#context.database, deviceId)
    const { exams: scheduled, source } =
      deviceId !== undefined && !device
        ? { exams: [], source: this.#sourceOf(null) }
        : await this.scheduled(day, device)
    const exams = scheduled.map(({ exam }) => exam)
    return {
      day,
      today: now.day,
      now: now.time,
      source,
      exams: exams.filter(FILTER_PREDICATES[show]).slice(0, most),
      tally: tallyOf(exams),
    }
  }

  /** Today's counts, at most a few seconds old. Only the first call waits for them. */
  async today(): Promise<TodaysExams> {
    const { day } = this.#now()
    const known = this.#lastCount?.day === day ? this.#lastCount : undefined
    if (!known) return this.#recount(day)
    // Refreshed for the next call without waiting. Errors are reported to those who wait for a
    // first count.
    if (Math.abs(this.#context.clock() - known.at) > COUNT_TTL_MS)
      this.#recount(day).catch(() => {})
    return known.exams
  }

  #recount(day: string): Promise<TodaysExams> {
    this.#counting ??= this.#count(day)
      .then((exams) => {
        this.#lastCount = { day, at: this.#context.clock(), exams }
        return exams
      })
      .finally(() => {
        this.#counting = undefined
      })
    return this.#counting
  }

  async #count(day: string): Promise<TodaysExams> {
    const exams = (await this.scheduled(day)).exams.map(({ exam }) => exam)
    const { clock, settings } = this.#context
    const limit = wallClock(clock() - LATE_AFTER_MS, timeZoneOf(settings.get('clinic.timeZone')))
    const lateTime = limit.time.replaceAll(':', '')
    const lateExams = exams.filter(
      (exam) => limit.day >= day && exam.isOverdue && exam.startTime <= lateTime,
    )
    const [first] = lateExams
    const date = daOf(day)
    const seconds = first ? secondsAt(date, this.#now().time) - secondsAt(date, first.startTime) : 0
    return {
      ...tallyOf(exams),
      late: lateExams.length,
      lateSince: first ? instantOf(clock() - Math.max(0, seconds) * 1000) : null,
    }
  }
}

export interface ScheduleQuery {
  /** `YYYY-MM-DD`; today in the clinic if undefined. */
  readonly day?: string | undefined
  readonly deviceId?: string | undefined
  readonly show?: (typeof EXAM_FILTERS)[number] | undefined
}

/**
 * Queries the partner for the day in the place of each device. Every query is recorded with the
 * user.
 */
export async function refreshDay(
  worklist: Worklist,
  day: string,
  devices: readonly Device[],
  user: QueryingUser,
) {
  const sentences = new Map<string, Message>()
  let failed = 0
  for (let first = 0; first < devices.length; first += MAX_CONCURRENT_REQUESTS) {
    await Promise.all(
      devices.slice(first, first + MAX_CONCURRENT_REQUESTS).map(async (device) => {
        const { deviceId } = device
        const ask = WorklistTestQuery.parse({ deviceId, startDate: day, endDate: day })
        const asked = await worklist.ask(ask, device, user)
        if (asked.source !== 'none' && (asked.fault === null || asked.fault === 'invalid')) return
        failed++
        sentences.set(storedMessage(asked.sentence), asked.sentence)
      }),
    )
  }
  return { asked: devices.length, failed, sentences: [...sentences.values()] }
}

const isWaiting = ({ state, withheld }: Exam) => state === 'scheduled' && withheld === null
const isWithheld = ({ withheld, devices }: Exam) =>
  withheld !== null || devices.some((device) => device.withheld !== null)

const FILTER_PREDICATES: Readonly<Record<(typeof EXAM_FILTERS)[number], (exam: Exam) => boolean>> =
  {
    all: () => true,
    waiting: isWaiting,
    withheld: isWithheld,
    overdue: ({ isOverdue }) => isOverdue,
  }

const tallyOf = (exams: readonly Exam[]): ExamTally => ({
  all: exams.length,
  waiting: exams.filter(isWaiting).length,
  withheld: exams.filter(isWithheld).length,
  overdue: exams.filter(FILTER_PREDICATES.overdue).length,
  begun: exams.filter(({ state }) => state === 'started' || state === 'images').length,
  completed: exams.filter(({ state }) => state === 'completed').length,
})

/** Whether the scheduled time has passed. Without a start time, an exam is past when its day is. */
function isPast(
  row: WorklistRow,
  day: string,
  now: { readonly day: string; readonly time: string },
): boolean {
  if (day !== now.day) return day < now.day
  return (
    hasStartTime(row) &&
    row.values.ScheduledProcedureStepStartDate === daOf(day) &&
    row.values.ScheduledProcedureStepStartTime <= now.time
  )
}

const byTime = (a: Exam, b: Exam): number =>
  compare(a.startTime, b.startTime) || compare(a.patientName, b.patientName)

/** What is known about a scheduled row besides the partner's answers. */
interface ExamStatus {
  readonly facts: ExamFacts | undefined
  readonly progress: StepState | undefined
  readonly progressSince: string | null
  readonly isClosed: boolean
  /** The scheduled time has passed. */
  readonly isPast: boolean
}

/** Combines a scheduled row with its current state. */
function examOf(planned: PlannedRow, status: ExamStatus): Exam {
  const { row, devices } = planned
  const { values } = row
  const { facts, isClosed, isPast } = status
  const { state, since } = stateOf(planned, status)
  return {
    studyInstanceUid: values.StudyInstanceUID,
    scheduledProcedureStepId: values.ScheduledProcedureStepID,
    patientName: values.PatientName,
    patientId: values.PatientID,
    patientBirthDate: values.PatientBirthDate,
    patientSex: values.PatientSex,
    accessionNumber: values.AccessionNumber,
    modality: values.Modality,
    description: values.ScheduledProcedureStepDescription,
    location: values.ScheduledProcedureStepLocation,
    startDate: values.ScheduledProcedureStepStartDate,
    startTime: values.ScheduledProcedureStepStartTime,
    severity: facts?.study?.severity ?? 'normal',
    state,
    since,
    images: facts?.images?.instances ?? 0,
    imageStudyUid: facts?.images?.imageStudyUid ?? null,
    study: facts?.study ? { area: facts.study.area, studyId: facts.study.studyId } : null,
    withheld: row.withheld,
    remarks: [...row.remarks],
    isOverdue: isPast && (state === 'scheduled' || state === 'handed-out'),
    isClosed,
    devices: [...devices],
  }
}

/**
 * The state of an exam. In order of precedence: what a device reported, received images, what staff
 * recorded, and the partner's answer.
 */
function stateOf(
  { devices, goneAt }: PlannedRow,
  { facts, progress, progressSince, isClosed }: ExamStatus,
): Pick<Exam, 'state' | 'since'> {
  if (progress === 'completed' || progress === 'received')
    return { state: 'completed', since: progressSince }
  if (progress === 'started') return { state: 'started', since: progressSince }
  if (facts?.images) return { state: 'images', since: facts.images.firstAt }
  if (isClosed) return { state: 'closed', since: null }
  if (goneAt !== null) return { state: 'gone', since: goneAt }
  const sent = devices.flatMap(({ sentAt }) => (sentAt === null ? [] : [sentAt])).sort()
  return sent.length > 0
    ? { state: 'handed-out', since: sent.at(-1) ?? null }
    : { state: 'scheduled', since: null }
}
