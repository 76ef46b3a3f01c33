import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { AnchorFault } from '#server/audit-log/audit-anchor.ts'
import type { AuditVerdict } from '#server/audit-log/audit-chain.ts'
import { ACKNOWLEDGE_ACTION } from '#server/audit-log/audit-entry.ts'
import type { AuditStore, ChainedRow } from '#server/audit-log/audit-queries.ts'
import type { Context } from '#server/context.ts'
import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { AuditCheck, AuditExport, AuditFilter, AuditRow } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** Entries at a time: a few milliseconds of work at most between two turns of the event loop. */
const AT_A_TIME = 100

const UNBROKEN = { finding: null, missing: 0, isRecorded: false } as const

/**
 * The audit log as a whole: searched, verified and exported, without holding the event loop however
 * long it is.
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

  /** What the last whole run found; undefined before there was one. */
  get latest(): AuditCheck | undefined {
    return this.#latest
  }

  /**
   * Newest first, what the filter takes. @throws ApiError malformed: the cursor is not of this list
   */
  async search(filter: AuditFilter, { cursor, limit }: PageQuery): Promise<PageOf<AuditRow>> {
    let before = numberAfter(cursor) ?? Number.MAX_SAFE_INTEGER
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
   * Verifies the chain from the first entry on; one run serves all who ask while it is at work.
   * Rejects with the signal's reason.
   */
  verify(signal?: AbortSignal): Promise<AuditCheck> {
    this.#running ??= this.#check(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The same for a person, whose name is recorded. */
  async verifyFor(actor: Actor): Promise<AuditCheck> {
    const found = await this.verify()
    const { isIntact, firstBadSeq, entries } = found
    kept(() => note(this.#context, actor, 'audit.verify', '', { isIntact, firstBadSeq, entries }))
    return found
  }

  /**
   * Acknowledges every finding recorded so far. @throws ApiError refused: there is none, or the
   * chain itself is broken
   */
  async acknowledgeFor(actor: Actor, reason: string): Promise<AuditCheck> {
    const { finding, firstBadSeq, isRecorded } = await this.verify()
    if (!isRecorded) throw new ApiError('refused', message('audit.no-finding'))
    note(this.#context, actor, ACKNOWLEDGE_ACTION, '', { finding, seq: firstBadSeq, reason })
    return this.verify()
  }

  /**
   * Entries up to now, oldest first, a portion at a time; that they were exported is the last of
   * them.
   */
  async *exportFor(
    actor: Actor,
    { format, from, to }: AuditExport,
  ): AsyncGenerator<readonly ChainedRow[], void, void> {
    const { audit } = this.#context
    kept(() =>
      note({ audit }, actor, 'audit.export', '', { format, from: from ?? null, to: to ?? null }),
    )
    const last = audit.list({ limit: 1 }).items[0]?.seq ?? 0
    for (let seq = 0; seq < last; ) {
      const rows = audit.after(seq, last, AT_A_TIME)
      const end = rows.at(-1)
      if (!end) return
      seq = end.seq
      const wanted = rows.filter(
        ({ at }) => (from === undefined || at >= from) && (to === undefined || at < to),
      )
      if (wanted.length > 0) yield wanted
      await nextTurn()
    }
  }

  async #check(signal?: AbortSignal): Promise<AuditCheck> {
    const { audit, clock } = this.#context
    const began = clock()
    // Where nothing can be written the chain is verified all the same.
    kept(() => void audit.inspect())
    const chain = audit.chain()
    const verdict = await followed(chain, signal)
    const entries = chain.entries
    const firstBadSeq = verdict.isIntact ? null : verdict.seq
    const { finding, missing, isRecorded } = verdict.isIntact ? UNBROKEN : verdict
    this.#latest = {
      ...{ isIntact: verdict.isIntact, entries, firstBadSeq, finding, missing, isRecorded },
      ...{ at: instantOf(clock()), tookMs: Math.max(0, clock() - began) },
    }
    const { latest } = this
    kept(() => latest && this.#noteClosed(latest))
    this.#onChecked(this.#latest)
    return this.#latest
  }

  /**
   * The chain of an older version was closed at the first start without verifying it, which takes
   * seconds of a long one. What its first verification found is an entry.
   */
  #noteClosed({ isIntact, firstBadSeq, entries }: AuditCheck): void {
    const newest = (action: string) =>
      this.#context.audit.search(
        { actor: 'gateway', action },
        { before: Number.MAX_SAFE_INTEGER, limit: 1 },
      ).items[0]?.seq ?? 0
    if (newest('audit.key') <= newest('audit.verify')) return
    note(this.#context, 'gateway', 'audit.verify', '', { isIntact, firstBadSeq, entries })
  }
}

/** What is wrong, in one sentence; undefined where the trail is intact. */
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

/** What keeps a rollback from being detected, in one sentence. */
export const anchorFaultSentence = (fault: AnchorFault): Message =>
  message(fault === 'unreadable' ? 'audit.anchor-unreadable' : 'audit.anchor-unwritable')

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
