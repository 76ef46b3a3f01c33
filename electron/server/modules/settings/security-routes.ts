import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { ACCESS } from '#server/http/session-authentication.ts'
import { type Actor, userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { type Accounts, openAccounts } from '#server/modules/users/accounts.ts'
import type { People } from '#server/modules/users/people.ts'
import type { SecondFactors } from '#server/modules/users/second-factor.ts'
import { sessionShown } from '#server/modules/users/session-routes.ts'
import { workstationHandlers } from '#server/modules/users/workstation-routes.ts'
import type { Workstations } from '#server/modules/users/workstations.ts'
import type { Clock } from '#server/platform/clock.ts'
import { dashboardSecurity, type LanAccess } from '#shared/contract/dashboard-security.ts'
import { ApiError } from '#shared/errors.ts'
import type { Settings } from './settings.ts'

/** The listener for other PCs of the clinic's network; `window-part.ts` fills it. */
export interface LanPort {
  readonly state: () => Omit<LanAccess, 'workstations'>
  /**
   * Resolves when it stands as wanted, or is known to be down: `state` says why. @throws ApiError
   * malformed
   */
  readonly set: (
    wanted: {
      readonly isOn: boolean
      readonly host?: string | undefined
      readonly port?: number | undefined
    },
    actor: Actor,
  ) => Promise<void>
}

export interface DashboardSecurityDeps {
  readonly store: Context
  readonly clock: Clock
  readonly uuid: () => string
  readonly version: string
  readonly people: People
  readonly secondFactors: SecondFactors
  readonly settings: Settings
  readonly workstations: Workstations
  readonly lan: LanPort
  readonly feed: Pick<Feed, 'append' | 'noteStatus' | 'noteChange'>
}

/**
 * Declares the window's lock, the account of who is signed in, sessions, and access from other PCs
 * (`shared/contract/dashboard-security.ts`).
 */
export function serveDashboardSecurity(app: HttpApp, deps: DashboardSecurityDeps): void {
  const handlers = {
    ...accountHandlers(deps, openAccounts(deps)),
    ...sessionsHandlers(deps),
    ...workstationHandlers(deps),
  }
  serveAll(app, dashboardSecurity, handlers, {
    afterChange() {
      deps.feed.noteStatus()
      deps.feed.noteChange('access')
    },
  })
}

type SecurityHandlers = HandlersOf<typeof dashboardSecurity>

type AccountCalls =
  | 'unlock'
  | 'confirm'
  | 'account'
  | 'changeAccount'
  | 'changePassword'
  | 'beginSecondFactor'
  | 'confirmSecondFactor'
  | 'endSecondFactor'
  | 'resetSecondFactor'

function accountHandlers(
  deps: DashboardSecurityDeps,
  accounts: Accounts,
): Pick<SecurityHandlers, AccountCalls> {
  const show = sessionShown(deps)
  return {
    unlock: async ({ body, session }) =>
      show(await accounts.unlock(tokenOf(session), body.password)),
    async confirm({ body, session }) {
      await accounts.confirm(tokenOf(session), body)
      return { success: true }
    },
    account: ({ user }) => accounts.read(user.userId),
    changeAccount: ({ body, user }) => show(accounts.change(user.userId, body)),
    async changePassword({ body, user, session }) {
      await accounts.changePassword(user.userId, { ...body, token: tokenOf(session) })
      return { success: true }
    },
    beginSecondFactor: ({ body, user }) => accounts.beginSecondFactor(user.userId, body.password),
    confirmSecondFactor: ({ body, user }) => ({
      codes: deps.secondFactors.confirm(user.userId, body.code),
    }),
    async endSecondFactor({ body, user }) {
      await accounts.endSecondFactor(user.userId, body.password)
      return { success: true }
    },
    resetSecondFactor({ params, user }) {
      accounts.resetSecondFactor(user, params.userId)
      return { success: true }
    },
  }
}

function sessionsHandlers({
  people,
}: Pick<DashboardSecurityDeps, 'people'>): Pick<
  SecurityHandlers,
  'lock' | 'sessions' | 'endSession'
> {
  return {
    lock({ session }) {
      const token = tokenOf(session)
      if (!people.sessions.find(token, 'background')) throw signedOut()
      people.sessions.lock(token)
      return { success: true }
    },
    sessions: ({ session, user }) => ({
      sessions: people.sessions.list(session.token, ACCESS.manage(user) ? undefined : user.userId),
    }),
    endSession({ params, user }) {
      people.sessions.endById(
        params.sessionId,
        ACCESS.manage(user) ? undefined : user.userId,
        userActor(user.userId),
      )
      return { success: true }
    },
  }
}

function tokenOf({ token }: { readonly token: string | undefined }): string {
  if (token === undefined) throw signedOut()
  return token
}

const signedOut = () =>
  new ApiError('not-signed-in', 'Nobody is signed in here.', {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })
