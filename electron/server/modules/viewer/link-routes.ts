import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewer } from '#shared/contract/viewer.ts'
import * as links from './links.ts'

/**
 * The calls of the partner interface that give links to the viewer. @param publicBase base of every
 * URL given out, without a slash at its end
 */
export function serveLinks(app: HttpApp, context: Context, publicBase: () => string): void {
  const urlOf = (path: string) => ({ url: publicBase() + path })
  serve(app, viewer.rerouteUrl, ({ caller, body }) =>
    urlOf(links.createViewerLink(context, caller, body)),
  )
  serve(app, scribe.rerouteUrl, ({ caller, body }) =>
    urlOf(links.createRerouteLink(context, caller, body)),
  )
  serve(app, scribe.viewerOnlyRerouteUrl, ({ caller, body }) =>
    urlOf(links.createViewerOnlyLink(context, caller, body)),
  )
  serve(app, viewer.ephemeralSession, ({ caller, body }) =>
    urlOf(links.createEphemeralLink(context, caller, 'viewer', body)),
  )
  serve(app, scribe.ephemeralSession, ({ caller, body }) =>
    urlOf(links.createEphemeralLink(context, caller, 'scribe', body)),
  )
}
