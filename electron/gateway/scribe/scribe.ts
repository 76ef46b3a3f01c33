import { type HttpApp, serveAll } from '#gateway/http/operations.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers } from '#shared/contract/users.ts'
import { type ScribeReportDeps, scribeReportHandlers } from './reports.ts'
import { type ScribeStudyDeps, scribeStudyHandlers } from './studies.ts'
import { type ScribeUserDeps, scribeUserHandlers } from './users.ts'

/** Declares the scribe area (interface.md, Scribe studies, invitations and reports). */
export function serveScribe(app: HttpApp, deps: ScribeStudyDeps & ScribeReportDeps & ScribeUserDeps): void {
  serveAll(app, scribe, { ...scribeStudyHandlers(deps), ...scribeReportHandlers(deps) })
  serveAll(app, scribeUsers, scribeUserHandlers(deps))
}
