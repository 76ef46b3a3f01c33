import type { Database } from '#server/database/database.ts'

// The last entry of the audit trail that was sent to the collector.

/** Sequence number of the last entry that the collector received; `undefined` before the first. */
export const findAuditSendingPosition = (database: Database): number | undefined =>
  database.get(database.sql.selectFrom('auditSending').select('seq'))?.seq

export function setAuditSendingPosition(database: Database, seq: number): void {
  database.run(
    database.sql
      .insertInto('auditSending')
      .values({ id: 1, seq })
      .onConflict((old) => old.column('id').doUpdateSet({ seq })),
  )
}

/** Called when sending is turned off. The next start of sending determines a new position. */
export function deleteAuditSendingPosition(database: Database): void {
  database.run(database.sql.deleteFrom('auditSending'))
}
