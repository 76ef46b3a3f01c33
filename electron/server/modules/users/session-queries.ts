import type { Database } from '#server/database/database.ts'

/**
 * A session. Only the SHA-256 of its token, in hex, is stored. `sessionId` identifies a session and
 * grants no access. The session ends at `expiresAt` regardless of use. `browser` is a name such as
 * `Chrome on Windows`, or empty. `workstationId` is set for sessions through the HTTPS listener.
 * `wrongPasswords` counts since the session was locked. `confirmedAt` is when the user last
 * confirmed their identity; null for a session of an earlier version.
 */
export type SessionRecord = NonNullable<ReturnType<typeof findSession>>

const selectSessions = ({ sql }: Database) => sql.selectFrom('sessions').selectAll()
const updateSession = ({ sql }: Database) => sql.updateTable('sessions')
const deleteFromSessions = ({ sql }: Database) => sql.deleteFrom('sessions')

export const insertSession = (database: Database, session: SessionRecord) =>
  database.run(database.sql.insertInto('sessions').values(session))

export const findSession = (database: Database, tokenHash: string) =>
  database.get(selectSessions(database).where('tokenHash', '=', tokenHash))

export const sessionById = (database: Database, sessionId: string) =>
  database.get(selectSessions(database).where('sessionId', '=', sessionId))

/** The sessions that have not ended at `now`, most recently used first. */
export const sessionRecords = (database: Database, now: string) =>
  database.all(
    selectSessions(database)
      .where('expiresAt', '>', now)
      .orderBy('lastUsedAt', 'desc')
      .orderBy('sessionId'),
  )

export const noteSessionUse = (database: Database, tokenHash: string, at: string) =>
  database.run(updateSession(database).set({ lastUsedAt: at }).where('tokenHash', '=', tokenHash))

/** Locks a session and resets the count of wrong passwords. */
export const setSessionLocked = (database: Database, tokenHash: string, at: string) =>
  database.run(
    updateSession(database)
      .set({ lockedAt: at, wrongPasswords: 0 })
      .where('tokenHash', '=', tokenHash),
  )

/** Unlocks a session after the user confirmed their identity at `at`. */
export const setSessionUnlocked = (database: Database, tokenHash: string, at: string) =>
  database.run(
    updateSession(database)
      .set({ lockedAt: null, wrongPasswords: 0, lastUsedAt: at, confirmedAt: at })
      .where('tokenHash', '=', tokenHash),
  )

/** Records that the user confirmed their identity at `at`. */
export const setSessionConfirmed = (database: Database, tokenHash: string, at: string) =>
  database.run(
    updateSession(database)
      .set({ confirmedAt: at, wrongPasswords: 0 })
      .where('tokenHash', '=', tokenHash),
  )

/** Counts a wrong password and returns the count. */
export const noteWrongPassword = (database: Database, tokenHash: string) =>
  database.get(
    updateSession(database)
      .set((of) => ({ wrongPasswords: of('wrongPasswords', '+', 1) }))
      .where('tokenHash', '=', tokenHash)
      .returning('wrongPasswords'),
  )?.wrongPasswords ?? 0

export const deleteSession = (database: Database, tokenHash: string) =>
  database.run(deleteFromSessions(database).where('tokenHash', '=', tokenHash))

/** Deletes every session of the user, except the one with the token hash `kept`. */
export const deleteSessionsOf = (database: Database, userId: string, kept = '') =>
  database.run(
    deleteFromSessions(database).where('userId', '=', userId).where('tokenHash', '<>', kept),
  )

export const deleteSessionsAt = (database: Database, workstationId: string) =>
  database.run(deleteFromSessions(database).where('workstationId', '=', workstationId))

/** Deletes sessions that ended before `now` and returns how many there were. */
export const purgeSessions = (database: Database, now: string) =>
  database.run(deleteFromSessions(database).where('expiresAt', '<=', now)).changes
