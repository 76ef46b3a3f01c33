import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { endpointFor } from '#server/modules/partners/targets.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { identityOf } from '#server/modules/studies/study-identity.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { actorOf, type UserCaller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { CheckFinding, Communication, Draft, ReportCheck } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { nextStatus } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import { type CheckInput, reportFindings } from '#shared/report-checks.ts'
import { normalizeReport } from '#shared/report-text.ts'
import { findClinicalContext } from './clinical-context-queries.ts'
import { followedCorrection } from './correction-instant-queries.ts'
import { openCriticalResult, requirePastInstant } from './critical-results.ts'
import { insertReportPdf } from './report-document-queries.ts'
import {
  checkDraftOwner,
  draftView,
  isShown,
  requireDraft,
  writableDraftState,
} from './report-drafts.ts'
import { clearReportLock } from './report-locks.ts'
import type { ReportPdf } from './report-pdf.ts'
import type { ReportPdfInput } from './report-pdf-layout.ts'
import {
  deleteReportRevisions,
  listSignedReports,
  type ReportRecord,
  updateReport,
} from './report-queries.ts'
import {
  accessionOf,
  hashOfText,
  type ReportPart,
  signedPartOf,
  signerOf,
} from './signed-report.ts'

/** The draft to sign, and what the user stated about it. */
export interface SignRequest {
  readonly windowId: string
  /**
   * The draft that the window shows; if the current draft is another one, the result is a conflict.
   */
  readonly reportId?: string | undefined
  readonly revision: number
  readonly isCritical: boolean
  /** The finding, if the report is critical. */
  readonly finding: string | null
  /** The communication, if a clinician has already been notified. */
  readonly communication: Communication | null
  /** Warnings that the user acknowledged. */
  readonly acknowledged: readonly ReportCheck[]
}
type UnsignedResult =
  | { readonly outcome: 'checks'; readonly findings: CheckFinding[] }
  | { readonly outcome: 'conflict'; readonly theirs: Draft }
export type SignResult = { readonly outcome: 'signed'; readonly reportId: string } | UnsignedResult

/** A draft that passed the checks, with the content of its PDF. */
interface PreparedReport {
  readonly study: ScribeStudyRecord
  readonly draft: ReportRecord
  readonly part: ReportPart
  readonly input: ReportPdfInput
}

const IMAGES_BEING_IMPORTED = message('reports.images-being-checked')
/** How often the content of the PDF may change during rendering before signing fails. */
const MAX_RENDERINGS = 5

/** pdfkit and its fonts are loaded when the first report is signed instead of at startup. */
const renderLazily = async (input: ReportPdfInput): Promise<ReportPdf> =>
  (await import('./report-pdf.ts')).renderReportPdf(input)

/**
 * Signs the caller's draft, if they may create reports. The draft is checked, and the PDF is
 * rendered from the exact text. Then one transaction stores the text, patient, signer and PDF,
 * updates the study, opens a critical result, and queues the delivery and the archive copy. In that
 * transaction the content of the PDF is read again: if it has changed, the PDF is rendered again,
 * and if the draft has changed, nothing is signed. The checks are repeated there too, so that
 * images that have arrived in the meantime are taken into account.
 * @throws ApiError not-permitted, not-found, refused, unavailable
 */
export async function signReport(
  context: Context,
  eventLog: Pick<EventLog, 'begin'>,
  caller: UserCaller,
  studyId: string,
  request: SignRequest,
  renderPdf = renderLazily,
): Promise<SignResult> {
  for (let tries = 0; tries < MAX_RENDERINGS; tries++) {
    const signedAt = instantOf(context.clock())
    const prepared = prepare(context, caller, studyId, request, signedAt)
    if ('outcome' in prepared) return prepared
    const pdf = await renderPdf(prepared.input)
    const result = context.database.transaction(() => {
      const current = prepare(context, caller, studyId, request, signedAt)
      if ('outcome' in current) return current
      if (JSON.stringify(current.input) !== JSON.stringify(prepared.input)) return undefined
      storeSignedReport(context, current, pdf)
      if (current.part.finding !== null)
        openCriticalResult(context, caller, studyId, current.draft.reportId, current.part)
      auditSigning(context, caller, current, pdf, request.acknowledged)
      queueDelivery(context, eventLog, current)
      return { outcome: 'signed', reportId: current.draft.reportId } as const
    })
    if (result?.outcome === 'signed') clearReportLock(context, result.reportId)
    if (result) return result
  }
  throw new ApiError('unavailable', message('reports.study-goes-on-changing'), {
    headers: { 'retry-after': '5' },
  })
}

function prepare(
  context: Context,
  caller: UserCaller,
  studyId: string,
  request: SignRequest,
  signedAt: string,
): PreparedReport | UnsignedResult {
  const { database, clock } = context
  const user = signingUser(context, caller)
  // While orphaned files are being imported, a corrected copy may not be found yet, and the
  // identity of its study is uncertain.
  if (context.imageFiles.isImportingOrphans())
    throw new ApiError('unavailable', IMAGES_BEING_IMPORTED, { headers: { 'retry-after': '60' } })
  const state = writableDraftState(context, caller, studyId)
  const draft = requireDraft(state)
  // A changed draft is reported as a conflict, even if it belongs to another user by now.
  if (!isShown(draft, request)) return { outcome: 'conflict', theirs: draftView(context, draft) }
  checkDraftOwner(context, caller, state, request.windowId)
  const { study } = state
  const text = normalizeReport(draft.plainText ?? '')
  const { isCritical } = request
  const finding = isCritical ? request.finding : null
  const communication = isCritical ? request.communication : null
  const input = { ...checkInputOf(context, study, draft, text), isCritical, finding }
  const findings = reportFindings(input)
  if (
    findings.some(({ check, level }) => level === 'error' || !request.acknowledged.includes(check))
  )
    return { outcome: 'checks', findings }
  if (communication)
    requirePastInstant('body.communication.communicatedAt', communication.communicatedAt, clock())
  const { isAddendum } = draft
  const earlier = listSignedReports(database, studyId)
  const part = {
    ...{ isAddendum, text, textHash: hashOfText(text), signer: signerOf(user), signedAt },
    ...{ isCritical, finding, communication },
    follows: isAddendum
      ? followedCorrection(database, study.studyInstanceUid, earlier, signedAt)
      : null,
  }
  const parts = [...earlier.map((report) => signedPartOf(database, report)), part]
  return { study, draft, part, input: pdfInput(context, study, draft.reportId, parts) }
}

const pdfInput = (
  { database, settings }: Context,
  { studyInstanceUid, studyDescription, detail }: ScribeStudyRecord,
  reportId: string,
  parts: readonly ReportPart[],
): ReportPdfInput => ({
  clinicName: settings.get('clinic.name'),
  letterhead: settings.get('reports.letterhead'),
  paper: settings.get('reports.paper'),
  timeZone: timeZoneOf(settings.get('clinic.timeZone')),
  ...{ reportId, studyInstanceUid, studyDescription, parts },
  accessionNumber: accessionOf(database, studyInstanceUid),
  metadata: detail.reportMetadata ?? {},
})

function storeSignedReport(
  { database }: Context,
  { study, draft, part, input }: PreparedReport,
  pdf: ReportPdf,
) {
  const { reportId } = draft
  const { text, textHash, signer, signedAt, isCritical } = part
  const status = nextStatus('sign', study.status)
  if (status === undefined) throw new ApiError('refused', message('reports.nothing-written'))
  updateReport(database, {
    ...draft,
    ...{ status: 'completed', signedAt, isCritical, plainText: text, textHash, signer },
    ...{ snapshotMetadata: input.metadata, updatedAt: signedAt },
  })
  const { bytes: content, sha256, pages } = pdf
  insertReportPdf(database, { reportId, sha256, pages, content, createdAt: signedAt })
  deleteReportRevisions(database, reportId)
  saveStudy(database, { ...study, status, updatedAt: signedAt }, study)
}

function auditSigning(
  context: Context,
  caller: UserCaller,
  { study, draft: { reportId, studyId }, part }: PreparedReport,
  pdf: ReportPdf,
  acknowledged: SignRequest['acknowledged'],
): void {
  const { isAddendum, isCritical, communication, textHash, follows } = part
  note(context, actorOf(caller), 'report.sign', reportId, {
    ...{ studyId, isAddendum, isCritical, isCommunicated: communication !== null },
    ...{ textHash, pdfHash: pdf.sha256, acknowledged: [...acknowledged] },
    ...identityDetail(context, study),
    ...(follows && { correctionId: follows.correctionId }),
  })
}

/** For the audit entry: the identity of the images at the time of signing. */
function identityDetail({ database }: Context, study: ScribeStudyRecord) {
  const images = findImageStudy(database, study.studyInstanceUid)
  const { state } = identityOf(images, study)
  if (state !== 'overridden' || !images?.override) return { identity: state }
  const { at, userId, reason } = images.override
  return { identity: state, identityOverride: { at, userId, reason } }
}

function queueDelivery(
  { database, uuid }: Context,
  eventLog: Pick<EventLog, 'begin'>,
  { study, draft: { reportId: subject, studyId }, part: { signedAt: at } }: PreparedReport,
): void {
  const { studyInstanceUid, createdByApiKeyId } = study
  const eventId = idFromUuid('whe', uuid())
  const type = 'report.delivered'
  const endpoint = endpointFor(database, type, createdByApiKeyId)
  const endpointId = endpoint?.disabledAt === null ? endpoint.endpointId : null
  eventLog.begin({
    ...{ eventId, type, endpointId, subject, studyInstanceUid },
    apiKeyId: createdByApiKeyId,
  })
  const reportId = subject
  addOutboxJob(database, { kind: type, subject, lane: studyId, payload: { eventId, reportId }, at })
  addOutboxJob(database, { kind: 'report.archive', subject, payload: { reportId }, at })
}

/**
 * Returns the account of a caller who may sign. Only a radiologist signs: the permission to manage
 * the gateway does not include it (`canCreateReports` of the interface).
 * @throws ApiError not-permitted
 */
export function signingUser({ database }: Context, caller: UserCaller): UserRecord {
  const user = findUser(database, caller.user.userId)
  if (!user?.canCreateReports || user.deactivatedAt !== null)
    throw new ApiError('not-permitted', message('reports.may-not-sign'))
  return user
}

/** The input of the checks, except for the criticality. */
export function checkInputOf(
  { database }: Context,
  study: ScribeStudyRecord,
  draft: ReportRecord | undefined,
  text: string,
): Omit<CheckInput, 'isCritical'> {
  const { studyId, studyInstanceUid, studyDescription, detail } = study
  const { clinicalIndication } = findClinicalContext(database, studyId) ?? {}
  return {
    identity: identityOf(findImageStudy(database, studyInstanceUid), study).state,
    ...{ text, studyDescription, isAddendum: draft?.isAddendum ?? false },
    metadata: detail.reportMetadata ?? {},
    indication: clinicalIndication || (detail.clinicalIndication ?? undefined),
    patientAtOpening: draft?.snapshotMetadata,
  }
}
