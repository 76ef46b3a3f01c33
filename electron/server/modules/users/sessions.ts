import { type Actor, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { SessionUse } from '#server/http/callers.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { OpenSession } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { findUser, namedUser, type UserRecord, updateUser } from './queries.ts'
import * as queries from './session-queries.ts'
import type { UnwrittenChange } from './session-state.ts'
import { sessionState } from './session-state.ts'
import { deleteViewsOfSession } from './viewer-queries.ts'
import { findWorkstation } from './workstation-queries.ts'

// Sessions of the window: opaque tokens, which are locked after `window.lockMinutes` without user
// activity and end after `window.sessionHours` in any case. A locked session still exists, but
// grants no access.

const USE_WRITE_INTERVAL_MS = 60_000
/** How long a confirmation of identity is valid for privileged actions (decision 0033). */
export const CONFIRMATION_LIFETIME_MS = 10 * 60_000

/** A new session; `token` is the value of the cookie and is not stored. */
export type SignIn = ReturnType<typeof beginSession>

/** The browser and PC on which a session is started. */
export interface SessionOrigin {
  /** A name such as `Chrome on Windows`; empty if unknown. */
  readonly browser: string
  readonly address: string
  /** Set for a window that uses the HTTPS listener. */
  readonly workstationId: string | null
}
const UNKNOWN_ORIGIN: SessionOrigin = { browser: '', address: '', workstationId: null }

/** An active session and its user. */
export interface RunningSession {
  readonly sessionId: string
  readonly user: SignedInUser
  readonly isLocked: boolean
}

/**
 * Starts a session for a user who has just been authenticated; `how` is recorded in the audit log.
 * @param idToken of the identity provider that authenticated the user
 */
export function beginSession(
  context: Context,
  user: UserRecord,
  how: string,
  place: SessionOrigin = UNKNOWN_ORIGIN,
  idToken?: string,
) {
  const { database, clock, uuid, settings } = context
  return database.transaction(() => {
    const now = clock()
    const sessionId = uuid()
    const at = instantOf(now)
    const expiresAt = instantOf(now + settings.get('window.sessionHours') * 60 * 60_000)
    const token = createToken()
    const updated = { ...user, lastLoginAt: at }
    queries.insertSession(database, {
      ...{ tokenHash: hashToken(token), sessionId, userId: user.userId, ...place },
      ...{ createdAt: at, lastUsedAt: at, expiresAt, confirmedAt: at },
      ...{ lockedAt: null, wrongPasswords: 0 },
      sealedIdToken:
        idToken === undefined
          ? null
          : database.seal.seal(Buffer.from(idToken), idTokenContext(sessionId)),
    })
    updateUser(database, updated)
    note(context, userActor(user.userId), 'user.sign-in', user.userId, {
      how,
      ...(place.address !== '' && { address: place.address }),
    })
    return { token, user: signedInUser(updated), expiresAt }
  })
}

/**
 * The session, even if it is locked, while the account is active and has access to the window. Its
 * use is recorded unless it is locked.
 */
export const runningSession = (context: Context, token: string, use: SessionUse = 'person') =>
  evaluateSession(context, queries.findSession(context.database, hashToken(token)), use)

/** Like `runningSession`, by session ID. */
export const runningSessionById = (
  context: Context,
  sessionId: string,
  use: SessionUse = 'person',
) => evaluateSession(context, queries.sessionById(context.database, sessionId), use)

/** The user of an active session that is not locked. */
export function sessionUser(
  context: Context,
  token: string,
  use?: SessionUse,
): SignedInUser | undefined {
  const session = runningSession(context, token, use)
  return session?.isLocked ? undefined : session?.user
}

/** Locks a session. Does nothing if it is locked. */
export function lockSession(context: Context, token: string): void {
  const session = queries.findSession(context.database, hashToken(token))
  if (session && session.lockedAt === null)
    writeOrBuffer(
      context,
      session,
      { lockedAt: instantOf(context.clock()), lockedBy: 'person' },
      () => lock(context, session, 'person'),
    )
}

/**
 * Locks every window on this PC; those on other PCs belong to other people. Returns how many there
 * were.
 */
export function lockThisPc(context: Context): number {
  const { database, clock } = context
  return database.transaction(() => {
    const open = queries
      .sessionRecords(database, instantOf(clock()))
      .filter(({ workstationId, lockedAt }) => workstationId === null && lockedAt === null)
    for (const session of open) lock(context, session, 'pc')
    return open.length
  })
}

export function unlockSession(context: Context, token: string): void {
  const { database, clock } = context
  database.transaction(() => {
    const session = queries.findSession(database, hashToken(token))
    if (!session) return
    queries.setSessionUnlocked(database, session.tokenHash, instantOf(clock()))
    database.afterCommit(() => sessionState(context.database).hold(session.tokenHash, undefined))
    note(context, userActor(session.userId), 'session.unlock', session.sessionId)
  })
}

/** Records that the user has just confirmed their identity. */
export function confirmSession(context: Context, token: string): void {
  const { database, clock } = context
  database.transaction(() => {
    const session = queries.findSession(database, hashToken(token))
    if (!session) return
    queries.setSessionConfirmed(database, session.tokenHash, instantOf(clock()))
    note(context, userActor(session.userId), 'session.confirm', session.sessionId)
  })
}

/** Whether the user signed in, or confirmed their identity, a short time ago. */
export function isConfirmed({ database, clock }: Context, token: string): boolean {
  const confirmedAt = queries.findSession(database, hashToken(token))?.confirmedAt ?? null
  // If the clock is set back, an old confirmation must not become recent.
  return confirmedAt !== null && Math.abs(clock() - msOf(confirmedAt)) < CONFIRMATION_LIFETIME_MS
}

const idTokenContext = (sessionId: string) => `ID token of session ${sessionId}`

/** The ID token with which the session began; undefined for a session of a local account. */
export function idTokenOf({ database }: Context, token: string): string | undefined {
  const session = queries.findSession(database, hashToken(token))
  return session?.sealedIdToken
    ? database.seal.open(session.sealedIdToken, idTokenContext(session.sessionId)).toString()
    : undefined
}

export function signOut(context: Context, token: string): void {
  context.database.transaction(() => {
    const session = queries.findSession(context.database, hashToken(token))
    if (!session) return
    deleteSession(context, session)
    note(context, userActor(session.userId), 'user.sign-out', session.userId)
  })
}

/**
 * Lists the sessions of a user, or of all users if `userId` is undefined, most recently used first.
 * `token` is that of the caller.
 */
export function listSessions(
  context: Context,
  token: string | undefined,
  userId: string | undefined,
): OpenSession[] {
  const now = context.clock()
  const ownHash = token === undefined ? undefined : hashToken(token)
  return queries
    .sessionRecords(context.database, instantOf(now))
    .filter((session) => userId === undefined || session.userId === userId)
    .flatMap((session) => sessionReply(context, session, ownHash, now) ?? [])
}

/**
 * Ends a session of the user, or of any user if `userId` is undefined.
 * @throws ApiError not-found
 */
export function endSession(
  context: Context,
  sessionId: string,
  userId: string | undefined,
  actor: Actor,
): void {
  context.database.transaction(() => {
    const session = queries.sessionById(context.database, sessionId)
    if (!session || (userId !== undefined && session.userId !== userId))
      throw new ApiError('not-found', message('users.session-ended-already'))
    deleteSession(context, session)
    note(context, actor, 'session.end', session.userId, { sessionId })
  })
}

/** Ends every session of the user, except the one with the token hash `kept`. */
export function endSessionsOf(context: Context, userId: string, kept?: string): void {
  queries.deleteSessionsOf(context.database, userId, kept)
  // Notified even without a session, because event streams and views of the user may be open.
  sessionState(context.database).noteClosed()
}

/** Ends every session at the workstation. */
export function endSessionsAt(context: Context, workstationId: string): void {
  queries.deleteSessionsAt(context.database, workstationId)
  sessionState(context.database).noteClosed()
}

const isExpired = ({ expiresAt }: queries.SessionRecord, now: number) => msOf(expiresAt) <= now

const lockMsOf = ({ settings }: Context) => settings.get('window.lockMinutes') * 60_000

const isIdle = (context: Context, { lastUsedAt }: queries.SessionRecord, now: number) =>
  now - msOf(lastUsedAt) >= lockMsOf(context)

function lock(
  context: Context,
  { tokenHash, userId, sessionId }: queries.SessionRecord,
  how: 'idle' | 'person' | 'pc',
): void {
  const { database, clock } = context
  database.transaction(() => {
    queries.setSessionLocked(database, tokenHash, instantOf(clock()))
    sessionState(database).noteClosed()
    const actor = how === 'pc' ? 'command-line' : userActor(userId)
    note(context, actor, 'session.lock', sessionId, { how })
  })
}

/**
 * Writes a change, or holds it in memory if the disk cannot be written, so that the call is
 * answered anyway (docs/OPERATION.md).
 */
function writeOrBuffer(
  { database }: Context,
  { tokenHash }: queries.SessionRecord,
  change: UnwrittenChange,
  write: () => void,
): void {
  sessionState(database).hold(tokenHash, tryWrite(write) ? undefined : change)
}

function evaluateSession(
  context: Context,
  kept: queries.SessionRecord | undefined,
  use: SessionUse,
): RunningSession | undefined {
  const { database, clock } = context
  const now = clock()
  if (!kept) return undefined
  const held = sessionState(database).unwritten.get(kept.tokenHash)
  const session = { ...kept, ...held }
  if (isExpired(session, now) || held?.isOver) {
    // Deleted, so that it does not become valid again if the clock is set back.
    writeOrBuffer(context, session, { isOver: true }, () => deleteSession(context, session))
    return undefined
  }
  const user = findUser(database, session.userId)
  if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess) return undefined
  const { sessionId, tokenHash } = session
  const isLocked = session.lockedAt !== null || isIdle(context, session, now)
  const at = instantOf(now)
  if (isLocked && kept.lockedAt === null) {
    const lockedBy = held?.lockedBy ?? 'idle'
    writeOrBuffer(context, session, { lockedAt: at, lockedBy }, () =>
      lock(context, session, lockedBy),
    )
  }
  // With a short lock time, use is recorded more often, because a late record must not lock the
  // window. A use recorded before the clock was set back must not keep it open either.
  if (
    !isLocked &&
    use === 'person' &&
    Math.abs(now - msOf(session.lastUsedAt)) >=
      Math.min(USE_WRITE_INTERVAL_MS, lockMsOf(context) / 4)
  )
    writeOrBuffer(context, session, { lastUsedAt: at }, () =>
      queries.noteSessionUse(database, tokenHash, at),
    )
  return { sessionId, user: signedInUser(user), isLocked }
}

function deleteSession({ database }: Context, session: queries.SessionRecord): void {
  database.transaction(() => {
    queries.deleteSession(database, session.tokenHash)
    sessionState(database).noteClosed()
    // Images opened from the window must not stay accessible to the next user of the PC.
    deleteViewsOfSession(database, session)
  })
}

function sessionReply(
  context: Context,
  session: queries.SessionRecord,
  ownHash: string | undefined,
  now: number,
): OpenSession | undefined {
  const { database } = context
  const user = findUser(database, session.userId)
  if (!user) return undefined
  const { sessionId, browser, address, workstationId, createdAt, lastUsedAt, expiresAt } = session
  return {
    sessionId,
    user: namedUser(user),
    ...{ browser: browserOf(browser), address, createdAt, lastUsedAt, expiresAt },
    place:
      workstationId === null
        ? message('users.this-pc')
        : verbatim(findWorkstation(database, workstationId)?.name ?? ''),
    isThis: session.tokenHash === ownHash,
    isLocked: session.lockedAt !== null || isIdle(context, session, now),
  }
}

/** Converts a name by `browserName` to a message. */
export function browserOf(name: string): Message | null {
  const [browser = '', system] = name.split(' on ')
  if (system !== undefined) return message('users.browser-on-system', { browser, system })
  return name === '' ? null : verbatim(name)
}

/** The fields of a user that the window shows. */
export function signedInUser(user: UserRecord): SignedInUser {
  const { userId, email, firstName, lastName, level, clinicRole, lastLoginAt } = user
  const { canManageStudies, canCreateReports, hasDashboardAccess } = user
  return {
    ...{ userId, email, firstName, lastName, level, clinicRole, lastLoginAt },
    ...{ canManageStudies, canCreateReports, hasDashboardAccess },
  }
}
