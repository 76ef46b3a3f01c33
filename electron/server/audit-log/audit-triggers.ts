import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

/**
 * In lower case, because SQLite stores the table name of a trigger as it was spelled in the
 * statement.
 */
const TABLE_NAMES = `'auditentries', 'audithead', 'auditsending', 'auditunkeyed'`
const ABORT_BODY = `begin select raise(abort, 'the audit trail is append-only'); end`

/** Every trigger of the audit log's tables, by name, as created by the migrations. */
const TRIGGERS: Readonly<Record<string, string>> = {
  auditEntriesKeepWhatTheySay: `create trigger auditEntriesKeepWhatTheySay before update on auditEntries ${ABORT_BODY}`,
  auditEntriesStay: `create trigger auditEntriesStay before delete on auditEntries ${ABORT_BODY}`,
  auditHeadStays: `create trigger auditHeadStays before delete on auditHead ${ABORT_BODY}`,
}

/**
 * Restores the triggers of the audit log: missing and changed ones are created again, foreign ones
 * are dropped. Returns the names of those that differed.
 */
export function repairTriggers(db: Database): string[] {
  const found = db.all<{ name: string; sql: string }>(
    rawQuery(
      `select name, sql from sqlite_schema where type = 'trigger' and lower(tbl_name) in (${TABLE_NAMES})`,
      [],
    ),
  )
  const isExpected = ({ name, sql }: { name: string; sql: string }) =>
    Object.hasOwn(TRIGGERS, name) && normalizedSql(sql) === normalizedSql(TRIGGERS[name] ?? '')
  const wrong = found.filter((trigger) => !isExpected(trigger))
  for (const { name } of wrong) db.run(rawQuery(`drop trigger "${name.replaceAll('"', '""')}"`, []))
  const rightNames = new Set(found.filter(isExpected).map(({ name }) => name))
  const missing = Object.keys(TRIGGERS).filter((name) => !rightNames.has(name))
  for (const name of missing) db.run(rawQuery(TRIGGERS[name] ?? '', []))
  return [...new Set([...wrong.map(({ name }) => name), ...missing])].sort()
}

const normalizedSql = (sql: string): string => sql.replace(/\s+/g, ' ').trim().toLowerCase()
