import { keyActor } from '#server/audit-log/audit.ts'
import type { ApiKeyCaller, Caller } from '#server/http/callers.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { listPage } from '#server/http/pagination.ts'
import { requireKey } from '#server/http/partner-authentication.ts'
import type { EventAttempt, EventRecord, EventSummary } from '#shared/contract/events.ts'
import {
  ownEvents,
  type SentEvent,
  type SentEventAttempt,
  type SentEventWithAttempts,
} from '#shared/contract/own-events.ts'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import type { EventLog } from './log.ts'
import { CLINIC_OWNER } from './queries.ts'
import type { EventReplay } from './replay.ts'

/**
 * Registers the operations by which an API key sees its own events and sends them again (decision
 * 0076). Any other event does not exist for it.
 */
export function serveOwnEvents(app: HttpApp, eventLog: EventLog, replay: EventReplay): void {
  const readOwnEvent = (caller: Caller, eventId: string) =>
    eventLog.read(eventId, ownersFor(requireKey(caller)))

  serveAll(app, ownEvents, {
    list({ caller, query: { cursor, limit, type, state, studyInstanceUid } }) {
      const { items, next } = eventLog.list({
        ...{ after: cursor, limit, type, state, show: 'all', about: studyInstanceUid },
        owners: ownersFor(requireKey(caller)),
      })
      return listPage('events', items.map(summaryReply), next)
    },
    read: ({ caller, params }) =>
      detailReply(
        readOwnEvent(caller, params.eventId),
        requireKey(caller).eventAccess === 'with-bodies',
      ),
    replay({ caller, params: { eventId } }) {
      const { whyNot } = readOwnEvent(caller, eventId)
      if (whyNot) return { success: false, message: whyNot }
      const { apiKeyId } = requireKey(caller)
      replay.replay({ which: 'these', eventIds: [eventId] }, keyActor(apiKeyId))
      return { success: true }
    },
  })
}

const ownersFor = ({ apiKeyId, seesClinicEvents }: ApiKeyCaller): string[] =>
  seesClinicEvents ? [apiKeyId, CLINIC_OWNER] : [apiKeyId]

const summaryReply = (event: EventSummary): SentEvent => ({
  ...{ eventId: event.eventId, type: event.type, kind: event.kind },
  ...{ endpointId: event.endpointId, subject: event.subject },
  ...{ studyInstanceUid: event.studyInstanceUid, state: event.state, outcome: event.outcome },
  ...{ attempts: event.attempts, remarkCount: event.notes, isTest: event.isTest },
  ...{ nextAttemptAt: event.nextAt, createdAt: event.createdAt, updatedAt: event.updatedAt },
})

const detailReply = (event: EventRecord, hasBodies: boolean): SentEventWithAttempts => ({
  ...summaryReply(event),
  request: hasBodies ? event.request : null,
  attemptList: event.attemptList.map((attempt) => attemptReply(attempt, hasBodies)),
  hasBodies,
  canReplay: event.mayReplay,
  whyNot: text(event.whyNot),
})

function attemptReply(attempt: EventAttempt, hasBodies: boolean): SentEventAttempt {
  const { notes, detail, response, ...facts } = attempt
  // The detail of a refusal is the partner's own text, which may name a patient.
  const isFromBody = attempt.outcome === 'refused'
  return {
    ...facts,
    detail: hasBodies || !isFromBody ? text(detail) : null,
    remarks: notes.map(({ path, sentence }) => ({ path, sentence: englishText(sentence) })),
    response: hasBodies ? response : null,
  }
}

const text = (message: Message | null) => message && englishText(message)
