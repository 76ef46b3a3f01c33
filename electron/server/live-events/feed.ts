import { type PageQuery, pageOf, readNumericCursor } from '#server/database/page.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'

/** What a subscriber receives: a new line, or a notice of what has changed. */
export type FeedEvent =
  | { readonly kind: 'line'; readonly line: FeedLine }
  | { readonly kind: Change }
export const CHANGE_KINDS = ['status', 'images', 'studies'] as const
type Change = (typeof CHANGE_KINDS)[number] | ScreenChange
/**
 * Changes that concern one screen each: events for partners, the audit log, workstation access, and
 * exams that a person closed or queried.
 */
export type ScreenChange = 'events' | 'audit' | 'access' | 'exams'

/** A line as passed to `append`. Most lines belong to no worklist query and no study. */
export type NewFeedLine = Omit<FeedLine, 'lineId' | 'at' | 'inspectionId' | 'studyInstanceUid'> &
  Partial<Pick<FeedLine, 'inspectionId' | 'studyInstanceUid'>>

export type Feed = ReturnType<typeof createFeed>

/**
 * The live feed: the latest lines of network activity, kept in memory only, without patient data.
 */
export function createFeed({
  clock,
  lines = 1000,
  coalesceMs: quietMs = 1000,
}: {
  readonly clock: Clock
  /** Maximum number of lines kept. */
  readonly lines?: number
  /** Changes of one kind within this time are sent as one event. Milliseconds. */
  readonly coalesceMs?: number
}) {
  const kept: FeedLine[] = []
  const listeners = new Set<(event: FeedEvent) => void>()
  // Starting from the clock keeps ids increasing across restarts, so a window that reconnects does
  // not mistake a new line for one it has already received.
  let lastId = clock()
  const due = new Set<Change>()
  const send = (event: FeedEvent) => {
    for (const listener of listeners) listener(event)
  }
  const sendCoalesced = (kind: Change) => {
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
      const complete = {
        inspectionId: null,
        studyInstanceUid: null,
        ...line,
        lineId: lastId,
        at: instantOf(clock()),
      }
      kept.push(complete)
      if (kept.length > lines) kept.shift()
      send({ kind: 'line', line: complete })
      return complete
    },
    /** Tells subscribers to read the status again. */
    noteStatus: () => sendCoalesced('status'),
    /** Tells subscribers to read the studies with images again. */
    noteImages: () => sendCoalesced('images'),
    /** Tells subscribers to read studies again, because one was created, changed or cancelled. */
    noteStudies: () => sendCoalesced('studies'),
    noteChange: (kind: ScreenChange) => sendCoalesced(kind),
    /** Newest first. */
    latest({ cursor, limit }: PageQuery) {
      const before = readNumericCursor(cursor) ?? Number.POSITIVE_INFINITY
      const older = kept.filter((line) => line.lineId < before)
      return pageOf(older.slice(-limit - 1).reverse(), limit, (line) => line.lineId)
    },
    /** Oldest first: the lines that a reconnecting window has missed. */
    after: (lineId: number): readonly FeedLine[] => kept.filter((line) => line.lineId > lineId),
    /** Returns a function that unsubscribes. The listener must not throw. */
    subscribe(listener: (event: FeedEvent) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
