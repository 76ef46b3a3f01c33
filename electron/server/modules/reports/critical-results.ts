import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUser, namedUserOf } from '#server/modules/users/queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Communication, CriticalResult } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import type { ReportId, StudyId, UserId } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { listEscalations } from './critical-escalation-queries.ts'
import { communicationDeadline, dropObsoleteMails, nextStepAt } from './critical-escalations.ts'
import * as queries from './report-queries.ts'
import { type ReportPart, referringPhysicianOf } from './signed-report.ts'

// Critical results and their communication (ACR Practice Parameter for Communication of Diagnostic
// Imaging Findings).

const MAX_OPEN_RESULTS = 500
/** Tolerated difference between the clocks of two PCs in a clinic. */
const CLOCK_TOLERANCE_MS = 60_000

/** Records a critical result, within the transaction that signs the report. */
export function openCriticalResult(
  { database }: Context,
  { user }: UserCaller,
  studyId: string,
  reportId: string,
  { finding, communication, signedAt }: ReportPart,
): void {
  queries.insertCriticalResult(database, {
    ...{ reportId, studyId, openedAt: signedAt, finding: finding ?? '' },
    communicatedAt: communication?.communicatedAt ?? null,
    communication: communication && { ...communication, recordedBy: namedUser(user) },
  })
  database.notify('critical results')
}

/**
 * Critical results that have not been communicated, oldest first, at most 500, limited to studies
 * that the user may see.
 */
export const listCriticalResults = (context: Context, caller: UserCaller): CriticalResult[] =>
  queries.listOpenCriticalResults(context.database, MAX_OPEN_RESULTS).flatMap((record) => {
    const study = findStudy(context.database, record.studyId)
    return study && isVisible(caller, study) ? (criticalResultOf(context, record) ?? []) : []
  })

/** The critical result of a report; undefined if the report is not critical. */
export function criticalResultOfReport(
  context: Context,
  reportId: string,
): CriticalResult | undefined {
  const record = queries.findCriticalResult(context.database, reportId)
  return record && criticalResultOf(context, record)
}

/**
 * Documents who was notified of a critical result. This is possible once and cannot be changed. The
 * caller must be allowed to write reports or to manage studies.
 * @throws ApiError not-permitted, not-found; refused: it is documented already, or the time is in
 *   the future
 */
export function recordCommunication(
  context: Context,
  caller: UserCaller,
  reportId: string,
  communication: Communication,
): CriticalResult {
  const { database, clock } = context
  return database.transaction(() => {
    if (!isAllowed(caller, 'writeReports') && !isAllowed(caller, 'manageStudies'))
      throw new ApiError('not-permitted', message('reports.may-not-document'))
    const record = queries.findCriticalResult(database, reportId)
    const study = record && findStudy(database, record.studyId)
    if (!record || !study || !isVisible(caller, study)) throw unknownResultError()
    if (record.communication)
      throw new ApiError(
        'refused',
        message('reports.documented-already', { by: record.communication.recordedBy.name }),
      )
    const { communicatedAt, method, isReadBack } = communication
    requirePastInstant('body.communicatedAt', communicatedAt, clock())
    const recordedBy = namedUser(caller.user)
    const documented = {
      ...record,
      communicatedAt,
      communication: { ...communication, recordedBy },
    }
    queries.updateCriticalResult(database, documented)
    const detail = { studyId: record.studyId, communicatedAt, method, isReadBack }
    note(context, actorOf(caller), 'critical.communicate', reportId, detail)
    dropObsoleteMails(context, instantOf(clock()))
    const view = criticalResultOf(context, documented)
    if (!view) throw unknownResultError()
    return view
  })
}

const unknownResultError = () => new ApiError('not-found', message('reports.critical-unknown'))

/**
 * Checks that an instant is not in the future.
 * @throws ApiError refused: it is in the future
 */
export function requirePastInstant(path: string, instant: string, now: number): void {
  if (msOf(instant) > now + CLOCK_TOLERANCE_MS)
    throw refused(path, message('reports.in-the-future'))
}

function criticalResultOf(
  context: Context,
  { reportId, studyId, finding, openedAt, communication }: queries.CriticalResultRecord,
): CriticalResult | undefined {
  const { database } = context
  const report = queries.findReport(database, reportId)
  const study = findStudy(database, studyId)
  if (!report || !study) return undefined
  const { studyInstanceUid, studyDescription } = study
  const escalations = listEscalations(database, reportId)
  const { step = 0, at = null } = escalations.at(-1) ?? {}
  const next = communication ? undefined : nextStepAt(context, { openedAt, step, at })
  return {
    ...{ reportId: reportId as ReportId, studyId: studyId as StudyId },
    ...{ studyInstanceUid, studyDescription, finding, openedAt },
    patientName: report.snapshotMetadata.patientName ?? '',
    referringPhysicianName: referringPhysicianOf(database, study),
    dueAt: communicationDeadline(context, openedAt),
    escalations,
    nextEscalationAt: next === undefined ? null : instantOf(next),
    signedBy: authorOf(database, report),
    communication: communication as CriticalResult['communication'],
  }
}

/** The signer of the report under the name at that time, or the author of a draft. */
export const authorOf = (database: Database, { signer, userId }: queries.ReportRecord) =>
  signer ? { userId: signer.userId as UserId, name: signer.name } : namedUserOf(database, userId)
