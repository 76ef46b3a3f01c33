import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import {
  type ScribeReportDeps,
  scribeReportHandlers,
} from '#server/modules/reports/scribe-report-routes.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { type ScribeStudyDeps, scribeStudyHandlers } from './scribe-study-routes.ts'

/** Declares the scribe area about studies and reports. */
export function serveScribe(app: HttpApp, deps: ScribeStudyDeps & ScribeReportDeps): void {
  const { rerouteUrl: _, viewerOnlyRerouteUrl: __, ephemeralSession: ___, ...operations } = scribe
  serveAll(app, operations, { ...scribeStudyHandlers(deps), ...scribeReportHandlers(deps) })
}
