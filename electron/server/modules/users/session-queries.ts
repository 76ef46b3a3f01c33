import type { Database } from '#server/database/database.ts'

/** A session; the token itself is never stored, only its SHA-256 in hex. */
export interface SessionRecord {
  readonly tokenHash: string
  /** Tells sessions apart; opens nothing. */
  readonly sessionId: string
  readonly userId: string
  readonly createdAt: string
  readonly lastUsedAt: string
  /** Absolute end, whatever the use. */
  readonly expiresAt: string
  /** In short, such as `Chrome on Windows`; empty where it did not say. */
  readonly browser: string
  readonly address: string
  /** Of a session by the HTTPS listener. */
  readonly workstationId: string | null
  readonly lockedAt: string | null
  /** Wrong passwords since it was locked. */
  readonly wrongPasswords: number
  /** When its person last proved who they are; null for a session of an earlier version. */
  readonly confirmedAt: string | null
}

/** What the disk did not take of a session. */
export interface UnwrittenUse {
  readonly lastUsedAt?: string
  readonly lockedAt?: string
  readonly lockedBy?: 'idle' | 'person'
  readonly isOver?: true
}

export interface SessionsStore {
  /** By token hash, in memory: it holds until it can be written, or the gateway ends. */
  readonly unwritten: ReadonlyMap<string, UnwrittenUse>
  /** Adds to what is unwritten of a session; undefined: all of it is written now. */
  hold(tokenHash: string, change: UnwrittenUse | undefined): void
  insert(session: SessionRecord): void
  get(tokenHash: string): SessionRecord | undefined
  byId(sessionId: string): SessionRecord | undefined
  /** Those that have not ended at `now`, last used first. */
  list(now: string): SessionRecord[]
  noteUse(tokenHash: string, at: string): void
  /** Locked from `at` on; wrong passwords are counted anew. */
  lock(tokenHash: string, at: string): void
  /** Used at `at`, and no longer locked: its person proved who they are. */
  unlock(tokenHash: string, at: string): void
  /** Its person proved who they are at `at`. */
  confirm(tokenHash: string, at: string): void
  /** How many wrong passwords there were by now. */
  noteWrongPassword(tokenHash: string): number
  remove(tokenHash: string): boolean
  /** Ends every session of the user, but for the one to be kept; how many there were. */
  removeOf(userId: string, kept?: string): number
  /** Ends every session at the workstation; how many there were. */
  removeAt(workstationId: string): number
  /** Forgets sessions that ended before `now`. */
  purge(now: string): number
  /**
   * Tells, after the commit, that some session was ended or locked. The listener must not throw.
   * Returns what stops it.
   */
  onClosed(listener: () => void): () => void
}

export function sessionsStore(db: Database): SessionsStore {
  const every = db.sql.selectFrom('sessions').selectAll()
  const remove = db.sql.deleteFrom('sessions')
  const change = db.sql.updateTable('sessions')
  const listeners = new Set<() => void>()
  const unwritten = new Map<string, UnwrittenUse>()
  const first = (row: unknown) => row as SessionRecord | undefined

  /** Told also where none was removed: whoever lost access may have more open than a session. */
  function closed(count: number): number {
    db.afterCommit(() => {
      for (const listener of listeners) listener()
    })
    return count
  }

  return {
    unwritten,
    hold(tokenHash, change) {
      if (!change) return void unwritten.delete(tokenHash)
      unwritten.set(tokenHash, { ...unwritten.get(tokenHash), ...change })
      if (change.lockedAt !== undefined || change.isOver) closed(1)
    },
    insert: (session) => void db.run(db.sql.insertInto('sessions').values(session)),
    get: (tokenHash) => first(db.get(every.where('tokenHash', '=', tokenHash))),
    byId: (sessionId) => first(db.get(every.where('sessionId', '=', sessionId))),
    list: (now) =>
      db.all(
        every.where('expiresAt', '>', now).orderBy('lastUsedAt', 'desc').orderBy('sessionId'),
      ) as SessionRecord[],
    noteUse: (tokenHash, at) =>
      void db.run(change.set({ lastUsedAt: at }).where('tokenHash', '=', tokenHash)),
    lock: (tokenHash, at) =>
      void closed(
        db.run(change.set({ lockedAt: at, wrongPasswords: 0 }).where('tokenHash', '=', tokenHash))
          .changes,
      ),
    unlock: (tokenHash, at) =>
      void db.run(
        change
          .set({ lockedAt: null, wrongPasswords: 0, lastUsedAt: at, confirmedAt: at })
          .where('tokenHash', '=', tokenHash),
      ),
    confirm: (tokenHash, at) =>
      void db.run(
        change.set({ confirmedAt: at, wrongPasswords: 0 }).where('tokenHash', '=', tokenHash),
      ),
    noteWrongPassword(tokenHash) {
      const wrong = change
        .set((of) => ({ wrongPasswords: of('wrongPasswords', '+', 1) }))
        .where('tokenHash', '=', tokenHash)
      return db.get(wrong.returning('wrongPasswords'))?.wrongPasswords ?? 0
    },
    remove: (tokenHash) => closed(db.run(remove.where('tokenHash', '=', tokenHash)).changes) > 0,
    removeOf(userId, kept) {
      const ofUser = remove.where('userId', '=', userId)
      return closed(
        db.run(kept === undefined ? ofUser : ofUser.where('tokenHash', '<>', kept)).changes,
      )
    },
    removeAt: (workstationId) =>
      closed(db.run(remove.where('workstationId', '=', workstationId)).changes),
    purge: (now) => db.run(remove.where('expiresAt', '<=', now)).changes,
    onClosed(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
