import type { Context } from '#server/context.ts'
import { scanAssociations } from '#server/modules/devices/association-queries.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { daysBetween, timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/text.ts'
import type {
  ExamExplanation,
  ExplainedExam,
  ExplanationRequest,
} from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { type Inspection, WorklistTestQuery } from '#shared/contract/worklist.ts'
import { message } from '#shared/messages/message.ts'
import {
  buildConsoleQuery,
  type ConsoleQuery,
  DEFAULT_TRANSFER_SYNTAX,
  rebuildQuery,
} from './console-query.ts'
import { runChecks } from './exam-checks.ts'
import { findLastInspection } from './inspection-queries.ts'
import { findInspection } from './inspections.ts'
import { UNRECORDED } from './query-run.ts'
import type { Schedule } from './schedule.ts'
import type { QueryingUser, Worklist } from './worklist.ts'

const MAX_CANDIDATES = 50
const MAX_EXAMS = 50_000

/**
 * Explains why an exam is not on a device: the worklist is queried in the device's place, with its
 * last query and for the whole day, and each step is compared with what is recorded. Both queries
 * are recorded as made from the window.
 */
export async function explainExam(
  context: Context,
  worklist: Worklist,
  schedule: Schedule,
  ask: ExplanationRequest,
  device: Device,
  user: QueryingUser,
): Promise<ExamExplanation> {
  const zone = timeZoneOf(context.settings.get('clinic.timeZone'))
  const today = wallClock(context.clock(), zone).day
  const day = ask.day ?? today
  const last = await lastQueryOf(context, device)
  // The dates of an earlier query are shifted by the days that have passed since.
  const daysLater = last ? daysBetween(wallClock(msOf(last.at), zone).day, today) : 0
  const replayedInspection = last && last.keys.length > 0 ? last : undefined
  const repeatedQuery = replayedInspection
    ? rebuildQuery(replayedInspection, { daysLater })
    : defaultQuery(device)
  const repeated = await worklist.askWith(repeatedQuery, device, user)
  const wholeDayQuery = replayedInspection
    ? rebuildQuery(replayedInspection, { onlyDay: day })
    : defaultQuery(device, day)
  const wholeDay = await worklist.askWith(wholeDayQuery, device, user)
  const known = (await schedule.day({ day }, MAX_EXAMS)).exams

  const candidates = matchingExams(ask, [...wholeDay.rows, ...repeated.rows, ...known])
  const inspectionId = repeated.inspectionId === UNRECORDED ? null : repeated.inspectionId
  const base = { deviceId: device.deviceId, day, inspectionId }
  if (candidates.length > 1)
    return {
      ...base,
      exam: null,
      candidates: candidates.slice(0, MAX_CANDIDATES).map(explainedExamOf),
      isGiven: false,
      conclusion: message('worklist.choose-exam'),
      checks: [],
    }
  const [exam] = candidates
  const isSameExam = (row: ExplainedExam) => exam !== undefined && examKey(row) === examKey(exam)
  const checks = runChecks({
    ...deviceHistory(context, device, zone),
    device,
    day,
    today,
    last,
    lastKeys: last?.keys ?? [],
    repeated,
    wholeDay,
    rowInRepeated: repeated.rows.find(isSameExam),
    rowInWholeDay: wholeDay.rows.find(isSameExam),
    planned: known.find(isSameExam),
  })
  return {
    ...base,
    exam: exam ? explainedExamOf(exam) : null,
    candidates: [],
    isGiven: repeated.rows.some((row) => isSameExam(row) && row.verdict === 'sent'),
    conclusion:
      checks.find(({ state }) => state === 'failed')?.sentence ??
      message('worklist.nothing-in-between'),
    checks,
  }
}

/** The exams that the request may refer to, without duplicates. */
function matchingExams(ask: ExplanationRequest, exams: readonly ExplainedExam[]): ExplainedExam[] {
  const found = exams.filter(ask.studyInstanceUid === '' ? matchesText(ask.text) : matchesIds(ask))
  return [...new Map(found.map((exam) => [examKey(exam), exam])).values()]
}

/** The device's last recorded query, with the rows that were sent. */
async function lastQueryOf(context: Context, device: Device): Promise<Inspection | undefined> {
  const summary = findLastInspection(context.database, device.aeTitle)
  return summary && (await findInspection(context, summary.inspectionId, 'sent'))
}

const defaultQuery = ({ deviceId }: Device, day: string | null = null): ConsoleQuery => ({
  identifier: buildConsoleQuery(
    WorklistTestQuery.parse({ deviceId, startDate: day, endDate: day }),
  ),
  transferSyntax: DEFAULT_TRANSFER_SYNTAX,
})

/** What is recorded about the device and about unknown callers that may be it. */
function deviceHistory(context: Context, { aeTitle }: Device, zone: string) {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: 1, show: 'rejected', aeTitle } as const
  const [rejection] = scanAssociations(context.database, page).items
  return {
    ownAeTitle: context.settings.get('dimse.aeTitle'),
    callers: listUnknownCallers(context.database),
    lastRejection: rejection?.detail
      ? { at: rejection.openedAt, why: rejection.detail }
      : undefined,
    clockTimeOf(instant: string) {
      const { day, time } = wallClock(msOf(instant), zone)
      return `${day} ${time.slice(0, 5)}`
    },
  }
}

const matchesIds =
  ({ studyInstanceUid, scheduledProcedureStepId }: ExplanationRequest) =>
  (exam: ExplainedExam): boolean =>
    exam.studyInstanceUid === studyInstanceUid &&
    (scheduledProcedureStepId === '' || exam.scheduledProcedureStepId === scheduledProcedureStepId)

/**
 * Matches an exam if every word occurs in its name, patient ID, accession number or description,
 * ignoring case and accents.
 */
function matchesText(search: string): (exam: ExplainedExam) => boolean {
  const words = folded(search.replace(/[\^=,]/g, ' '))
    .split(/\s+/)
    .filter((word) => word !== '')
  return ({ patientName, patientId, accessionNumber, description }) => {
    const text = folded(
      [patientName.replace(/[\^=]/g, ' '), patientId, accessionNumber, description].join(' '),
    )
    return words.length > 0 && words.every((word) => text.includes(word))
  }
}

const examKey = ({
  studyInstanceUid,
  scheduledProcedureStepId,
  patientId,
  accessionNumber,
}: ExplainedExam): string =>
  studyInstanceUid === ''
    ? `? ${patientId} ${accessionNumber}`
    : `${studyInstanceUid} ${scheduledProcedureStepId}`

const explainedExamOf = (exam: ExplainedExam): ExplainedExam => ({
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
