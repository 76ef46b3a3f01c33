import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { insertReport, type ReportRecord } from '#server/modules/reports/report-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { StudyReportStatus } from '#shared/lifecycle.ts'

// What the reporting part of the gateway writes, straight into the store.

type Given = Pick<ReportRecord, 'studyId' | 'userId'> & Partial<ReportRecord>

/** A signed report of the study, which becomes `completed`; its id. */
export function completedReport(store: Context, given: Given): string {
  const signedAt = instantOf(Date.now())
  return insert(store, 'completed', {
    status: 'completed',
    signedAt,
    isCritical: false,
    plainText: 'No acute findings.',
    ...given,
  })
}

/**
 * A report that is being written; the study becomes `in_progress`, or `addendum_active` where it is
 * an addendum. Its id.
 */
export const draftReport = (store: Context, given: Given): string =>
  insert(store, given.isAddendum ? 'addendum_active' : 'in_progress', {
    plainText: 'Draft that nobody may read.',
    ...given,
  })

function insert(store: Context, status: StudyReportStatus, given: Given): string {
  const reportId = idFromUuid('rep', randomUUID())
  const now = instantOf(Date.now())
  const unsigned = {
    isAddendum: false,
    status: 'in_progress',
    signedAt: null,
    isCritical: null,
    plainText: null,
  } as const
  store.database.transaction(() => {
    insertReport(store.database, {
      reportId,
      ...unsigned,
      snapshotMetadata: {},
      createdAt: now,
      updatedAt: now,
      ...given,
    })
    const study = findStudy(store.database, given.studyId)
    if (study?.area !== 'scribe') throw new Error(`${given.studyId} is not a scribe study`)
    saveStudy(store.database, { ...study, status }, study)
  })
  return reportId
}
