import type { Database } from '#server/database/database.ts'

/**
 * A browser on another PC that has requested access to the window, or has it. Only the SHA-256 of
 * its cookie is stored. `code` is shown on both screens: two groups of three characters.
 */
export type WorkstationRecord = NonNullable<ReturnType<typeof findWorkstation>>

const selectWorkstations = ({ sql }: Database) => sql.selectFrom('workstations').selectAll()

export const findWorkstation = (database: Database, workstationId: string) =>
  database.get(selectWorkstations(database).where('workstationId', '=', workstationId))

export const workstationByToken = (database: Database, tokenHash: string) =>
  database.get(selectWorkstations(database).where('tokenHash', '=', tokenHash))

/** Pending requests, oldest first, followed by approved workstations, by name. */
export const workstationRecords = (database: Database): WorkstationRecord[] => [
  ...database.all(
    selectWorkstations(database)
      .where('approvedAt', 'is', null)
      .where('refusedAt', 'is', null)
      .orderBy('askedAt'),
  ),
  ...database.all(
    selectWorkstations(database)
      .where('approvedAt', 'is not', null)
      .orderBy('name')
      .orderBy('workstationId'),
  ),
]

const unapprovedCountQuery = ({ sql }: Database) =>
  sql
    .selectFrom('workstations')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('approvedAt', 'is', null)

/** Number of pending requests. */
export const countPendingWorkstations = (database: Database) =>
  database.get(unapprovedCountQuery(database).where('refusedAt', 'is', null))?.count ?? 0

/** Number of workstations of the address that are not approved, including refused ones. */
export const countUnapprovedFrom = (database: Database, address: string) =>
  database.get(unapprovedCountQuery(database).where('address', '=', address))?.count ?? 0

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
 * Deletes workstations that requested access up to the first instant and were not approved, and
 * those approved up to the second. Returns how many there were.
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
