import type { Database } from '#server/database/database.ts'

// Up to which entry the audit trail was sent to the collector of the clinic.

/** Sequence number of the last entry that the collector has; undefined before sending began. */
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

/** Sending is off: where it begins again is decided then. */
export function deleteAuditSendingPosition(database: Database): void {
  database.run(database.sql.deleteFrom('auditSending'))
}
