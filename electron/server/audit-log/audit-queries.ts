import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type PageOf, type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { AuditFilter, AuditFinding, AuditRow } from '#shared/contract/dashboard.ts'
import type { AnchorFault, AuditAnchor } from './audit-anchor.ts'
import { AuditChain, type AuditVerdict } from './audit-chain.ts'
import {
  type AuditDetail,
  type AuditEntry,
  detailContext,
  FINDING_ACTION,
  keyedHashOf,
  rowOf,
} from './audit-entry.ts'
import { AuditHead, EMPTY_HEAD, type Head, type StoredHead } from './audit-head.ts'
import { repairTriggers } from './audit-triggers.ts'

/**
 * A part of the audit log. `next` is the sequence number below which the remaining entries are;
 * undefined if there are none.
 */
export interface AuditSlice {
  readonly items: readonly AuditRow[]
  readonly next: number | undefined
}

/**
 * An entry with the fields that the chain covers: the stored detail (base64) and the hash (hex).
 */
export type ChainedRow = AuditRow & { readonly sealedDetail: string; readonly hash: string }

interface NewFinding {
  readonly finding: AuditFinding
  readonly detail: AuditDetail
}

const MAX_SCANNED_ENTRIES = 10_000

/**
 * The append-only audit log. Each entry carries the HMAC of the preceding entry and of its own
 * stored row, under a key derived from the data key; entries of older versions carry a plain
 * SHA-256. The number of entries and the last hash are stored encrypted (the head) and again
 * outside the database (the anchor), so that truncation, rewriting and rollback are detected. See
 * decision 0034.
 */
export class AuditStore {
  readonly #database: Database
  readonly #clock: Clock
  readonly #anchor: AuditAnchor | undefined
  readonly #key: Buffer
  readonly #head: AuditHead
  /** Whether the anchor has been compared with the database, which happens when it is opened. */
  #isCompared = false
  /** Whether the database was new when this process opened it. */
  #wasNew = false

  /**
   * @param anchor the anchor of the data folder; undefined for a copy of a database, which has none
   */
  constructor(database: Database, clock: Clock, anchor: AuditAnchor | undefined) {
    this.#database = database
    this.#clock = clock
    this.#anchor = anchor
    this.#key = database.seal.keyFor('audit chain')
    this.#head = new AuditHead(database, anchor)
  }

  /** The fault of the anchor. An unreadable anchor has not been compared yet. */
  get anchorFault(): AnchorFault | undefined {
    return this.#anchor?.fault
  }

  /**
   * Appends an entry within the open transaction, or in a new one. Returns the sequence number,
   * starting at 1.
   */
  append(entry: AuditEntry): number {
    return this.#append([entry])
  }

  /** Appends several entries in one transaction, which is faster than one at a time. */
  appendAll(entries: readonly AuditEntry[]): number {
    return this.#append(entries)
  }

  /** Newest first. */
  list({ cursor, limit }: PageQuery): PageOf<AuditRow> {
    const before = readNumericCursor(cursor)
    const rows = this.#database.all(
      this.#newestFirst(limit + 1).$if(before !== undefined, (query) =>
        query.where('seq', '<', before ?? 0),
      ),
    )
    const { items, ...rest } = pageOf(rows, limit, (row) => row.seq)
    return { items: items.map((row) => rowOf(this.#database.seal, row)), ...rest }
  }

  /**
   * Finds matching entries below `before`, newest first. Examines at most `MAX_SCANNED_ENTRIES`
   * entries, which bounds the time of a search in a long log, so `items` may have fewer than `limit`
   * entries, or none, although there is a `next`.
   */
  search(
    filter: AuditFilter,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): AuditSlice {
    // Not taken from the head, which may be damaged.
    const newest = this.#head.newestEntry().count
    const lowest = Math.max(1, Math.min(before, newest + 1) - MAX_SCANNED_ENTRIES)
    const { actor, action, target, from, to } = filter
    const rows = this.#database.all(
      this.#newestFirst(limit + 1)
        .where('seq', '<', before)
        .where('seq', '>=', lowest)
        .$if(Boolean(actor), (query) => query.where(contains('actor', actor)))
        .$if(Boolean(action), (query) => query.where(contains('action', action)))
        .$if(Boolean(target), (query) => query.where(contains('target', target)))
        .$if(from !== undefined, (query) => query.where('at', '>=', from ?? ''))
        .$if(to !== undefined, (query) => query.where('at', '<', to ?? '')),
    )
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    const next = rows.length > limit && last ? last.seq : lowest > 1 ? lowest : undefined
    return { items: items.map((row) => rowOf(this.#database.seal, row)), next }
  }

  /** Entries with one of these targets, newest first. */
  of(targets: readonly string[], limit: number): AuditRow[] {
    return this.#database
      .all(this.#newestFirst(limit).where('target', 'in', targets))
      .map((row) => rowOf(this.#database.seal, row))
  }

  /** Entries with a sequence number above `seq`, up to and including `last`, oldest first. */
  after(seq: number, last: number, limit: number): ChainedRow[] {
    const query = this.#database.sql
      .selectFrom('auditEntries')
      .selectAll()
      .where('seq', '>', seq)
      .where('seq', '<=', last)
      .orderBy('seq')
      .limit(limit)
    return this.#database.all(query).map((row) => ({
      ...rowOf(this.#database.seal, row),
      sealedDetail: row.sealedDetail.toString('base64'),
      hash: row.hash.toString('hex'),
    }))
  }

  /**
   * Verifies the whole log. With a long log this blocks the thread for seconds; use `chain` to
   * avoid that.
   */
  verify(): AuditVerdict {
    const chain = this.chain()
    for (;;) {
      const verdict = chain.advance(MAX_SCANNED_ENTRIES)
      if (verdict) return verdict
    }
  }

  chain(): AuditChain {
    return new AuditChain(this.#database, this.#key, this.#head)
  }

  /**
   * Compares triggers, head and anchor with their expected state. Each difference is recorded as a
   * finding, and triggers are restored. Returns the new findings.
   */
  inspect(): readonly AuditFinding[] {
    const anchor = this.#anchor
    if (!this.#isCompared) this.#wasNew ||= this.#head.isNew()
    anchor?.retry()
    return this.#database.transaction(() => {
      const isFirst = !this.#isCompared
      const isExplained = isFirst && anchor?.isExplained
      const found = this.#findings(isFirst)
      for (const { finding, detail } of found)
        this.append({ actor: 'gateway', action: FINDING_ACTION, target: finding, detail })
      if (found.length > 0) this.#rewindCollector(this.#head.newestEntry().count - found.length)
      if (anchor?.state !== 'unreadable' && (isExplained || found.length > 0)) {
        const { count, hash } = this.#head.newestEntry()
        const end = { count, hash, keyedFrom: this.#endOf(this.#head.read()).keyedFrom }
        this.#database.afterCommit(() => this.#writeAnchor(end))
      }
      this.#database.afterCommit(() => {
        if (anchor?.state === 'unreadable') return
        this.#isCompared = true
        // Entries that were appended before the comparison.
        const { committed } = this.#head
        if (anchor && committed.count > anchor.anchor.count) anchor.note(committed)
      })
      return found.map(({ finding }) => finding)
    })
  }

  #newestFirst(limit: number) {
    return this.#database.sql
      .selectFrom('auditEntries')
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(limit)
  }

  /**
   * @param closing sequence number of the first keyed entry, if this entry closes an unkeyed chain
   */
  #append(entries: readonly AuditEntry[], closing?: number): number {
    const database = this.#database
    return database.transaction(() => {
      let head = this.#endOf(this.#head.read())
      for (const { actor, action, target, detail } of entries) {
        const seq = head.count + 1
        const plain = Buffer.from(JSON.stringify(detail))
        const sealedDetail = database.seal.seal(plain, detailContext(seq))
        const entry = { seq, at: instantOf(this.#clock()), actor, action, target, sealedDetail }
        const hash = keyedHashOf(this.#key, head.hash, entry)
        const row = { ...entry, hash: Buffer.from(hash, 'hex') }
        const { changes } = database.run(database.sql.insertInto('auditEntries').values(row))
        // For example a trigger created by someone else. Throwing rolls back the change, so that no
        // change goes unrecorded.
        if (changes !== 1) throw new Error('The audit trail did not take an entry')
        const keyedFrom = head.keyedFrom === undefined ? closing : head.keyedFrom
        head = { count: seq, hash, keyedFrom }
      }
      const end = head
      this.#head.write(end)
      database.afterCommit(() => {
        this.#head.committed = end
        // Until it has been compared, the anchor may be the only evidence of a rollback and must
        // not be overwritten.
        if (this.#isCompared) this.#anchor?.note(end)
      })
      database.notify('audit')
      return end.count
    })
  }

  /**
   * The end that the next entry follows. If the head was tampered with, the log continues after the
   * newest known entry, so that the gateway can keep recording; verification reveals the gap.
   */
  #endOf(head: StoredHead): Head {
    const newest = this.#head.newestEntry()
    if (typeof head === 'object' && head.count >= newest.count) return head
    const known = this.#head.known()
    const { count, hash } = newest.count >= known.count ? newest : known
    const unknownStart = this.#wasNew && count === 0 ? undefined : null
    const keyedFrom = typeof head === 'object' ? head.keyedFrom : (known.keyedFrom ?? unknownStart)
    return { count, hash, keyedFrom }
  }

  /**
   * The first entry of the uninterrupted run of keyed entries at the end of the log; the next
   * sequence number if the last entry is not keyed.
   */
  #firstKeyed(): number {
    const { sql: build } = this.#database
    for (let first = this.#head.newestEntry().count + 1; ; first -= 1) {
      const row = this.#database.get(
        build
          .selectFrom('auditEntries')
          .selectAll()
          .where('seq', '=', first - 1),
      )
      const before = first === 2 ? EMPTY_HEAD.hash : this.#head.hashAt(first - 2)
      if (!row || before === undefined) return first
      if (keyedHashOf(this.#key, before, row) !== row.hash.toString('hex')) return first
    }
  }

  /**
   * Switches the chain of an older version, or of a new database, to keyed entries. The anchor is
   * written first, so that a crash in between leaves no anchor that is ahead of the database.
   */
  #keyChain(head: StoredHead): void {
    this.#database.run(this.#database.sql.deleteFrom('auditUnkeyed'))
    // The row was written by something other than a migration.
    if (typeof head === 'object' && head.keyedFrom !== undefined) return
    if (this.#anchor?.state === 'missing')
      this.#anchor.write(typeof head === 'object' ? head : EMPTY_HEAD)
    const { count: entries, hash } = this.#head.newestEntry()
    if (head === 'missing' && entries === 0) {
      this.#head.write({ ...EMPTY_HEAD, keyedFrom: 1 })
      return
    }
    // The entries are verified later, in portions. This records what only the head shows, because
    // it is replaced now.
    const endsAsHead = typeof head === 'object' && head.count === entries && head.hash === hash
    const detail = { entries, hash, endsAsHead }
    const entry = { actor: 'gateway', action: 'audit.key', target: '', detail }
    this.#append([entry], typeof head === 'object' ? this.#firstKeyed() : undefined)
  }

  /** Compares the anchor with the database as it was opened. */
  #anchorFinding(head: StoredHead): NewFinding | undefined {
    const anchor = this.#anchor
    if (!anchor || anchor.isExplained || anchor.state === 'unreadable') return undefined
    const { count: entries } = this.#head.newestEntry()
    if (anchor.state === 'missing') {
      // A head that records the closed chain is encrypted and cannot be forged.
      const isUnkeyed =
        this.#head.isNew() ||
        (typeof head === 'object' && head.keyedFrom === undefined && this.#head.hasUnkeyedRow())
      return isUnkeyed ? undefined : { finding: 'anchor-missing', detail: { entries } }
    }
    if (anchor.state === 'changed') return { finding: 'anchor-changed', detail: { entries } }
    const { count, hash } = anchor.anchor
    if (count === 0 || this.#head.hashAt(count) === hash) return undefined
    const missing = Math.max(0, count - entries)
    const detail = { anchorSeq: count, anchorHash: hash, entries, missing }
    return { finding: missing > 0 ? 'older' : 'replaced', detail }
  }

  /** All findings except those about the entries themselves, which require verifying the chain. */
  #findings(isFirst: boolean): NewFinding[] {
    const found: NewFinding[] = []
    const head = this.#head.read()
    const fromAnchor = isFirst ? this.#anchorFinding(head) : undefined
    const headFault = typeof head === 'string' && !this.#head.isNew() ? head : undefined
    // Repaired first, because foreign triggers may prevent entries from being appended.
    const triggers = repairTriggers(this.#database)
    if (this.#head.hasUnkeyedRow()) this.#keyChain(head)
    if (headFault) found.push({ finding: `head-${headFault}`, detail: {} })
    if (triggers.length > 0) found.push({ finding: 'triggers', detail: { triggers } })
    const sendingQuery = this.#database.sql.selectFrom('auditSending').select('seq')
    const position = this.#database.get(sendingQuery)?.seq ?? 0
    const entries = this.#head.newestEntry().count
    if (position > entries) found.push({ finding: 'sending', detail: { position, entries } })
    return fromAnchor ? [...found, fromAnchor] : found
  }

  /** Writes the anchor. If the folder cannot be written to, the anchor lags until a later entry. */
  #writeAnchor(end: Head): void {
    try {
      this.#anchor?.write(end)
    } catch {
      this.#anchor?.note(end)
    }
  }

  /**
   * Moves the collector position back, so that entries appended under sequence numbers that were
   * already sent are sent too.
   */
  #rewindCollector(position: number): void {
    const { sql: build } = this.#database
    this.#database.run(
      build.updateTable('auditSending').set({ seq: position }).where('seq', '>', position),
    )
  }
}

const contains = (column: 'actor' | 'action' | 'target', text = '') =>
  sql<boolean>`instr(lower(${sql.ref(column)}), lower(${text})) > 0`
