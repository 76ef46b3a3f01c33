import type { SignIn } from '#gateway/domain/people.ts'
import type { SessionCookie, Sessions, SessionUse } from '#gateway/http/sessions.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { DashboardDeps } from './deps.ts'
import type { DashboardHandlers } from './handlers.ts'

/** What the sessions are read by; `use` says whether a person is at work. */
interface SessionReader {
  sessionOf(token: string, use: SessionUse): SignedInUser | undefined
}

/** The sessions that `openHttpServer` asks for, from `openPeople`. */
export const sessionsOf = (people: SessionReader): Sessions => ({ userOf: (token, use) => people.sessionOf(token, use) })

/** Who is at work, as the window is told. */
export const sessionShown =
  ({
    people,
    settings,
    version,
  }: Pick<DashboardDeps, 'settings' | 'version'> & { readonly people: Pick<DashboardDeps['people'], 'hasUser'> }) =>
  (user: SignedInUser | undefined) => ({
    user: user ?? null,
    needsOwner: !people.hasUser(),
    isLocked: false,
    lockMinutes: settings.get('window.lockMinutes'),
    needsSetup: !settings.get('setup.isDone'),
    clinicName: settings.get('clinic.name'),
    version,
  })

export function sessionHandlers({
  people,
  settings,
  version,
}: Pick<DashboardDeps, 'people' | 'settings' | 'version'>): Pick<
  DashboardHandlers,
  'session' | 'signIn' | 'followLink' | 'createOwner' | 'signOut'
> {
  const show = sessionShown({ people, settings, version })

  function begin(cookie: SessionCookie, { token, user }: SignIn) {
    // The browser gets another token at each sign-in, and the one it had ends.
    if (cookie.token) people.signOut(cookie.token)
    cookie.set(token)
    return show(user)
  }

  return {
    session: ({ user }) => show(user),
    signIn: async ({ body, session }) => begin(session, await people.signIn(body.email, body.password)),
    followLink({ body, session, user }) {
      const link = people.followLink(body.token)
      return link.mayCreateOwner
        ? { session: show(user), mayCreateOwner: true }
        : { session: begin(session, link.signIn), mayCreateOwner: false }
    },
    createOwner: async ({ body, session }) => begin(session, await people.createOwner(body)),
    signOut({ session }) {
      if (session.token) people.signOut(session.token)
      session.clear()
      return { success: true }
    },
  }
}
