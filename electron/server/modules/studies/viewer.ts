import { type HttpApp, serveAll } from '#server/http/operations.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { type ViewerStudyDeps, viewerStudyHandlers } from './viewer-study-routes.ts'

/** Declares the viewer area about studies. */
export function serveViewer(app: HttpApp, deps: ViewerStudyDeps): void {
  serveAll(app, viewer, viewerStudyHandlers(deps))
}
