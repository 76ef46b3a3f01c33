import type { Database } from '#server/database/database.ts'

/**
 * A browser of a PC that asked to open the window, or may; of its cookie only the SHA-256 is
 * stored.
 */
export interface WorkstationRecord {
  readonly workstationId: string
  readonly tokenHash: string
  readonly name: string
  /** Shown on both screens: two groups of three. */
  readonly code: string
  readonly address: string
  readonly browser: string
  readonly askedAt: string
  readonly refusedAt: string | null
  readonly approvedAt: string | null
  readonly approvedByUserId: string | null
  readonly lastSeenAt: string | null
}

export interface WorkstationsStore {
  /** Those that ask, oldest first, then those that were approved, by name. */
  list(): WorkstationRecord[]
  /** How many wait for an answer; with those that were refused, those of one address. */
  asking(): number
  askedFrom(address: string): number
  get(workstationId: string): WorkstationRecord | undefined
  byToken(tokenHash: string): WorkstationRecord | undefined
  put(record: WorkstationRecord): void
  noteSeen(workstationId: string, at: string): void
  remove(workstationId: string): boolean
  /**
   * Forgets those that asked up to the first instant and were not approved, and those approved up
   * to the second.
   */
  purge(askedUntil: string, approvedUntil: string): number
}

export function workstationsStore(db: Database): WorkstationsStore {
  const every = db.sql.selectFrom('workstations').selectAll()
  const remove = db.sql.deleteFrom('workstations')
  const counted = db.sql
    .selectFrom('workstations')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('approvedAt', 'is', null)
  return {
    list: () => [
      ...db.all(
        every.where('approvedAt', 'is', null).where('refusedAt', 'is', null).orderBy('askedAt'),
      ),
      ...db.all(every.where('approvedAt', 'is not', null).orderBy('name').orderBy('workstationId')),
    ],
    asking: () => db.get(counted.where('refusedAt', 'is', null))?.count ?? 0,
    askedFrom: (address) => db.get(counted.where('address', '=', address))?.count ?? 0,
    get: (workstationId) => db.get(every.where('workstationId', '=', workstationId)),
    byToken: (tokenHash) => db.get(every.where('tokenHash', '=', tokenHash)),
    put: (record) =>
      void db.run(
        db.sql
          .insertInto('workstations')
          .values(record)
          .onConflict((old) => old.column('workstationId').doUpdateSet(record)),
      ),
    noteSeen: (workstationId, at) =>
      void db.run(
        db.sql
          .updateTable('workstations')
          .set({ lastSeenAt: at })
          .where('workstationId', '=', workstationId),
      ),
    remove: (workstationId) =>
      db.run(remove.where('workstationId', '=', workstationId)).changes > 0,
    purge: (askedUntil, approvedUntil) =>
      db.run(
        remove.where((of) =>
          of.or([
            of.and([of('approvedAt', 'is', null), of('askedAt', '<=', askedUntil)]),
            of('approvedAt', '<=', approvedUntil),
          ]),
        ),
      ).changes,
  }
}
