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
import { moved } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import { type CheckInput, reportFindings } from '#shared/report-checks.ts'
import { plainReport } from '#shared/report-text.ts'
import { findClinicalContext } from './clinical-context-queries.ts'
import { followedCorrection } from './correction-instant-queries.ts'
import { demandPast, openCriticalResult } from './critical-results.ts'
import { insertReportPdf } from './report-document-queries.ts'
import {
  demandDraft,
  demandOwnDraft,
  draftView,
  isShown,
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
import { accessionOf, hashOfText, type ReportPart, signedPart, signerOf } from './signed-report.ts'

/** What is signed, and what was said about it. */
export interface SignOrder {
  readonly windowId: string
  /** The draft that is shown; another one is a conflict. */
  readonly reportId?: string | undefined
  readonly revision: number
  readonly isCritical: boolean
  /** What was found, where it is critical. */
  readonly finding: string | null
  /** Where somebody was notified already. */
  readonly communication: Communication | null
  /** Warnings that were looked at. */
  readonly acknowledged: readonly ReportCheck[]
}
type Unsigned =
  | { readonly outcome: 'checks'; readonly findings: CheckFinding[] }
  | { readonly outcome: 'conflict'; readonly theirs: Draft }
export type SignResult = { readonly outcome: 'signed'; readonly reportId: string } | Unsigned

/** A draft that passed the checks, with what its PDF shows. */
interface Prepared {
  readonly study: ScribeStudyRecord
  readonly draft: ReportRecord
  readonly part: ReportPart
  readonly input: ReportPdfInput
}

const ADOPTING = message('reports.images-being-checked')
/** How often what the PDF shows may change while it is rendered. */
const MOST_RENDERINGS = 5

/** pdfkit and its fonts are loaded when the first report is signed, not when the gateway starts. */
const rendered = async (input: ReportPdfInput): Promise<ReportPdf> =>
  (await import('./report-pdf.ts')).renderReportPdf(input)

/**
 * Signs the draft of whoever writes it, where they may create reports: checks, then the PDF from
 * the exact text, then in one transaction text, patient, signer and PDF are frozen, the study moves
 * on, a critical result is opened, and the delivery and the archive's copy wait in the outbox. What
 * the PDF shows is read again in that transaction: where it changed meanwhile the PDF is rendered
 * anew, and where the draft moved on nothing is signed. The checks are made again there too, so
 * that images that arrived meanwhile count.
 * @throws ApiError not-permitted, not-found, refused, unavailable
 */
export async function signReport(
  context: Context,
  eventLog: Pick<EventLog, 'begin'>,
  caller: UserCaller,
  studyId: string,
  order: SignOrder,
  renderPdf = rendered,
): Promise<SignResult> {
  for (let tries = 0; tries < MOST_RENDERINGS; tries++) {
    const signedAt = instantOf(context.clock())
    const prepared = prepare(context, caller, studyId, order, signedAt)
    if ('outcome' in prepared) return prepared
    const pdf = await renderPdf(prepared.input)
    const result = context.database.transaction(() => {
      const now = prepare(context, caller, studyId, order, signedAt)
      if ('outcome' in now) return now
      if (JSON.stringify(now.input) !== JSON.stringify(prepared.input)) return undefined
      freeze(context, now, pdf)
      if (now.part.finding !== null)
        openCriticalResult(context, caller, studyId, now.draft.reportId, now.part)
      noteSigned(context, caller, now, pdf, order.acknowledged)
      queueDelivery(context, eventLog, now)
      return { outcome: 'signed', reportId: now.draft.reportId } as const
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
  order: SignOrder,
  signedAt: string,
): Prepared | Unsigned {
  const { database, clock } = context
  const user = signingUser(context, caller)
  // A corrected copy that is not found yet does not put its study in doubt.
  if (context.imageFiles.isAdopting())
    throw new ApiError('unavailable', ADOPTING, { headers: { 'retry-after': '60' } })
  const state = writableDraftState(context, caller, studyId)
  const draft = demandDraft(state)
  // A draft that moved on is a conflict before it is anybody's.
  if (!isShown(draft, order)) return { outcome: 'conflict', theirs: draftView(context, draft) }
  demandOwnDraft(context, caller, state, order.windowId)
  const { study } = state
  const text = plainReport(draft.plainText ?? '')
  const { isCritical } = order
  const finding = isCritical ? order.finding : null
  const communication = isCritical ? order.communication : null
  const checked = { ...checkInputOf(context, study, draft, text), isCritical, finding }
  const findings = reportFindings(checked)
  if (findings.some(({ check, level }) => level === 'error' || !order.acknowledged.includes(check)))
    return { outcome: 'checks', findings }
  if (communication)
    demandPast('body.communication.communicatedAt', communication.communicatedAt, clock())
  const { isAddendum } = draft
  const earlier = listSignedReports(database, studyId)
  const part = {
    ...{ isAddendum, text, textHash: hashOfText(text), signer: signerOf(user), signedAt },
    ...{ isCritical, finding, communication },
    follows: isAddendum
      ? followedCorrection(database, study.studyInstanceUid, earlier, signedAt)
      : null,
  }
  const parts = [...earlier.map((report) => signedPart(database, report)), part]
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

function freeze({ database }: Context, { study, draft, part, input }: Prepared, pdf: ReportPdf) {
  const { reportId } = draft
  const { text, textHash, signer, signedAt, isCritical } = part
  const status = moved('sign', study.status)
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

function noteSigned(
  context: Context,
  caller: UserCaller,
  { study, draft: { reportId, studyId }, part }: Prepared,
  pdf: ReportPdf,
  acknowledged: SignOrder['acknowledged'],
): void {
  const { isAddendum, isCritical, communication, textHash, follows } = part
  note(context, actorOf(caller), 'report.sign', reportId, {
    ...{ studyId, isAddendum, isCritical, isCommunicated: communication !== null },
    ...{ textHash, pdfHash: pdf.sha256, acknowledged: [...acknowledged] },
    ...identityDetail(context, study),
    ...(follows && { correctionId: follows.correctionId }),
  })
}

/** For the audit entry: what was known of the images when the report was signed. */
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
  { study, draft: { reportId: subject, studyId }, part: { signedAt: at } }: Prepared,
): void {
  const { studyInstanceUid, createdByApiKeyId } = study
  const eventId = idFromUuid('whe', uuid())
  const type = 'report.delivered'
  const taker = endpointFor(database, type, createdByApiKeyId)
  const endpointId = taker?.disabledAt === null ? taker.endpointId : null
  eventLog.begin({ eventId, type, endpointId, subject, studyInstanceUid })
  const reportId = subject
  addOutboxJob(database, { kind: type, subject, lane: studyId, payload: { eventId, reportId }, at })
  addOutboxJob(database, { kind: 'report.archive', subject, payload: { reportId }, at })
}

/**
 * The account of the caller, who may sign. A signature is a radiologist's: managing the gateway
 * does not make one (`canCreateReports` of the interface).
 * @throws ApiError not-permitted
 */
export function signingUser({ database }: Context, caller: UserCaller): UserRecord {
  const user = findUser(database, caller.user.userId)
  if (!user?.canCreateReports || user.deactivatedAt !== null)
    throw new ApiError('not-permitted', message('reports.may-not-sign'))
  return user
}

/** What the checks look at, but for the criticality. */
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
