import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import type { LanListener } from '#server/http/lan-listener.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { ACCESS } from '#server/http/session-authentication.ts'
import {
  dashboardSecurity,
  type LanAccess,
  type ThisWorkstation,
} from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as accounts from './accounts.ts'
import type { People } from './people.ts'
import { beginSecondFactor, confirmSecondFactor, disableSecondFactor } from './second-factor.ts'
import type { sessionReply } from './session-routes.ts'
import * as sessions from './sessions.ts'
import * as workstations from './workstations.ts'

const {
  thisWorkstation,
  askForWorkstation,
  lanAccess,
  setLanAccess,
  approveWorkstation,
  removeWorkstation,
  ...ACCOUNT
} = dashboardSecurity
const WORKSTATIONS = {
  ...{ thisWorkstation, askForWorkstation, lanAccess },
  ...{ setLanAccess, approveWorkstation, removeWorkstation },
}

/**
 * Serves the window's calls about its lock, the user's account, sessions, and access from other PCs
 * (`shared/contract/dashboard-security.ts`).
 */
export function serveDashboardSecurity(
  app: HttpApp,
  context: Context,
  people: People,
  lan: Pick<LanListener, 'state' | 'set'>,
  show: ReturnType<typeof sessionReply>,
): void {
  const afterChange = () => {
    context.feed.noteStatus()
    context.feed.noteChange('access')
  }
  serveAll(app, ACCOUNT, accountHandlers(context, people, show), { afterChange })
  serveAll(app, WORKSTATIONS, workstationHandlers(context, lan), { afterChange })
}

const SUCCESS = { success: true } as const

const accountHandlers = (
  context: Context,
  people: People,
  show: ReturnType<typeof sessionReply>,
): HandlersOf<typeof ACCOUNT> => ({
  unlock: async ({ body, session }) =>
    show(await accounts.unlock(context, people, tokenOf(session), body.password)),
  async confirm({ body, session }) {
    await accounts.confirmIdentity(context, people, tokenOf(session), body)
    return SUCCESS
  },
  account: ({ user }) => accounts.readAccount(context, user.userId),
  changeAccount: ({ body, user }) => show(accounts.changeAccount(context, user.userId, body)),
  async changePassword({ body, user, session }) {
    const given = { ...body, token: tokenOf(session) }
    await accounts.changePassword(context, people, user.userId, given)
    return SUCCESS
  },
  async beginSecondFactor({ body, user: { userId } }) {
    const user = await accounts.requirePassword(context, people, userId, body.password)
    return beginSecondFactor(context, user)
  },
  confirmSecondFactor: ({ body, user }) => ({
    codes: confirmSecondFactor(context, user.userId, body.code),
  }),
  async endSecondFactor({ body, user: { userId } }) {
    await accounts.requirePassword(context, people, userId, body.password)
    disableSecondFactor(context, userId, userActor(userId))
    return SUCCESS
  },
  resetSecondFactor({ params, user }) {
    accounts.resetSecondFactor(context, user, params.userId)
    return SUCCESS
  },

  lock({ session }) {
    const token = tokenOf(session)
    if (!sessions.runningSession(context, token, 'background')) throw notSignedInError()
    sessions.lockSession(context, token)
    return SUCCESS
  },
  sessions: ({ session, user }) => ({
    sessions: sessions.listSessions(context, session.token, manageableUserId(user)),
  }),
  endSession({ params, user }) {
    sessions.endSession(context, params.sessionId, manageableUserId(user), userActor(user.userId))
    return SUCCESS
  },
})

/** The user whose sessions the caller may manage; undefined for all users. */
const manageableUserId = (user: SignedInUser) => (ACCESS.manage(user) ? undefined : user.userId)

function workstationHandlers(
  context: Context,
  lan: Pick<LanListener, 'state' | 'set'>,
): HandlersOf<typeof WORKSTATIONS> {
  const access = (): LanAccess => ({
    ...lan.state(),
    workstations: workstations.listWorkstations(context),
  })
  return {
    thisWorkstation: ({ workstation: { isOnGatewayPc, token } }) =>
      workstationReply(
        context,
        isOnGatewayPc ? undefined : workstations.recogniseWorkstation(context, token),
      ),
    askForWorkstation({ body, workstation, session }) {
      if (workstation.isOnGatewayPc)
        throw new ApiError('refused', message('users.workstation-is-here'))
      const { token: given } = workstation
      const before = workstations.recogniseWorkstation(context, given)
      const asked = { ...body, ...session.sessionOrigin, token: given }
      const { token, record } = workstations.requestWorkstationAccess(context, asked)
      workstation.set(token)
      if (before.state === 'unknown')
        context.feed.append({
          ...{ kind: 'audit', tone: 'warning', associationId: '', aeTitle: '' },
          address: record.address,
          text: message('users.workstation-asks', { code: record.code }),
        })
      const state = record.approvedAt === null ? 'asking' : 'approved'
      return workstationReply(context, { state, record })
    },

    lanAccess: access,
    async setLanAccess({ body, user }) {
      await lan.set(body, userActor(user.userId))
      return access()
    },
    approveWorkstation: ({ params: { workstationId }, body, user }) =>
      workstations.approveWorkstation(context, workstationId, body.name, userActor(user.userId)),
    removeWorkstation({ params, user }) {
      workstations.removeWorkstation(context, params.workstationId, userActor(user.userId))
      return SUCCESS
    },
  }
}

/**
 * The reply about a workstation; `found` is undefined if the window is open on the gateway's own
 * PC.
 */
function workstationReply(
  { settings }: Context,
  found: ReturnType<typeof workstations.recogniseWorkstation> | undefined,
): ThisWorkstation {
  const { state = 'here', record } = found ?? {}
  return {
    ...{ state, name: record?.name ?? '' },
    code: state === 'asking' ? (record?.code ?? '') : '',
    clinicName: settings.get('clinic.name'),
  }
}

function tokenOf({ token }: { readonly token: string | undefined }): string {
  if (token === undefined) throw notSignedInError()
  return token
}

const notSignedInError = () =>
  new ApiError('not-signed-in', message('users.session-nobody'), {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })
