import type { Database } from '#server/database/database.ts'
import type { Row } from '#server/database/schema.ts'
import type { AuditFinding } from '#shared/contract/dashboard.ts'
import { ACKNOWLEDGED, FINDING, hashOf, keyedHashOf, type StoredEntry } from './audit-entry.ts'
import { type AuditHead, NOTHING } from './audit-head.ts'

/** What is wrong with the audit log. */
export interface AuditFault {
  readonly isIntact: false
  /** The first entry that is not what was written, or the entry that records the finding. */
  readonly seq: number
  readonly finding: AuditFinding
  /** Entries up to the end of what was followed. */
  readonly entries: number
  /** Entries that the trail lacks, as far as that is known. */
  readonly missing: number
  /** Found earlier and recorded in the trail, whose entries are as they were written. */
  readonly isRecorded: boolean
}
export type AuditVerdict = { readonly isIntact: true; readonly entries: number } | AuditFault

/** The audit log on its way to be verified, from the first entry on. */
export class AuditChain {
  readonly #database: Database
  readonly #key: Buffer
  readonly #head: AuditHead
  #count = 0
  #hash: string = NOTHING.hash
  #keyedFrom: number | undefined
  /** Recorded findings that nobody acknowledged. */
  #recorded: AuditFault[] = []
  /** Where the entry that is known outside the database has another hash. */
  #replacedAt: number | undefined

  constructor(database: Database, key: Buffer, head: AuditHead) {
    this.#database = database
    this.#key = key
    this.#head = head
  }

  /** Entries verified so far, all of them as they were written. */
  get entries(): number {
    return this.#count
  }

  /**
   * Verifies at most `most` entries more; the verdict once there is one. Entries that are appended
   * meanwhile are verified too.
   */
  follow(most: number): AuditVerdict | undefined {
    const outside = this.#head.known()
    const { sql } = this.#database
    const rows = this.#database.all(
      sql
        .selectFrom('auditEntries')
        .selectAll()
        .where('seq', '>', this.#count)
        .orderBy('seq')
        .limit(most),
    )
    for (const row of rows) {
      const next = this.#hashAfter(row)
      if (row.seq !== this.#count + 1 || next === undefined) return fault(this.#count + 1, 'entry')
      this.#hash = next
      this.#count += 1
      if (this.#count === outside.count && next !== outside.hash) this.#replacedAt ??= this.#count
      if (this.#keyedFrom !== undefined) this.#noteFinding(row)
    }
    // Nothing is appended between the last entry and its comparison with the head: both are of the
    // same turn.
    if (rows.length === most) return undefined
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
    if (action === ACKNOWLEDGED) this.#recorded = []
    else if (action === FINDING)
      this.#recorded.push({ ...fault(seq, target as AuditFinding), isRecorded: true })
  }

  /** Where the end is not what the head says, or not what is known outside the database. */
  #faultOfEnd(): AuditFault | undefined {
    const [count, hash, keyedFrom] = [this.#count, this.#hash, this.#keyedFrom]
    const head = this.#head.read()
    const missing = Math.max(0, this.#head.known().count - count)
    if (head === 'missing') {
      // A database of a version before the head had to be there has neither head nor entries.
      if (missing === 0 && this.#head.isNew()) return undefined
      return fault(1, 'head-missing', missing)
    }
    if (head === 'unreadable') return fault(count, 'head-unreadable', missing)
    if (head.count > count) return fault(count + 1, 'entry', Math.max(missing, head.count - count))
    const isSame = head.count === count && head.hash === hash
    if (!isSame) return fault(Math.max(1, Math.min(head.count, count)), 'entry', missing)
    if (missing > 0) return fault(count + 1, 'older', missing)
    if (this.#replacedAt !== undefined) return fault(this.#replacedAt, 'replaced')
    const isKeyed =
      typeof head.keyedFrom !== 'number' || head.keyedFrom === (keyedFrom ?? count + 1)
    return isKeyed ? undefined : fault(keyedFrom ?? Math.max(1, count), 'entry')
  }
}

const fault = (seq: number, finding: AuditFinding, missing = 0): AuditFault => ({
  ...{ isIntact: false, seq, finding, missing, isRecorded: false, entries: seq },
})
