import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { AnchorFault } from '#server/audit-log/audit-anchor.ts'
import type { AuditVerdict } from '#server/audit-log/audit-chain.ts'
import { ACKNOWLEDGE_ACTION } from '#server/audit-log/audit-entry.ts'
import type { AuditStore, ChainedRow } from '#server/audit-log/audit-queries.ts'
import type { Context } from '#server/context.ts'
import { type PageOf, type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { AuditCheck, AuditExport, AuditFilter, AuditRow } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** Entries per batch: at most a few milliseconds of work between two turns of the event loop. */
const BATCH_SIZE = 100

const INTACT = { finding: null, missing: 0, isRecorded: false } as const

/**
 * Searches, verifies and exports the audit trail without blocking the event loop, however long the
 * trail is.
 */
export class AuditTrail {
  readonly #context: Context
  readonly #onChecked: (check: AuditCheck) => void
  #running: Promise<AuditCheck> | undefined
  #latest: AuditCheck | undefined

  constructor(context: Context, onChecked: (check: AuditCheck) => void = () => {}) {
    this.#context = context
    this.#onChecked = onChecked
  }

  /** Result of the last complete verification; `undefined` before the first one. */
  get latest(): AuditCheck | undefined {
    return this.#latest
  }

  /**
   * Entries that match the filter, newest first.
   * @throws ApiError malformed if the cursor does not belong to this list
   */
  async search(filter: AuditFilter, { cursor, limit }: PageQuery): Promise<PageOf<AuditRow>> {
    let before = readNumericCursor(cursor) ?? Number.MAX_SAFE_INTEGER
    const items: AuditRow[] = []
    for (;;) {
      const part = this.#context.audit.search(filter, { before, limit: limit + 1 - items.length })
      items.push(...part.items)
      if (items.length > limit || part.next === undefined)
        return pageOf(items, limit, ({ seq }) => seq)
      before = part.next
      await nextTurn()
    }
  }

  /**
   * Verifies the chain from its first entry. Concurrent callers share one run. Rejects with the
   * signal's reason if it is aborted.
   */
  verify(signal?: AbortSignal): Promise<AuditCheck> {
    this.#running ??= this.#check(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Verifies the chain and records which user requested it. */
  async verifyFor(actor: Actor): Promise<AuditCheck> {
    const found = await this.verify()
    const { isIntact, firstBadSeq, entries } = found
    ignoreFailure(() =>
      note(this.#context, actor, 'audit.verify', '', { isIntact, firstBadSeq, entries }),
    )
    return found
  }

  /**
   * Acknowledges every finding recorded so far.
   * @throws ApiError refused if there is no finding, or if the chain itself is broken
   */
  async acknowledgeFor(actor: Actor, reason: string): Promise<AuditCheck> {
    const { finding, firstBadSeq, isRecorded } = await this.verify()
    if (!isRecorded) throw new ApiError('refused', message('audit.no-finding'))
    note(this.#context, actor, ACKNOWLEDGE_ACTION, '', { finding, seq: firstBadSeq, reason })
    return this.verify()
  }

  /** Yields the entries up to now in batches, oldest first. The last of them records the export. */
  async *exportFor(
    actor: Actor,
    { format, from, to }: AuditExport,
  ): AsyncGenerator<readonly ChainedRow[], void, void> {
    const { audit } = this.#context
    ignoreFailure(() =>
      note({ audit }, actor, 'audit.export', '', { format, from: from ?? null, to: to ?? null }),
    )
    const last = audit.list({ limit: 1 }).items[0]?.seq ?? 0
    for (let seq = 0; seq < last; ) {
      const rows = audit.after(seq, last, BATCH_SIZE)
      const end = rows.at(-1)
      if (!end) return
      seq = end.seq
      const matching = rows.filter(
        ({ at }) => (from === undefined || at >= from) && (to === undefined || at < to),
      )
      if (matching.length > 0) yield matching
      await nextTurn()
    }
  }

  async #check(signal?: AbortSignal): Promise<AuditCheck> {
    const { audit, clock } = this.#context
    const startedAt = clock()
    // The chain is verified even if no finding can be recorded.
    ignoreFailure(() => void audit.inspect())
    const chain = audit.chain()
    const verdict = await verifyToEnd(chain, signal)
    const entries = chain.entries
    const firstBadSeq = verdict.isIntact ? null : verdict.seq
    const { finding, missing, isRecorded } = verdict.isIntact ? INTACT : verdict
    this.#latest = {
      ...{ isIntact: verdict.isIntact, entries, firstBadSeq, finding, missing, isRecorded },
      ...{ at: instantOf(clock()), tookMs: Math.max(0, clock() - startedAt) },
    }
    const { latest } = this
    ignoreFailure(() => latest && this.#recordFirstCheck(latest))
    this.#onChecked(this.#latest)
    return this.#latest
  }

  /**
   * An upgrade from an older version seals the existing chain at the first start without verifying
   * it, because a long chain takes seconds. The result of the first verification afterwards is
   * recorded.
   */
  #recordFirstCheck({ isIntact, firstBadSeq, entries }: AuditCheck): void {
    const newest = (action: string) =>
      this.#context.audit.search(
        { actor: 'gateway', action },
        { before: Number.MAX_SAFE_INTEGER, limit: 1 },
      ).items[0]?.seq ?? 0
    if (newest('audit.key') <= newest('audit.verify')) return
    note(this.#context, 'gateway', 'audit.verify', '', { isIntact, firstBadSeq, entries })
  }
}

/** Describes the finding in one sentence; `undefined` if the trail is intact. */
export function auditFaultSentence({
  finding,
  firstBadSeq,
  missing,
}: Pick<AuditCheck, 'finding' | 'firstBadSeq' | 'missing'>): Message | undefined {
  if (finding === null) return undefined
  const entry = firstBadSeq ?? 0
  if (finding === 'entry') return message('audit.broken', { entry })
  if (finding === 'older' && missing > 0) return message('audit.older', { missing })
  return message('audit.tampered', { entry })
}

/** Describes, in one sentence, why a rollback cannot be detected. */
export const anchorFaultSentence = (fault: AnchorFault): Message =>
  message(fault === 'unreadable' ? 'audit.anchor-unreadable' : 'audit.anchor-unwritable')

/** Verifies every entry of the chain, in batches. */
export async function verifyAudit(audit: Pick<AuditStore, 'chain'>): Promise<AuditVerdict> {
  return verifyToEnd(audit.chain())
}

async function verifyToEnd(
  chain: ReturnType<AuditStore['chain']>,
  signal?: AbortSignal,
): Promise<AuditVerdict> {
  for (;;) {
    signal?.throwIfAborted()
    const verdict = chain.advance(BATCH_SIZE)
    if (verdict) return verdict
    await nextTurn()
  }
}

/**
 * Runs `append` and ignores its failure. When the chain is broken so badly that nothing can be
 * appended, it must still be possible to view and export it: it is evidence.
 */
function ignoreFailure(append: () => void): void {
  try {
    append()
  } catch {}
}
