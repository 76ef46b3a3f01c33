import type { Database } from './database.ts'

/** A session; the token itself is never stored, only its SHA-256 in hex. */
export interface SessionRecord {
  readonly tokenHash: string
  readonly userId: string
  readonly createdAt: string
  readonly lastUsedAt: string
  /** Absolute end, whatever the use. */
  readonly expiresAt: string
}

export interface SessionsStore {
  insert(session: SessionRecord): void
  get(tokenHash: string): SessionRecord | undefined
  noteUse(tokenHash: string, at: string): void
  remove(tokenHash: string): boolean
  /** Ends every session of the user; how many there were. */
  removeOf(userId: string): number
  /** Forgets sessions that ended before `now`, or were last used before `idleSince`. */
  purge(now: string, idleSince: string): number
}

export function sessionsStore(db: Database): SessionsStore {
  const remove = db.sql.deleteFrom('sessions')
  return {
    insert: (session) => void db.run(db.sql.insertInto('sessions').values(session)),
    get: (tokenHash) => db.get(db.sql.selectFrom('sessions').selectAll().where('tokenHash', '=', tokenHash)),
    noteUse: (tokenHash, at) => void db.run(db.sql.updateTable('sessions').set({ lastUsedAt: at }).where('tokenHash', '=', tokenHash)),
    remove: (tokenHash) => db.run(remove.where('tokenHash', '=', tokenHash)).changes > 0,
    removeOf: (userId) => db.run(remove.where('userId', '=', userId)).changes,
    purge: (now, idleSince) => db.run(remove.where((of) => of.or([of('expiresAt', '<=', now), of('lastUsedAt', '<=', idleSince)]))).changes,
  }
}
