import type { Database } from '#server/database/database.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'

/** So many unknown callers are kept; the ones heard of longest ago give way. */
export const MOST_CALLERS = 500
/** Of one address: it can call itself anything, and must not push out the callers of others. */
export const MOST_CALLERS_OF_ADDRESS = 20

/** Callers that are not in the device list. */
export interface CallersStore {
  /** Newest call first. */
  list(): UnknownCaller[]
  count(): number
  get(aeTitle: string, address: string): UnknownCaller | undefined
  /** Counts a call. */
  note(
    call: Pick<UnknownCaller, 'aeTitle' | 'address' | 'calledAeTitle' | 'services'> & {
      readonly at: string
    },
  ): void
  remove(aeTitle: string, address: string): boolean
}

export function callersStore(db: Database): CallersStore {
  const every = db.sql.selectFrom('callers').selectAll()
  return {
    list: () =>
      db.all(every.orderBy('lastAt', 'desc').orderBy('aeTitle').orderBy('address')).map(callerOf),
    count: () =>
      db.get(db.sql.selectFrom('callers').select((of) => of.fn.countAll<number>().as('count')))
        ?.count ?? 0,
    get(aeTitle, address) {
      const row = db.get(every.where('aeTitle', '=', aeTitle).where('address', '=', address))
      return row && callerOf(row)
    },
    note({ aeTitle, address, calledAeTitle, services, at }) {
      const seen = { calledAeTitle, lastAt: at, services: JSON.stringify(services) }
      db.transaction(() => {
        db.run(
          db.sql
            .insertInto('callers')
            .values({ aeTitle, address, ...seen, attempts: 1, firstAt: at })
            .onConflict((old) =>
              old
                .columns(['aeTitle', 'address'])
                .doUpdateSet((of) => ({ ...seen, attempts: of('callers.attempts', '+', 1) })),
            ),
        )
        const newest = db.sql
          .selectFrom('callers')
          .select(['aeTitle', 'address'])
          .orderBy('lastAt', 'desc')
          .limit(100)
        const surplus = db.all(newest.offset(MOST_CALLERS))
        const ofAddress = db.all(
          newest.where('address', '=', address).offset(MOST_CALLERS_OF_ADDRESS),
        )
        for (const old of [...surplus, ...ofAddress])
          db.run(
            db.sql
              .deleteFrom('callers')
              .where('aeTitle', '=', old.aeTitle)
              .where('address', '=', old.address),
          )
      })
    },
    remove: (aeTitle, address) =>
      db.run(
        db.sql.deleteFrom('callers').where('aeTitle', '=', aeTitle).where('address', '=', address),
      ).changes > 0,
  }
}

const callerOf = (row: Omit<UnknownCaller, 'services'> & { services: string }): UnknownCaller => ({
  ...row,
  services: JSON.parse(row.services),
})
