import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { type EitherStudy, isVisible, resolveStudy } from '#server/modules/studies/study-access.ts'
import type { ScribeStudyRecord, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { actorOf, type Caller, demand } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { moved, type StudyReportStatus } from '#shared/lifecycle.ts'
import { reportPdfUrl } from './pdf-links.ts'
import type { NewReportRecord, ReportRecord } from './report-queries.ts'

/** Reports of one study. */
export interface ReportsOfStudy<T> {
  readonly reports: T[]
  readonly studyId: string
  readonly studyInstanceUid: string
}

/** A completed report in the text and pdf lists (interface.md, Scribe reports). */
export interface ReportItem {
  readonly reportId: string
  readonly studyId: string
  readonly studyInstanceUid: string
  readonly snapshotMetadata: StudyReportMetadata
  readonly isCritical: boolean | null
  readonly plainText?: string
}
export type PdfItem = ReportItem & { readonly presignedUrl: string }

/** By a report's id, or by its study. */
export type ReportQuery = EitherStudy & { readonly reportId?: string | undefined }

/**
 * Reports as partners read them; they are written and signed in the window (interface.md, Scribe
 * reports; §6 rows 6, 43, 51).
 */
export interface Reports {
  /**
   * Oldest first: drafts without their text, addenda too. @throws ApiError malformed,
   * not-permitted, not-found
   */
  list(caller: Caller, either: EitherStudy): ReportsOfStudy<ReportRecord>
  /**
   * One by `reportId`, else all completed ones of the study. @throws ApiError as `list`; refused:
   * the report is a draft
   */
  text(caller: Caller, query: ReportQuery): ReportItem | ReportsOfStudy<ReportItem>
  /** As `text`, each with a link good for an hour. */
  pdf(caller: Caller, query: ReportQuery): PdfItem | ReportsOfStudy<PdfItem>
  /** Makes the draft of an addendum. @throws ApiError not-permitted, not-found */
  startAddendum(caller: Caller, reportId: string): Outcome
  /**
   * Removes the draft; by the primary's id or the addendum's. @throws ApiError not-permitted,
   * not-found
   */
  cancelAddendum(caller: Caller, reportId: string): Outcome
}

export function openReports(deps: DomainDeps & { readonly publicBase: () => string }): Reports {
  const { store, clock, uuid, publicBase } = deps
  const { database, reports, studies } = store

  function found(
    caller: Caller,
    reportId: string,
  ): { readonly report: ReportRecord; readonly study: ScribeStudyRecord } {
    const report = reports.get(reportId)
    const study = report && studies.get(report.studyId)
    if (!report || study?.area !== 'scribe' || !isVisible(caller, study))
      throw new ApiError('not-found', 'There is no such report.')
    return { report, study }
  }

  function readable(
    caller: Caller,
    { reportId, ...either }: ReportQuery,
  ): ReportItem | ReportsOfStudy<ReportItem> {
    demand(caller, 'readStudies')
    if (reportId === undefined) {
      const study = resolveStudy(store, caller, 'scribe', either, 'query')
      return {
        reports: reports.signedOf(study.studyId).map((report) => itemOf(report, study)),
        ...namesOf(study),
      }
    }
    const { report, study } = found(caller, reportId)
    if (either.studyId !== undefined || either.studyInstanceUid !== undefined) {
      if (resolveStudy(store, caller, 'scribe', either, 'query').studyId !== study.studyId)
        throw new ApiError('malformed', 'The report is not one of the study.', {
          errors: [
            { path: 'query.reportId', message: 'must be a report of the study that is named' },
          ],
        })
    }
    if (report.status !== 'completed')
      throw refused('query.reportId', 'must be a completed report: this one is a draft')
    return itemOf(report, study)
  }

  function move(
    caller: Caller,
    study: ScribeStudyRecord,
    status: StudyReportStatus,
    action: string,
    reportId: string,
  ): void {
    studies.update({ ...study, status, updatedAt: instantOf(clock()) }, study)
    note(deps.store, actorOf(caller), action, study.studyId, { reportId })
  }

  return {
    list(caller, either) {
      demand(caller, 'readStudies')
      const study = resolveStudy(store, caller, 'scribe', either, 'query')
      return { reports: reports.ofStudy(study.studyId).map(withoutDraftText), ...namesOf(study) }
    },

    text: readable,

    pdf(caller, query) {
      const linked = (item: ReportItem): PdfItem => ({
        ...item,
        presignedUrl: reportPdfUrl(store, publicBase(), item.reportId),
      })
      const given = readable(caller, query)
      return 'reports' in given ? { ...given, reports: given.reports.map(linked) } : linked(given)
    },

    startAddendum: (caller, reportId) =>
      database.transaction(() => {
        demand(caller, 'writeReports')
        const { report, study } = found(caller, reportId)
        const status = moved('startAddendum', study.status)
        if (study.cancelledAt !== null) return no('The study is cancelled.')
        if (study.status === 'addendum_active') return no('An addendum is active already.')
        if (report.status !== 'completed' || status === undefined)
          return no('The report is not completed.')
        const primary =
          reports.ofStudy(study.studyId).find(({ isAddendum }) => !isAddendum) ?? report
        const now = instantOf(clock())
        const addendum: NewReportRecord = {
          reportId: idFromUuid('rep', uuid()),
          studyId: study.studyId,
          userId: primary.userId,
          isAddendum: true,
          status: 'in_progress',
          signedAt: null,
          isCritical: null,
          snapshotMetadata: study.detail.reportMetadata ?? {},
          plainText: null,
          createdAt: now,
          updatedAt: now,
        }
        reports.insert(addendum)
        move(caller, study, status, 'report.start-addendum', addendum.reportId)
        return { success: true, message: 'The addendum is active.' }
      }),

    cancelAddendum: (caller, reportId) =>
      database.transaction(() => {
        demand(caller, 'writeReports')
        const { report, study } = found(caller, reportId)
        const status = moved('cancelAddendum', study.status)
        const active = reports
          .ofStudy(study.studyId)
          .find((one) => one.isAddendum && one.status === 'in_progress')
        if (status === undefined || !active) return no('No addendum is active.')
        if (report.isAddendum && report.reportId !== active.reportId)
          return no('This addendum is completed.')
        reports.remove(active.reportId)
        move(caller, study, status, 'report.cancel-addendum', active.reportId)
        return { success: true, message: 'The addendum is cancelled.' }
      }),
  }
}

const no = (message: string): Outcome => ({ success: false, message })
const namesOf = ({ studyId, studyInstanceUid }: StudyRecord) => ({ studyId, studyInstanceUid })

/** Row 51: text exists for completed reports only. */
const withoutDraftText = (report: ReportRecord): ReportRecord =>
  report.status === 'completed' ? report : { ...report, plainText: null }

const itemOf = (
  { reportId, snapshotMetadata, isCritical, plainText }: ReportRecord,
  study: StudyRecord,
): ReportItem => ({
  reportId,
  ...namesOf(study),
  snapshotMetadata,
  isCritical,
  ...(plainText !== null && { plainText }),
})
