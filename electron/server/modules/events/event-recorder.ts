import { type Clock, instantOf } from '#server/platform/clock.ts'
import type { DeliveryAttempt } from '#server/webhooks/deliveries.ts'
import type { PartnerOutcome } from '#server/webhooks/request.ts'
import type { AttemptRecord, EventLog, NewEvent } from './event-log.ts'

export interface EventRecorder {
  /** Told of every call's end; deliveries of reports are written with their outbox row instead. */
  note(outcome: PartnerOutcome): void
  /** Within the transaction that settles the row of a delivery. */
  attempted(attempt: DeliveryAttempt): void
}

/** Brings what the way out tells into the record of events. */
export function recordEvents(eventLog: EventLog, clock: Clock): EventRecorder {
  return {
    note(outcome) {
      // Where no endpoint takes it there is no event.
      if (outcome.fault === 'no-endpoint') return
      if (outcome.type === 'report.delivered' && outcome.about.isTest !== true) return
      eventLog.noted(eventOf(outcome), attemptOf(outcome))
    },
    attempted({ eventId, state, outcome, fault }) {
      const attempt = outcome ? attemptOf(outcome) : unsent(fault, instantOf(clock()))
      eventLog.attempted(eventId, attempt, state, EFFECTS[state], outcome?.endpointId)
    },
  }
}

const EFFECTS: Readonly<Record<DeliveryAttempt['state'], string>> = {
  done: 'The partner has the report.',
  waiting: '',
  failed: 'The report was not sent.',
  dropped: '',
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

const unsent = (detail: string, at: string): AttemptRecord => ({
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
