import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { windowList } from '#server/http/pagination.ts'
import { endpointFor } from '#server/modules/partners/targets.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { dryRun } from '#server/webhooks/dry-run.ts'
import { dashboardEvents, type EventSummary, type ListedEvent } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { EventLog } from './log.ts'
import type { EventReplay } from './replay.ts'

type Calls = typeof dashboardEvents

/**
 * Sends an event with invented data to the endpoint, even if its circuit breaker is open.
 * @throws ApiError not-found
 */
export type SendTest = (type: EventType, endpointId: string) => Promise<ReplyOf<Calls['test']>>

/** The patient and the exam that an event is about; null if the study is not known here. */
function studyOf(
  database: Database,
  studyInstanceUid: EventSummary['studyInstanceUid'],
): ListedEvent['study'] {
  if (studyInstanceUid === null) return null
  const study = findStudyByUid(database, 'scribe', studyInstanceUid)
  const header = findImageStudy(database, studyInstanceUid)?.header
  const patientName = study?.detail.reportMetadata?.patientName || (header?.patientName ?? '')
  const description = study?.studyDescription || (header?.studyDescription ?? '')
  return patientName || description ? { patientName, description } : null
}

/** Registers the window's operations for events (`shared/contract/events.ts`). */
export function serveEvents(
  app: HttpApp,
  context: Context,
  eventLog: EventLog,
  replay: EventReplay,
  sendTest: SendTest,
  afterChange: () => void,
): void {
  const list = windowList(context.database.seal)

  const { endpoints, addEndpoint, changeEndpoint, removeEndpoint, rotateSecret, ...calls } =
    dashboardEvents
  const handlers: HandlersOf<typeof calls> = {
    list({ query }) {
      const { cursor: _, limit: __, ...filters } = query
      return list('events', dashboardEvents.list, { query }, (page) => {
        const { items, ...rest } = eventLog.list({ ...filters, ...page })
        // Many events of a page are often about one study.
        const uids = new Set(items.map(({ studyInstanceUid }) => studyInstanceUid))
        const studies = new Map([...uids].map((uid) => [uid, studyOf(context.database, uid)]))
        const events = items.map((event) => ({
          ...event,
          study: studies.get(event.studyInstanceUid) ?? null,
        }))
        return { items: events, ...rest }
      })
    },
    read: ({ params }) => eventLog.read(params.eventId),
    replay: ({ body, user }) => replay.replay(body, userActor(user.userId)),
    drop: ({ params, body, user }) =>
      replay.drop(params.eventId, body.reason, userActor(user.userId)),
    dryRun: ({ body: { type, body, studyInstanceUid } }) =>
      dryRun(type, Buffer.from(body), {
        plaintextHosts: context.settings.get('partner.plaintextHosts'),
        // Of the endpoint that receives the event of a study without a key.
        fileHosts: endpointFor(context.database, type, null)?.fileHosts ?? [],
        ...(studyInstanceUid && { studyInstanceUid }),
      }),
    test: ({ body }) => sendTest(body.type, body.endpointId),
    meter: async ({ query }) => ({ rows: await eventLog.meter(query) }),
  }

  serveAll(app, calls, handlers, {
    // Enough for a response of a million characters after JSON escaping.
    bodyBytes: { dryRun: 4 << 20 },
    afterChange,
  })
}
