import type { Database } from '#server/database/database.ts'

/**
 * A browser of a PC that asked to open the window, or may; of its cookie only the SHA-256 is
 * stored. `code` is shown on both screens: two groups of three.
 */
export type WorkstationRecord = NonNullable<ReturnType<typeof findWorkstation>>

const every = ({ sql }: Database) => sql.selectFrom('workstations').selectAll()

export const findWorkstation = (database: Database, workstationId: string) =>
  database.get(every(database).where('workstationId', '=', workstationId))

export const workstationByToken = (database: Database, tokenHash: string) =>
  database.get(every(database).where('tokenHash', '=', tokenHash))

/** Those that ask and were not refused, oldest first, then those that were approved, by name. */
export const workstationRecords = (database: Database): WorkstationRecord[] => [
  ...database.all(
    every(database)
      .where('approvedAt', 'is', null)
      .where('refusedAt', 'is', null)
      .orderBy('askedAt'),
  ),
  ...database.all(
    every(database).where('approvedAt', 'is not', null).orderBy('name').orderBy('workstationId'),
  ),
]

const notApproved = ({ sql }: Database) =>
  sql
    .selectFrom('workstations')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('approvedAt', 'is', null)

/** How many wait for an answer. */
export const workstationsAsking = (database: Database) =>
  database.get(notApproved(database).where('refusedAt', 'is', null))?.count ?? 0

/** How many of the address are not approved, those that were refused too. */
export const workstationsAskingFrom = (database: Database, address: string) =>
  database.get(notApproved(database).where('address', '=', address))?.count ?? 0

export const putWorkstation = (database: Database, record: WorkstationRecord) =>
  database.run(
    database.sql
      .insertInto('workstations')
      .values(record)
      .onConflict((old) => old.column('workstationId').doUpdateSet(record)),
  )

export const noteWorkstationSeen = (database: Database, workstationId: string, at: string) =>
  database.run(
    database.sql
      .updateTable('workstations')
      .set({ lastSeenAt: at })
      .where('workstationId', '=', workstationId),
  )

export const deleteWorkstation = (database: Database, workstationId: string) =>
  database.run(database.sql.deleteFrom('workstations').where('workstationId', '=', workstationId))

/**
 * Forgets those that asked up to the first instant and were not approved, and those approved up to
 * the second; returns how many.
 */
export const purgeWorkstations = (
  database: Database,
  askedUntil: string,
  approvedUntil: string,
): number =>
  database.run(
    database.sql
      .deleteFrom('workstations')
      .where((of) =>
        of.or([
          of.and([of('approvedAt', 'is', null), of('askedAt', '<=', askedUntil)]),
          of('approvedAt', '<=', approvedUntil),
        ]),
      ),
  ).changes
