import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { followedCorrection } from '#server/modules/corrections/correction-addendum.ts'
import { findUser } from '#server/modules/users/queries.ts'
import type { ReportPart } from './report-pdf.ts'
import { signerOf } from './report-people.ts'
import type { ReportRecord } from './report-queries.ts'

/** A signed report as it stands in its PDF and its DICOM copies. */
export function signedPart(store: Context, report: ReportRecord): ReportPart {
  const { reportId, isAddendum, userId, signedAt, updatedAt } = report
  const text = report.plainText ?? ''
  const author = findUser(store.database, userId)
  const critical = store.criticalResults.get(reportId)
  const { recordedBy: _, ...communication } = critical?.communication ?? { recordedBy: null }
  return {
    ...{ isAddendum, text },
    textHash: report.textHash ?? hashOfText(text),
    signer:
      report.signer ??
      (author ? signerOf(author) : { userId, name: '', clinicRole: '', npiNumber: null }),
    signedAt: signedAt ?? updatedAt,
    isCritical: report.isCritical ?? false,
    finding: critical?.finding ?? null,
    communication: critical?.communication ? (communication as ReportPart['communication']) : null,
    follows: isAddendum ? followedOf(store, report) : null,
  }
}

function followedOf(
  store: Context,
  { studyId, seq, signedAt, updatedAt }: ReportRecord,
): ReportPart['follows'] {
  const study = store.studies.get(studyId)
  const earlier = store.reports.signedOf(studyId).filter((one) => one.seq < seq)
  return study
    ? followedCorrection(store, study.studyInstanceUid, {
        earlier,
        signedAt: signedAt ?? updatedAt,
      })
    : null
}

/** SHA-256 of the UTF-8 text, hex. */
export const hashOfText = (text: string) => createHash('sha256').update(text).digest('hex')
