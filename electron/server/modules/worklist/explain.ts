import type { Context } from '#server/context.ts'
import { scanAssociations } from '#server/modules/devices/association-queries.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { daysBetween, timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/text.ts'
import type {
  ExamExplanation,
  ExplainAsk,
  ExplainedExam,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { type Inspection, WorklistAsk } from '#shared/contract/worklist.ts'
import { message } from '#shared/messages/message.ts'
import {
  CONSOLE_TRANSFER_SYNTAX,
  type ConsoleQuery,
  consoleQuery,
  replayedQuery,
} from './console-query.ts'
import { checksOf } from './exam-checks.ts'
import { findLastInspection } from './inspection-queries.ts'
import { findInspection } from './inspections.ts'
import { UNRECORDED } from './query-run.ts'
import type { Schedule } from './schedule.ts'
import type { AskingUser, Worklist } from './worklist.ts'

const MOST_CANDIDATES = 50
const MOST_EXAMS = 50_000

/**
 * Why an exam is not on a device: the worklist is asked as this device, with what it asked last and
 * for all of the day, and every step of the way is held against what is recorded. Both queries are
 * recorded as the window's.
 */
export async function explain(
  context: Context,
  worklist: Worklist,
  schedule: Schedule,
  ask: ExplainAsk,
  device: Device,
  user: AskingUser,
): Promise<ExamExplanation> {
  const zone = timeZoneOf(context.settings.get('clinic.timeZone'))
  const today = wallClock(context.clock(), zone).day
  const day = ask.day ?? today
  const last = await lastQueryOf(context, device)
  // What it asked yesterday for that day, it asks today for this one.
  const daysLater = last ? daysBetween(wallClock(msOf(last.at), zone).day, today) : 0
  const replayed = last && last.keys.length > 0 ? last : undefined
  const ownQuery = replayed ? replayedQuery(replayed, { daysLater }) : fromConsole(device)
  const own = await worklist.askWith(ownQuery, device, user)
  const wideQuery = replayed ? replayedQuery(replayed, { onlyDay: day }) : fromConsole(device, day)
  const wide = await worklist.askWith(wideQuery, device, user)
  const known = (await schedule.day({ day }, MOST_EXAMS)).exams

  const candidates = fitting(ask, [...wide.rows, ...own.rows, ...known])
  const inspectionId = own.inspectionId === UNRECORDED ? null : own.inspectionId
  const base = { deviceId: device.deviceId, day, inspectionId }
  if (candidates.length > 1)
    return {
      ...base,
      exam: null,
      candidates: candidates.slice(0, MOST_CANDIDATES).map(shown),
      isGiven: false,
      conclusion: message('worklist.choose-exam'),
      checks: [],
    }
  const [exam] = candidates
  const same = (row: ExplainedExam) => exam !== undefined && keyOf(row) === keyOf(exam)
  const checks = checksOf({
    ...recordedOf(context, device, zone),
    device,
    day,
    today,
    last,
    lastKeys: last?.keys ?? [],
    own,
    wide,
    inOwn: own.rows.find(same),
    inWide: wide.rows.find(same),
    planned: known.find(same),
  })
  return {
    ...base,
    exam: exam ? shown(exam) : null,
    candidates: [],
    isGiven: own.rows.some((row) => same(row) && row.verdict === 'sent'),
    conclusion:
      checks.find(({ state }) => state === 'failed')?.sentence ??
      message('worklist.nothing-in-between'),
    checks,
  }
}

/** Each exam that is meant, once. */
function fitting(ask: ExplainAsk, exams: readonly ExplainedExam[]): ExplainedExam[] {
  const found = exams.filter(ask.studyInstanceUid === '' ? fits(ask.text) : isNamed(ask))
  return [...new Map(found.map((exam) => [keyOf(exam), exam])).values()]
}

/** The last query of the device itself, with the rows it was sent. */
async function lastQueryOf(context: Context, device: Device): Promise<Inspection | undefined> {
  const summary = findLastInspection(context.database, device.aeTitle)
  return summary && (await findInspection(context, summary.inspectionId, 'sent'))
}

const fromConsole = ({ deviceId }: Device, day: string | null = null): ConsoleQuery => ({
  identifier: consoleQuery(WorklistAsk.parse({ deviceId, startDate: day, endDate: day })),
  transferSyntax: CONSOLE_TRANSFER_SYNTAX,
})

/** What is recorded of the device and of callers that may be it. */
function recordedOf(context: Context, { aeTitle }: Device, zone: string) {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: 1, show: 'rejected', aeTitle } as const
  const [rejection] = scanAssociations(context.database, page).items
  return {
    ownAeTitle: context.settings.get('dimse.aeTitle'),
    callers: listUnknownCallers(context.database),
    lastRejection: rejection?.detail
      ? { at: rejection.openedAt, why: rejection.detail }
      : undefined,
    clockOf(instant: string) {
      const { day, time } = wallClock(msOf(instant), zone)
      return `${day} ${time.slice(0, 5)}`
    },
  }
}

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
