import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sessions } from '#server/http/http-app.ts'
import { type HttpServer, type HttpServerOptions, openHttpServer } from '#server/http/server.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { idFromUuid } from '#shared/ids.ts'

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

/** The server under test: on loopback, on a free port, without a built page. */
export function openTestServer(
  options: Partial<HttpServerOptions> & Pick<HttpServerOptions, 'register'>,
): Promise<HttpServer> {
  return openHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: { error: () => {} },
    uuid: randomUUID,
    allowedHosts: () => [],
    publicUrl: () => null,
    pageFolder: join(tmpdir(), 'isthmus-no-page'),
    sessions: sessionsOf({}),
    ...options,
  })
}
