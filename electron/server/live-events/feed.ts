import { numberAfter, type PageQuery, pageOf } from '#server/database/page.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'

/** What a subscriber gets: a new line, or that what is named changed. */
export type FeedEvent =
  | { readonly kind: 'line'; readonly line: FeedLine }
  | { readonly kind: Change }
export const CHANGES = ['status', 'images', 'studies'] as const
type Change = (typeof CHANGES)[number] | QuietChange
/**
 * Changes that only their own screens read again: events to partners, the audit trail, which other
 * PCs may open the window, and exams that a person closed or asked the partner for.
 */
export type QuietChange = 'events' | 'audit' | 'access' | 'exams'

/** A line as its writer gives it: most are about no query and no images. */
export type NewFeedLine = Omit<FeedLine, 'lineId' | 'at' | 'inspectionId' | 'studyInstanceUid'> &
  Partial<Pick<FeedLine, 'inspectionId' | 'studyInstanceUid'>>

export type Feed = ReturnType<typeof createFeed>

/**
 * The live feed: the last lines of what happened on the network, in memory only, without anything
 * about a patient.
 */
export function createFeed({
  clock,
  lines = 1000,
  quietMs = 1000,
}: {
  readonly clock: Clock
  /** Lines kept. */
  readonly lines?: number
  /** Milliseconds within which changes of one kind are one event. */
  readonly quietMs?: number
}) {
  const kept: FeedLine[] = []
  const listeners = new Set<(event: FeedEvent) => void>()
  // Ids go on rising after a restart, so a window that reconnects takes no new line for one it has
  // seen.
  let lastId = clock()
  const due = new Set<Change>()
  const send = (event: FeedEvent) => {
    for (const listener of listeners) listener(event)
  }
  const sendSoon = (kind: Change) => {
    if (due.has(kind) || listeners.size === 0) return
    due.add(kind)
    setTimeout(() => {
      due.delete(kind)
      send({ kind })
    }, quietMs).unref()
  }

  return {
    append(line: NewFeedLine): FeedLine {
      lastId += 1
      const whole = {
        inspectionId: null,
        studyInstanceUid: null,
        ...line,
        lineId: lastId,
        at: instantOf(clock()),
      }
      kept.push(whole)
      if (kept.length > lines) kept.shift()
      send({ kind: 'line', line: whole })
      return whole
    },
    /** Has subscribers read the status again. */
    noteStatus: () => sendSoon('status'),
    /** Has subscribers read the studies with images again. */
    noteImages: () => sendSoon('images'),
    /** Has subscribers read studies again: one was created, changed or cancelled. */
    noteStudies: () => sendSoon('studies'),
    noteChange: (kind: QuietChange) => sendSoon(kind),
    /** Newest first. */
    latest({ cursor, limit }: PageQuery) {
      const before = numberAfter(cursor) ?? Number.POSITIVE_INFINITY
      const older = kept.filter((line) => line.lineId < before)
      return pageOf(older.slice(-limit - 1).reverse(), limit, (line) => line.lineId)
    },
    /** Oldest first: what a returning window has missed. */
    after: (lineId: number): readonly FeedLine[] => kept.filter((line) => line.lineId > lineId),
    /** Returns what ends the subscription. The listener must not throw. */
    subscribe(listener: (event: FeedEvent) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
