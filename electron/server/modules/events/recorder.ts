import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { DeliveryAttempt } from '#server/webhooks/deliveries.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { AttemptRecord, EventLog, NewEvent } from './log.ts'

export type EventRecorder = ReturnType<typeof recordEvents>

/** Records in the log of events how calls of partners ended. */
export function recordEvents(eventLog: EventLog, clock: Clock) {
  return {
    /** Of every call; deliveries of reports are written with their outbox row instead. */
    note(outcome: PartnerOutcome): void {
      // Where no endpoint takes it there is no event.
      if (outcome.fault === 'no-endpoint') return
      if (outcome.type === 'report.delivered' && outcome.about.isTest !== true) return
      eventLog.noted(eventOf(outcome), attemptOf(outcome))
    },
    /** Within the transaction that settles the row of a delivery. */
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

const eventOf = ({ webhookId, type, endpointId, about }: PartnerOutcome): NewEvent => ({
  eventId: webhookId,
  type,
  endpointId,
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
