import type { Database } from '#server/database/database.ts'

/**
 * A session; of its token only the SHA-256 in hex is kept. `sessionId` tells sessions apart and
 * opens nothing. `expiresAt` is its end, whatever the use. `browser` is such as `Chrome on
 * Windows`, or empty. `workstationId` is of a session by the HTTPS listener. `wrongPasswords` is
 * counted since it was locked. `confirmedAt` is when its person last proved who they are, null for
 * a session of an earlier version.
 */
export type SessionRecord = NonNullable<ReturnType<typeof findSession>>

const every = ({ sql }: Database) => sql.selectFrom('sessions').selectAll()
const change = ({ sql }: Database) => sql.updateTable('sessions')
const remove = ({ sql }: Database) => sql.deleteFrom('sessions')

export const insertSession = (database: Database, session: SessionRecord) =>
  database.run(database.sql.insertInto('sessions').values(session))

export const findSession = (database: Database, tokenHash: string) =>
  database.get(every(database).where('tokenHash', '=', tokenHash))

export const sessionById = (database: Database, sessionId: string) =>
  database.get(every(database).where('sessionId', '=', sessionId))

/** Those that have not ended at `now`, last used first. */
export const sessionRecords = (database: Database, now: string) =>
  database.all(
    every(database).where('expiresAt', '>', now).orderBy('lastUsedAt', 'desc').orderBy('sessionId'),
  )

export const noteSessionUse = (database: Database, tokenHash: string, at: string) =>
  database.run(change(database).set({ lastUsedAt: at }).where('tokenHash', '=', tokenHash))

/** Locked from `at` on; wrong passwords are counted anew. */
export const setSessionLocked = (database: Database, tokenHash: string, at: string) =>
  database.run(
    change(database).set({ lockedAt: at, wrongPasswords: 0 }).where('tokenHash', '=', tokenHash),
  )

/** Used at `at`, and no longer locked: its person proved who they are. */
export const setSessionUnlocked = (database: Database, tokenHash: string, at: string) =>
  database.run(
    change(database)
      .set({ lockedAt: null, wrongPasswords: 0, lastUsedAt: at, confirmedAt: at })
      .where('tokenHash', '=', tokenHash),
  )

/** Its person proved who they are at `at`. */
export const setSessionConfirmed = (database: Database, tokenHash: string, at: string) =>
  database.run(
    change(database).set({ confirmedAt: at, wrongPasswords: 0 }).where('tokenHash', '=', tokenHash),
  )

/** Returns how many wrong passwords there were by now. */
export const noteWrongPassword = (database: Database, tokenHash: string) =>
  database.get(
    change(database)
      .set((of) => ({ wrongPasswords: of('wrongPasswords', '+', 1) }))
      .where('tokenHash', '=', tokenHash)
      .returning('wrongPasswords'),
  )?.wrongPasswords ?? 0

export const deleteSession = (database: Database, tokenHash: string) =>
  database.run(remove(database).where('tokenHash', '=', tokenHash))

/** Every session of the user, but for the one to be kept. */
export const deleteSessionsOf = (database: Database, userId: string, kept = '') =>
  database.run(remove(database).where('userId', '=', userId).where('tokenHash', '<>', kept))

export const deleteSessionsAt = (database: Database, workstationId: string) =>
  database.run(remove(database).where('workstationId', '=', workstationId))

/** Forgets sessions that ended before `now`; returns how many. */
export const purgeSessions = (database: Database, now: string) =>
  database.run(remove(database).where('expiresAt', '<=', now)).changes
