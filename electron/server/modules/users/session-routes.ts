import type { Context } from '#server/context.ts'
import type { Sessions } from '#server/http/callers.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type Call, serveAll } from '#server/http/operations.ts'
import { ACCESS, type SessionCookie } from '#server/http/session-authentication.ts'
import type { WorkstationCookie } from '#server/http/workstation-authentication.ts'
import { createToken } from '#server/platform/token.ts'
import { dashboardSessions } from '#shared/contract/dashboard.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { OperationShape } from '#shared/operation.ts'
import { isProviderEnabled } from './identity-provider.ts'
import { followLink, hasUser, isLimited, type People } from './people.ts'
import { hasIdentity, type ProviderSignIns } from './provider-sign-in.ts'
import { findUser } from './queries.ts'
import { needsSecondFactor } from './second-factor.ts'
import { sessionState } from './session-state.ts'
import {
  idTokenOf,
  isConfirmed,
  runningSession,
  type SessionOrigin,
  type SignIn,
  signOut,
} from './sessions.ts'
import { recogniseWorkstation } from './workstations.ts'

/** The session functions that the HTTP listeners of the window use. */
export const sessionsOf = (context: Context): Sessions => ({
  userOf(token, use) {
    const session = runningSession(context, token, use)
    return session?.isLocked ? 'locked' : session?.user
  },
  isConfirmed: (token) => isConfirmed(context, token),
  isLimited: (user) => isLimited(context, user),
  onClosed: sessionState(context.database).onClosed,
})

/** The place of a session that this call starts. */
export const sessionOriginOf = (
  context: Context,
  cookie: SessionCookie,
  workstation: WorkstationCookie,
): SessionOrigin => ({
  ...cookie.sessionOrigin,
  workstationId: workstation.isOnGatewayPc
    ? null
    : (recogniseWorkstation(context, workstation.token).record?.workstationId ?? null),
})

/** Converts a session to the form that the window shows. */
export const sessionReply =
  (context: Context, version: string) =>
  (user: SignedInUser | undefined, isLocked = false) => ({
    user: user ?? null,
    needsOwner: !hasUser(context),
    isLocked,
    lockMinutes: context.settings.get('window.lockMinutes'),
    // Only users who manage the gateway can continue the setup.
    needsSetup: user !== undefined && ACCESS.manage(user) && !context.settings.get('setup.isDone'),
    // It leads to screens that only they can open.
    offersTour:
      user !== undefined && ACCESS.manage(user) && context.settings.get('setup.offersTour'),
    isLimited: user !== undefined && isLimited(context, user),
    needsSecondFactor: user !== undefined && needsSecondFactor(context, user),
    clinicName: context.settings.get('clinic.name'),
    version,
    provider: isProviderEnabled(context) ? { name: context.settings.get('oidc.name') } : null,
    proofs: {
      password: user !== undefined && findUser(context.database, user.userId)?.passwordHash != null,
      provider: user !== undefined && hasIdentity(context, user.userId),
    },
  })

/** The browser gets a new token at each sign-in, and its former session ends. */
export function startSession(
  context: Context,
  show: ReturnType<typeof sessionReply>,
  cookie: SessionCookie,
  { token, user }: SignIn,
) {
  if (cookie.token) signOut(context, cookie.token)
  cookie.set(token)
  return show(user)
}

export function serveSessions(
  app: HttpApp,
  context: Context,
  people: People,
  show: ReturnType<typeof sessionReply>,
  signIns: Pick<ProviderSignIns, 'signOut'>,
): void {
  const originOf = ({
    session,
    workstation,
  }: Pick<Call<OperationShape>, 'session' | 'workstation'>) =>
    sessionOriginOf(context, session, workstation)

  const start = (cookie: SessionCookie, signIn: SignIn) =>
    startSession(context, show, cookie, signIn)

  serveAll(app, dashboardSessions, {
    session({ session }) {
      // Locked sessions are included, because the lock screen shows whose session it is.
      const found =
        session.token === undefined
          ? undefined
          : runningSession(context, session.token, 'background')
      // Renames the cookie of a session that started before cookies were named after the port.
      if (found && session.hasOldName && session.token) session.set(session.token)
      return show(found?.user, found?.isLocked)
    },
    async signIn(call) {
      const { email, password, code } = call.body
      return start(
        call.session,
        await people.signIn(email, password, { code, sessionOrigin: originOf(call) }),
      )
    },
    followLink(call) {
      const link = followLink(context, call.body.token, originOf(call))
      return link.mayCreateOwner
        ? { session: show(call.user), mayCreateOwner: true }
        : { session: start(call.session, link.signIn), mayCreateOwner: false }
    },
    createOwner: async (call) =>
      start(call.session, await people.createOwner(call.body, originOf(call))),
    async signOut({ session, signIn, origin }) {
      const { token } = session
      const idToken = token === undefined ? undefined : idTokenOf(context, token)
      if (token) signOut(context, token)
      session.clear()
      const browser = signIn.token ?? createToken()
      const providerPath = await signIns.signOut(idToken, origin, browser)
      if (providerPath !== null) signIn.set(browser)
      return { success: true as const, providerPath }
    },
  })
}
