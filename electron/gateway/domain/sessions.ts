import { instantOf, msOf } from '#gateway/store/clock.ts'
import type { UserRecord } from '#gateway/store/users.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { type DomainDeps, note, userActor } from './audit.ts'
import { hashOfToken, mintToken } from './token.ts'

export const SESSION_IDLE_MS = 30 * 60_000
export const SESSION_MS = 12 * 60 * 60_000
const USE_NOTED_EVERY_MS = 60_000

/** A session that has just begun; `token` is what the cookie carries and is not kept. */
export interface SignIn {
  readonly token: string
  readonly user: SignedInUser
  readonly expiresAt: Instant
}

/** What looks at a session: a person's call keeps it from going idle, a stream or a poll of an open window does not. */
export type SessionUse = 'person' | 'background'

/** Sessions of the window: opaque tokens, ended after 30 minutes without use and after 12 hours in any case (ux-security E.7). */
export interface Sessions {
  /** `how` is for the audit trail: password, link, setup. */
  begin(user: UserRecord, how: string): SignIn
  /** The user while the session runs and the account is live and has access to the window. */
  userOf(token: string, use?: SessionUse): SignedInUser | undefined
  end(token: string): void
}

export function openSessions(deps: DomainDeps): Sessions {
  const { store, clock } = deps
  const { database, users, sessions } = store
  return {
    begin: (user, how) =>
      database.transaction(() => {
        const now = clock()
        const [at, expiresAt] = [instantOf(now), instantOf(now + SESSION_MS)]
        const token = mintToken()
        const here = { ...user, lastLoginAt: at }
        sessions.insert({ tokenHash: hashOfToken(token), userId: user.userId, createdAt: at, lastUsedAt: at, expiresAt })
        users.update(here)
        note(deps, userActor(user.userId), 'user.sign-in', user.userId, { how })
        return { token, user: signedInUser(here), expiresAt }
      }),
    userOf(token, use = 'person') {
      const now = clock()
      const session = sessions.get(hashOfToken(token))
      if (!session || msOf(session.expiresAt) <= now || now - msOf(session.lastUsedAt) >= SESSION_IDLE_MS) return undefined
      const user = users.get(session.userId)
      if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess) return undefined
      if (use === 'person' && now - msOf(session.lastUsedAt) >= USE_NOTED_EVERY_MS) sessions.noteUse(session.tokenHash, instantOf(now))
      return signedInUser(user)
    },
    end: (token) =>
      database.transaction(() => {
        const session = sessions.get(hashOfToken(token))
        if (!session) return
        sessions.remove(session.tokenHash)
        // Images that were opened from the window do not stay for whoever sits there next.
        store.views.removeOf(session.userId, 'window')
        note(deps, userActor(session.userId), 'user.sign-out', session.userId)
      }),
  }
}

/** What the window is told of a user. */
export function signedInUser(user: UserRecord): SignedInUser {
  const { userId, email, firstName, lastName, level, clinicRole, lastLoginAt } = user
  const { canManageStudies, canCreateReports, hasDashboardAccess } = user
  return { userId, email, firstName, lastName, level, clinicRole, canManageStudies, canCreateReports, hasDashboardAccess, lastLoginAt }
}
