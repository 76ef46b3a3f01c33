import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import {
  type ScribeReportDeps,
  scribeReportHandlers,
} from '#server/modules/reports/scribe-report-routes.ts'
import {
  type ScribeUserDeps,
  scribeUserHandlers,
} from '#server/modules/users/scribe-user-routes.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import { type ScribeStudyDeps, scribeStudyHandlers } from './scribe-study-routes.ts'

/** Declares the scribe area (interface.md, Scribe studies, invitations and reports). */
export function serveScribe(
  app: HttpApp,
  deps: ScribeStudyDeps & ScribeReportDeps & ScribeUserDeps,
): void {
  const { rerouteUrl: _, viewerOnlyRerouteUrl: __, ephemeralSession: ___, ...operations } = scribe
  serveAll(app, operations, { ...scribeStudyHandlers(deps), ...scribeReportHandlers(deps) })
  serveAll(app, scribeUsers, scribeUserHandlers(deps))
}
