import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { changesSinceSigned } from '#server/modules/corrections/correction-addendum.ts'
import { identityOf, isUnscheduled } from '#server/modules/images/study-identity.ts'
import { readStudy, type Study } from '#server/modules/studies/service.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { demand, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import type { Reading, ReadingStudy, WindowReport } from '#shared/contract/reports.ts'
import type { ReportId, StudyId, UserId } from '#shared/ids.ts'
import type { ClinicalContexts } from './clinical-contexts.ts'
import type { CriticalResults } from './critical-results.ts'
import { addendumNeededSince } from './needed-addendum-queries.ts'
import { priorReports } from './prior-reports.ts'
import { whyNotWrite } from './report-access.ts'
import type { ReportDelivery } from './report-delivery.ts'
import { draftView } from './report-draft.ts'
import type { ReportLocks } from './report-locks.ts'
import { personOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'
import { accessionOf } from './report-signing.ts'

export interface ReportReadingDeps extends DomainDeps {
  readonly locks: Pick<ReportLocks, 'of'>
  readonly contexts: Pick<ClinicalContexts, 'of' | 'priorsOf'>
  readonly criticals: Pick<CriticalResults, 'ofReport'>
  readonly delivery: Pick<ReportDelivery, 'stateOf'>
}

/** The reporting screen. */
export interface ReportReading {
  /**
   * Its draft is for who may write reports: nobody else reads an unsigned text. @throws ApiError
   * not-found
   */
  read(caller: UserCaller, studyId: string): Reading
  /** The scribe study of a UID, where there is one that the person may see. */
  byUid(caller: UserCaller, studyInstanceUid: string): StudyId | null
}

export function openReportReading(deps: ReportReadingDeps): ReportReading {
  const { store, locks, contexts, criticals, delivery } = deps

  function row({ record, assignedTo }: Study<'scribe'>): ReadingStudy {
    const {
      studyId,
      studyInstanceUid,
      studyDescription,
      severity,
      status,
      cancelledAt,
      detail,
      createdAt,
      updatedAt,
    } = record
    const reports = store.reports.entriesOf(studyId)
    const images = store.imageStudies.get(studyInstanceUid)
    // Copies of its reports are kept beside the images and counted with them.
    const copies = reports.flatMap(({ reportId }) => store.reportObjects.ofReport(reportId)).length
    const instances = (images?.instances ?? 0) - copies
    const writing = reports.find((report) => report.status === 'in_progress')
    return {
      ...{
        studyId: studyId as StudyId,
        studyInstanceUid,
        studyDescription,
        severity,
        status,
        createdAt,
        updatedAt,
      },
      isCancelled: cancelledAt !== null,
      reportMetadata: detail.reportMetadata ?? {},
      assignedTo: assignedTo && personOf(deps, assignedTo.userId),
      lock: (writing && locks.of(writing.reportId)) ?? null,
      images:
        images && instances > 0 ? { instances, isReceiving: images.state === 'receiving' } : null,
      isCritical: reports.some(({ isCritical }) => isCritical === true),
      identity: identityOf(images, record),
      isUnscheduled: isUnscheduled(images, record),
      needsAddendumSince: addendumNeededSince(store.database, record.seq),
    }
  }

  function windowReport(report: ReportRecord): WindowReport {
    const { reportId, isAddendum, status, signedAt, isCritical, createdAt } = report
    const isSigned = status === 'completed'
    return {
      ...{ reportId: reportId as ReportId, isAddendum, status, signedAt, isCritical, createdAt },
      author: report.signer
        ? { userId: report.signer.userId as UserId, name: report.signer.name }
        : personOf(deps, report.userId),
      text: isSigned ? report.plainText : null,
      pages: store.reportPdfs.entry(reportId)?.pages ?? null,
      delivery: isSigned ? delivery.stateOf(reportId) : null,
      critical: criticals.ofReport(reportId) ?? null,
      objects: store.reportObjects
        .ofReport(reportId)
        .map(({ kind, sopInstanceUid }) => ({ kind, sopInstanceUid })),
    }
  }

  return {
    read(caller, studyId) {
      const study = readStudy(store, caller, 'scribe', studyId)
      const record: ScribeStudyRecord = study.record
      const draft = store.reports.draftOf(studyId)
      const desk = { study: record, draft, lock: draft && locks.of(draft.reportId) }
      const whyNot = whyNotWrite(deps, caller, desk)
      return {
        ...row(study),
        accessionNumber: accessionOf(deps, record.studyInstanceUid),
        imageChanges: changesSinceSigned(
          store,
          record.studyInstanceUid,
          store.reports.entriesOf(studyId),
        ).map(({ what, at }) => ({
          what,
          at,
        })),
        reports: store.reports.ofStudy(studyId).map(windowReport),
        draft: draft && isAllowed(caller, 'writeReports') ? draftView(deps, draft) : null,
        context: contexts.of(record),
        priors: priorReports(deps, caller, record, contexts.priorsOf(studyId)),
        mayWrite: whyNot === undefined,
        whyNot: whyNot ?? '',
      }
    },

    byUid(caller, studyInstanceUid) {
      demand(caller, 'readStudies')
      const study = store.studies.byUid('scribe', studyInstanceUid)
      return study && isVisible(caller, study) ? (study.studyId as StudyId) : null
    },
  }
}
