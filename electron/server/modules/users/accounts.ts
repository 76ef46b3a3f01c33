import { differences, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashToken } from '#server/platform/token.ts'
import type { Account } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type People, storePassword } from './people.ts'
import { passwordChangedAt, type UserRecord, updateUser } from './queries.ts'
import * as secondFactors from './second-factor.ts'
import { findSession, noteWrongPassword, sessionRecords } from './session-queries.ts'
import * as sessions from './sessions.ts'
import { requireUser } from './users.ts'
import { deleteViewsOfSession } from './viewer-queries.ts'

// Actions of users on their own account.

/** After this many wrong passwords, the session of a locked window ends. */
const MAX_WRONG_PASSWORDS = 10

/**
 * Returns the account settings of a user.
 * @throws ApiError not-found
 */
export const readAccount = (context: Context, userId: string): Account => ({
  hasPassword: requireUser(context, userId).passwordHash !== null,
  passwordChangedAt: passwordChangedAt(context.database, userId),
  secondFactor: secondFactors.secondFactorOf(context, userId),
})

/**
 * Changes names and phone number.
 * @throws ApiError not-found
 */
export function changeAccount(
  context: Context,
  userId: string,
  patch: {
    readonly firstName?: string | undefined
    readonly lastName?: string | undefined
    readonly phoneNumber?: string | null | undefined
  },
): SignedInUser {
  const { database, clock } = context
  return database.transaction(() => {
    const before = requireUser(context, userId)
    const given = Object.fromEntries(
      Object.entries(patch).filter(([, value]) => value !== undefined),
    )
    const changes = differences<UserRecord>(before, { ...before, ...given })
    if (Object.keys(changes).length === 0) return sessions.signedInUser(before)
    const changed = { ...before, ...given, updatedAt: instantOf(clock()) }
    updateUser(database, changed)
    note(context, userActor(userId), 'user.update', userId, changes)
    return sessions.signedInUser(changed)
  })
}

/**
 * Changes the user's own password. The session of `token` is kept, and all other sessions of the
 * user end.
 * @throws ApiError refused, too-many
 */
export async function changePassword(
  context: Context,
  people: People,
  userId: string,
  {
    password,
    newPassword,
    token,
  }: { readonly password: string; readonly newPassword: string; readonly token: string },
): Promise<void> {
  const { database, clock } = context
  const user = await requirePassword(context, people, userId, password)
  if (password === newPassword)
    throw new ApiError('refused', message('users.password-unchanged'), {
      errors: [{ path: 'body.newPassword', message: message('users.password-unchanged-field') }],
    })
  const passwordHash = await people.hashPassword(newPassword, user, 'body.newPassword')
  database.transaction(() => {
    const currentSession = findSession(database, hashToken(token))
    storePassword(context, requireUser(context, userId), passwordHash)
    const otherSessions = sessionRecords(database, instantOf(clock())).filter(
      (session) => session.userId === userId && session.sessionId !== currentSession?.sessionId,
    )
    for (const session of otherSessions) deleteViewsOfSession(database, session)
    sessions.endSessionsOf(context, userId, hashToken(token))
    const detail = { sessionsEnded: otherSessions.length }
    note(context, userActor(userId), 'user.set-password', userId, detail)
  })
}

/**
 * Removes two-factor authentication from another user's account. Only an owner can do this for an
 * owner.
 * @throws ApiError not-found, not-permitted; refused: it is the caller's own account
 */
export function resetSecondFactor(context: Context, by: SignedInUser, userId: string): void {
  if (requireUser(context, userId).level === 'owner' && by.level !== 'owner')
    throw new ApiError('not-permitted', message('users.second-factor-of-owner'))
  // An unattended window must not be sufficient.
  if (by.userId === userId) throw new ApiError('refused', message('users.second-factor-own'))
  secondFactors.disableSecondFactor(context, userId, userActor(by.userId))
}

/**
 * Unlocks the window of a session. The tenth wrong password ends the session.
 * @throws ApiError not-signed-in, refused, too-many
 */
export async function unlock(
  context: Context,
  people: People,
  token: string,
  password: string,
): Promise<SignedInUser> {
  const session = sessions.runningSession(context, token, 'background')
  if (!session) throw sessionEndedError()
  const { userId, email } = session.user
  const verified = await people.verifyPassword(email, password)
  if (verified?.userId !== userId || !sessions.runningSession(context, token, 'background'))
    throw recordWrongPassword(context, token)
  sessions.unlockSession(context, token)
  return session.user
}

/**
 * Confirms the user's identity by password or authentication code. The tenth wrong password ends
 * the session.
 * @throws ApiError refused, not-signed-in, too-many
 */
export async function confirmIdentity(
  context: Context,
  people: People,
  token: string,
  {
    password,
    code,
  }: { readonly password?: string | undefined; readonly code?: string | undefined },
): Promise<void> {
  const session = sessions.runningSession(context, token)
  if (!session || session.isLocked) throw sessionEndedError()
  const { userId, email } = session.user
  if (code !== undefined && secondFactors.hasSecondFactor(context, userId)) {
    const wrongCodeMessage = message('users.code-wrong')
    if (!secondFactors.verifyCode(context, userId, code))
      throw new ApiError('refused', wrongCodeMessage, {
        errors: [{ path: 'body.code', message: wrongCodeMessage }],
      })
  } else {
    const verified = await people.verifyPassword(email, password ?? '')
    if (verified?.userId !== userId || !sessions.runningSession(context, token, 'background'))
      throw recordWrongPassword(context, token)
  }
  sessions.confirmSession(context, token)
}

/** Counts a wrong password and ends the session at the tenth. */
function recordWrongPassword(context: Context, token: string): ApiError {
  if (noteWrongPassword(context.database, hashToken(token)) < MAX_WRONG_PASSWORDS)
    return new ApiError('refused', message('users.session-wrong-password'), {
      errors: [{ path: 'body.password', message: message('users.session-wrong-password-field') }],
    })
  sessions.signOut(context, token)
  return notSignedInError(message('users.session-ended-by-wrong-passwords'))
}

/**
 * Verifies the user's own password and returns the user.
 * @throws ApiError not-found, refused, too-many
 */
export async function requirePassword(
  context: Context,
  people: People,
  userId: string,
  password: string,
): Promise<UserRecord> {
  const verified = await people.verifyPassword(requireUser(context, userId).email, password)
  if (verified?.userId === userId) return verified
  throw new ApiError('refused', message('users.not-your-password'), {
    errors: [{ path: 'body.password', message: message('users.must-be-your-password') }],
  })
}

const sessionEndedError = () => notSignedInError(message('users.session-ended'))

const notSignedInError = (explanation: Message) =>
  new ApiError('not-signed-in', explanation, {
    headers: { 'www-authenticate': 'Session realm="isthmus"' },
  })
