import type { Seal } from './encryption.ts'
import { StoreError } from './store-error.ts'

/** A secret with fixed content, stored when a recovery key is created. */
export const PROOF_SECRET = 'recovery.proof'

/** Encrypted values that nearly every database has, each with its context. */
const SAMPLE_QUERIES = [
  {
    table: 'secrets',
    sql: `select sealed, 'secret ' || name as context from secrets where name = '${PROOF_SECRET}'`,
  },
  { table: 'auditHead', sql: `select sealed, 'audit head' as context from auditHead` },
  {
    table: 'auditEntries',
    sql: `select sealedDetail as sealed, 'audit detail ' || seq as context from auditEntries order by seq desc limit 1`,
  },
  {
    table: 'auditEntries',
    sql: `select sealedDetail as sealed, 'audit detail ' || seq as context from auditEntries order by seq limit 1`,
  },
] as const

/**
 * Whether a database was encrypted with this key. One value that decrypts is enough, because others
 * may have been tampered with. Undefined if the database has no encrypted value.
 * @param get returns the first row of a query
 */
export function matchesKey(
  get: (sql: string) => unknown,
  seal: Pick<Seal, 'open'>,
): boolean | undefined {
  let found: boolean | undefined
  for (const { table, sql } of SAMPLE_QUERIES) {
    if (get(`select 1 from sqlite_schema where type = 'table' and name = '${table}'`) === undefined)
      continue
    const row = get(sql) as { readonly sealed: Buffer; readonly context: string } | undefined
    if (row === undefined) continue
    found = canOpen(seal, row)
    if (found) return true
  }
  return found
}

function canOpen(
  seal: Pick<Seal, 'open'>,
  { sealed, context }: { readonly sealed: Buffer; readonly context: string },
): boolean {
  try {
    seal.open(sealed, context)
    return true
  } catch (error) {
    if (error instanceof StoreError) return false
    throw error
  }
}
