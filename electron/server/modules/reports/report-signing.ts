import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { followedCorrection } from '#server/modules/corrections/correction-addendum.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { identityOf } from '#server/modules/images/study-identity.ts'
import { endpointTaking } from '#server/modules/partners/targets.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { actorOf, type UserCaller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { CheckFinding, Communication, Draft, ReportCheck } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { moved } from '#shared/lifecycle.ts'
import { type CheckInput, reportFindings } from '#shared/report-checks.ts'
import { plainReport } from '#shared/report-text.ts'
import { draftView, isShown, withoutSeq } from './report-draft.ts'
import {
  type ReportPart,
  type ReportPdf,
  type ReportPdfInput,
  renderReportPdf,
} from './report-pdf.ts'
import { signerOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'
import { hashOfText, signedPart } from './signed-part.ts'

/** What is signed, and what was said about it. */
export interface SignOrder {
  readonly windowId: string
  /** The draft that is shown; another one is a conflict. */
  readonly reportId?: string | undefined
  readonly revision: number
  readonly isCritical: boolean
  /** What was found, where it is critical. */
  readonly finding: string | null
  /** Where somebody was told already. */
  readonly communication: Communication | null
  /** Warnings that were looked at. */
  readonly acknowledged: readonly ReportCheck[]
}
export type SignResult =
  | { readonly outcome: 'signed'; readonly reportId: string }
  | { readonly outcome: 'checks'; readonly findings: CheckFinding[] }
  | { readonly outcome: 'conflict'; readonly theirs: Draft }

export interface ReportSigningDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  /** `report.delivered` waits from the signature on. */
  readonly events: Pick<EventLog, 'begin'>
  readonly renderPdf?: (input: ReportPdfInput) => Promise<ReportPdf>
}
/**
 * A draft that may be signed by the caller, as it is in the store now. @throws ApiError where it
 * may not
 */
export type Ready = () => { readonly study: ScribeStudyRecord; readonly draft: ReportRecord }

/** Clocks of two PCs in a clinic differ by so much. */
const AHEAD_MS = 60_000
const ADOPTING =
  'Images received after the backup are still being checked: sign when that has finished.'
/** How often what the PDF shows may change while it is rendered. */
const MOST_RENDERINGS = 5

/**
 * Signs: checks, then the PDF from the exact text, then in one transaction text, patient, signer
 * and PDF are frozen, the study moves, a critical result is opened, and the delivery and the
 * archive's copy wait in the outbox. What the PDF shows is looked at again in that transaction:
 * where it changed meanwhile the PDF is rendered anew, and where the draft moved on nothing is
 * signed. The checks are made again there too, so that images that arrived meanwhile count.
 */
export function reportSigning(
  deps: ReportSigningDeps,
): (caller: UserCaller, ready: Ready, order: SignOrder) => Promise<SignResult> {
  const { store, clock, uuid, settings, events, renderPdf = renderReportPdf } = deps
  const { database, reports, studies } = store

  interface Prepared {
    readonly study: ScribeStudyRecord
    readonly draft: ReportRecord
    readonly part: ReportPart
    readonly input: ReportPdfInput
  }

  function prepare(
    caller: UserCaller,
    ready: Ready,
    order: SignOrder,
    signedAt: string,
  ): Prepared | Exclude<SignResult, { outcome: 'signed' }> {
    const user = signingUser(deps, caller)
    // A corrected copy that is not found yet does not put its study in doubt.
    if (store.imageFiles.isAdopting())
      throw new ApiError('unavailable', ADOPTING, { headers: { 'retry-after': '60' } })
    const { study, draft } = ready()
    if (!isShown(draft, order)) return { outcome: 'conflict', theirs: draftView(deps, draft) }
    const text = plainReport(draft.plainText ?? '')
    const { isCritical } = order
    const finding = isCritical ? order.finding : null
    const communication = isCritical ? order.communication : null
    const findings = reportFindings({
      ...checkInputOf(deps, study, draft, text),
      isCritical,
      finding,
    })
    if (
      findings.some(({ check, level }) => level === 'error' || !order.acknowledged.includes(check))
    )
      return { outcome: 'checks', findings }
    if (communication)
      demandPast('body.communication.communicatedAt', communication.communicatedAt, clock())
    const signed = { isCritical, finding, communication, signedAt }
    const { isAddendum } = draft
    const earlier = reports.signedOf(study.studyId)
    const follows = isAddendum
      ? followedCorrection(store, study.studyInstanceUid, { earlier, signedAt })
      : null
    const part = {
      isAddendum,
      text,
      textHash: hashOfText(text),
      signer: signerOf(user),
      follows,
      ...signed,
    }
    return { study, draft, part, input: pdfInput(study, draft.reportId, part) }
  }

  const pdfInput = (
    study: ScribeStudyRecord,
    reportId: string,
    part: ReportPart,
  ): ReportPdfInput => ({
    clinicName: settings.get('clinic.name'),
    letterhead: settings.get('reports.letterhead'),
    paper: settings.get('reports.paper'),
    timeZone: timeZoneOf(settings.get('clinic.timeZone')),
    reportId,
    studyInstanceUid: study.studyInstanceUid,
    studyDescription: study.studyDescription,
    accessionNumber: accessionOf(deps, study.studyInstanceUid),
    metadata: study.detail.reportMetadata ?? {},
    parts: [...reports.signedOf(study.studyId).map((report) => signedPart(store, report)), part],
  })

  /** For the audit entry: what was known of the images when the report was signed. */
  function identityDetail(study: ScribeStudyRecord) {
    const images = store.imageStudies.get(study.studyInstanceUid)
    const { state } = identityOf(images, study)
    if (state !== 'overridden' || !images?.override) return { identity: state }
    const { at, userId, reason } = images.override
    return { identity: state, identityOverride: { at, userId, reason } }
  }

  function freeze(
    caller: UserCaller,
    { study, draft, part, input }: Prepared,
    pdf: ReportPdf,
    order: SignOrder,
  ): SignResult {
    const { reportId, studyId } = draft
    const { text, textHash, signer, signedAt, isCritical, finding, communication } = part
    const status = moved('sign', study.status)
    if (status === undefined)
      throw new ApiError('refused', 'Nothing is being written on this study.')
    reports.update({
      ...withoutSeq(draft),
      ...{
        status: 'completed',
        signedAt,
        isCritical,
        plainText: text,
        snapshotMetadata: input.metadata,
        textHash,
        signer,
        updatedAt: signedAt,
      },
    })
    store.reportPdfs.insert({
      reportId,
      sha256: pdf.sha256,
      pages: pdf.pages,
      content: pdf.bytes,
      createdAt: signedAt,
    })
    store.reportRevisions.clear(reportId)
    studies.update({ ...study, status, updatedAt: signedAt }, study)
    if (isCritical && finding !== null) {
      const { userId, name } = {
        userId: signer.userId,
        name: `${caller.user.firstName} ${caller.user.lastName}`,
      }
      const told = communication && { ...communication, recordedBy: { userId, name } }
      const at = { openedAt: signedAt, communicatedAt: communication?.communicatedAt ?? null }
      store.criticalResults.insert({ reportId, studyId, ...at, finding, communication: told })
    }
    const { isAddendum } = draft
    const { acknowledged } = order
    note(deps.store, actorOf(caller), 'report.sign', reportId, {
      ...{ studyId, isAddendum, isCritical, isCommunicated: communication !== null },
      ...{ textHash, pdfHash: pdf.sha256, acknowledged: [...acknowledged] },
      ...identityDetail(study),
      ...(part.follows && { correctionId: part.follows.correctionId }),
    })
    const eventId = idFromUuid('whe', uuid())
    const taker = endpointTaking(store.database, 'report.delivered', study.createdByApiKeyId)
    const endpointId = taker?.disabledAt === null ? taker.endpointId : null
    events.begin({
      eventId,
      type: 'report.delivered',
      endpointId,
      subject: reportId,
      studyInstanceUid: study.studyInstanceUid,
    })
    store.outbox.append({
      kind: 'report.delivered',
      subject: reportId,
      lane: studyId,
      payload: { eventId, reportId },
      at: signedAt,
    })
    store.outbox.append({
      kind: 'report.archive',
      subject: reportId,
      payload: { reportId },
      at: signedAt,
    })
    return { outcome: 'signed', reportId }
  }

  return async (caller, ready, order) => {
    for (let tries = 0; tries < MOST_RENDERINGS; tries++) {
      const signedAt = instantOf(clock())
      const prepared = prepare(caller, ready, order, signedAt)
      if ('outcome' in prepared) return prepared
      const pdf = await renderPdf(prepared.input)
      const result = database.transaction(() => {
        const now = prepare(caller, ready, order, signedAt)
        if ('outcome' in now) return now
        return JSON.stringify(now.input) === JSON.stringify(prepared.input)
          ? freeze(caller, now, pdf, order)
          : undefined
      })
      if (result) return result
    }
    throw new ApiError('unavailable', 'The study goes on changing while it is signed: try again.', {
      headers: { 'retry-after': '5' },
    })
  }
}

/**
 * The account of the caller, who may sign. A signature is a radiologist's: managing the gateway
 * does not make one (interface.md, Scribe invitation: canCreateReports).
 * @throws ApiError not-permitted
 */
export function signingUser({ store }: Pick<DomainDeps, 'store'>, caller: UserCaller): UserRecord {
  const user = findUser(store.database, caller.user.userId)
  if (!user?.canCreateReports || user.deactivatedAt !== null)
    throw new ApiError(
      'not-permitted',
      'Your account may not sign reports: an owner or an admin can allow it to create reports.',
    )
  return user
}

/** What the checks look at, but for the criticality. */
export function checkInputOf(
  { store }: Pick<DomainDeps, 'store'>,
  study: ScribeStudyRecord,
  draft: ReportRecord | undefined,
  text: string,
): Omit<CheckInput, 'isCritical'> {
  const { studyId, studyDescription, detail } = study
  return {
    identity: identityOf(store.imageStudies.get(study.studyInstanceUid), study).state,
    ...{
      text,
      studyDescription,
      isAddendum: draft?.isAddendum ?? false,
      metadata: detail.reportMetadata ?? {},
    },
    indication:
      store.clinicalContexts.get(studyId)?.clinicalIndication ||
      (detail.clinicalIndication ?? undefined),
    patientAtOpening: draft?.snapshotMetadata,
  }
}

/**
 * Of the images of the study, else of the worklist row they were made for; empty where neither is
 * here.
 */
export function accessionOf(
  { store }: Pick<DomainDeps, 'store'>,
  studyInstanceUid: string,
): string {
  const images = store.imageStudies.get(studyInstanceUid)
  return images?.header.accessionNumber || (images?.handedOut?.accessionNumber ?? '')
}

/** @throws ApiError refused: it lies in the future */
export function demandPast(path: string, instant: string, now: number): void {
  if (msOf(instant) > now + AHEAD_MS) throw refused(path, 'must not lie in the future')
}
