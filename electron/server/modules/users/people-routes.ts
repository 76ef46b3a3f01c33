import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import type { ApiKeys } from '#server/modules/api-keys/api-keys.ts'
import { apiKeyHandlers } from '#server/modules/api-keys/routes.ts'
import { mailHandlers } from '#server/modules/settings/mail-routes.ts'
import type { MailServer } from '#server/modules/settings/mail-server.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { Clock } from '#server/platform/clock.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { Invitations } from './invitations.ts'
import type { People } from './people.ts'
import { peopleHandlers } from './people-handlers.ts'
import type { SecondFactors } from './second-factor.ts'
import type { Users } from './users.ts'
import type { Workstations } from './workstations.ts'

/** What the window needs of the way out by mail; `inviting.ts` fills it. */
export interface MailPort {
  /** Tries at once what waits. */
  retry(): void
  /** Rejects with one clause in plain words. */
  test(to: string): Promise<void>
}

export interface DashboardPeopleDeps {
  readonly clock: Clock
  /** Of the product, as the window shows it. */
  readonly version: string
  readonly people: People
  readonly users: Users
  readonly secondFactors?: SecondFactors
  readonly workstations?: Workstations
  readonly invitations: Invitations
  readonly store: Context
  readonly apiKeys: ApiKeys
  readonly mailServer: MailServer
  readonly settings: Settings
  readonly mail: MailPort
}

/**
 * Declares the window's calls about people, invitations, keys and mail
 * (`shared/contract/dashboard-people.ts`).
 */
export function serveDashboardPeople(app: HttpApp, deps: DashboardPeopleDeps): void {
  const handlers = { ...peopleHandlers(deps), ...apiKeyHandlers(deps), ...mailHandlers(deps) }
  serveAll(app, dashboardPeople, handlers)
}
