import type { Database } from '#server/database/database.ts'

/** Up to which entry the audit trail was sent to the collector of the clinic. */
export interface AuditSendingStore {
  /** Sequence number of the last entry that the collector has; undefined before sending began. */
  position(): number | undefined
  setPosition(seq: number): void
  /** Sending is off: where it begins again is decided then. */
  forget(): void
}

export const auditSendingStore = (db: Database): AuditSendingStore => ({
  position: () => db.get(db.sql.selectFrom('auditSending').select('seq'))?.seq,
  setPosition: (seq) =>
    void db.run(
      db.sql
        .insertInto('auditSending')
        .values({ id: 1, seq })
        .onConflict((old) => old.column('id').doUpdateSet({ seq })),
    ),
  forget: () => void db.run(db.sql.deleteFrom('auditSending')),
})
