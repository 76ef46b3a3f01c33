import { setImmediate } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
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
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { daOf } from './calendar.ts'
import { type DeviceListsDeps, openDeviceLists } from './device-lists.ts'
import { examOf } from './exam-state.ts'
import type { WorklistRow } from './row.ts'

/** What keeps the partner from answering; `fault` is null where nothing does. */
export interface PartnerAway {
  readonly fault: PartnerFault | null
  readonly since: string | null
}

export interface ExamsDeps extends DeviceListsDeps {
  readonly store: DeviceListsDeps['store'] & Pick<Context, 'closedSteps' | 'examFacts'>
  readonly clock: () => number
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly performedSteps: Pick<PerformedSteps, 'stateOf' | 'since'>
  readonly partner: () => PartnerAway
}

export interface ExamsQuery {
  /** `YYYY-MM-DD`; undefined: today in the clinic. */
  readonly day?: string | undefined
  readonly deviceId?: string | undefined
  readonly show?: (typeof EXAM_SHOWS)[number] | undefined
}

/** What of the day is late by an hour and was never begun, beside the tally. */
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

export interface Exams {
  /** All exams of a day as `day` has them, `YYYY-MM-DD`, for other parts of the gateway. */
  scheduled(day: string): Promise<{
    readonly exams: readonly ScheduledExam[]
    readonly source: ExamSource
    /** Of the device that was answered the longest ago: when its newest answer was received. */
    readonly oldestAt: string | null
  }>
  /** From what is kept: the partner is not asked. */
  day(query: ExamsQuery, most: number): Promise<ExamDay>
  /** Today's numbers, at most some seconds old; without waiting but for the first. */
  today(): Promise<ExamsToday>
}

/** How long the numbers of the day are good for. */
const TALLY_MS = 15_000
const LATE_MS = 60 * 60_000
/** Rows looked at before others get a turn on the event loop. */
const SLICE = 500

/**
 * The exams of a day as staff look at them: the partner's newest answers, with what devices were
 * given and did.
 */
export function openExams(deps: ExamsDeps): Exams {
  const { store, clock, setting, devices, performedSteps, partner } = deps
  const lists = openDeviceLists(deps)
  let tally: { readonly day: string; readonly at: number; readonly exams: ExamsToday } | undefined
  let counting: Promise<ExamsToday> | undefined

  const now = () => wallClock(clock(), timeZoneOf(setting('clinic.timeZone')))

  async function scheduledOn(day: string, device: Device | undefined) {
    const { day: today, time } = now()
    const found = await lists.ofDay(day, device)
    const rows = [...found.rows.values()]
    const facts = store.examFacts.of([
      ...new Set(rows.map(({ row }) => row.values.StudyInstanceUID)),
    ])
    const exams: ScheduledExam[] = []
    for (const [index, planned] of rows.entries()) {
      if (index > 0 && index % SLICE === 0) await setImmediate()
      const { StudyInstanceUID: study, ScheduledProcedureStepID: step } = planned.row.values
      exams.push({
        exam: examOf(planned, {
          facts: facts.get(study),
          progress: performedSteps.stateOf(study, step),
          progressSince: performedSteps.since(study, step) ?? null,
          isClosed: store.closedSteps.has(study, step),
          isPast: isPast(planned.row, day, today, time),
        }),
        requestedProcedureId: planned.row.values.RequestedProcedureID,
      })
    }
    exams.sort((a, b) => byTime(a.exam, b.exam))
    return { exams, receivedAt: found.receivedAt, oldestAt: found.oldestAt }
  }

  async function examsOf(day: string, device: Device | undefined) {
    const { exams, receivedAt } = await scheduledOn(day, device)
    return { exams: exams.map(({ exam }) => exam), receivedAt }
  }

  function sourceOf(receivedAt: string | null): ExamSource {
    const { fault, since } = partner()
    const kind = receivedAt === null ? 'none' : fault === null ? 'live' : 'stored'
    return { kind, receivedAt, fault, awaySince: fault === null ? null : since }
  }

  async function count(day: string): Promise<ExamsToday> {
    const { exams } = await examsOf(day, undefined)
    const zone = timeZoneOf(setting('clinic.timeZone'))
    const lateTime = wallClock(clock() - LATE_MS, zone)
    const late =
      lateTime.day < day
        ? []
        : exams.filter(
            (exam) => exam.isOverdue && exam.startTime <= lateTime.time.replaceAll(':', ''),
          )
    const first = late[0]
    return {
      ...tallyOf(exams),
      late: late.length,
      lateSince: first
        ? instantOf(
            clock() - secondsBetween(first.startTime, now().time.replaceAll(':', '')) * 1000,
          )
        : null,
    }
  }

  function recount(day: string): Promise<ExamsToday> {
    counting ??= count(day)
      .then((exams) => {
        tally = { day, at: clock(), exams }
        return exams
      })
      .finally(() => {
        counting = undefined
      })
    return counting
  }

  return {
    async scheduled(day) {
      const { exams, receivedAt, oldestAt } = await scheduledOn(day, undefined)
      return { exams, source: sourceOf(receivedAt), oldestAt }
    },
    async day({ day: asked, deviceId, show = 'all' }, most) {
      const { day: today, time } = now()
      const day = asked ?? today
      const device =
        deviceId === undefined ? undefined : devices().find((one) => one.deviceId === deviceId)
      const { exams, receivedAt } =
        deviceId !== undefined && !device
          ? { exams: [], receivedAt: null }
          : await examsOf(day, device)
      return {
        day,
        today,
        now: time.replaceAll(':', ''),
        source: sourceOf(receivedAt),
        exams: exams.filter(SHOWN[show]).slice(0, most),
        tally: tallyOf(exams),
      }
    },
    async today() {
      const { day } = now()
      const known = tally?.day === day ? tally : undefined
      if (!known) return recount(day)
      // The next one who asks has it newer: who asks now does not wait. A failure is told to who
      // waits for the first.
      if (Math.abs(clock() - known.at) > TALLY_MS) recount(day).catch(() => {})
      return known.exams
    },
  }
}

const isWaiting = ({ state, withheld }: Exam) => state === 'scheduled' && withheld === ''
const isWithheld = ({ withheld, devices }: Exam) =>
  withheld !== '' || devices.some((device) => device.withheld !== '')

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
  { values, remarks }: WorklistRow,
  day: string,
  today: string,
  time: string,
): boolean {
  if (day !== today) return day < today
  const isTimeKnown = !remarks.some((remark) => remark.includes('start time'))
  return (
    isTimeKnown &&
    values.ScheduledProcedureStepStartDate === daOf(day) &&
    values.ScheduledProcedureStepStartTime <= time.replaceAll(':', '')
  )
}

const byTime = (a: Exam, b: Exam): number =>
  compare(a.startTime, b.startTime) || compare(a.patientName, b.patientName)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Of `HHMMSS` of one day. */
function secondsBetween(from: string, to: string): number {
  const seconds = (time: string) =>
    Number(time.slice(0, 2)) * 3600 + Number(time.slice(2, 4)) * 60 + Number(time.slice(4, 6))
  return Math.max(0, seconds(to) - seconds(from))
}
