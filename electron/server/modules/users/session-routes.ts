import type { Context } from '#server/context.ts'
import type { Call } from '#server/http/operations.ts'
import { ACCESS, type SessionCookie, type Sessions } from '#server/http/session-authentication.ts'
import type { WorkstationCookie } from '#server/http/workstation-authentication.ts'
import type { DashboardDeps, DashboardHandlers } from '#server/modules/dashboard/deps.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { OperationShape } from '#shared/operation.ts'
import type { People, SignIn } from './people.ts'
import type { SessionPlace } from './sessions.ts'
import type { Workstations } from './workstations.ts'

/** What the sessions are read by; `use` says whether a person is at work. */
interface SessionReader {
  readonly sessions: Pick<People['sessions'], 'find' | 'isConfirmed'>
  readonly isLimited: People['isLimited']
}

/** The sessions that `openHttpServer` asks for, from `openPeople`. */
export const sessionsOf = (
  { sessions, isLimited }: SessionReader,
  store?: Pick<Context, 'sessions'>,
): Sessions => ({
  userOf(token, use) {
    const session = sessions.find(token, use)
    return session?.isLocked ? 'locked' : session?.user
  },
  isConfirmed: (token) => sessions.isConfirmed(token),
  isLimited,
  ...(store && { onClosed: store.sessions.onClosed }),
})

/** Where a session begins that this call makes. */
export const placeOf = (
  cookie: SessionCookie,
  workstation: WorkstationCookie,
  workstations?: Pick<Workstations, 'find'> | undefined,
): SessionPlace => ({
  ...cookie.place,
  workstationId: workstation.isHere
    ? null
    : (workstations?.find(workstation.token).record?.workstationId ?? null),
})

/** Who is at work, as the window is told. */
export const sessionShown =
  ({
    people,
    settings,
    version,
  }: Pick<DashboardDeps, 'settings' | 'version'> & {
    readonly people: Pick<DashboardDeps['people'], 'hasUser' | 'isLimited' | 'needsSecondFactor'>
  }) =>
  (user: SignedInUser | undefined, isLocked = false) => ({
    user: user ?? null,
    needsOwner: !people.hasUser(),
    isLocked,
    lockMinutes: settings.get('window.lockMinutes'),
    // Nobody else can go on with it.
    needsSetup: user !== undefined && ACCESS.manage(user) && !settings.get('setup.isDone'),
    isLimited: user !== undefined && people.isLimited(user),
    needsSecondFactor: user !== undefined && people.needsSecondFactor(user),
    clinicName: settings.get('clinic.name'),
    version,
  })

export function sessionHandlers({
  people,
  settings,
  version,
  workstations,
}: Pick<DashboardDeps, 'people' | 'settings' | 'version' | 'workstations'>): Pick<
  DashboardHandlers,
  'session' | 'signIn' | 'followLink' | 'createOwner' | 'signOut'
> {
  const show = sessionShown({ people, settings, version })
  const here = ({ session, workstation }: Pick<Call<OperationShape>, 'session' | 'workstation'>) =>
    placeOf(session, workstation, workstations)

  function begin(cookie: SessionCookie, { token, user }: SignIn) {
    // The browser gets another token at each sign-in, and the one it had ends.
    if (cookie.token) people.signOut(cookie.token)
    cookie.set(token)
    return show(user)
  }

  return {
    session({ session }) {
      // Also of a window that is locked: its lock says whose it is.
      const found =
        session.token === undefined ? undefined : people.sessions.find(session.token, 'background')
      // Of a session that began before cookies were named after the port.
      if (found && session.hasOldName && session.token) session.set(session.token)
      return show(found?.user, found?.isLocked)
    },
    signIn: async ({ body, session, workstation }) =>
      begin(
        session,
        await people.signIn(body.email, body.password, {
          code: body.code,
          place: here({ session, workstation }),
        }),
      ),
    followLink({ body, session, user, workstation }) {
      const link = people.followLink(body.token, here({ session, workstation }))
      return link.mayCreateOwner
        ? { session: show(user), mayCreateOwner: true }
        : { session: begin(session, link.signIn), mayCreateOwner: false }
    },
    createOwner: async ({ body, session, workstation }) =>
      begin(session, await people.createOwner(body, here({ session, workstation }))),
    signOut({ session }) {
      if (session.token) people.signOut(session.token)
      session.clear()
      return { success: true }
    },
  }
}
