import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { ApiKeyCaller, Sessions } from '#server/http/callers.ts'
import type { HostNames } from '#server/http/host-names.ts'
import type { HttpApp, HttpLog } from '#server/http/http-app.ts'
import { PartnerInterface } from '#server/http/partner-interface.ts'
import { RateLimit } from '#server/http/rate-limit.ts'
import { type HttpServer, type ListenerAddress, openHttpServer } from '#server/http/server.ts'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { type ExpressCustomerId, idFromUuid } from '#shared/ids.ts'
import type { Operation } from '#shared/operation.ts'

export const person = (more: Partial<SignedInUser> = {}): SignedInUser => ({
  userId: idFromUuid('usr', randomUUID()),
  email: 'vera@clinic.example',
  firstName: 'Vera',
  lastName: 'Weber',
  level: 'member',
  clinicRole: 'Imaging Technologist',
  canManageStudies: false,
  canCreateReports: false,
  hasDashboardAccess: true,
  lastLoginAt: null,
  ...more,
})

/** Sessions by token, and how each was looked at. */
export function sessionsOf(
  users: Record<string, SignedInUser | 'locked'>,
): Sessions & { readonly looks: string[] } {
  const looks: string[] = []
  return {
    looks,
    userOf(token, use) {
      looks.push(`${token} ${use}`)
      return users[token]
    },
    isConfirmed: () => true,
    isLimited: () => false,
  }
}

type Installed = 'sessions' | 'partners' | 'views' | 'approvedWorkstation' | 'noteAnswer'
/** What a test gives the server, beside what it installs in the app. */
export interface TestServer extends Partial<Pick<HttpApp, Installed> & ListenerAddress> {
  readonly register: (app: HttpApp) => unknown
  readonly hosts?: () => HostNames
  readonly log?: HttpLog
  readonly pageFolder?: string
  readonly admitted?: AdmittedConnections
  readonly bodyBytes?: number
  readonly drainMs?: number
}

/** The server under test: on loopback, on a free port, without a built page. */
export function openTestServer({
  register,
  host = '127.0.0.1',
  port = 0,
  tls,
  hosts = () => ({ publicUrl: null, allowedHosts: [] }),
  log = { error: () => {} },
  pageFolder = join(tmpdir(), 'isthmus-no-page'),
  admitted,
  bodyBytes,
  drainMs,
  ...installed
}: TestServer): Promise<HttpServer> {
  return openHttpServer(
    { host, port, ...(tls && { tls }) },
    hosts,
    log,
    pageFolder,
    (app) => void register(Object.assign(app, installed)),
    admitted,
    { ...(bodyBytes && { bodyBytes }), ...(drainMs && { drainMs }) },
  )
}

/** The interface for partners, with keys of the test's own. */
export const partnersWith = (
  context: Context,
  authenticate: (key: string) => ApiKeyCaller | undefined,
  customerIds: readonly ExpressCustomerId[] = [],
  cacheable: readonly Operation[] = [],
): PartnerInterface =>
  new PartnerInterface(
    context,
    (key) => {
      const caller = authenticate(key)
      // A key that is being rotated is looked up at each call.
      return caller && { ...caller, oldExpiresAt: '9999-12-31T00:00:00.000Z' }
    },
    () => customerIds,
    cacheable,
  )

/** A rate limit by these settings, on a clock that stands at `now`. */
export const limitedBy = (at: { now: number; perSecond: number; burst: number }): RateLimit =>
  new RateLimit({
    clock: () => at.now,
    settings: {
      get: (key: string) => (key === 'http.ratePerSecond' ? at.perSecond : at.burst),
    } as Context['settings'],
  })
