import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { AuditFilter, AuditRow } from '#shared/contract/dashboard.ts'
import { type Clock, instantOf } from './clock.ts'
import type { Database } from './database.ts'
import { numberAfter, type PageOf, type PageQuery, pageOf } from './page.ts'
import type { Seal } from './seal.ts'

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

/** `seq` is the first entry that is not what was written: changed, missing or out of order. */
export type AuditVerdict = { readonly isIntact: true; readonly entries: number } | { readonly isIntact: false; readonly seq: number }

/** Entries of a part of the trail; `next` is the sequence number below which the rest lies, undefined where nothing is left. */
export interface AuditPart {
  readonly items: readonly AuditRow[]
  readonly next: number | undefined
}

/** An entry with what the chain is of: its detail as it is stored (base64), and its hash (hex). */
export type ChainedRow = AuditRow & { readonly sealedDetail: string; readonly hash: string }

/** The trail on its way to be verified. */
export interface AuditChain {
  /** Follows at most `count` entries on; the verdict once there is one. Entries that are appended meanwhile are followed too. */
  follow(count: number): AuditVerdict | undefined
  /** Entries followed so far, all of them as they were written. */
  readonly entries: number
}

/**
 * The append-only audit trail. Each entry carries the SHA-256 of the entry before and of its own row as stored; how many there are and
 * the last hash are kept under the seal, so that a shortened or rewritten trail shows too.
 */
export interface AuditStore {
  /** Appends within the open transaction, or one of its own; returns the sequence number, from 1. */
  append(entry: AuditEntry): number
  /** Newest first. */
  list(page: PageQuery): PageOf<AuditRow>
  /**
   * Entries that the filter takes, newest first, of the newest ones below `before`. Looks at no more than `SCANNED` entries, so that nobody
   * waits for a search in a million: `items` may be fewer than `limit`, or none, while there is a `next`.
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
}

interface Head {
  readonly count: number
  readonly hash: string
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
const NOTHING: Head = { count: 0, hash: '0'.repeat(64) }

export function auditStore(db: Database, seal: Seal, clock: Clock): AuditStore {
  function head(): Head {
    const row = db.get(db.sql.selectFrom('auditHead').select('sealed'))
    return row ? JSON.parse(seal.open(row.sealed, 'audit head').toString()) : NOTHING
  }

  return {
    append: ({ actor, action, target, detail }) =>
      db.transaction(() => {
        const last = head()
        const seq = last.count + 1
        const sealedDetail = seal.seal(Buffer.from(JSON.stringify(detail)), detailContext(seq))
        const entry = { seq, at: instantOf(clock()), actor, action, target, sealedDetail }
        const hash = hashOf(last.hash, entry)
        db.run(db.sql.insertInto('auditEntries').values({ ...entry, hash: Buffer.from(hash, 'hex') }))
        const sealed = seal.seal(Buffer.from(JSON.stringify({ count: seq, hash } satisfies Head)), 'audit head')
        db.run(
          db.sql
            .insertInto('auditHead')
            .values({ id: 1, sealed })
            .onConflict((old) => old.column('id').doUpdateSet({ sealed })),
        )
        return seq
      }),

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
      const newest = db.get(db.sql.selectFrom('auditEntries').select('seq').orderBy('seq', 'desc').limit(1))?.seq ?? 0
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
        .all(db.sql.selectFrom('auditEntries').selectAll().where('target', 'in', targets).orderBy('seq', 'desc').limit(limit))
        .map((row) => rowOf(seal, row)),

    after: (seq, last, limit) =>
      db
        .all(db.sql.selectFrom('auditEntries').selectAll().where('seq', '>', seq).where('seq', '<=', last).orderBy('seq').limit(limit))
        .map((row) => ({ ...rowOf(seal, row), sealedDetail: row.sealedDetail.toString('base64'), hash: row.hash.toString('hex') })),

    verify() {
      const following = chain()
      for (;;) {
        const verdict = following.follow(SCANNED)
        if (verdict) return verdict
      }
    },
    chain,
  }

  function chain(): AuditChain {
    let count = 0
    let { hash } = NOTHING
    return {
      get entries() {
        return count
      },
      follow(most) {
        const rows = db.all(db.sql.selectFrom('auditEntries').selectAll().where('seq', '>', count).orderBy('seq').limit(most))
        for (const row of rows) {
          hash = hashOf(hash, row)
          if (row.seq !== count + 1 || row.hash.toString('hex') !== hash) return { isIntact: false, seq: count + 1 }
          count += 1
        }
        // Nothing is appended between the last entry and its comparison with the head: both are of the same turn.
        return rows.length === most ? undefined : endOf(count, hash)
      },
    }
  }

  function endOf(count: number, hash: string): AuditVerdict {
    let kept: Head
    try {
      kept = head()
    } catch {
      return { isIntact: false, seq: count }
    }
    if (kept.count === count && kept.hash === hash) return { isIntact: true, entries: count }
    return { isIntact: false, seq: kept.count > count ? count + 1 : Math.max(1, Math.min(kept.count, count)) }
  }
}

const contains = (column: 'actor' | 'action' | 'target', text = '') => sql<boolean>`instr(lower(${sql.ref(column)}), lower(${text})) > 0`

const rowOf = (seal: Seal, { seq, at, actor, action, target, sealedDetail }: StoredEntry): AuditRow => ({
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

/** Over the row as stored, so that the chain can be followed without the data key and gives nothing of the detail away. */
function hashOf(previous: string, entry: StoredEntry): string {
  const canonical = [entry.seq, entry.at, entry.actor, entry.action, entry.target, entry.sealedDetail.toString('base64')]
  return createHash('sha256').update(previous).update(JSON.stringify(canonical)).digest('hex')
}
