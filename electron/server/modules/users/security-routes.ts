import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import type { LanListener } from '#server/http/lan-listener.ts'
import { serveAll } from '#server/http/operations.ts'
import { ACCESS } from '#server/http/session-authentication.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import {
  dashboardSecurity,
  type LanAccess,
  type ThisWorkstation,
} from '#shared/contract/dashboard-security.ts'
import { ApiError } from '#shared/errors.ts'
import * as accounts from './accounts.ts'
import type { People } from './people.ts'
import { beginSecondFactor, confirmSecondFactor, endSecondFactor } from './second-factor.ts'
import type { sessionReply } from './session-routes.ts'
import * as sessions from './sessions.ts'
import * as workstations from './workstations.ts'

/**
 * The window's lock, the account of who is signed in, sessions, and access from other PCs
 * (`shared/contract/dashboard-security.ts`).
 */
export function serveDashboardSecurity(
  app: HttpApp,
  context: Context,
  people: People,
  lan: Pick<LanListener, 'state' | 'set'>,
  feed: Pick<Feed, 'append' | 'noteStatus' | 'noteChange'>,
  show: ReturnType<typeof sessionReply>,
): void {
  const lanAccess = (): LanAccess => ({
    ...lan.state(),
    workstations: workstations.listWorkstations(context),
  })

  function thisWorkstation(
    found: ReturnType<typeof workstations.recogniseWorkstation> | undefined,
  ): ThisWorkstation {
    const { state = 'here', record } = found ?? {}
    return {
      ...{ state, name: record?.name ?? '' },
      code: state === 'asking' ? (record?.code ?? '') : '',
      clinicName: context.settings.get('clinic.name'),
    }
  }

  const afterChange = () => {
    feed.noteStatus()
    feed.noteChange('access')
  }
  serveAll(
    app,
    dashboardSecurity,
    {
      unlock: async ({ body, session }) =>
        show(await accounts.unlock(context, people, tokenOf(session), body.password)),
      async confirm({ body, session }) {
        await accounts.confirmIdentity(context, people, tokenOf(session), body)
        return { success: true }
      },
      account: ({ user }) => accounts.readAccount(context, user.userId),
      changeAccount: ({ body, user }) => show(accounts.changeAccount(context, user.userId, body)),
      async changePassword({ body, user, session }) {
        const given = { ...body, token: tokenOf(session) }
        await accounts.changePassword(context, people, user.userId, given)
        return { success: true }
      },
      async beginSecondFactor({ body, user: { userId } }) {
        const user = await accounts.demandPassword(context, people, userId, body.password)
        return beginSecondFactor(context, user)
      },
      confirmSecondFactor: ({ body, user }) => ({
        codes: confirmSecondFactor(context, user.userId, body.code),
      }),
      async endSecondFactor({ body, user: { userId } }) {
        await accounts.demandPassword(context, people, userId, body.password)
        endSecondFactor(context, userId, userActor(userId))
        return { success: true }
      },
      resetSecondFactor({ params, user }) {
        accounts.resetSecondFactor(context, user, params.userId)
        return { success: true }
      },

      lock({ session }) {
        const token = tokenOf(session)
        if (!sessions.runningSession(context, token, 'background')) throw signedOut()
        sessions.lockSession(context, token)
        return { success: true }
      },
      sessions: ({ session, user }) => ({
        sessions: sessions.listSessions(
          context,
          session.token,
          ACCESS.manage(user) ? undefined : user.userId,
        ),
      }),
      endSession({ params, user }) {
        const ofUser = ACCESS.manage(user) ? undefined : user.userId
        sessions.endSession(context, params.sessionId, ofUser, userActor(user.userId))
        return { success: true }
      },

      thisWorkstation: ({ workstation }) =>
        thisWorkstation(
          workstation.isHere
            ? undefined
            : workstations.recogniseWorkstation(context, workstation.token),
        ),
      askForWorkstation({ body, workstation, session }) {
        if (workstation.isHere)
          throw new ApiError('refused', 'The window opens on this PC without being approved.')
        const before = workstations.recogniseWorkstation(context, workstation.token)
        const { token, record } = workstations.askForWorkstation(context, {
          ...body,
          ...session.place,
          token: workstation.token,
        })
        workstation.set(token)
        if (before.state === 'unknown')
          feed.append({
            ...{ kind: 'audit', tone: 'warning', associationId: '', aeTitle: '' },
            address: record.address,
            text: `A workstation asks to open the window, code ${record.code}: approve or refuse it under Settings, Access from other PCs.`,
          })
        return thisWorkstation({
          state: record.approvedAt === null ? 'asking' : 'approved',
          record,
        })
      },

      lanAccess,
      async setLanAccess({ body, user }) {
        await lan.set(body, userActor(user.userId))
        return lanAccess()
      },
      approveWorkstation: ({ params, body, user }) =>
        workstations.approveWorkstation(
          context,
          params.workstationId,
          body.name,
          userActor(user.userId),
        ),
      removeWorkstation({ params, user }) {
        workstations.removeWorkstation(context, params.workstationId, userActor(user.userId))
        return { success: true }
      },
    },
    { afterChange },
  )
}

function tokenOf({ token }: { readonly token: string | undefined }): string {
  if (token === undefined) throw signedOut()
  return token
}

const signedOut = () =>
  new ApiError('not-signed-in', 'Nobody is signed in here.', {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })
