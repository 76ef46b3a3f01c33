import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import {
  type ViewerUserDeps,
  viewerUserHandlers,
} from '#server/modules/users/viewer-user-routes.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { type ViewerStudyDeps, viewerStudyHandlers } from './viewer-study-routes.ts'

/** Declares the viewer area (interface.md, Viewer studies and Viewer users). */
export function serveViewer(app: HttpApp, deps: ViewerStudyDeps & ViewerUserDeps): void {
  const { rerouteUrl: _, ephemeralSession: __, ...operations } = viewer
  serveAll(app, operations, viewerStudyHandlers(deps))
  serveAll(app, viewerUsers, viewerUserHandlers(deps))
}
