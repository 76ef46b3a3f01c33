import { numberAfter, type PageOf, type PageQuery, pageOf } from '#server/database/page.ts'
import { serveEvents } from '#server/http/event-stream.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import { type Clock, instantOf } from '#server/platform/clock.ts'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'

/** What a subscriber hears: a new line, or that what is named changed, see `Feed`. */
export type FeedNews =
  | { readonly kind: 'line'; readonly line: FeedLine }
  | { readonly kind: Change }
const CHANGES = ['status', 'images', 'studies'] as const
type Change = (typeof CHANGES)[number] | QuietChange
/**
 * Changes that only their own screens read again: events to partners, the audit trail, which other
 * PCs may open the window, and exams that a person closed or asked the partner for.
 */
export type QuietChange = 'events' | 'audit' | 'access' | 'exams'

/** A line as its writer gives it: most are about no query and no images. */
export type NewFeedLine = Omit<FeedLine, 'lineId' | 'at' | 'inspectionId' | 'studyInstanceUid'> &
  Partial<Pick<FeedLine, 'inspectionId' | 'studyInstanceUid'>>

/**
 * The live feed: the last lines of what happened on the network, in memory only, without anything
 * about a patient.
 */
export interface Feed {
  append(line: NewFeedLine): FeedLine
  /** Tells subscribers to ask for the status again; many at once are told once. */
  noteStatus(): void
  /**
   * Tells subscribers to ask for the studies with images again; a study of a thousand images is
   * told of once a second.
   */
  noteImages(): void
  /**
   * Tells subscribers to ask for studies again: one was created, changed or cancelled, by whoever
   * it was. Many at once are told once.
   */
  noteStudies(): void
  /** Tells subscribers to read these again; many changes within a second are sent once. */
  noteChange(kind: QuietChange): void
  /** Newest first. */
  latest(page: PageQuery): PageOf<FeedLine>
  /** Oldest first: what a returning window has missed. */
  after(lineId: number): readonly FeedLine[]
  /** Returns what ends the subscription. The listener must not throw. */
  subscribe(listener: (news: FeedNews) => void): () => void
}

export interface FeedConfig {
  readonly clock: Clock
  /** Lines kept. */
  readonly lines?: number
  /** Milliseconds within which changes of the status are told once. */
  readonly statusMs?: number
  /** Milliseconds within which changes of the studies with images are told once. */
  readonly imagesMs?: number
  /** Milliseconds within which changes of studies are sent once. */
  readonly studiesMs?: number
}

const QUIET_MS = 1000

export function createFeed({
  clock,
  lines = 1000,
  statusMs = 1000,
  imagesMs = 1000,
  studiesMs = 1000,
}: FeedConfig): Feed {
  const kept: FeedLine[] = []
  const listeners = new Set<(news: FeedNews) => void>()
  // Ids go on rising after a restart, so a window that reconnects takes no new line for one it has
  // seen.
  let lastId = clock()
  const due = new Set<Change>()
  const tell = (news: FeedNews) => {
    for (const listener of listeners) listener(news)
  }
  const tellSoon = (kind: Change, ms: number) => {
    if (due.has(kind) || listeners.size === 0) return
    due.add(kind)
    setTimeout(() => {
      due.delete(kind)
      tell({ kind })
    }, ms).unref()
  }

  return {
    append(line) {
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
      tell({ kind: 'line', line: whole })
      return whole
    },
    noteStatus: () => tellSoon('status', statusMs),
    noteImages: () => tellSoon('images', imagesMs),
    noteStudies: () => tellSoon('studies', studiesMs),
    noteChange: (kind) => tellSoon(kind, QUIET_MS),
    latest({ cursor, limit }) {
      const before = numberAfter(cursor) ?? Number.POSITIVE_INFINITY
      const older = kept.filter((line) => line.lineId < before)
      return pageOf(older.slice(-limit - 1).reverse(), limit, (line) => line.lineId)
    },
    after: (lineId) => kept.filter((line) => line.lineId > lineId),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const feedHandlers = (feed: Feed): Pick<HandlersOf<typeof dashboard>, 'feed'> => ({
  feed({ query }) {
    const { items, ...rest } = feed.latest(query)
    return { lines: items, ...rest }
  },
})

/**
 * Lines a returning window is sent: well below what one client may have waiting (`http/events`).
 */
const MOST_MISSED = 200

/**
 * `GET /dashboard/feed/events`: an event `line` (a FeedLine, its lineId as the event's id) for each
 * new line, `status` (empty) when the status should be asked for again, `images` (empty) when the
 * studies with images should, `studies` (empty) when those of the interface should, and `events`,
 * `audit`, `access` and `exams` (empty) for the screens of these. A window that reconnects gets the
 * lines it has missed, as far as they are kept; it reads the rest again by itself.
 */
export function serveFeedEvents(app: HttpApp, feed: Feed): void {
  serveEvents(
    app,
    '/dashboard/feed/events',
    { access: dashboard.feed.access },
    (send, lastEventId) => {
      const sendLine = (line: FeedLine) =>
        send({ event: 'line', data: line, id: String(line.lineId) })
      const seen = Number(lastEventId)
      if (lastEventId !== undefined && Number.isSafeInteger(seen))
        for (const line of feed.after(seen).slice(-MOST_MISSED)) sendLine(line)
      // What changed before this stream was open is in nobody's news.
      for (const event of CHANGES) send({ event, data: {} })
      return feed.subscribe((news) =>
        news.kind === 'line' ? sendLine(news.line) : send({ event: news.kind, data: {} }),
      )
    },
  )
}
