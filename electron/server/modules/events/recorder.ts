import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { DeliveryAttempt } from '#server/webhooks/deliveries.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AttemptRecord, EventLog, NewEvent } from './log.ts'

export type EventRecorder = ReturnType<typeof recordEvents>

/** Records the outcomes of calls of partners in the event log. */
export function recordEvents(eventLog: EventLog, clock: Clock) {
  return {
    /**
     * Records a call. Deliveries of reports are recorded together with their outbox job instead.
     */
    note(outcome: PartnerOutcome): void {
      // Without an endpoint there is no event.
      if (outcome.fault === 'no-endpoint') return
      if (outcome.type === 'report.delivered' && outcome.about.isTest !== true) return
      eventLog.record(eventOf(outcome), attemptOf(outcome))
    },
    /**
     * Records an attempt of a delivery. Must be called in the transaction that settles its outbox
     * job.
     */
    attempted({ eventId, state, outcome, fault }: DeliveryAttempt): void {
      const attempt = outcome ? attemptOf(outcome) : unsent(fault, instantOf(clock()))
      eventLog.attempted(eventId, attempt, state, EFFECTS[state], outcome?.endpointId)
    },
  }
}

const EFFECTS: Readonly<Record<DeliveryAttempt['state'], Message | null>> = {
  done: message('events.report-delivered'),
  waiting: null,
  failed: message('events.report-not-sent'),
  dropped: null,
}

const eventOf = ({ webhookId, apiKeyId, about, ...call }: PartnerOutcome): NewEvent => ({
  eventId: webhookId,
  type: call.type,
  endpointId: call.endpointId,
  apiKeyId,
  ...about,
})

const attemptOf = (outcome: PartnerOutcome): AttemptRecord => ({
  at: instantOf(outcome.at),
  outcome: outcome.fault ?? 'accepted',
  httpStatus: outcome.httpStatus,
  tookMs: outcome.tookMs,
  bytes: outcome.bytes,
  detail: outcome.detail,
  notes: outcome.notes,
  request: outcome.request === null ? null : outcome.request.toString(),
  response: outcome.response,
})

const unsent = (detail: Message | null, at: string): AttemptRecord => ({
  ...{
    at,
    outcome: 'invalid',
    httpStatus: null,
    tookMs: 0,
    bytes: 0,
    detail,
    notes: [],
    request: null,
    response: null,
  },
})
