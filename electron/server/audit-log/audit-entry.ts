import { createHash, createHmac } from 'node:crypto'
import type { Seal } from '#server/database/encryption.ts'
import type { Row } from '#server/database/schema.ts'
import type { AuditRow } from '#shared/contract/dashboard.ts'

export type AuditDetail = AuditRow['detail']

export interface AuditEntry {
  /** Who acted, e.g. `user:usr_…` or `gateway`. */
  readonly actor: string
  /** What was done, e.g. `device.add`. */
  readonly action: string
  /** Id of the object acted upon. */
  readonly target: string
  /** Any JSON value; encrypted at rest. */
  readonly detail: AuditDetail
}

/** Action of an entry that records a finding; its target is the kind of finding. */
export const FINDING_ACTION = 'audit.finding'
/** Action of an entry with which a person acknowledges all earlier findings. */
export const ACKNOWLEDGE_ACTION = 'audit.acknowledge'

export type StoredEntry = Omit<Row<'auditEntries'>, 'hash'>

export const detailContext = (seq: number) => `audit detail ${seq}`

/** Returns the entry with its detail decrypted. */
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
    // The other fields stay readable; `verify` reports where the chain is broken.
    return { unreadable: true }
  }
}

const canonical = (
  previous: string,
  { seq, at, actor, action, target, sealedDetail }: StoredEntry,
): string =>
  previous + JSON.stringify([seq, at, actor, action, target, sealedDetail.toString('base64')])

/** The unkeyed hash of entries written by versions before keyed entries. */
export const hashOf = (previous: string, entry: StoredEntry): string =>
  createHash('sha256').update(canonical(previous, entry)).digest('hex')

/** Computed over the stored row, so that the chain can be verified without decrypting details. */
export const keyedHashOf = (key: Buffer, previous: string, entry: StoredEntry): string =>
  createHmac('sha256', key).update(canonical(previous, entry)).digest('hex')
