import { createHash } from 'node:crypto'
import type { AuditRow } from '#shared/contract/dashboard.ts'
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

/**
 * The append-only audit trail. Each entry carries the SHA-256 of the entry before and of its own row as stored; how many there are and
 * the last hash are kept under the seal, so that a shortened or rewritten trail shows too.
 */
export interface AuditStore {
  /** Appends within the open transaction, or one of its own; returns the sequence number, from 1. */
  append(entry: AuditEntry): number
  /** Newest first. */
  list(page: PageQuery): PageOf<AuditRow>
  verify(): AuditVerdict
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
      return {
        items: items.map(({ hash: _, sealedDetail, ...entry }) => ({ ...entry, detail: detailOf(seal, entry.seq, sealedDetail) })),
        ...rest,
      }
    },

    verify() {
      let count = 0
      let hash = NOTHING.hash
      for (const row of db.each(db.sql.selectFrom('auditEntries').selectAll().orderBy('seq'))) {
        hash = hashOf(hash, row)
        if (row.seq !== count + 1 || row.hash.toString('hex') !== hash) return { isIntact: false, seq: count + 1 }
        count += 1
      }
      let kept: Head
      try {
        kept = head()
      } catch {
        return { isIntact: false, seq: count }
      }
      if (kept.count === count && kept.hash === hash) return { isIntact: true, entries: count }
      return { isIntact: false, seq: kept.count > count ? count + 1 : Math.max(1, Math.min(kept.count, count)) }
    },
  }
}

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
