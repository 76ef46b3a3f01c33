import { type DomainDeps, differences, note, userActor } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashOfToken } from '#server/platform/token.ts'
import type { Account } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import type { People } from './people.ts'
import type { SecondFactors } from './second-factor.ts'
import { signedInUser } from './sessions.ts'
import type { UserRecord } from './user-queries.ts'
import { deleteViewsOfSession } from './viewer-queries.ts'

/** After so many wrong passwords a locked window has to be signed in anew. */
const MOST_WRONG = 10

/** What a person does with their own account (ux-security E.7). */
export interface Accounts {
  read(userId: string): Account
  /** Changes names and phone number. @throws ApiError not-found */
  change(userId: string, patch: AccountPatch): SignedInUser
  /**
   * The session of `token` goes on, every other one of the user ends. @throws ApiError refused,
   * too-many
   */
  changePassword(
    userId: string,
    given: { readonly password: string; readonly newPassword: string; readonly token: string },
  ): Promise<void>
  /** @throws ApiError refused, too-many */
  beginSecondFactor(
    userId: string,
    password: string,
  ): Promise<{ readonly uri: string; readonly secret: string }>
  /** @throws ApiError refused, too-many */
  endSecondFactor(userId: string, password: string): Promise<void>
  /**
   * Takes it off another's account: an owner's only by an owner. @throws ApiError not-found,
   * not-permitted; refused: it is one's own
   */
  resetSecondFactor(by: SignedInUser, userId: string): void
  /**
   * The window of the session goes on; the tenth wrong password ends it. @throws ApiError
   * not-signed-in, too-many
   */
  unlock(token: string, password: string): Promise<SignedInUser>
  /**
   * Proves who is there, by the password or a code of the second factor; the tenth wrong password
   * ends the session.
   * @throws ApiError refused, not-signed-in, too-many
   */
  confirm(token: string, proof: IdentityProof): Promise<void>
}

export interface IdentityProof {
  readonly password?: string | undefined
  readonly code?: string | undefined
}

export interface AccountPatch {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly phoneNumber?: string | null | undefined
}

export interface AccountsDeps extends DomainDeps {
  readonly people: Pick<People, 'verifyPassword' | 'hashPassword' | 'sessions' | 'signOut'>
  readonly secondFactors: SecondFactors
}

export function openAccounts(deps: AccountsDeps): Accounts {
  const { store, clock, people, secondFactors } = deps
  const { database, users, sessions } = store

  function existing(userId: string): UserRecord {
    const user = users.get(userId)
    if (!user) throw new ApiError('not-found', 'There is no such user.')
    return user
  }

  /** Counts it; the tenth ends the session. */
  function wrongPassword(token: string): ApiError {
    if (sessions.noteWrongPassword(hashOfToken(token)) < MOST_WRONG)
      return new ApiError('refused', 'This is not the password of who is signed in.', {
        errors: [{ path: 'body.password', message: 'must be the password of who is signed in' }],
      })
    people.signOut(token)
    return ended('The password was wrong ten times, so the session has ended. Sign in again.')
  }

  async function demandPassword(userId: string, password: string): Promise<UserRecord> {
    const user = existing(userId)
    const verified = await people.verifyPassword(user.email, password)
    if (verified?.userId === userId) return verified
    throw new ApiError(
      'refused',
      'This is not your password. Enter the one that you sign in with.',
      {
        errors: [{ path: 'body.password', message: 'must be the password that you sign in with' }],
      },
    )
  }

  return {
    read(userId) {
      const hasPassword = existing(userId).passwordHash !== null
      return {
        hasPassword,
        passwordChangedAt: users.passwordChangedAt(userId),
        secondFactor: secondFactors.of(userId),
      }
    },

    change: (userId, patch) =>
      database.transaction(() => {
        const before = existing(userId)
        const given = Object.fromEntries(
          Object.entries(patch).filter(([, value]) => value !== undefined),
        )
        const changes = differences<UserRecord>(before, { ...before, ...given })
        if (Object.keys(changes).length === 0) return signedInUser(before)
        const changed = { ...before, ...given, updatedAt: instantOf(clock()) }
        users.update(changed)
        note(deps.store, userActor(userId), 'user.update', userId, changes)
        return signedInUser(changed)
      }),

    async changePassword(userId, { password, newPassword, token }) {
      const user = await demandPassword(userId, password)
      if (password === newPassword)
        throw new ApiError('refused', 'This is the password that you have. Choose another.', {
          errors: [{ path: 'body.newPassword', message: 'must not be the present password' }],
        })
      const passwordHash = await people.hashPassword(newPassword, user, 'body.newPassword')
      database.transaction(() => {
        const at = instantOf(clock())
        const kept = sessions.get(hashOfToken(token))
        users.update({ ...existing(userId), passwordHash, updatedAt: at })
        users.notePassword(userId, at)
        const own = sessions
          .list(at)
          .filter((session) => session.userId === userId && session.sessionId !== kept?.sessionId)
        for (const session of own) deleteViewsOfSession(database, session)
        sessions.removeOf(userId, hashOfToken(token))
        store.signInLinks.removeOf(userId)
        note(deps.store, userActor(userId), 'user.set-password', userId, {
          sessionsEnded: own.length,
        })
      })
    },

    async beginSecondFactor(userId, password) {
      return secondFactors.begin(await demandPassword(userId, password))
    },
    async endSecondFactor(userId, password) {
      await demandPassword(userId, password)
      secondFactors.end(userId, userActor(userId))
    },
    resetSecondFactor(by, userId) {
      const user = existing(userId)
      if (user.level === 'owner' && by.level !== 'owner')
        throw new ApiError(
          'not-permitted',
          'Only an owner may take the second factor off an owner’s account.',
        )
      // A window that was left open must not be enough.
      if (by.userId === userId)
        throw new ApiError(
          'refused',
          'Take your own second factor off under My account, with your password.',
        )
      secondFactors.end(userId, userActor(by.userId))
    },

    async unlock(token, password) {
      const session = people.sessions.find(token, 'background')
      if (!session) throw ended('The session has ended. Sign in again.')
      const { userId, email } = session.user
      const verified = await people.verifyPassword(email, password)
      if (verified?.userId === userId && people.sessions.find(token, 'background')) {
        people.sessions.unlock(token)
        return session.user
      }
      throw wrongPassword(token)
    },

    async confirm(token, { password, code }) {
      const session = people.sessions.find(token, 'person')
      if (!session || session.isLocked) throw ended('The session has ended. Sign in again.')
      const { userId, email } = session.user
      if (code !== undefined && secondFactors.isOn(userId)) {
        if (!secondFactors.check(userId, code))
          throw refusedField('code', 'This code is not right or was used.')
      } else {
        const verified = await people.verifyPassword(email, password ?? '')
        if (verified?.userId !== userId || !people.sessions.find(token, 'background'))
          throw wrongPassword(token)
      }
      people.sessions.confirm(token)
    },
  }
}

const refusedField = (field: string, message: string) =>
  new ApiError('refused', message, { errors: [{ path: `body.${field}`, message }] })

const ended = (message: string) =>
  new ApiError('not-signed-in', message, {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })
