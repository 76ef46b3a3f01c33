import type { Database } from '#server/database/database.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'

/** Maximum number of unknown callers; the least recent ones are deleted. */
export const MAX_UNKNOWN_CALLERS = 500
/** Maximum per address. A caller can use many AE titles and must not displace other callers. */
export const MAX_CALLERS_PER_ADDRESS = 20

const selectUnknownCallers = (database: Database) => database.sql.selectFrom('callers').selectAll()

/** Lists all unknown callers, most recent call first. */
export const listUnknownCallers = (database: Database): UnknownCaller[] =>
  database
    .all(
      selectUnknownCallers(database)
        .orderBy('lastAt', 'desc')
        .orderBy('aeTitle')
        .orderBy('address'),
    )
    .map(callerOf)

export const countUnknownCallers = (database: Database): number =>
  database.get(
    database.sql.selectFrom('callers').select((of) => of.fn.countAll<number>().as('count')),
  )?.count ?? 0

export function findUnknownCaller(
  database: Database,
  aeTitle: string,
  address: string,
): UnknownCaller | undefined {
  const row = database.get(
    selectUnknownCallers(database).where('aeTitle', '=', aeTitle).where('address', '=', address),
  )
  return row && callerOf(row)
}

/** Inserts the caller, or updates it and counts the attempt. */
export function upsertUnknownCaller(
  database: Database,
  {
    aeTitle,
    address,
    calledAeTitle,
    services,
    at,
  }: Pick<UnknownCaller, 'aeTitle' | 'address' | 'calledAeTitle' | 'services'> & {
    readonly at: string
  },
): void {
  const seen = { calledAeTitle, lastAt: at, services: JSON.stringify(services) }
  database.transaction(() => {
    database.run(
      database.sql
        .insertInto('callers')
        .values({ aeTitle, address, ...seen, attempts: 1, firstAt: at })
        .onConflict((old) =>
          old
            .columns(['aeTitle', 'address'])
            .doUpdateSet((of) => ({ ...seen, attempts: of('callers.attempts', '+', 1) })),
        ),
    )
    const newest = database.sql
      .selectFrom('callers')
      .select(['aeTitle', 'address'])
      .orderBy('lastAt', 'desc')
      .limit(100)
    const surplus = database.all(newest.offset(MAX_UNKNOWN_CALLERS))
    const ofAddress = database.all(
      newest.where('address', '=', address).offset(MAX_CALLERS_PER_ADDRESS),
    )
    for (const old of [...surplus, ...ofAddress])
      database.run(
        database.sql
          .deleteFrom('callers')
          .where('aeTitle', '=', old.aeTitle)
          .where('address', '=', old.address),
      )
  })
}

export const deleteUnknownCaller = (
  database: Database,
  aeTitle: string,
  address: string,
): boolean =>
  database.run(
    database.sql
      .deleteFrom('callers')
      .where('aeTitle', '=', aeTitle)
      .where('address', '=', address),
  ).changes > 0

const callerOf = (row: Omit<UnknownCaller, 'services'> & { services: string }): UnknownCaller => ({
  ...row,
  services: JSON.parse(row.services),
})
