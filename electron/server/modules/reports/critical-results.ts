import { type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import type { Communication, CriticalResult } from '#shared/contract/reports.ts'
import { ApiError } from '#shared/errors.ts'
import type { ReportId, StudyId, UserId } from '#shared/ids.ts'
import type { CriticalResultRecord } from './critical-result-queries.ts'
import { callerPerson, personOf } from './report-people.ts'
import { demandPast } from './report-signing.ts'

/**
 * Critical results and who was told of them (ACR Practice Parameter for Communication of Diagnostic
 * Imaging Findings).
 */
export interface CriticalResults {
  /**
   * Those that nobody was told of yet, oldest first, at most 500; of studies that the person may
   * see.
   */
  open(caller: UserCaller): CriticalResult[]
  /** Undefined where the report is not critical. */
  ofReport(reportId: string): CriticalResult | undefined
  /**
   * Documents who was told; once, and for good. For who writes reports or manages studies.
   * @throws ApiError not-permitted, not-found; refused: it is documented already, or lies in the
   *   future
   */
  communicate(caller: UserCaller, reportId: string, communication: Communication): CriticalResult
}

const MOST_OPEN = 500

export function openCriticalResults(deps: DomainDeps): CriticalResults {
  const { store, clock } = deps

  function view(record: CriticalResultRecord): CriticalResult | undefined {
    const [report, study] = [store.reports.get(record.reportId), store.studies.get(record.studyId)]
    if (!report || !study) return undefined
    const { communication } = record
    const signer = report.signer
      ? { userId: report.signer.userId as UserId, name: report.signer.name }
      : personOf(deps, report.userId)
    return {
      reportId: record.reportId as ReportId,
      studyId: record.studyId as StudyId,
      studyInstanceUid: study.studyInstanceUid,
      studyDescription: study.studyDescription,
      patientName: report.snapshotMetadata.patientName ?? '',
      finding: record.finding,
      signedBy: signer,
      openedAt: record.openedAt,
      communication: communication && {
        ...communication,
        recordedBy: {
          ...communication.recordedBy,
          userId: communication.recordedBy.userId as UserId,
        },
      },
    }
  }

  function visible(caller: UserCaller, reportId: string): CriticalResultRecord {
    const record = store.criticalResults.get(reportId)
    const study = record && store.studies.get(record.studyId)
    if (!record || !study || !isVisible(caller, study))
      throw new ApiError('not-found', 'There is no such critical result.')
    return record
  }

  return {
    open: (caller) =>
      store.criticalResults.open(MOST_OPEN).flatMap((record) => {
        const study = store.studies.get(record.studyId)
        return study && isVisible(caller, study) ? (view(record) ?? []) : []
      }),

    ofReport(reportId) {
      const record = store.criticalResults.get(reportId)
      return record && view(record)
    },

    communicate: (caller, reportId, communication) =>
      store.database.transaction(() => {
        if (!isAllowed(caller, 'writeReports') && !isAllowed(caller, 'manageStudies'))
          throw new ApiError(
            'not-permitted',
            'Your account may not document this: it may neither write reports nor manage studies.',
          )
        const record = visible(caller, reportId)
        if (record.communication)
          throw new ApiError(
            'refused',
            `It is documented already, by ${record.communication.recordedBy.name}: what was documented stays.`,
          )
        demandPast('body.communicatedAt', communication.communicatedAt, clock())
        const { communicatedAt, method, isReadBack } = communication
        const told = {
          ...record,
          communicatedAt,
          communication: { ...communication, recordedBy: callerPerson(caller) },
        }
        store.criticalResults.update(told)
        note(deps.store, actorOf(caller), 'critical.communicate', reportId, {
          studyId: record.studyId,
          communicatedAt,
          method,
          isReadBack,
        })
        const shown = view(told)
        if (!shown) throw new ApiError('not-found', 'There is no such critical result.')
        return shown
      }),
  }
}
