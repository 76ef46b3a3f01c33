import type { Context } from '#server/context.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { msOf } from '#server/platform/clock.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { type Message, message, sentences, storedMessage } from '#shared/messages/message.ts'
import { appendSenderEntry } from './image-feed.ts'

/** How an association ended. */
export interface Ending {
  readonly kind: 'released' | 'aborted'
  /** Reason of an abort, as part of a sentence. */
  readonly detail: Message | null
}

/** `repeated`: the instance was already stored. */
type Outcome = 'stored' | 'repeated' | 'quarantined' | 'refused'

interface Counts {
  readonly association: AssociationInfo
  /** When it started sending (ms since 1970). */
  readonly since: number
  readonly studies: Set<string>
  readonly outcomes: Record<Outcome, number>
  /** Feed entries that have been written. */
  readonly writtenEntries: Set<string>
}

/**
 * Counts what each open association sends. The feed gets each kind of refusal once per association,
 * and a summary when the association ends.
 */
export class AssociationStatistics {
  readonly #context: Context
  readonly #open = new Map<string, Counts>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Starts counting for an association. Must be called before its first instance is counted. */
  begin(association: AssociationInfo): void {
    const { associationId } = association
    if (this.#open.has(associationId)) return
    this.#open.set(associationId, {
      association,
      since: this.#context.clock(),
      studies: new Set(),
      outcomes: { stored: 0, repeated: 0, quarantined: 0, refused: 0 },
      writtenEntries: new Set(),
    })
  }

  /**
   * Counts an instance, unless its association has already ended. `why` is the reason for a
   * quarantine or refusal.
   */
  add(
    { associationId }: AssociationInfo,
    outcome: Outcome,
    studyInstanceUid: string | null,
    why: Message | null = null,
  ): void {
    const counts = this.#open.get(associationId)
    if (!counts) return
    counts.outcomes[outcome]++
    if (studyInstanceUid !== null) counts.studies.add(studyInstanceUid)
    if (!why) return
    if (outcome === 'quarantined')
      this.note(associationId, 'warning', message('images.accepted', { why }), studyInstanceUid)
    if (outcome === 'refused')
      this.note(associationId, 'danger', message('images.refused', { why }), null)
  }

  /** Appends an entry to the feed, once per association and study. */
  note(
    associationId: string,
    tone: FeedLine['tone'],
    text: Message,
    studyInstanceUid: string | null,
  ): void {
    const counts = this.#open.get(associationId)
    if (counts) this.#note(counts, tone, text, studyInstanceUid)
  }

  /** Whether an open association has sent images of the study. */
  isStudyOpen(studyInstanceUid: string): boolean {
    for (const { studies } of this.#open.values()) if (studies.has(studyInstanceUid)) return true
    return false
  }

  /** Whether the association is open and has sent images. */
  isSending(associationId: string): boolean {
    return this.#open.has(associationId)
  }

  /** Whether the association is open and started sending after the given time. */
  beganAfter(associationId: string, at: Instant): boolean {
    return (this.#open.get(associationId)?.since ?? 0) > msOf(at)
  }

  /** Returns what the association sent; `undefined` if it sent no images. */
  closed(associationId: string, { kind, detail }: Ending) {
    const counts = this.#open.get(associationId)
    if (!counts) return undefined
    this.#open.delete(associationId)
    const studies = [...counts.studies]
    const tone = counts.outcomes.refused > 0 || kind === 'aborted' ? 'warning' : 'good'
    const end =
      kind === 'aborted' && detail ? message('images.then-broke-off', { detail }) : undefined
    const only = studies.length === 1 ? studies[0] : undefined
    this.#note(counts, tone, sentences(sentenceOf(counts), end), only ?? null)
    return { studies, since: counts.since }
  }

  #note(
    { association, writtenEntries }: Counts,
    tone: FeedLine['tone'],
    text: Message,
    studyInstanceUid: string | null,
  ): void {
    const key = `${studyInstanceUid ?? ''} ${storedMessage(text)}`
    if (writtenEntries.has(key)) return
    writtenEntries.add(key)
    appendSenderEntry(this.#context, association, 'images', tone, text, studyInstanceUid)
  }
}

function sentenceOf({ outcomes, studies: { size: studies } }: Counts): Message {
  const { stored, repeated, quarantined, refused } = outcomes
  const parts = [
    ...(repeated > 0 ? [message('images.sent-again', { count: repeated })] : []),
    ...(quarantined > 0 ? [message('images.sent-set-aside', { count: quarantined })] : []),
    ...(refused > 0 ? [message('images.sent-refused', { count: refused })] : []),
  ]
  const count = stored + repeated + quarantined + refused
  return parts.length > 0
    ? message('images.sent-of-these', { count, studies, parts })
    : message('images.sent', { count, studies })
}
