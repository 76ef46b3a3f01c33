import { createHash, createHmac } from 'node:crypto'
import type { Seal } from '#server/database/encryption.ts'
import type { Row } from '#server/database/schema.ts'
import type { AuditRow } from '#shared/contract/dashboard.ts'

export type AuditDetail = AuditRow['detail']

export interface AuditEntry {
  /** Who, e.g. `user:usr_…`, `gateway`. */
  readonly actor: string
  /** What was done, e.g. `device.add`. */
  readonly action: string
  /** To what, by id. */
  readonly target: string
  /** Any JSON; encrypted at rest. */
  readonly detail: AuditDetail
}

/** The action of the entry that records a finding; its target is the kind of finding. */
export const FINDING = 'audit.finding'
/** The action of the entry by which a person acknowledges all findings before it. */
export const ACKNOWLEDGED = 'audit.acknowledge'

export type StoredEntry = Omit<Row<'auditEntries'>, 'hash'>

export const detailContext = (seq: number) => `audit detail ${seq}`

/** The entry with its detail decrypted. */
export const rowOf = (
  seal: Seal,
  { seq, at, actor, action, target, sealedDetail }: StoredEntry,
): AuditRow => ({
  ...{ seq, at, actor, action, target },
  detail: detailOf(seal, seq, sealedDetail),
})

function detailOf(seal: Seal, seq: number, sealed: Buffer): AuditDetail {
  try {
    return JSON.parse(seal.open(sealed, detailContext(seq)).toString())
  } catch {
    // The rest stays readable; `verify` says where the chain breaks.
    return { unreadable: true }
  }
}

const canonical = (
  previous: string,
  { seq, at, actor, action, target, sealedDetail }: StoredEntry,
): string =>
  previous + JSON.stringify([seq, at, actor, action, target, sealedDetail.toString('base64')])

/** Of entries of versions without a key in the hash. */
export const hashOf = (previous: string, entry: StoredEntry): string =>
  createHash('sha256').update(canonical(previous, entry)).digest('hex')

/** Over the row as stored: the chain is verified without decrypting a detail. */
export const keyedHashOf = (key: Buffer, previous: string, entry: StoredEntry): string =>
  createHmac('sha256', key).update(canonical(previous, entry)).digest('hex')
