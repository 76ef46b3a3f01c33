import { createHash, createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { AuditFilter, AuditFinding, AuditRow } from '#shared/contract/dashboard.ts'
import type { AnchorFault, AnchorKeeper } from './audit-anchor.ts'
import { repairTriggers } from './audit-triggers.ts'

export type AuditDetail = AuditRow['detail']

export interface AuditEntry {
  /** Who, e.g. `user:usr_…`, `gateway`. */
  readonly actor: string
  /** What was done, e.g. `device.add`. */
  readonly action: string
  /** To what, by id. */
  readonly target: string
  /** Any JSON; sealed at rest. */
  readonly detail: AuditDetail
}

/** What is wrong with the trail. */
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

/** The action of the entry that records a finding; its target is the kind of finding. */
export const FINDING = 'audit.finding'
/** The action of the entry by which a person acknowledges all findings before it. */
export const ACKNOWLEDGED = 'audit.acknowledge'

/**
 * Entries of a part of the trail; `next` is the sequence number below which the rest lies,
 * undefined where nothing is left.
 */
export interface AuditPart {
  readonly items: readonly AuditRow[]
  readonly next: number | undefined
}

/** An entry with what the chain is of: its detail as it is stored (base64), and its hash (hex). */
export type ChainedRow = AuditRow & { readonly sealedDetail: string; readonly hash: string }

/** The trail on its way to be verified. */
export interface AuditChain {
  /**
   * Follows at most `count` entries on; the verdict once there is one. Entries that are appended
   * meanwhile are followed too.
   */
  follow(count: number): AuditVerdict | undefined
  /** Entries followed so far, all of them as they were written. */
  readonly entries: number
}

/**
 * The append-only audit trail. Each entry carries the HMAC of the entry before and of its own row
 * as stored, under a key derived from the data key; entries of versions before that carry a plain
 * SHA-256, up to the first keyed one. How many entries there are and the last hash are kept under
 * the seal (the head), and once more outside the database (`audit-anchor`), so that a shortened, a
 * rewritten and an older trail are detected. See decision 0034.
 */
export interface AuditStore {
  /**
   * Appends within the open transaction, or one of its own; returns the sequence number, from 1.
   */
  append(entry: AuditEntry): number
  /** The same for several at once, which takes less than one by one. */
  appendAll(entries: readonly AuditEntry[]): number
  /** Newest first. */
  list(page: PageQuery): PageOf<AuditRow>
  /**
   * Entries that the filter takes, newest first, of the newest ones below `before`. Looks at no
   * more than `SCANNED` entries, so that nobody waits for a search in a million: `items` may be
   * fewer than `limit`, or none, while there is a `next`.
   */
  search(filter: AuditFilter, part: { readonly before: number; readonly limit: number }): AuditPart
  /** Of any of these targets, newest first. */
  of(targets: readonly string[], limit: number): AuditRow[]
  /** Entries after the one of this number up to `last`, oldest first. */
  after(seq: number, last: number, limit: number): ChainedRow[]
  /** Of a long trail it holds the thread for seconds; `chain` does not. */
  verify(): AuditVerdict
  /** From the first entry on. */
  chain(): AuditChain
  /**
   * Compares triggers, head and anchor with what they should be. What is not is recorded in the
   * trail as a finding; triggers are restored. Returns what was found now.
   */
  inspect(): readonly AuditFinding[]
  /** What is wrong with the anchor; where it cannot be read it was not compared yet. */
  readonly anchorFault: AnchorFault | undefined
}

/** What the chain ends in. */
interface Head {
  readonly count: number
  readonly hash: string
  /**
   * The first keyed entry. Undefined until the chain of a version without keyed entries, or of a
   * new database, was closed (`keyChain`); null where it is unknown, since a head was lost.
   */
  readonly keyedFrom?: number | null | undefined
}
interface Found {
  readonly finding: AuditFinding
  readonly detail: AuditDetail
}
interface StoredEntry {
  readonly seq: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly sealedDetail: Buffer
}

const SCANNED = 10_000
const NOTHING = { count: 0, hash: '0'.repeat(64) } as const satisfies Head

/** @param anchor of the data folder; undefined for a copy of a database, which has none */
export function auditStore(
  db: Database,
  seal: Seal,
  clock: Clock,
  anchor: AnchorKeeper | undefined,
): AuditStore {
  const key = seal.keyFor('audit chain')
  /** The newest entry that this process committed. */
  let committed: Head = NOTHING
  /** Whether the anchor was compared with the database, which is done as it is opened. */
  let isCompared = false
  /** Whether the database was new when this process opened it. */
  let wasNew = false

  function readHead(): Head | 'missing' | 'unreadable' {
    const row = db.get(db.sql.selectFrom('auditHead').select('sealed'))
    if (!row) return 'missing'
    try {
      return JSON.parse(seal.open(row.sealed, 'audit head').toString()) as Head
    } catch {
      return 'unreadable'
    }
  }

  const entryAt = (seq: number) =>
    db
      .get(db.sql.selectFrom('auditEntries').select('hash').where('seq', '=', seq))
      ?.hash.toString('hex')

  function newestEntry(): Head {
    const row = db.get(
      db.sql.selectFrom('auditEntries').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1),
    )
    return row ? { count: row.seq, hash: row.hash.toString('hex') } : NOTHING
  }

  /** The newest entry known outside the database. */
  function known(): Head {
    const kept = anchor?.anchor ?? NOTHING
    return kept.count > committed.count ? kept : committed
  }

  /**
   * What the next entry follows. A trail whose head was tampered with goes on after the newest
   * entry that is known, so that the gateway can go on recording; verifying it shows the gap.
   */
  function lastOf(head: ReturnType<typeof readHead>): Head {
    const newest = newestEntry()
    if (typeof head === 'object' && head.count >= newest.count) return head
    const { count, hash } = newest.count >= known().count ? newest : known()
    const lost = wasNew && count === 0 ? undefined : null
    return {
      count,
      hash,
      keyedFrom: typeof head === 'object' ? head.keyedFrom : (known().keyedFrom ?? lost),
    }
  }

  function writeHead(head: Head): void {
    const sealed = seal.seal(Buffer.from(JSON.stringify(head)), 'audit head')
    db.run(
      db.sql
        .insertInto('auditHead')
        .values({ id: 1, sealed })
        .onConflict((old) => old.column('id').doUpdateSet({ sealed })),
    )
  }

  /** @param closing the first keyed entry, where this entry closes the chain before it */
  function appendAll(entries: readonly AuditEntry[], closing?: number): number {
    return db.transaction(() => {
      let head = lastOf(readHead())
      for (const { actor, action, target, detail } of entries) {
        const seq = head.count + 1
        const sealedDetail = seal.seal(Buffer.from(JSON.stringify(detail)), detailContext(seq))
        const entry = { seq, at: instantOf(clock()), actor, action, target, sealedDetail }
        const hash = keyedHashOf(key, head.hash, entry)
        const { changes } = db.run(
          db.sql.insertInto('auditEntries').values({ ...entry, hash: Buffer.from(hash, 'hex') }),
        )
        // Such as by a trigger of somebody else: what is done has its entry, or is not done.
        if (changes !== 1) throw new Error('The audit trail did not take an entry')
        head = {
          count: seq,
          hash,
          keyedFrom: head.keyedFrom === undefined ? closing : head.keyedFrom,
        }
      }
      const end = head
      writeHead(end)
      db.afterCommit(() => {
        committed = end
        // An anchor that was not compared yet may be what shows a rollback.
        if (isCompared) anchor?.note(end)
      })
      db.notify('audit')
      return end.count
    })
  }
  const append = (entry: AuditEntry, closing?: number) => appendAll([entry], closing)

  /** Not sealed: on its own it says nothing, as anybody with SQL can write it. */
  const hasUnkeyedRow = () => db.get(db.sql.selectFrom('auditUnkeyed').select('id')) !== undefined
  /** Whether nothing was written yet. Somebody who uses the gateway is in `users`. */
  const isNew = () =>
    readHead() === 'missing' &&
    newestEntry().count === 0 &&
    hasUnkeyedRow() &&
    db.get(db.sql.selectFrom('users').select('userId').limit(1)) === undefined
  /** Whether the chain was not closed yet: a head that says otherwise cannot be forged. */
  const isUnkeyed = (head: ReturnType<typeof readHead>) =>
    isNew() || (typeof head === 'object' && head.keyedFrom === undefined && hasUnkeyedRow())

  /**
   * The first of the keyed entries that the trail ends in, which is the next where it ends in none.
   */
  function firstKeyed(): number {
    for (let first = newestEntry().count + 1; ; first -= 1) {
      const row = db.get(
        db.sql
          .selectFrom('auditEntries')
          .selectAll()
          .where('seq', '=', first - 1),
      )
      const before = first === 2 ? NOTHING.hash : entryAt(first - 2)
      if (!row || before === undefined) return first
      if (keyedHashOf(key, before, row) !== row.hash.toString('hex')) return first
    }
  }

  /**
   * Brings the chain of an older version, or a new database, to keyed entries. The anchor is
   * written before: a crash in between leaves an anchor that the database is not behind.
   */
  function keyChain(head: ReturnType<typeof readHead>): void {
    db.run(db.sql.deleteFrom('auditUnkeyed'))
    // The row was written by something else.
    if (typeof head === 'object' && head.keyedFrom !== undefined) return
    if (anchor && anchor.state === 'missing')
      anchor.write(typeof head === 'object' ? head : NOTHING)
    const { count: entries, hash } = newestEntry()
    if (head === 'missing' && entries === 0) {
      writeHead({ ...NOTHING, keyedFrom: 1 })
      return
    }
    // The entries are followed later, in portions. What only the head shows, which is replaced now:
    const endsAsHead = typeof head === 'object' && head.count === entries && head.hash === hash
    const entry = {
      actor: 'gateway',
      action: 'audit.key',
      target: '',
      detail: { entries, hash, endsAsHead },
    }
    append(entry, typeof head === 'object' ? firstKeyed() : undefined)
  }

  /** What the anchor says of the database as it was opened. */
  function anchorFinding(head: ReturnType<typeof readHead>): Found | undefined {
    if (!anchor || anchor.isExplained || anchor.state === 'unreadable') return undefined
    const { count: entries } = newestEntry()
    if (anchor.state === 'missing')
      return isUnkeyed(head) ? undefined : { finding: 'anchor-missing', detail: { entries } }
    if (anchor.state === 'changed') return { finding: 'anchor-changed', detail: { entries } }
    const { count, hash } = anchor.anchor
    if (count === 0 || entryAt(count) === hash) return undefined
    const missing = Math.max(0, count - entries)
    const detail = { anchorSeq: count, anchorHash: hash, entries, missing }
    return { finding: missing > 0 ? 'older' : 'replaced', detail }
  }

  /** Everything but the entries themselves, which only following the chain shows. */
  function findings(isFirst: boolean): Found[] {
    const found: Found[] = []
    const head = readHead()
    const fromAnchor = isFirst ? anchorFinding(head) : undefined
    const lost = typeof head === 'string' && !isNew() ? head : undefined
    // Before anything is appended, which they may keep from the trail.
    const triggers = repairTriggers(db)
    if (hasUnkeyedRow()) keyChain(head)
    if (lost) found.push({ finding: `head-${lost}`, detail: {} })
    if (triggers.length > 0) found.push({ finding: 'triggers', detail: { triggers } })
    const position = db.get(db.sql.selectFrom('auditSending').select('seq'))?.seq ?? 0
    const entries = newestEntry().count
    if (position > entries) found.push({ finding: 'sending', detail: { position, entries } })
    return fromAnchor ? [...found, fromAnchor] : found
  }

  function inspect(): AuditFinding[] {
    if (!isCompared) wasNew ||= isNew()
    anchor?.retry()
    return db.transaction(() => {
      const isFirst = !isCompared
      const isExplained = isFirst && anchor?.isExplained
      const found = findings(isFirst)
      for (const { finding, detail } of found)
        append({ actor: 'gateway', action: FINDING, target: finding, detail })
      if (found.length > 0) rewindSending(newestEntry().count - found.length)
      if (anchor?.state !== 'unreadable' && (isExplained || found.length > 0)) {
        const { count, hash } = newestEntry()
        const end = { count, hash, keyedFrom: lastOf(readHead()).keyedFrom }
        db.afterCommit(() => writeAnchor(end))
      }
      db.afterCommit(() => {
        if (anchor?.state === 'unreadable') return
        isCompared = true
        // What was appended before it was compared.
        if (anchor && committed.count > anchor.anchor.count) anchor.note(committed)
      })
      return found.map(({ finding }) => finding)
    })
  }

  /** Where the folder takes no file now, the anchor lags until a later entry. */
  function writeAnchor(end: Head): void {
    try {
      anchor?.write(end)
    } catch {
      anchor?.note(end)
    }
  }

  /** What was appended again under a number that was sent before is sent too. */
  function rewindSending(position: number): void {
    db.run(db.sql.updateTable('auditSending').set({ seq: position }).where('seq', '>', position))
  }

  return {
    append: (entry) => append(entry),
    appendAll: (entries) => appendAll(entries),
    inspect,
    get anchorFault() {
      return anchor?.fault
    },

    list({ cursor, limit }) {
      const before = numberAfter(cursor)
      const rows = db.all(
        db.sql
          .selectFrom('auditEntries')
          .selectAll()
          .$if(before !== undefined, (query) => query.where('seq', '<', before ?? 0))
          .orderBy('seq', 'desc')
          .limit(limit + 1),
      )
      const { items, ...rest } = pageOf(rows, limit, (row) => row.seq)
      return { items: items.map((row) => rowOf(seal, row)), ...rest }
    },

    search(filter, { before, limit }) {
      // Not by the head, which may be what is broken.
      const newest =
        db.get(db.sql.selectFrom('auditEntries').select('seq').orderBy('seq', 'desc').limit(1))
          ?.seq ?? 0
      const lowest = Math.max(1, Math.min(before, newest + 1) - SCANNED)
      const { actor, action, target, from, to } = filter
      const rows = db.all(
        db.sql
          .selectFrom('auditEntries')
          .selectAll()
          .where('seq', '<', before)
          .where('seq', '>=', lowest)
          .$if(Boolean(actor), (query) => query.where(contains('actor', actor)))
          .$if(Boolean(action), (query) => query.where(contains('action', action)))
          .$if(Boolean(target), (query) => query.where(contains('target', target)))
          .$if(from !== undefined, (query) => query.where('at', '>=', from ?? ''))
          .$if(to !== undefined, (query) => query.where('at', '<', to ?? ''))
          .orderBy('seq', 'desc')
          .limit(limit + 1),
      )
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const next = rows.length > limit && last ? last.seq : lowest > 1 ? lowest : undefined
      return { items: items.map((row) => rowOf(seal, row)), next }
    },

    of: (targets, limit) =>
      db
        .all(
          db.sql
            .selectFrom('auditEntries')
            .selectAll()
            .where('target', 'in', targets)
            .orderBy('seq', 'desc')
            .limit(limit),
        )
        .map((row) => rowOf(seal, row)),

    after: (seq, last, limit) =>
      db
        .all(
          db.sql
            .selectFrom('auditEntries')
            .selectAll()
            .where('seq', '>', seq)
            .where('seq', '<=', last)
            .orderBy('seq')
            .limit(limit),
        )
        .map((row) => ({
          ...rowOf(seal, row),
          sealedDetail: row.sealedDetail.toString('base64'),
          hash: row.hash.toString('hex'),
        })),

    verify,
    chain,
  }

  function verify(): AuditVerdict {
    const following = chain()
    for (;;) {
      const verdict = following.follow(SCANNED)
      if (verdict) return verdict
    }
  }

  function chain(): AuditChain {
    let count = 0
    let { hash }: Head = NOTHING
    let keyedFrom: number | undefined
    /** Recorded findings that nobody acknowledged. */
    let recorded: AuditFault[] = []
    /** Where the entry that is known outside the database has another hash. */
    let replacedAt: number | undefined

    function hashAfter(row: StoredEntry & { readonly hash: Buffer }): string | undefined {
      const stored = row.hash.toString('hex')
      if (keyedFrom === undefined && hashOf(hash, row) === stored) return stored
      if (keyedHashOf(key, hash, row) !== stored) return undefined
      keyedFrom ??= row.seq
      return stored
    }

    function noteFinding({ seq, action, target }: StoredEntry): void {
      if (action === ACKNOWLEDGED) recorded = []
      else if (action === FINDING) {
        const finding = target as AuditFinding
        recorded.push({ ...fault(seq, finding), isRecorded: true })
      }
    }

    const recordedAt = (entries: number): AuditVerdict =>
      recorded[0] ? { ...recorded[0], entries } : { isIntact: true, entries }

    return {
      get entries() {
        return count
      },
      follow(most) {
        const outside = known()
        const rows = db.all(
          db.sql
            .selectFrom('auditEntries')
            .selectAll()
            .where('seq', '>', count)
            .orderBy('seq')
            .limit(most),
        )
        for (const row of rows) {
          const next = hashAfter(row)
          if (row.seq !== count + 1 || next === undefined) return fault(count + 1, 'entry')
          hash = next
          count += 1
          if (count === outside.count && hash !== outside.hash) replacedAt ??= count
          if (keyedFrom !== undefined) noteFinding(row)
        }
        // Nothing is appended between the last entry and its comparison with the head: both are of
        // the same turn.
        if (rows.length === most) return undefined
        return endOf(count, hash, keyedFrom, replacedAt) ?? recordedAt(count)
      },
    }
  }

  /**
   * What the end of the chain is not: what the head says, and what is known outside the database.
   */
  function endOf(
    count: number,
    hash: string,
    keyedFrom: number | undefined,
    replacedAt: number | undefined,
  ): AuditFault | undefined {
    const head = readHead()
    const missing = Math.max(0, known().count - count)
    if (head === 'missing') {
      // A database of a version before the head had to be there has neither head nor entries.
      if (missing === 0 && isNew()) return undefined
      return fault(1, 'head-missing', missing)
    }
    if (head === 'unreadable') return fault(count, 'head-unreadable', missing)
    if (head.count > count) return fault(count + 1, 'entry', Math.max(missing, head.count - count))
    const isSame = head.count === count && head.hash === hash
    if (!isSame) return fault(Math.max(1, Math.min(head.count, count)), 'entry', missing)
    if (missing > 0) return fault(count + 1, 'older', missing)
    if (replacedAt !== undefined) return fault(replacedAt, 'replaced')
    const isKeyed =
      typeof head.keyedFrom !== 'number' || head.keyedFrom === (keyedFrom ?? count + 1)
    return isKeyed ? undefined : fault(keyedFrom ?? Math.max(1, count), 'entry')
  }
}

const fault = (seq: number, finding: AuditFinding, missing = 0): AuditFault => ({
  ...{ isIntact: false, seq, finding, missing, isRecorded: false, entries: seq },
})

const contains = (column: 'actor' | 'action' | 'target', text = '') =>
  sql<boolean>`instr(lower(${sql.ref(column)}), lower(${text})) > 0`

const rowOf = (
  seal: Seal,
  { seq, at, actor, action, target, sealedDetail }: StoredEntry,
): AuditRow => ({
  ...{ seq, at, actor, action, target },
  detail: detailOf(seal, seq, sealedDetail),
})

const detailContext = (seq: number) => `audit detail ${seq}`

function detailOf(seal: Seal, seq: number, sealed: Buffer): AuditDetail {
  try {
    return JSON.parse(seal.open(sealed, detailContext(seq)).toString())
  } catch {
    // The rest of the trail stays readable; `verify` says where it breaks.
    return { unreadable: true }
  }
}

const canonical = (
  previous: string,
  { seq, at, actor, action, target, sealedDetail }: StoredEntry,
): string =>
  previous + JSON.stringify([seq, at, actor, action, target, sealedDetail.toString('base64')])

/** Of entries of versions that did not key them. */
const hashOf = (previous: string, entry: StoredEntry): string =>
  createHash('sha256').update(canonical(previous, entry)).digest('hex')

/** Over the row as stored: following the chain opens no detail. */
const keyedHashOf = (key: Buffer, previous: string, entry: StoredEntry): string =>
  createHmac('sha256', key).update(canonical(previous, entry)).digest('hex')
