import { cursorCodec } from '#server/http/cursor-codec.ts'
import type { HttpApp, Partners } from '#server/http/http-app.ts'
import { openIdempotency } from '#server/http/idempotency.ts'
import { knownKeys } from '#server/http/known-keys.ts'
import { openRateLimit } from '#server/http/rate-limit.ts'
import { serveReference } from '#server/http/reference.ts'
import { openReplyCache } from '#server/http/reply-cache.ts'
import { serveCustomers } from '#server/modules/customers/routes.ts'
import { openReports } from '#server/modules/reports/reports.ts'
import { serveScribe } from '#server/modules/reports/scribe-study-routes.ts'
import { serveViewerStudies } from '#server/modules/studies/routes.ts'
import { serveInterfaceUsers } from '#server/modules/users/interface-routes.ts'
import { customerIdsOfUser } from '#server/modules/users/queries.ts'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { Context } from './context.ts'
import type { Parts } from './parts.ts'

/**
 * Not among them: invitations and reports, whose replies run out with the clock or carry links that
 * do.
 */
const READ_FROM_ROWS = [
  ...[
    express.list,
    express.read,
    viewer.list,
    viewer.read,
    viewer.byUid,
    scribe.list,
    scribe.read,
    scribe.byUid,
  ],
  ...[viewerUsers.list, viewerUsers.read, scribeUsers.list, scribeUsers.read],
]

/** What the listeners of the `/v1` interface share. */
export function openPartners({ store, settings, apiKeys }: Parts): Partners {
  const { clock } = store
  const changes = () => store.database.changeCount
  const rate = {
    clock,
    perSecond: () => settings.get('http.ratePerSecond'),
    burst: () => settings.get('http.rateBurst'),
  }
  return {
    authenticateKey: knownKeys({
      authenticate: apiKeys.authenticate,
      version: changes,
      clock,
    }),
    customerIdsOf: (userId) => customerIdsOfUser(store.database, userId),
    rateLimit: openRateLimit(rate),
    refusedLimit: openRateLimit(rate),
    idempotency: openIdempotency(store.idempotency),
    cursors: cursorCodec(store.seal.keyFor('list cursors')),
    replies: openReplyCache({ operations: READ_FROM_ROWS, version: changes }),
  }
}

/**
 * Every operation of the `/v1` interface but links to the viewer, and the reference of them.
 * `publicBase`: of every URL given out, without a slash at its end; `version`: of the product.
 */
export function servePartnerInterface(
  app: HttpApp,
  context: Context,
  publicBase: () => string,
  version: string,
): void {
  serveCustomers(app, context)
  serveInterfaceUsers(app, context, publicBase)
  serveViewerStudies(app, context)
  serveScribe(app, context, openReports({ store: context, ...context, publicBase }))
  serveReference(app, { version })
}
