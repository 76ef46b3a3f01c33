import type { Database } from '#server/database/database.ts'
import type { Row } from '#server/database/schema.ts'
import type { AuditFinding } from '#shared/contract/dashboard.ts'
import {
  ACKNOWLEDGE_ACTION,
  FINDING_ACTION,
  hashOf,
  keyedHashOf,
  type StoredEntry,
} from './audit-entry.ts'
import { type AuditHead, EMPTY_HEAD } from './audit-head.ts'

/** A fault of the audit log. */
export interface AuditFault {
  readonly isIntact: false
  /** The first entry that differs from what was written, or the entry that records the finding. */
  readonly seq: number
  readonly finding: AuditFinding
  /** Number of entries verified. */
  readonly entries: number
  /** Number of entries missing from the log, as far as it is known. */
  readonly missing: number
  /** Whether the fault was found earlier and recorded, in a log that is otherwise intact. */
  readonly isRecorded: boolean
}
export type AuditVerdict = { readonly isIntact: true; readonly entries: number } | AuditFault

/** An incremental verification of the audit log, starting at the first entry. */
export class AuditChain {
  readonly #database: Database
  readonly #key: Buffer
  readonly #head: AuditHead
  #count = 0
  #hash: string = EMPTY_HEAD.hash
  #keyedFrom: number | undefined
  /** Recorded findings that have not been acknowledged. */
  #recorded: AuditFault[] = []
  /** Sequence number at which the entry differs from the hash known outside the database. */
  #replacedAt: number | undefined

  constructor(database: Database, key: Buffer, head: AuditHead) {
    this.#database = database
    this.#key = key
    this.#head = head
  }

  /** Number of entries verified so far without a fault. */
  get entries(): number {
    return this.#count
  }

  /**
   * Verifies at most `limit` further entries; returns the verdict when it is known. Entries appended
   * in the meantime are verified too.
   */
  advance(limit: number): AuditVerdict | undefined {
    const knownHead = this.#head.known()
    const { sql } = this.#database
    const rows = this.#database.all(
      sql
        .selectFrom('auditEntries')
        .selectAll()
        .where('seq', '>', this.#count)
        .orderBy('seq')
        .limit(limit),
    )
    for (const row of rows) {
      const next = this.#hashAfter(row)
      if (row.seq !== this.#count + 1 || next === undefined) return fault(this.#count + 1, 'entry')
      this.#hash = next
      this.#count += 1
      if (this.#count === knownHead.count && next !== knownHead.hash)
        this.#replacedAt ??= this.#count
      if (this.#keyedFrom !== undefined) this.#noteFinding(row)
    }
    // The last entry is compared with the head in the same turn of the event loop, so nothing is
    // appended in between.
    if (rows.length === limit) return undefined
    const [recorded] = this.#recorded
    const entries = this.#count
    return this.#faultOfEnd() ?? (recorded ? { ...recorded, entries } : { isIntact: true, entries })
  }

  #hashAfter(row: Row<'auditEntries'>): string | undefined {
    const stored = row.hash.toString('hex')
    if (this.#keyedFrom === undefined && hashOf(this.#hash, row) === stored) return stored
    if (keyedHashOf(this.#key, this.#hash, row) !== stored) return undefined
    this.#keyedFrom ??= row.seq
    return stored
  }

  #noteFinding({ seq, action, target }: StoredEntry): void {
    if (action === ACKNOWLEDGE_ACTION) this.#recorded = []
    else if (action === FINDING_ACTION)
      this.#recorded.push({ ...fault(seq, target as AuditFinding), isRecorded: true })
  }

  /**
   * The fault if the last entry matches neither the head nor what is known outside the database.
   */
  #faultOfEnd(): AuditFault | undefined {
    const [count, hash, keyedFrom] = [this.#count, this.#hash, this.#keyedFrom]
    const head = this.#head.read()
    const missing = Math.max(0, this.#head.known().count - count)
    if (head === 'missing') {
      // Databases from before the head became mandatory have neither a head nor entries.
      if (missing === 0 && this.#head.isNew()) return undefined
      return fault(1, 'head-missing', missing)
    }
    if (head === 'unreadable') return fault(count, 'head-unreadable', missing)
    if (head.count > count) return fault(count + 1, 'entry', Math.max(missing, head.count - count))
    const isSame = head.count === count && head.hash === hash
    if (!isSame) return fault(Math.max(1, Math.min(head.count, count)), 'entry', missing)
    if (missing > 0) return fault(count + 1, 'older', missing)
    if (this.#replacedAt !== undefined) return fault(this.#replacedAt, 'replaced')
    const matchesKeyedFrom =
      typeof head.keyedFrom !== 'number' || head.keyedFrom === (keyedFrom ?? count + 1)
    return matchesKeyedFrom ? undefined : fault(keyedFrom ?? Math.max(1, count), 'entry')
  }
}

const fault = (seq: number, finding: AuditFinding, missing = 0): AuditFault => ({
  ...{ isIntact: false, seq, finding, missing, isRecorded: false, entries: seq },
})
