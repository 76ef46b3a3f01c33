import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { deliveryOf } from '#server/modules/reports/report-delivery.ts'
import { readDraftState, requireDraft } from '#server/modules/reports/report-drafts.ts'
import { listSignedReports } from '#server/modules/reports/report-queries.ts'
import { signReport } from '#server/modules/reports/report-signing.ts'
import { beginReport, saveReport } from '#server/modules/reports/report-writing.ts'
import { startAddendum } from '#server/modules/reports/reports.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { resolveStudy, type StudyIdentifiers } from '#server/modules/studies/study-access.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { type Caller, type UserCaller, windowCaller } from '#server/modules/users/caller.ts'
import { insertUser, userByEmail } from '#server/modules/users/queries.ts'
import { signedInUser } from '#server/modules/users/sessions.ts'
import { instantOf } from '#server/platform/clock.ts'
import { REPORT_CHECKS } from '#shared/contract/reports.ts'
import type { SandboxDelivery } from '#shared/contract/sandbox.ts'
import { ApiError } from '#shared/errors.ts'
import {
  idFromUuid,
  type ReportId,
  type StudyId,
  uidOfUuid,
  type WebhookEventId,
} from '#shared/ids.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message } from '#shared/messages/message.ts'

const EMAIL = 'radiologist@sandbox.invalid'
const REPORT_TEXT =
  'Indication: test of the interface.\nFindings: none; this patient is invented.\nImpression: test report of the sandbox.'
const FINDING = 'Invented critical finding of the sandbox.'
const METADATA = {
  patientName: 'Test^Sandbox',
  mrn: 'SANDBOX-1',
  dateOfBirth: '1970-01-01',
  sex: 'other',
} as const

/**
 * Signs a report of a study as the radiologist of the sandbox, or an addendum if it has a report.
 * Without a study, one is created. The report is then delivered as every other.
 * @throws ApiError not-found; refused: the study is cancelled, or a check of the report fails
 */
export async function signTestReport(
  context: Context,
  eventLog: Pick<EventLog, 'begin'>,
  caller: Caller,
  {
    plainText = REPORT_TEXT,
    isCritical = false,
    ...either
  }: StudyIdentifiers & {
    readonly plainText?: string | undefined
    readonly isCritical?: boolean | undefined
  },
): Promise<{ reportId: ReportId; studyId: StudyId; studyInstanceUid: string }> {
  const study = studyOf(context, caller, either)
  const { studyId, studyInstanceUid } = study
  const radiologist = ensureRadiologist(context)
  const windowId = context.uuid()
  if (study.status === 'completed') beginAddendum(context, caller, studyId)
  beginReport(context, radiologist, studyId, { windowId, takeOver: true, text: plainText })
  const draft = requireDraft(readDraftState(context, radiologist, studyId))
  const { reportId } = draft
  const saved = saveReport(context, radiologist, studyId, {
    ...{ windowId, reportId, revision: draft.revision, text: plainText },
  })
  if (saved.outcome === 'conflict') throw new ApiError('refused', message('sandbox.changed'))
  const result = await signReport(context, eventLog, radiologist, studyId, {
    ...{ windowId, reportId, revision: saved.revision, isCritical },
    finding: isCritical ? FINDING : null,
    communication: null,
    // Nobody looks at the warnings of an invented report.
    acknowledged: REPORT_CHECKS,
  })
  if (result.outcome === 'conflict') throw new ApiError('refused', message('sandbox.changed'))
  if (result.outcome === 'checks')
    throw new ApiError('refused', message('sandbox.checks', { checks: checksOf(result.findings) }))
  return { reportId: reportId as ReportId, studyId: studyId as StudyId, studyInstanceUid }
}

const checksOf = (findings: readonly { readonly check: string; readonly level: string }[]) =>
  findings
    .filter(({ level }) => level === 'error')
    .map(({ check }) => check)
    .join(', ')

function studyOf(context: Context, caller: Caller, either: StudyIdentifiers): ScribeStudyRecord {
  if (either.studyId !== undefined || either.studyInstanceUid !== undefined)
    return resolveStudy(context, caller, 'scribe', either) as ScribeStudyRecord
  return createStudy(context, caller, 'scribe', {
    studyInstanceUid: uidOfUuid(context.uuid()),
    studyDescription: 'Sandbox study',
    severity: 'normal',
    reportMetadata: METADATA,
  }).record
}

function beginAddendum(context: Context, caller: Caller, studyId: string): void {
  const [report] = listSignedReports(context.database, studyId)
  if (!report) return
  const begun = startAddendum(context, caller, report.reportId)
  if (!begun.success) throw new ApiError('refused', begun.message ?? message('sandbox.changed'))
}

/** The account that signs. It has no password, so nobody can sign in with it. */
function ensureRadiologist(context: Context): UserCaller {
  const { database, clock, uuid } = context
  const found = userByEmail(database, EMAIL)
  if (found) return windowCaller(context)(signedInUser(found))
  const now = instantOf(clock())
  insertUser(database, {
    ...{ userId: idFromUuid('usr', uuid()), email: EMAIL },
    ...{ firstName: 'Sandbox', lastName: 'Radiologist', clinicRole: 'Radiologist' },
    ...{ level: 'member', interfaceLevel: 'member', hasDashboardAccess: true },
    ...{ canManageStudies: true, canCreateReports: true, npiNumber: '0000000000' },
    ...{ middleName: null, suffix1: null, suffix2: null, phoneNumber: null },
    ...{ invitedSource: 'dashboard', passwordHash: null, lastLoginAt: null },
    ...{ createdAt: now, updatedAt: now, deactivatedAt: null },
  })
  return ensureRadiologist(context)
}

/** A delivery as an integrator sees it. */
export function deliveryView(context: Context, reportId: string): SandboxDelivery {
  const { state, attempts, nextAt, lastError, eventId } = deliveryOf(context, reportId)
  return {
    eventId: eventId as WebhookEventId,
    reportId: reportId as ReportId,
    state: state === 'delivered' || state === 'waiting' ? state : 'failed',
    attempts,
    fault: state === 'delivered' || lastError === null ? null : textOf(lastError),
    nextAttemptAt: nextAt,
  }
}

const textOf = (text: Message): string => englishText(text)
