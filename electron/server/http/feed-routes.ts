import { CHANGES, type Feed } from '#server/live-events/feed.ts'
import { dashboardStatus, type FeedLine } from '#shared/contract/dashboard.ts'
import { serveEvents } from './event-stream.ts'
import type { HttpApp } from './http-app.ts'

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
    { access: dashboardStatus.feed.access },
    (send, lastEventId) => {
      const sendLine = (line: FeedLine) =>
        send({ event: 'line', data: line, id: String(line.lineId) })
      const seen = Number(lastEventId)
      if (lastEventId !== undefined && Number.isSafeInteger(seen))
        for (const line of feed.after(seen).slice(-MOST_MISSED)) sendLine(line)
      // Changes from before this stream was opened were sent to no one.
      for (const event of CHANGES) send({ event, data: {} })
      return feed.subscribe((news) =>
        news.kind === 'line' ? sendLine(news.line) : send({ event: news.kind, data: {} }),
      )
    },
  )
}
