import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { findDevice } from '#server/modules/devices/device-queries.ts'
import type { PartnerState } from '#server/modules/partners/state.ts'
import { isStepClosed } from '#server/modules/procedure-steps/closed-step-queries.ts'
import type { PerformedSteps, StepState } from '#server/modules/procedure-steps/performed-steps.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type {
  EXAM_SHOWS,
  Exam,
  ExamDay,
  ExamSource,
  ExamTally,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { WorklistAsk } from '#shared/contract/worklist.ts'
import { hasStartTime } from '#shared/exam-start-time.ts'
import { type Message, storedMessage } from '#shared/messages/message.ts'
import { daOf, secondsAt } from './dates.ts'
import type { DeviceLists, PlannedRow } from './device-lists.ts'
import { type ExamFacts, findExamFacts } from './queries.ts'
import { compare, type WorklistRow } from './row.ts'
import type { AskingUser, Worklist } from './worklist.ts'

/** What of the day is late by an hour and was never begun, beside its counts. */
export interface ExamsToday extends ExamTally {
  readonly late: number
  /** When the first of those was due. */
  readonly lateSince: string | null
}

/** An exam of a day with what the window is not shown of its row. */
export interface ScheduledExam {
  readonly exam: Exam
  readonly requestedProcedureId: string
}

/** How long the numbers of the day are good for. */
const TALLY_MS = 15_000
const LATE_MS = 60 * 60_000
/** Rows looked at before others get a turn on the event loop. */
const SLICE = 500
/** Devices that are asked as at a time: a partner is not to be flooded. */
const AT_ONCE = 4

/**
 * The exams of a day as staff look at them: the partner's newest answers, with what devices were
 * sent and did.
 */
export class Schedule {
  readonly #context: Context
  readonly #lists: DeviceLists
  readonly #performedSteps: PerformedSteps
  readonly #partnerState: PartnerState
  #counted: { readonly day: string; readonly at: number; readonly exams: ExamsToday } | undefined
  #counting: Promise<ExamsToday> | undefined

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
   * All exams of a day, `YYYY-MM-DD`. `oldestAt`: of the device that was answered the longest ago,
   * when its newest answer was received.
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
      if (index > 0 && index % SLICE === 0) await setImmediate()
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

  /** From what is kept: the partner is not asked. */
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
      exams: exams.filter(SHOWN[show]).slice(0, most),
      tally: tallyOf(exams),
    }
  }

  /** Today's numbers, at most some seconds old; without waiting but for the first. */
  async today(): Promise<ExamsToday> {
    const { day } = this.#now()
    const known = this.#counted?.day === day ? this.#counted : undefined
    if (!known) return this.#recount(day)
    // The next who asks has it newer; this one does not wait. A failure is one of whoever waits for
    // the first count.
    if (Math.abs(this.#context.clock() - known.at) > TALLY_MS) this.#recount(day).catch(() => {})
    return known.exams
  }

  #recount(day: string): Promise<ExamsToday> {
    this.#counting ??= this.#count(day)
      .then((exams) => {
        this.#counted = { day, at: this.#context.clock(), exams }
        return exams
      })
      .finally(() => {
        this.#counting = undefined
      })
    return this.#counting
  }

  async #count(day: string): Promise<ExamsToday> {
    const exams = (await this.scheduled(day)).exams.map(({ exam }) => exam)
    const { clock, settings } = this.#context
    const limit = wallClock(clock() - LATE_MS, timeZoneOf(settings.get('clinic.timeZone')))
    const lateTime = limit.time.replaceAll(':', '')
    const late = exams.filter(
      (exam) => limit.day >= day && exam.isOverdue && exam.startTime <= lateTime,
    )
    const [first] = late
    const date = daOf(day)
    const seconds = first ? secondsAt(date, this.#now().time) - secondsAt(date, first.startTime) : 0
    return {
      ...tallyOf(exams),
      late: late.length,
      lateSince: first ? instantOf(clock() - Math.max(0, seconds) * 1000) : null,
    }
  }
}

export interface ScheduleQuery {
  /** `YYYY-MM-DD`; undefined: today in the clinic. */
  readonly day?: string | undefined
  readonly deviceId?: string | undefined
  readonly show?: (typeof EXAM_SHOWS)[number] | undefined
}

/**
 * Asks the partner for the day as each of the devices would; every query is recorded with the user.
 */
export async function refreshDay(
  worklist: Worklist,
  day: string,
  devices: readonly Device[],
  user: AskingUser,
) {
  const sentences = new Map<string, Message>()
  let failed = 0
  for (let first = 0; first < devices.length; first += AT_ONCE) {
    await Promise.all(
      devices.slice(first, first + AT_ONCE).map(async (device) => {
        const { deviceId } = device
        const ask = WorklistAsk.parse({ deviceId, startDate: day, endDate: day })
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

const SHOWN: Readonly<Record<(typeof EXAM_SHOWS)[number], (exam: Exam) => boolean>> = {
  all: () => true,
  waiting: isWaiting,
  withheld: isWithheld,
  overdue: ({ isOverdue }) => isOverdue,
}

const tallyOf = (exams: readonly Exam[]): ExamTally => ({
  all: exams.length,
  waiting: exams.filter(isWaiting).length,
  withheld: exams.filter(isWithheld).length,
  overdue: exams.filter(SHOWN.overdue).length,
  begun: exams.filter(({ state }) => state === 'started' || state === 'images').length,
  completed: exams.filter(({ state }) => state === 'completed').length,
})

/** Whether its time is over. A time that the partner did not give is never over, but its day is. */
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

/** What is known of a planned row beside the partner's answers. */
interface ExamStanding {
  readonly facts: ExamFacts | undefined
  readonly progress: StepState | undefined
  readonly progressSince: string | null
  readonly isClosed: boolean
  /** Its time is over. */
  readonly isPast: boolean
}

/** A planned row with all that became of it. */
function examOf(planned: PlannedRow, standing: ExamStanding): Exam {
  const { row, devices } = planned
  const { values } = row
  const { facts, isClosed, isPast } = standing
  const { state, since } = stateOf(planned, standing)
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
 * What a device reported counts for most, then what it sent, then what staff said, then what the
 * partner says.
 */
function stateOf(
  { devices, goneAt }: PlannedRow,
  { facts, progress, progressSince, isClosed }: ExamStanding,
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
