import { type Actor, type DomainDeps, note, userActor } from '#server/modules/audit/audit.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { OpenSession } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import type { SessionRecord, UnwrittenUse } from './session-queries.ts'
import type { UserRecord } from './user-queries.ts'
import { deleteViewsOfSession } from './viewer-queries.ts'

const USE_NOTED_EVERY_MS = 60_000
/** For so long after it a proof of who is there holds for privileged actions (decision 0033). */
export const CONFIRMED_MS = 10 * 60_000

/** A session that has just begun; `token` is what the cookie carries and is not kept. */
export interface SignIn {
  readonly token: string
  readonly user: SignedInUser
  readonly expiresAt: Instant
}

/** Where a session begins. */
export interface SessionPlace {
  /** In short, such as `Chrome on Windows`; empty where it did not say. */
  readonly browser: string
  readonly address: string
  /** Of a window by the HTTPS listener. */
  readonly workstationId: string | null
}
const NOWHERE: SessionPlace = { browser: '', address: '', workstationId: null }

/**
 * What looks at a session: a person's call keeps it from being locked, a stream or a poll of an
 * open window does not.
 */
export type SessionUse = 'person' | 'background'

/** A session that runs, and whose it is. */
export interface RunningSession {
  readonly sessionId: string
  readonly user: SignedInUser
  readonly isLocked: boolean
}

/**
 * Sessions of the window (ux-security E.7): opaque tokens, locked after `window.lockMinutes`
 * without a person's call, ended after `window.sessionHours` in any case. A locked one goes on and
 * opens nothing.
 */
export interface Sessions {
  /** `how` is for the audit trail: password, link, setup. */
  begin(user: UserRecord, how: string, place?: SessionPlace): SignIn
  /**
   * The session, also a locked one, while the account is live and has access to the window. A use
   * of it is noted unless it is locked.
   */
  find(token: string, use?: SessionUse): RunningSession | undefined
  /** As `find`, of a session that is known by its id. */
  findById(sessionId: string, use?: SessionUse): RunningSession | undefined
  /** Again changes nothing. */
  lock(token: string): void
  unlock(token: string): void
  /** The session's person has just proved who they are. */
  confirm(token: string): void
  /** Whether that was, or the sign-in was, a short time ago. */
  isConfirmed(token: string): boolean
  end(token: string): void
  /** Newest use first; `token` is that of who asks. Of everybody where `userId` is undefined. */
  list(token: string | undefined, userId: string | undefined): OpenSession[]
  /** One of the user's, or of anybody where `userId` is undefined. @throws ApiError not-found */
  endById(sessionId: string, userId: string | undefined, actor: Actor): void
}

export function openSessions(deps: DomainDeps): Sessions {
  const { store, clock, uuid } = deps
  const { database, users, sessions, settings } = store
  const lockMs = () => settings.get('window.lockMinutes') * 60_000

  const isIdle = ({ lastUsedAt }: SessionRecord, now: number) => now - msOf(lastUsedAt) >= lockMs()
  const isOver = ({ expiresAt }: SessionRecord, now: number) => msOf(expiresAt) <= now

  function lock(session: SessionRecord, how: 'idle' | 'person'): void {
    database.transaction(() => {
      sessions.lock(session.tokenHash, instantOf(clock()))
      note(deps.store, userActor(session.userId), 'session.lock', session.sessionId, { how })
    })
  }

  /** A call is answered without the write where the disk does not take it (docs/OPERATION.md). */
  function keep({ tokenHash }: SessionRecord, change: UnwrittenUse, write: () => void): void {
    sessions.hold(tokenHash, tryWrite(write) ? undefined : change)
  }

  function look(kept: SessionRecord | undefined, use: SessionUse): RunningSession | undefined {
    const now = clock()
    if (!kept) return undefined
    const held = sessions.unwritten.get(kept.tokenHash)
    const session = { ...kept, ...held }
    if (isOver(session, now) || held?.isOver) {
      // For good: a clock that is set back must not bring it back.
      keep(session, { isOver: true }, () => forget(session))
      return undefined
    }
    const user = users.get(session.userId)
    if (!user || user.deactivatedAt !== null || !user.hasDashboardAccess) return undefined
    const { sessionId, tokenHash } = session
    const isLocked = session.lockedAt !== null || isIdle(session, now)
    if (isLocked && kept.lockedAt === null) {
      const lockedBy = held?.lockedBy ?? 'idle'
      keep(session, { lockedAt: instantOf(now), lockedBy }, () => lock(session, lockedBy))
    }
    // A window that is locked within minutes is noted more often: what is noted late must not lock
    // it. Nor may a use of the time before the clock was set back keep it open.
    if (
      !isLocked &&
      use === 'person' &&
      Math.abs(now - msOf(session.lastUsedAt)) >= Math.min(USE_NOTED_EVERY_MS, lockMs() / 4)
    )
      keep(session, { lastUsedAt: instantOf(now) }, () =>
        sessions.noteUse(tokenHash, instantOf(now)),
      )
    return { sessionId, user: signedInUser(user), isLocked }
  }

  function forget(session: SessionRecord): void {
    database.transaction(() => {
      sessions.remove(session.tokenHash)
      // Images that were opened from the window do not stay for whoever sits there next.
      deleteViewsOfSession(database, session)
    })
  }

  function end(
    session: SessionRecord,
    actor: Actor,
    action: 'user.sign-out' | 'session.end',
  ): void {
    forget(session)
    note(
      deps.store,
      actor,
      action,
      session.userId,
      action === 'session.end' ? { sessionId: session.sessionId } : {},
    )
  }

  function shown(
    session: SessionRecord,
    own: string | undefined,
    now: number,
  ): OpenSession | undefined {
    const user = users.get(session.userId)
    if (!user) return undefined
    const { sessionId, browser, address, workstationId, createdAt, lastUsedAt, expiresAt } = session
    return {
      sessionId,
      user: { userId: user.userId, name: `${user.firstName} ${user.lastName}` },
      ...{ browser, address, createdAt, lastUsedAt, expiresAt },
      place:
        workstationId === null ? 'This PC' : (store.workstations.get(workstationId)?.name ?? ''),
      isThis: session.tokenHash === own,
      isLocked: session.lockedAt !== null || isIdle(session, now),
    }
  }

  return {
    begin: (user, how, place = NOWHERE) =>
      database.transaction(() => {
        const now = clock()
        const [at, expiresAt] = [
          instantOf(now),
          instantOf(now + settings.get('window.sessionHours') * 60 * 60_000),
        ]
        const token = mintToken()
        const here = { ...user, lastLoginAt: at }
        sessions.insert({
          ...{ tokenHash: hashOfToken(token), sessionId: uuid(), userId: user.userId, ...place },
          ...{
            createdAt: at,
            lastUsedAt: at,
            expiresAt,
            lockedAt: null,
            wrongPasswords: 0,
            confirmedAt: at,
          },
        })
        users.update(here)
        note(deps.store, userActor(user.userId), 'user.sign-in', user.userId, {
          how,
          ...(place.address !== '' && { address: place.address }),
        })
        return { token, user: signedInUser(here), expiresAt }
      }),
    find: (token, use = 'person') => look(sessions.get(hashOfToken(token)), use),
    findById: (sessionId, use = 'person') => look(sessions.byId(sessionId), use),
    lock(token) {
      const session = sessions.get(hashOfToken(token))
      if (session && session.lockedAt === null)
        keep(session, { lockedAt: instantOf(clock()), lockedBy: 'person' }, () =>
          lock(session, 'person'),
        )
    },
    unlock: (token) =>
      database.transaction(() => {
        const session = sessions.get(hashOfToken(token))
        if (!session) return
        sessions.unlock(session.tokenHash, instantOf(clock()))
        database.afterCommit(() => sessions.hold(session.tokenHash, undefined))
        note(deps.store, userActor(session.userId), 'session.unlock', session.sessionId)
      }),
    confirm: (token) =>
      database.transaction(() => {
        const session = sessions.get(hashOfToken(token))
        if (!session) return
        sessions.confirm(session.tokenHash, instantOf(clock()))
        note(deps.store, userActor(session.userId), 'session.confirm', session.sessionId)
      }),
    isConfirmed(token) {
      const confirmedAt = sessions.get(hashOfToken(token))?.confirmedAt ?? null
      // A clock that is set back makes no old proof a recent one.
      return confirmedAt !== null && Math.abs(clock() - msOf(confirmedAt)) < CONFIRMED_MS
    },
    end: (token) =>
      database.transaction(() => {
        const session = sessions.get(hashOfToken(token))
        if (session) end(session, userActor(session.userId), 'user.sign-out')
      }),
    list(token, userId) {
      const now = clock()
      const own = token === undefined ? undefined : hashOfToken(token)
      return sessions
        .list(instantOf(now))
        .filter((session) => userId === undefined || session.userId === userId)
        .flatMap((session) => shown(session, own, now) ?? [])
    },
    endById: (sessionId, userId, actor) =>
      database.transaction(() => {
        const session = sessions.byId(sessionId)
        if (!session || (userId !== undefined && session.userId !== userId))
          throw new ApiError('not-found', 'This session has ended already.')
        end(session, actor, 'session.end')
      }),
  }
}

/** What the window is told of a user. */
export function signedInUser(user: UserRecord): SignedInUser {
  const { userId, email, firstName, lastName, level, clinicRole, lastLoginAt } = user
  const { canManageStudies, canCreateReports, hasDashboardAccess } = user
  return {
    userId,
    email,
    firstName,
    lastName,
    level,
    clinicRole,
    canManageStudies,
    canCreateReports,
    hasDashboardAccess,
    lastLoginAt,
  }
}
