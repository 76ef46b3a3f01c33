import { cursorCodec } from '#server/http/cursor-codec.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { openIdempotency } from '#server/http/idempotency.ts'
import { knownKeys } from '#server/http/known-keys.ts'
import type { Partners } from '#server/http/partner-authentication.ts'
import { openRateLimit } from '#server/http/rate-limit.ts'
import { serveReference } from '#server/http/reference.ts'
import { openReplyCache } from '#server/http/reply-cache.ts'
import { serveCustomers } from '#server/modules/customers/routes.ts'
import { openReports, type Reports } from '#server/modules/reports/reports.ts'
import { serveScribe } from '#server/modules/studies/scribe.ts'
import { openStudies, type Studies } from '#server/modules/studies/studies.ts'
import { serveViewer } from '#server/modules/studies/viewer.ts'
import { serveInterfaceUsers } from '#server/modules/users/interface-routes.ts'
import { customerIdsOfUser } from '#server/modules/users/queries.ts'
import type { Parts } from '#server/parts.ts'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'

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

export interface PartnerInterfaceOptions {
  /** Of the product, as the reference shows it. */
  readonly version: string
  /** Base of every URL given out, without a slash at its end. */
  readonly publicBase: () => string
}

/** The `/v1` interface of one gateway: what its listeners share, and its operations. */
export interface PartnerInterface {
  readonly partners: Partners
  readonly studies: Studies
  readonly reports: Reports
  /** Declares every operation, and the reference of them. */
  serve(app: HttpApp): void
}

export function openPartnerInterface(
  parts: Parts,
  { version, publicBase }: PartnerInterfaceOptions,
): PartnerInterface {
  const { deps, store, settings, apiKeys } = parts
  const changes = () => store.database.changeCount
  const domain = {
    settings,
    studies: openStudies(deps),
    reports: openReports({ ...deps, publicBase }),
  }
  const rate = {
    clock: deps.clock,
    perSecond: () => settings.get('http.ratePerSecond'),
    burst: () => settings.get('http.rateBurst'),
  }
  return {
    studies: domain.studies,
    reports: domain.reports,
    partners: {
      callers: {
        authenticateKey: knownKeys({
          authenticate: apiKeys.authenticate,
          version: changes,
          clock: deps.clock,
        }),
        customerIdsOf: (userId) => customerIdsOfUser(store.database, userId),
      },
      rateLimit: openRateLimit(rate),
      refusedLimit: openRateLimit(rate),
      idempotency: openIdempotency(store.idempotency),
      cursors: cursorCodec(store.seal.keyFor('list cursors')),
      replies: openReplyCache({ operations: READ_FROM_ROWS, version: changes }),
    },
    serve(app) {
      serveCustomers(app, store)
      serveInterfaceUsers(app, store, publicBase)
      serveViewer(app, domain)
      serveScribe(app, domain)
      serveReference(app, { version })
    },
  }
}
