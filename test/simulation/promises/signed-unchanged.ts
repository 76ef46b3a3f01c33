import { readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import { findReport } from '#server/modules/reports/report-queries.ts'
import type { Frozen } from '../ledger.ts'
import type { Promised } from '../promise.ts'
import { hashOf, type Reader } from '../reader.ts'

/**
 * A signed report keeps its text and the bytes of its PDF, and its signature is in the audit trail
 * once, with the hashes of both.
 */
export const signedUnchanged: Promised = {
  name: 'Nothing signed changes',
  when: 'step',
  check({ ledger, reader }) {
    const now = new Map(signedReports(reader).map((report) => [report.reportId, report]))
    const changed = [...ledger.frozen.values()].flatMap((before) => {
      const after = now.get(before.reportId)
      if (!after) return [`${before.reportId} is not there any more`]
      return JSON.stringify(after) === JSON.stringify(before)
        ? []
        : [`${before.reportId} has another text or another PDF`]
    })
    for (const report of now.values())
      if (!ledger.frozen.has(report.reportId)) ledger.frozen.set(report.reportId, report)
    return changed
  },
}

function signedReports({ store, select }: Reader): Frozen[] {
  const rows = select<{ reportId: string }>(
    "select reportId from reports where status = 'completed' order by seq",
  )
  return rows.flatMap(({ reportId }) => {
    const report = findReport(store.database, reportId)
    if (!report) return []
    const pdf = readReportPdf(store.database, reportId) ?? Buffer.alloc(0)
    return [
      { reportId, studyId: report.studyId, text: report.plainText ?? '', pdfHash: hashOf(pdf) },
    ]
  })
}
