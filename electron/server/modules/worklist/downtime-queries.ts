import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'

/** Downtime mode as it was switched on; the reason, which a person typed, is sealed at rest. */
export interface DowntimeRecord {
  readonly since: string
  readonly until: string
  readonly userId: string
  readonly userName: string
  readonly reason: string
}

export interface DowntimeStore {
  /** What was set last and not ended, expired or not. */
  get(): DowntimeRecord | undefined
  set(downtime: DowntimeRecord): void
  /** Whether there was one. */
  end(): boolean
}

export function downtimeStore(db: Database, seal: Seal): DowntimeStore {
  return {
    get() {
      const row = db.get(db.sql.selectFrom('downtime').selectAll())
      if (row === undefined) return undefined
      const { id: _, sealedReason, ...downtime } = row
      return { ...downtime, reason: seal.open(sealedReason, 'downtime').toString() }
    },
    set({ reason, ...downtime }) {
      const row = {
        id: 1 as const,
        ...downtime,
        sealedReason: seal.seal(Buffer.from(reason), 'downtime'),
      }
      db.run(
        db.sql
          .insertInto('downtime')
          .values(row)
          .onConflict((old) => old.column('id').doUpdateSet(row)),
      )
    },
    end: () => db.run(db.sql.deleteFrom('downtime')).changes > 0,
  }
}
