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
import type { UnwrittenUse } from './session-state.ts'
import { sessionState } from './session-state.ts'
import { deleteViewsOfSession } from './viewer-queries.ts'
import { findWorkstation } from './workstation-queries.ts'

// Sessions of the window: opaque tokens, locked after `window.lockMinutes` without a person's call,
// ended after `window.sessionHours` in any case. A locked one goes on and opens nothing.

const USE_NOTED_EVERY_MS = 60_000
/** For so long after it a proof of who is there holds for privileged actions (decision 0033). */
export const CONFIRMED_MS = 10 * 60_000

/** A session that has just begun; `token` is what the cookie carries and is not kept. */
export type SignIn = ReturnType<typeof beginSession>

/** Where a session begins. */
export interface SessionPlace {
  /** In short, such as `Chrome on Windows`; empty where it did not say. */
  readonly browser: string
  readonly address: string
  /** Of a window by the HTTPS listener. */
  readonly workstationId: string | null
}
const NOWHERE: SessionPlace = { browser: '', address: '', workstationId: null }

/** A session that runs, and whose it is. */
export interface RunningSession {
  readonly sessionId: string
  readonly user: SignedInUser
  readonly isLocked: boolean
}

/** Signs in a user whose right to it has just been proven; `how` is for the audit trail. */
export function beginSession(
  context: Context,
  user: UserRecord,
  how: string,
  place: SessionPlace = NOWHERE,
) {
  const { database, clock, uuid, settings } = context
  return database.transaction(() => {
    const now = clock()
    const at = instantOf(now)
    const expiresAt = instantOf(now + settings.get('window.sessionHours') * 60 * 60_000)
    const token = createToken()
    const here = { ...user, lastLoginAt: at }
    queries.insertSession(database, {
      ...{ tokenHash: hashToken(token), sessionId: uuid(), userId: user.userId, ...place },
      ...{ createdAt: at, lastUsedAt: at, expiresAt, confirmedAt: at },
      ...{ lockedAt: null, wrongPasswords: 0 },
    })
    updateUser(database, here)
    note(context, userActor(user.userId), 'user.sign-in', user.userId, {
      how,
      ...(place.address !== '' && { address: place.address }),
    })
    return { token, user: signedInUser(here), expiresAt }
  })
}

/**
 * The session, also a locked one, while the account is live and has access to the window. A use
 * of it is noted unless it is locked.
 */
export const runningSession = (context: Context, token: string, use: SessionUse = 'person') =>
  look(context, queries.findSession(context.database, hashToken(token)), use)

/** As `runningSession`, of a session that is known by its id. */
export const runningSessionById = (
  context: Context,
  sessionId: string,
  use: SessionUse = 'person',
) => look(context, queries.sessionById(context.database, sessionId), use)

/** The user of a session that runs and is not locked. */
export function sessionUser(
  context: Context,
  token: string,
  use?: SessionUse,
): SignedInUser | undefined {
  const session = runningSession(context, token, use)
  return session?.isLocked ? undefined : session?.user
}

/** Again changes nothing. */
export function lockSession(context: Context, token: string): void {
  const session = queries.findSession(context.database, hashToken(token))
  if (session && session.lockedAt === null)
    keep(context, session, { lockedAt: instantOf(context.clock()), lockedBy: 'person' }, () =>
      lock(context, session, 'person'),
    )
}

/** Locks every window of this PC; those of other PCs are of people who sit elsewhere. */
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

/** The session's person has just proved who they are. */
export function confirmSession(context: Context, token: string): void {
  const { database, clock } = context
  database.transaction(() => {
    const session = queries.findSession(database, hashToken(token))
    if (!session) return
    queries.setSessionConfirmed(database, session.tokenHash, instantOf(clock()))
    note(context, userActor(session.userId), 'session.confirm', session.sessionId)
  })
}

/** Whether the session's person signed in, or proved who they are since, a short time ago. */
export function isConfirmed({ database, clock }: Context, token: string): boolean {
  const confirmedAt = queries.findSession(database, hashToken(token))?.confirmedAt ?? null
  // A clock that is set back makes no old proof a recent one.
  return confirmedAt !== null && Math.abs(clock() - msOf(confirmedAt)) < CONFIRMED_MS
}

export function signOut(context: Context, token: string): void {
  context.database.transaction(() => {
    const session = queries.findSession(context.database, hashToken(token))
    if (!session) return
    forget(context, session)
    note(context, userActor(session.userId), 'user.sign-out', session.userId)
  })
}

/** Newest use first; `token` is that of who asks. Of everybody where `userId` is undefined. */
export function listSessions(
  context: Context,
  token: string | undefined,
  userId: string | undefined,
): OpenSession[] {
  const now = context.clock()
  const own = token === undefined ? undefined : hashToken(token)
  return queries
    .sessionRecords(context.database, instantOf(now))
    .filter((session) => userId === undefined || session.userId === userId)
    .flatMap((session) => sessionReply(context, session, own, now) ?? [])
}

/** One of the user's, or of anybody where `userId` is undefined. @throws ApiError not-found */
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
    forget(context, session)
    note(context, actor, 'session.end', session.userId, { sessionId })
  })
}

/** Ends every session of the user, but for the one of the token hash `kept`. */
export function endSessionsOf(context: Context, userId: string, kept?: string): void {
  queries.deleteSessionsOf(context.database, userId, kept)
  // Also where there was none: whoever lost access may have more open than a session.
  sessionState(context.database).noteClosed()
}

/** Ends every session at the workstation. */
export function endSessionsAt(context: Context, workstationId: string): void {
  queries.deleteSessionsAt(context.database, workstationId)
  sessionState(context.database).noteClosed()
}

const isOver = ({ expiresAt }: queries.SessionRecord, now: number) => msOf(expiresAt) <= now

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

/** A call is answered without the write where the disk does not take it (docs/OPERATION.md). */
function keep(
  { database }: Context,
  { tokenHash }: queries.SessionRecord,
  change: UnwrittenUse,
  write: () => void,
): void {
  sessionState(database).hold(tokenHash, tryWrite(write) ? undefined : change)
}

function look(
  context: Context,
  kept: queries.SessionRecord | undefined,
  use: SessionUse,
): RunningSession | undefined {
  const { database, clock } = context
  const now = clock()
  if (!kept) return undefined
  const held = sessionState(database).unwritten.get(kept.tokenHash)
  const session = { ...kept, ...held }
  if (isOver(session, now) || held?.isOver) {
    // For good: a clock that is set back must not bring it back.
    keep(context, session, { isOver: true }, () => forget(context, session))
    return undefined
  }
  const user = findUser(database, session.userId)
  if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess) return undefined
  const { sessionId, tokenHash } = session
  const isLocked = session.lockedAt !== null || isIdle(context, session, now)
  const at = instantOf(now)
  if (isLocked && kept.lockedAt === null) {
    const lockedBy = held?.lockedBy ?? 'idle'
    keep(context, session, { lockedAt: at, lockedBy }, () => lock(context, session, lockedBy))
  }
  // A window that is locked within minutes is noted more often: what is noted late must not lock
  // it. Nor may a use of the time before the clock was set back keep it open.
  if (
    !isLocked &&
    use === 'person' &&
    Math.abs(now - msOf(session.lastUsedAt)) >= Math.min(USE_NOTED_EVERY_MS, lockMsOf(context) / 4)
  )
    keep(context, session, { lastUsedAt: at }, () =>
      queries.noteSessionUse(database, tokenHash, at),
    )
  return { sessionId, user: signedInUser(user), isLocked }
}

function forget({ database }: Context, session: queries.SessionRecord): void {
  database.transaction(() => {
    queries.deleteSession(database, session.tokenHash)
    sessionState(database).noteClosed()
    // Images that were opened from the window do not stay for whoever sits there next.
    deleteViewsOfSession(database, session)
  })
}

function sessionReply(
  context: Context,
  session: queries.SessionRecord,
  own: string | undefined,
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
    isThis: session.tokenHash === own,
    isLocked: session.lockedAt !== null || isIdle(context, session, now),
  }
}

/** A browser as `browserName` named it. */
export function browserOf(name: string): Message | null {
  const [browser = '', system] = name.split(' on ')
  if (system !== undefined) return message('users.browser-on-system', { browser, system })
  return name === '' ? null : verbatim(name)
}

/** What the window shows of a user. */
export function signedInUser(user: UserRecord): SignedInUser {
  const { userId, email, firstName, lastName, level, clinicRole, lastLoginAt } = user
  const { canManageStudies, canCreateReports, hasDashboardAccess } = user
  return {
    ...{ userId, email, firstName, lastName, level, clinicRole, lastLoginAt },
    ...{ canManageStudies, canCreateReports, hasDashboardAccess },
  }
}
