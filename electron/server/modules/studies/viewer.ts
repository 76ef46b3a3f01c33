import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { type ViewerStudyDeps, viewerStudyHandlers } from './viewer-study-routes.ts'

/** Declares the viewer area about studies. */
export function serveViewer(app: HttpApp, deps: ViewerStudyDeps): void {
  const { rerouteUrl: _, ephemeralSession: __, ...operations } = viewer
  serveAll(app, operations, viewerStudyHandlers(deps))
}
