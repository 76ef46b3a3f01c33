import { CHANGE_KINDS, type Feed } from '#server/live-events/feed.ts'
import { dashboardStatus, type FeedLine } from '#shared/contract/dashboard.ts'
import { serveEvents } from './event-stream.ts'
import type { HttpApp } from './http-app.ts'

/**
 * Maximum number of missed lines sent to a reconnecting window, well below the buffer limit of one
 * client (`event-stream.ts`).
 */
const MAX_MISSED_LINES = 200

/**
 * `GET /dashboard/feed/events`: an event `line` for each new FeedLine, with its lineId as event id.
 * Events without data tell the window to read again: `status` for the status, `images` for studies
 * with images, `studies` for the studies of the interface, and `events`, `audit`, `access` and
 * `exams` for these screens. A window that reconnects receives the lines it missed, as far as they
 * are kept, and reads everything else again.
 */
export function serveFeedEvents(app: HttpApp, feed: Feed): void {
  serveEvents(
    app,
    '/dashboard/feed/events',
    { access: dashboardStatus.feed.access },
    (send, lastEventId) => {
      const sendLine = (line: FeedLine) =>
        send({ event: 'line', data: line, id: String(line.lineId) })
      const lastSeenId = Number(lastEventId)
      if (lastEventId !== undefined && Number.isSafeInteger(lastSeenId))
        for (const line of feed.after(lastSeenId).slice(-MAX_MISSED_LINES)) sendLine(line)
      // Changes before this stream opened were not sent to this client.
      for (const event of CHANGE_KINDS) send({ event, data: {} })
      return feed.subscribe((event) =>
        event.kind === 'line' ? sendLine(event.line) : send({ event: event.kind, data: {} }),
      )
    },
  )
}
