import type { HandlersOf } from '#server/http/operations.ts'
import type { scribe } from '#shared/contract/scribe.ts'
import type { Reports } from './reports.ts'
import { reportItemOf, reportsOf, scribeReportOf } from './scribe-report.ts'

export interface ScribeReportDeps {
  readonly reports: Reports
}

type ReportCalls = 'reports' | 'reportText' | 'reportPdf' | 'startAddendum' | 'cancelAddendum'

/** interface.md, Scribe reports. */
export const scribeReportHandlers = ({
  reports,
}: ScribeReportDeps): Pick<HandlersOf<typeof scribe>, ReportCalls> => ({
  reports: ({ caller, query }) => reportsOf(reports.list(caller, query), scribeReportOf),
  reportText({ caller, query }) {
    const found = reports.text(caller, query)
    return 'reports' in found ? reportsOf(found, reportItemOf) : reportItemOf(found)
  },
  reportPdf({ caller, query }) {
    const found = reports.pdf(caller, query)
    return 'reports' in found ? reportsOf(found, reportItemOf) : reportItemOf(found)
  },
  startAddendum: ({ caller, params }) => reports.startAddendum(caller, params.reportId),
  cancelAddendum: ({ caller, params }) => reports.cancelAddendum(caller, params.reportId),
})
