import { setImmediate as nextTurn } from 'node:timers/promises'
import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { AuditCheck, AuditExport, AuditFilter, AuditRow } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import { type Actor, type DomainDeps, note } from './audit.ts'
import type { AnchorFault } from './audit-anchor.ts'
import {
  ACKNOWLEDGED,
  type AuditStore,
  type AuditVerdict,
  type ChainedRow,
} from './audit-queries.ts'

/** Entries at a time: a few milliseconds of work at most between two turns of the event loop. */
const AT_A_TIME = 100

const UNBROKEN = { finding: null, missing: 0, isRecorded: false } as const

/**
 * The audit trail as a whole: searched, verified and given out, without holding the event loop
 * however long it is.
 */
export interface AuditTrail {
  /**
   * Newest first, what the filter takes. @throws ApiError malformed: the cursor is not of this list
   */
  search(filter: AuditFilter, page: PageQuery): Promise<PageOf<AuditRow>>
  /**
   * Follows the chain from the first entry; one run serves all who ask while it is at work. Rejects
   * with the signal's reason.
   */
  verify(signal?: AbortSignal): Promise<AuditCheck>
  /** What the last whole run found; undefined before there was one. */
  readonly latest: AuditCheck | undefined
  /** The same for a person, who it was being kept. */
  verifyFor(actor: Actor): Promise<AuditCheck>
  /**
   * Acknowledges every finding recorded so far. @throws ApiError refused: there is none, or the
   * chain itself is broken
   */
  acknowledgeFor(actor: Actor, reason: string): Promise<AuditCheck>
  /**
   * Entries up to now, oldest first, a portion at a time; that they were given out is the last of
   * them.
   */
  exportFor(actor: Actor, what: AuditExport): AsyncGenerator<readonly ChainedRow[], void, void>
}

export function openAuditTrail(
  deps: DomainDeps & { readonly onChecked?: (check: AuditCheck) => void },
): AuditTrail {
  const { store, clock, onChecked = () => {} } = deps
  let running: Promise<AuditCheck> | undefined
  let latest: AuditCheck | undefined

  async function check(signal?: AbortSignal): Promise<AuditCheck> {
    const began = clock()
    // Where nothing can be written the chain is followed all the same.
    kept(() => void store.audit.inspect())
    const chain = store.audit.chain()
    const verdict = await followed(chain, signal)
    const entries = chain.entries
    const firstBadSeq = verdict.isIntact ? null : verdict.seq
    const { finding, missing, isRecorded } = verdict.isIntact ? UNBROKEN : verdict
    latest = {
      ...{ isIntact: verdict.isIntact, entries, firstBadSeq, finding, missing, isRecorded },
      ...{ at: instantOf(clock()), tookMs: Math.max(0, clock() - began) },
    }
    kept(() => noteClosed(verdict.isIntact, { firstBadSeq, entries }))
    onChecked(latest)
    return latest
  }

  /**
   * The chain of an older version was closed at the first start without following it, which takes
   * seconds of a long one. What its first verification found is an entry.
   */
  function noteClosed(
    isIntact: boolean,
    { firstBadSeq, entries }: Pick<AuditCheck, 'firstBadSeq' | 'entries'>,
  ): void {
    const newest = (action: string) =>
      store.audit.search(
        { actor: 'gateway', action },
        { before: Number.MAX_SAFE_INTEGER, limit: 1 },
      ).items[0]?.seq ?? 0
    if (newest('audit.key') <= newest('audit.verify')) return
    note(deps.store, 'gateway', 'audit.verify', '', { isIntact, firstBadSeq, entries })
  }

  function verify(signal?: AbortSignal): Promise<AuditCheck> {
    running ??= check(signal).finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async search(filter, { cursor, limit }) {
      let before = numberAfter(cursor) ?? Number.MAX_SAFE_INTEGER
      const items: AuditRow[] = []
      for (;;) {
        const part = store.audit.search(filter, { before, limit: limit + 1 - items.length })
        items.push(...part.items)
        if (items.length > limit || part.next === undefined)
          return pageOf(items, limit, ({ seq }) => seq)
        before = part.next
        await nextTurn()
      }
    },
    verify,
    get latest() {
      return latest
    },
    async verifyFor(actor) {
      const found = await verify()
      kept(() =>
        note(deps.store, actor, 'audit.verify', '', {
          isIntact: found.isIntact,
          firstBadSeq: found.firstBadSeq,
          entries: found.entries,
        }),
      )
      return found
    },
    async acknowledgeFor(actor, reason) {
      const { finding, firstBadSeq, isRecorded } = await verify()
      if (!isRecorded) throw new ApiError('refused', 'There is no recorded finding to acknowledge.')
      note(deps.store, actor, ACKNOWLEDGED, '', { finding, seq: firstBadSeq, reason })
      return verify()
    },
    async *exportFor(actor, { format, from, to }) {
      kept(() =>
        note(deps.store, actor, 'audit.export', '', { format, from: from ?? null, to: to ?? null }),
      )
      const last = store.audit.list({ limit: 1 }).items[0]?.seq ?? 0
      for (let seq = 0; seq < last; ) {
        const rows = store.audit.after(seq, last, AT_A_TIME)
        const end = rows.at(-1)
        if (!end) return
        seq = end.seq
        const wanted = rows.filter(
          ({ at }) => (from === undefined || at >= from) && (to === undefined || at < to),
        )
        if (wanted.length > 0) yield wanted
        await nextTurn()
      }
    },
  }
}

/** What is wrong, in one sentence; undefined where the trail is intact. */
export function auditFaultSentence({
  finding,
  firstBadSeq,
  missing,
}: Pick<AuditCheck, 'finding' | 'firstBadSeq' | 'missing'>): string | undefined {
  if (finding === null) return undefined
  if (finding === 'entry')
    return `The audit trail is broken at entry ${firstBadSeq}: the database was changed by something else than Isthmus.`
  if (finding === 'older' && missing > 0)
    return `The audit trail is older than its anchor by ${missing} entries: something else than Isthmus put an older database in place.`
  return `The audit trail was tampered with, see entry ${firstBadSeq}: something else than Isthmus changed the data folder.`
}

/** What keeps a rollback from being detected, in one sentence. */
export const anchorFaultSentence = (fault: AnchorFault): string =>
  fault === 'unreadable'
    ? 'The file audit-anchor.json of the data folder cannot be read.'
    : 'The file audit-anchor.json of the data folder cannot be written.'

/** Whether every entry is what was written, a portion at a time. */
export async function verifyAudit(audit: Pick<AuditStore, 'chain'>): Promise<AuditVerdict> {
  return followed(audit.chain())
}

async function followed(
  chain: ReturnType<AuditStore['chain']>,
  signal?: AbortSignal,
): Promise<AuditVerdict> {
  for (;;) {
    signal?.throwIfAborted()
    const verdict = chain.follow(AT_A_TIME)
    if (verdict) return verdict
    await nextTurn()
  }
}

/**
 * A trail that is broken so that nothing can be appended must still be looked at and saved: it is
 * the evidence.
 */
function kept(append: () => void): void {
  try {
    append()
  } catch {}
}
