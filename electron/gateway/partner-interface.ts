import { openCustomers } from './domain/customers.ts'
import type { Invitations } from './domain/invitations.ts'
import { openLinks } from './domain/links.ts'
import { openReports } from './domain/reports.ts'
import { openStudies } from './domain/studies.ts'
import type { Users } from './domain/users.ts'
import { serveExpress } from './express/express.ts'
import { cursorCodec } from './http/cursor-codec.ts'
import { openIdempotency } from './http/idempotency.ts'
import type { HttpApp } from './http/operations.ts'
import type { Partners } from './http/partners.ts'
import { openRateLimit } from './http/rate-limit.ts'
import { serveReference } from './http/reference.ts'
import { serveOrgs } from './orgs/orgs.ts'
import type { Parts } from './parts.ts'
import { serveScribe } from './scribe/scribe.ts'
import { serveViewer } from './viewer/viewer.ts'

export interface PartnerInterfaceOptions {
  /** Of the product, as the reference shows it. */
  readonly version: string
  /** Base of every URL given out, without a slash at its end. */
  readonly publicBase: () => string
  readonly users: Users
  readonly invitations: Invitations
}

/** The `/v1` interface of one gateway: what its listeners share, and its operations. */
export interface PartnerInterface {
  readonly partners: Partners
  /** Declares every operation, and the reference of them. */
  serve(app: HttpApp): void
}

export function openPartnerInterface(parts: Parts, { version, publicBase, users, invitations }: PartnerInterfaceOptions): PartnerInterface {
  const { deps, store, settings, apiKeys, partnerEndpoint } = parts
  const customers = openCustomers(deps)
  const links = openLinks({
    ...deps,
    publicBase,
    linkMinutes: () => settings.get('viewer.linkMinutes'),
    takesEvent: (event, apiKeyId) => partnerEndpoint.endpointFor(event, apiKeyId) !== undefined,
  })
  const domain = {
    settings,
    customers,
    links,
    studies: openStudies(deps),
    reports: openReports({ ...deps, links }),
    users,
    invitations,
  }
  return {
    partners: {
      callers: {
        authenticateKey(key) {
          const found = apiKeys.authenticate(key)
          return found && { kind: 'api-key', ...found }
        },
        customerIdsOf: (userId) => customers.idsOf(userId),
      },
      rateLimit: openRateLimit({
        clock: deps.clock,
        perSecond: () => settings.get('http.ratePerSecond'),
        burst: () => settings.get('http.rateBurst'),
      }),
      idempotency: openIdempotency(store.idempotency),
      cursors: cursorCodec(store.seal.keyFor('list cursors')),
    },
    serve(app) {
      serveExpress(app, domain)
      serveOrgs(app, domain)
      serveViewer(app, domain)
      serveScribe(app, domain)
      serveReference(app, { version })
    },
  }
}
