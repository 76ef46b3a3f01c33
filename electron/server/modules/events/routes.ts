import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { windowList } from '#server/modules/dashboard/window-list.ts'
import { dryRun } from '#server/webhooks/dry-run.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { EventLog } from './event-log.ts'
import type { EventReplay } from './event-replay.ts'

type Calls = typeof dashboardEvents

/** What the window needs of the way out; `reporting.ts` fills it. */
export interface EventPorts {
  /**
   * Sends an event with invented data to the endpoint now, even while its circuit is open. @throws
   * ApiError not-found
   */
  readonly sendTest: (type: EventType, endpointId: string) => Promise<ReplyOf<Calls['test']>>
}

export interface DashboardEventsDeps {
  readonly store: Pick<Context, 'seal'>
  readonly eventLog: EventLog
  readonly replay: EventReplay
  /** The `host:port` entries of `partner.plaintextHosts` as they are now. */
  readonly plaintextHosts: () => readonly string[]
  readonly feed: Pick<Feed, 'noteStatus'>
  readonly ports: EventPorts
}

/** Declares the window's calls about events (`shared/contract/events.ts`). */
export function serveDashboardEvents(app: HttpApp, deps: DashboardEventsDeps): void {
  const { store, eventLog, replay, plaintextHosts, feed, ports } = deps
  const list = windowList(store.seal)

  const { endpoints, addEndpoint, changeEndpoint, removeEndpoint, rotateSecret, ...calls } =
    dashboardEvents
  const handlers: HandlersOf<typeof calls> = {
    list({ query }) {
      const { cursor: _, limit: __, ...filters } = query
      return list('events', dashboardEvents.list, { query }, (page) =>
        eventLog.list({ ...filters, ...page }),
      )
    },
    read: ({ params }) => eventLog.read(params.eventId),
    replay: ({ body, user }) => replay.replay(body, userActor(user.userId)),
    drop: ({ params, body, user }) =>
      replay.drop(params.eventId, body.reason, userActor(user.userId)),
    dryRun: ({ body: { type, body, studyInstanceUid } }) =>
      dryRun(type, Buffer.from(body), {
        plaintextHosts: plaintextHosts(),
        ...(studyInstanceUid && { studyInstanceUid }),
      }),
    async test({ body }) {
      const reply = await ports.sendTest(body.type, body.endpointId)
      // Whoever pressed the button looks at it at once.
      await eventLog.flush()
      return reply
    },
    meter: async ({ query }) => ({ rows: await eventLog.meter(query) }),
  }

  serveAll(app, calls, handlers, {
    // A million characters of an answer, and what JSON makes of them.
    bodyBytes: { dryRun: 4 << 20 },
    afterChange: () => feed.noteStatus(),
  })
}
