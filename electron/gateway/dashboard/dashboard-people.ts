import type { ApiKeys } from '#gateway/domain/api-keys.ts'
import type { Customers } from '#gateway/domain/customers.ts'
import type { Invitations } from '#gateway/domain/invitations.ts'
import type { MailServer } from '#gateway/domain/mail-server.ts'
import type { People } from '#gateway/domain/people.ts'
import type { SecondFactors } from '#gateway/domain/second-factor.ts'
import type { Settings } from '#gateway/domain/settings.ts'
import type { Users } from '#gateway/domain/users.ts'
import type { Workstations } from '#gateway/domain/workstations.ts'
import { type HttpApp, serveAll } from '#gateway/http/operations.ts'
import type { Clock } from '#gateway/store/clock.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { apiKeyHandlers } from './api-keys.ts'
import { mailHandlers } from './mail.ts'
import { peopleHandlers } from './people.ts'

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
  readonly customers: Pick<Customers, 'namesOf' | 'users'>
  readonly apiKeys: ApiKeys
  readonly mailServer: MailServer
  readonly settings: Settings
  readonly mail: MailPort
}

/** Declares the window's calls about people, invitations, keys and mail (`shared/contract/dashboard-people.ts`). */
export function serveDashboardPeople(app: HttpApp, deps: DashboardPeopleDeps): void {
  const handlers = { ...peopleHandlers(deps), ...apiKeyHandlers(deps), ...mailHandlers(deps) }
  serveAll(app, dashboardPeople, handlers)
}
