import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { addendumNeededSince } from '#server/modules/studies/needed-addendum-queries.ts'
import { readStudy, type Study } from '#server/modules/studies/service.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import { identityOf, isUnscheduled } from '#server/modules/studies/study-identity.ts'
import {
  findStudy,
  findStudyByUid,
  type ScribeStudyRecord,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { isAllowed, requirePermission, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { PriorReport, Reading, ReadingStudy, WindowReport } from '#shared/contract/reports.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import { findClinicalContext } from './clinical-context-queries.ts'
import { clinicalContextOf } from './clinical-contexts.ts'
import { correctionsSinceSigned } from './correction-instant-queries.ts'
import { authorOf, criticalResultOfReport } from './critical-results.ts'
import { deliveryOf } from './report-delivery.ts'
import { findReportPdf, listReportObjects } from './report-document-queries.ts'
import { draftStateOf, draftView, writeObstacle } from './report-drafts.ts'
import { findReportLock } from './report-locks.ts'
import {
  listReportEntries,
  listReports,
  listSignedReports,
  type ReportEntry,
  type ReportRecord,
} from './report-queries.ts'
import { accessionOf } from './signed-report.ts'

/**
 * The data of the reporting screen. A draft is included only for users who may write reports,
 * because others must not read unsigned text.
 * @throws ApiError not-found
 */
export function readReadingState(context: Context, caller: UserCaller, studyId: string): Reading {
  const { database } = context
  const study = readStudy(context, caller, 'scribe', studyId)
  const { record } = study
  const { studyInstanceUid } = record
  const state = draftStateOf(context, record)
  const obstacle = writeObstacle(context, caller, state)
  const entries = listReportEntries(database, studyId)
  const changes = correctionsSinceSigned(database, studyInstanceUid, entries)
  return {
    ...readingStudy(context, study, entries),
    accessionNumber: accessionOf(database, studyInstanceUid),
    imageChanges: changes.map(({ what, at }) => ({ what, at })),
    reports: listReports(database, studyId).map((report) => windowReport(context, report)),
    draft:
      state.draft && isAllowed(caller, 'writeReports') ? draftView(context, state.draft) : null,
    context: clinicalContextOf(context, record),
    priors: priorReports(context, caller, record),
    mayWrite: obstacle === undefined,
    whyNot: obstacle ?? null,
  }
}

/** The ID of the scribe study with the UID; null if there is none that the user may see. */
export function findScribeStudyId(
  { database }: Context,
  caller: UserCaller,
  studyInstanceUid: string,
): StudyId | null {
  requirePermission(caller, 'readStudies')
  const study = findStudyByUid(database, 'scribe', studyInstanceUid)
  return study && isVisible(caller, study) ? (study.studyId as StudyId) : null
}

function readingStudy(
  context: Context,
  { record, assignedTo }: Study<'scribe'>,
  reports: readonly ReportEntry[],
): ReadingStudy {
  const { database } = context
  const { studyId, studyInstanceUid, studyDescription, severity, status } = record
  const images = findImageStudy(database, studyInstanceUid)
  return {
    ...{ studyId: studyId as StudyId, studyInstanceUid, studyDescription, severity, status },
    ...{ createdAt: record.createdAt, updatedAt: record.updatedAt },
    isCancelled: record.cancelledAt !== null,
    reportMetadata: record.detail.reportMetadata ?? {},
    assignedTo: assignedTo && namedUserOf(database, assignedTo.userId),
    ...reportingState(context, reports, images),
    identity: identityOf(images, record),
    isUnscheduled: isUnscheduled(images, record),
    needsAddendumSince: addendumNeededSince(database, record.seq),
  }
}

/**
 * The lock of a study's draft, the images without copies of reports, and whether a report is
 * critical.
 */
export function reportingState(
  context: Context,
  reports: readonly ReportEntry[],
  images: ImageStudyRecord | undefined,
) {
  const { database } = context
  // Copies of reports are stored with the images and counted among them.
  const copies = reports.flatMap(({ reportId }) => listReportObjects(database, reportId)).length
  const instances = (images?.instances ?? 0) - copies
  const draft = reports.find(({ status }) => status === 'in_progress')
  return {
    lock: (draft && findReportLock(context, draft.reportId)) ?? null,
    images:
      images && instances > 0 ? { instances, isReceiving: images.state === 'receiving' } : null,
    isCritical: reports.some(({ isCritical }) => isCritical === true),
  }
}

function windowReport(context: Context, report: ReportRecord): WindowReport {
  const { database } = context
  const { reportId, isAddendum, status, signedAt, isCritical, createdAt } = report
  const isSigned = status === 'completed'
  return {
    ...{ reportId: reportId as ReportId, isAddendum, status, signedAt, isCritical, createdAt },
    author: authorOf(database, report),
    text: isSigned ? report.plainText : null,
    pages: findReportPdf(database, reportId)?.pages ?? null,
    delivery: isSigned ? deliveryOf(context, reportId) : null,
    critical: criticalResultOfReport(context, reportId) ?? null,
    objects: listReportObjects(database, reportId).map(({ kind, sopInstanceUid }) => ({
      ...{ kind, sopInstanceUid },
    })),
  }
}

/**
 * Prior reports of the patient, newest first, those without a date last: reports signed here on the
 * studies in `priorStudyIds` that the caller may see, reports that the partner supplied with the
 * study, and those of the clinical context. Duplicate texts are left out.
 */
export function priorReports(
  { database }: Context,
  caller: UserCaller,
  { studyId, detail }: ScribeStudyRecord,
): PriorReport[] {
  const { priorStudyIds = [], priorReportTexts = [], priorReports: given = [] } = detail
  const { priorReports: answered = [] } = findClinicalContext(database, studyId) ?? {}
  const local = priorStudyIds.flatMap((priorId) => {
    const prior = findStudy(database, priorId)
    // An ID of the viewer area refers to the same images, but reports belong to the scribe area.
    const scribeStudy =
      prior?.area === 'viewer' ? findStudyByUid(database, 'scribe', prior.studyInstanceUid) : prior
    const signedReports =
      scribeStudy && isVisible(caller, scribeStudy)
        ? listSignedReports(database, scribeStudy.studyId)
        : []
    return scribeStudy && signedReports.length > 0 ? priorReportOf(scribeStudy, signedReports) : []
  })
  const partner = priorReportTexts.map(
    (text): PriorReport => ({ ...NO_STUDY, source: 'partner', text }),
  )
  const suppliedReports = [...given, ...answered].map(
    ({ reportText, modality = '', studyDate = null, studyDescription = '' }): PriorReport => ({
      ...{
        ...NO_STUDY,
        source: 'context',
        modality,
        studyDate,
        studyDescription,
        text: reportText,
      },
    }),
  )
  const seen = new Set<string>()
  return [...local, ...partner, ...suppliedReports]
    .filter(({ text }) => text.trim() !== '' && !seen.has(text.trim()) && seen.add(text.trim()))
    .sort((a, b) => (b.studyDate ?? '').localeCompare(a.studyDate ?? ''))
}

const NO_STUDY = {
  ...{ studyId: null, studyInstanceUid: null, studyDescription: '' },
  ...{ modality: '', studyDate: null },
}

/** The report of the study, followed by its addenda. */
function priorReportOf(study: StudyRecord, signedReports: readonly ReportRecord[]): PriorReport {
  const { studyId, studyInstanceUid, studyDescription, detail } = study
  const { scanType = '', scanDate = null } = detail.reportMetadata ?? {}
  const texts = signedReports.map(({ isAddendum, plainText }) =>
    isAddendum ? `Addendum\n${plainText ?? ''}` : (plainText ?? ''),
  )
  return {
    ...{ source: 'here', studyId: studyId as StudyId, studyInstanceUid, studyDescription },
    ...{ modality: scanType, studyDate: scanDate, text: texts.join('\n\n') },
  }
}
