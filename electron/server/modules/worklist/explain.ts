import type { Context } from '#server/context.ts'
import { daysBetween, timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/folding.ts'
import type {
  Exam,
  ExamExplanation,
  ExplainAsk,
  ExplainedExam,
} from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import {
  type Inspection,
  type InspectionSummary,
  type RowVerdict,
  WorklistAsk,
} from '#shared/contract/worklist.ts'
import { CONSOLE_TRANSFER_SYNTAX, consoleQuery } from './console-query.ts'
import { checksOf } from './exam-checks.ts'
import { replayedQuery } from './replayed-query.ts'
import type { Exams } from './schedule.ts'
import { type AskingUser, UNRECORDED, type Worklist } from './worklist.ts'

export interface ExplainDeps {
  readonly store: Pick<Context, 'inspections' | 'associations'>
  readonly clock: () => number
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly worklist: Pick<Worklist, 'askWith' | 'inspection'>
  readonly exams: Pick<Exams, 'day'>
  /** The callers that are not in the device list. */
  readonly callers: () => readonly UnknownCaller[]
}

/**
 * All that the checks look at. Instants are as recorded; `day`, `today` are `YYYY-MM-DD` in the
 * clinic.
 */
export interface Findings {
  readonly device: Device
  readonly day: string
  readonly today: string
  /** The gateway's own AE title, and how an instant reads in the clinic: `2026-11-20 09:00`. */
  readonly ownAeTitle: string
  readonly clockOf: (instant: string) => string
  readonly callers: readonly UnknownCaller[]
  readonly lastRejection: { readonly at: string; readonly why: string } | undefined
  /** The last query of the device itself, as far as queries are kept, and its keys. */
  readonly last: InspectionSummary | undefined
  readonly lastKeys: Inspection['keys']
  /** Asked now with the keys of its last query. */
  readonly own: Inspection
  /** Asked now for all of the day. */
  readonly wide: Inspection
  readonly inOwn: RowVerdict | undefined
  readonly inWide: RowVerdict | undefined
  /** The exam as the partner's kept answers have it, to whichever device. */
  readonly planned: Exam | undefined
}

const MOST_CANDIDATES = 50
const MOST_EXAMS = 50_000

/**
 * Why an exam is not on a device: the worklist is asked as this device, with what it asked last and
 * for all of the day, and every step of the way is held against what is recorded. Both queries are
 * recorded as the window's.
 */
export function openExplain({ store, clock, setting, worklist, exams, callers }: ExplainDeps) {
  const zone = () => timeZoneOf(setting('clinic.timeZone'))

  async function lastOf(
    device: Device,
  ): Promise<{ readonly summary: InspectionSummary; readonly whole: Inspection } | undefined> {
    const summary = store.inspections.last(device.aeTitle)
    const whole = summary && (await worklist.inspection(summary.inspectionId, 'sent'))
    return summary && whole && { summary, whole }
  }

  return async (ask: ExplainAsk, device: Device, user: AskingUser): Promise<ExamExplanation> => {
    const today = wallClock(clock(), zone()).day
    const day = ask.day ?? today
    const last = await lastOf(device)
    const clockOf = (instant: string) => {
      const { day: at, time } = wallClock(msOf(instant), zone())
      return `${at} ${time.slice(0, 5)}`
    }
    const fromConsole = (from: Partial<WorklistAsk>) => ({
      identifier: consoleQuery(WorklistAsk.parse({ deviceId: device.deviceId, ...from })),
      transferSyntax: CONSOLE_TRANSFER_SYNTAX,
    })
    // What it asked yesterday for that day, it asks today for this one.
    const daysLater = last ? daysBetween(wallClock(msOf(last.summary.at), zone()).day, today) : 0
    const keys = last?.whole.keys ?? []
    const own = await worklist.askWith(
      keys.length > 0 && last ? replayedQuery(last.whole, { daysLater }) : fromConsole({}),
      device,
      user,
    )
    const wide = await worklist.askWith(
      keys.length > 0 && last
        ? replayedQuery(last.whole, { onlyDay: day })
        : fromConsole({ startDate: day, endDate: day }),
      device,
      user,
    )
    const known = (await exams.day({ day }, MOST_EXAMS)).exams

    const everywhere: readonly ExplainedExam[] = [...wide.rows, ...own.rows, ...known]
    const found = everywhere.filter(ask.studyInstanceUid === '' ? fits(ask.text) : isNamed(ask))
    const candidates = unique(found)
    const base = {
      deviceId: device.deviceId,
      day,
      inspectionId: own.inspectionId === UNRECORDED ? null : own.inspectionId,
    }
    if (candidates.length > 1) {
      const some = candidates.slice(0, MOST_CANDIDATES).map(shown)
      return {
        ...base,
        exam: null,
        candidates: some,
        isGiven: false,
        conclusion: 'Several exams fit; choose one.',
        checks: [],
      }
    }
    const exam = candidates[0]
    const same = (row: ExplainedExam) => exam !== undefined && keyOf(row) === keyOf(exam)
    const [rejection] = store.associations.scan({
      ...{ before: Number.MAX_SAFE_INTEGER, limit: 1, show: 'rejected', aeTitle: device.aeTitle },
    }).items
    const checks = checksOf({
      device,
      day,
      today,
      ownAeTitle: setting('dimse.aeTitle'),
      clockOf,
      callers: callers(),
      lastRejection: rejection && { at: rejection.openedAt, why: rejection.detail },
      last: last?.summary,
      lastKeys: keys,
      own,
      wide,
      inOwn: own.rows.find(same),
      inWide: wide.rows.find(same),
      planned: known.find(same),
    })
    const failed = checks.find(({ state }) => state === 'failed')
    return {
      ...base,
      exam: exam ? shown(exam) : null,
      candidates: [],
      isGiven: own.rows.some((row) => same(row) && row.verdict === 'sent'),
      conclusion: failed?.sentence ?? 'Nothing keeps this exam from the device.',
      checks,
    }
  }
}
export type Explain = ReturnType<typeof openExplain>

const isNamed =
  ({ studyInstanceUid, scheduledProcedureStepId }: ExplainAsk) =>
  (exam: ExplainedExam): boolean =>
    exam.studyInstanceUid === studyInstanceUid &&
    (scheduledProcedureStepId === '' || exam.scheduledProcedureStepId === scheduledProcedureStepId)

/**
 * Each word is in the name, the patient ID, the accession number or the description; case and
 * accents do not count.
 */
function fits(text: string): (exam: ExplainedExam) => boolean {
  const words = folded(text.replace(/[\^=,]/g, ' '))
    .split(/\s+/)
    .filter((word) => word !== '')
  return ({ patientName, patientId, accessionNumber, description }) => {
    const said = folded(
      [patientName.replace(/[\^=]/g, ' '), patientId, accessionNumber, description].join(' '),
    )
    return words.length > 0 && words.every((word) => said.includes(word))
  }
}

const keyOf = ({
  studyInstanceUid,
  scheduledProcedureStepId,
  patientId,
  accessionNumber,
}: ExplainedExam): string =>
  studyInstanceUid === ''
    ? `? ${patientId} ${accessionNumber}`
    : `${studyInstanceUid} ${scheduledProcedureStepId}`

const unique = (exams: readonly ExplainedExam[]): ExplainedExam[] => [
  ...new Map(exams.map((exam) => [keyOf(exam), exam])).values(),
]

const shown = (exam: ExplainedExam): ExplainedExam => ({
  studyInstanceUid: exam.studyInstanceUid,
  scheduledProcedureStepId: exam.scheduledProcedureStepId,
  patientName: exam.patientName,
  patientId: exam.patientId,
  accessionNumber: exam.accessionNumber,
  modality: exam.modality,
  description: exam.description,
  startDate: exam.startDate,
  startTime: exam.startTime,
})
