import type { Context } from '#server/context.ts'
import type { Area } from '#server/modules/studies/study-queries.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import * as linkService from '#server/modules/viewer/links.ts'
import type { EphemeralDetail } from '#server/modules/viewer/queries.ts'
import { bound } from './bound.ts'
import { newEndpoint } from './endpoints.ts'

const BASE = 'https://gateway.example'

/** Links as a partner gets them. `ephemeral` sets up an endpoint that is asked, unless told. */
export function linksOf(context: Context) {
  const links = bound(linkService, context)
  return {
    viewer: (...of: Parameters<typeof links.createViewerLink>) => ({
      url: BASE + links.createViewerLink(...of),
    }),
    reroute: (...of: Parameters<typeof links.createRerouteLink>) => ({
      url: BASE + links.createRerouteLink(...of),
    }),
    viewerOnly: (...of: Parameters<typeof links.createViewerOnlyLink>) => ({
      url: BASE + links.createViewerOnlyLink(...of),
    }),
    ephemeral(caller: Caller, area: Area, session: EphemeralDetail, isAsked = true) {
      if (isAsked) newEndpoint(context, { endpointId: 'links' })
      return { url: BASE + links.createEphemeralLink(caller, area, session) }
    },
    open: links.openLink,
  }
}
