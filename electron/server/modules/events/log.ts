import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { SliceQuery } from '#server/database/page.ts'
import { findLatestOutboxJob } from '#server/jobs/outbox-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import {
  type AnswerNote,
  type dashboardEvents,
  type EventAttempt,
  type EventOutcome,
  type EventRecord,
  type EventSummary,
  kindOf,
} from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { CallOf } from '#shared/operation.ts'
import { meterOf } from './meter.ts'
import type { EventAbout, EventAttemptRow, EventRow, EventState } from './queries.ts'
import * as queries from './queries.ts'
import { replayObstacle } from './replay.ts'

/**
 * A new event. `subject` identifies what it is about, such as a study, a report or a device's AE
 * title; it must not identify a patient.
 */
export interface NewEvent {
  readonly eventId: string
  readonly type: EventType
  /** Null if no endpoint receives it. */
  readonly endpointId: string | null
  readonly subject: string
  readonly studyInstanceUid: string | null
  /** The API key that created the study or the session, which may see the event; null if none. */
  readonly apiKeyId: string | null
  readonly isTest?: boolean
}

/** One call and its outcome. */
export interface AttemptRecord {
  readonly at: string
  readonly outcome: EventOutcome
  readonly httpStatus: number | null
  readonly tookMs: number
  /** Size of the response body as received, in bytes. */
  readonly bytes: number
  /** Description of the fault; for a refusal, the partner's own text. */
  readonly detail: Message | null
  readonly notes: readonly AnswerNote[]
  /** The request as JSON. Query strings of presigned URLs are removed before it is stored. */
  readonly request: string | null
  /** The response body, which is truncated before it is stored. */
  readonly response: Buffer | null
}

export type EventListQuery = SliceQuery &
  Omit<CallOf<(typeof dashboardEvents)['list']>['query'], 'cursor' | 'limit'> &
  Pick<queries.EventQuery, 'owners' | 'state'>

const FLUSH_INTERVAL_MS = 500
/** Events written per turn of the event loop. */
const BATCH_SIZE = 10
/** This many events wait only if the disk does not respond. */
const MAX_WAITING = 10_000
const MAX_WAITING_BYTES = 16 << 20
const MAX_STORED_BYTES = 64 << 10
/**
 * Limit for an accepted worklist, whose complete response is stored with the queries that it
 * answered.
 */
const MAX_WORKLIST_RESPONSE_BYTES = 8 << 10

interface PendingEvent {
  readonly event: NewEvent
  readonly attempt: AttemptRecord
  readonly isCut: boolean
  effect: Message | null
}

/**
 * Records every event sent to partners, with its attempts. An event that cannot be written is
 * reported and lost, but while the disk is full, it remains in memory and is written later.
 */
export class EventLog implements AsyncDisposable {
  readonly #context: Context
  /** Events that are not written yet, in their order. */
  #waiting = new Map<string, PendingEvent>()
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Adds a waiting event. Must be called within a transaction. */
  begin(event: NewEvent): void {
    const { database, clock } = this.#context
    queries.insertEvent(database, {
      ...rowOf(event),
      state: 'waiting',
      createdAt: instantOf(clock()),
    })
  }

  /**
   * Records an attempt and the new state of the event. An event that a user dropped in the meantime
   * does not return to waiting. `endpointId` is the endpoint that was called, if it is not the
   * original one. Must be called within a transaction.
   */
  attempted(
    eventId: string,
    { request, response, ...facts }: AttemptRecord,
    state: EventState,
    effect?: Message | null,
    endpointId?: string | null,
  ): void {
    const { database } = this.#context
    const before = queries.findEvent(database, eventId)
    const newState = before?.state === 'dropped' && state === 'waiting' ? 'dropped' : state
    const storedResponse = truncatedBody(response, MAX_STORED_BYTES)
    queries.addEventAttempt(
      database,
      eventId,
      { ...facts, response: withoutLinks(storedResponse), isCut: isCut(storedResponse, response) },
      { state: newState, request: withoutQueries(request), effect, endpointId },
    )
  }

  /** Records a synchronous or soft event in memory; it is written soon. Never throws. */
  record(event: NewEvent, attempt: AttemptRecord, effect: Message | null = null): void {
    try {
      if (this.#waiting.size >= MAX_WAITING)
        throw new Error('events come faster than they can be written: one was not kept')
      const isWorklist =
        event.type === 'modality_worklist.requested' && attempt.outcome === 'accepted'
      const maxBytes = isWorklist ? MAX_WORKLIST_RESPONSE_BYTES : MAX_STORED_BYTES
      const room = this.#waitingBytes > MAX_WAITING_BYTES ? 0 : maxBytes
      const response = truncatedBody(attempt.response, room)
      this.#waiting.set(event.eventId, {
        event,
        attempt: { ...attempt, response },
        isCut: isCut(response, attempt.response),
        effect,
      })
      this.#waitingBytes += response?.length ?? 0
      this.#writeSoon()
    } catch (error) {
      reportError(this.#context, error)
    }
  }

  /**
   * Records the effect of an event in one sentence without patient data, even if the event is not
   * written yet. Never throws.
   */
  setEffect(eventId: string, effect: Message): void {
    const { database } = this.#context
    const record = this.#waiting.get(eventId)
    const write = () => queries.setEventEffect(database, eventId, effect)
    if (record) record.effect = effect
    else if (database.inTransaction) write()
    else database.commitSoon(write).catch((error) => reportError(this.#context, error))
  }

  /** Writes the recorded events; resolves when they are durable. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // Sequential: a second flush waits for the first.
    this.#flushing = this.#flushing.then(() => this.#writeWaiting())
    await this.#flushing
  }

  async #writeWaiting(): Promise<void> {
    const all = [...this.#waiting.values()]
    for (let from = 0; from < all.length; from += BATCH_SIZE) {
      const batch = all.slice(from, from + BATCH_SIZE)
      try {
        await this.#context.database.commitSoon(() => {
          for (const record of batch) this.#write(record)
          for (const record of batch) this.#removeWaiting(record)
        })
      } catch (error) {
        if (diskFaultKind(error) !== undefined && !this.#isClosing)
          return this.#requeue(all.slice(from))
        for (const record of batch) this.#removeWaiting(record)
        reportError(this.#context, error)
      }
    }
  }

  /** Nothing was committed, so the removed events are put back, in their order. */
  #requeue(rest: readonly PendingEvent[]): void {
    this.#waiting = new Map([
      ...rest.map((record) => [record.event.eventId, record] as const),
      ...this.#waiting,
    ])
    this.#waitingBytes = [...this.#waiting.values()].reduce(
      (sum, { attempt }) => sum + (attempt.response?.length ?? 0),
      0,
    )
    this.#writeSoon()
  }

  #write({ event, attempt, isCut, effect }: PendingEvent): void {
    const state = attempt.outcome === 'accepted' ? 'done' : 'failed'
    const { request, response, ...facts } = attempt
    queries.recordEvent(
      this.#context.database,
      {
        ...rowOf(event),
        createdAt: attempt.at,
      },
      { ...facts, response: withoutLinks(response), isCut },
      { state, request: withoutQueries(request), effect },
    )
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref()
  }

  #removeWaiting({ event, attempt }: PendingEvent): void {
    if (this.#waiting.delete(event.eventId)) this.#waitingBytes -= attempt.response?.length ?? 0
  }

  /** Lists events, newest first. */
  list({ about, ...query }: EventListQuery) {
    const { database } = this.#context
    const { items, ...rest } = queries.listEvents(database, {
      ...query,
      ...(about && { about: aboutOf(database, about) }),
    })
    return { items: items.map((event) => summaryOf(database, event)), ...rest }
  }

  /**
   * Reads one event with its attempts.
   * @param owners only an event of one of these: an API key, or `CLINIC`
   * @throws ApiError not-found
   */
  read(eventId: string, owners?: readonly string[]): EventRecord {
    const { database } = this.#context
    const event = queries.findEvent(database, eventId, owners)
    if (!event) throw new ApiError('not-found', message('events.not-kept-settings'))
    const obstacle = replayObstacle(this.#context, event)
    return {
      ...summaryOf(database, event),
      request: queries.eventRequest(database, eventId),
      attemptList: queries.eventAttempts(database, eventId).map(attemptOf),
      mayReplay: obstacle === null,
      whyNot: obstacle,
    }
  }

  /** Statistics about how partners met the contract in the last `days` days. */
  meter(query: { readonly days: number; readonly endpointId?: string | undefined }) {
    return meterOf(this.#context.database, query, this.#context.clock())
  }

  async [Symbol.asyncDispose]() {
    this.#isClosing = true
    // Events that are recorded during the last flush are written, too.
    do await this.flush()
    while (this.#waiting.size > 0)
  }
}

/** Events of a study are found by its id or its UID, including those of its reports. */
function aboutOf(database: Database, text: string): EventAbout {
  if (text.startsWith('whe_')) return { eventId: text }
  const studyInstanceUid = text.startsWith('stu_')
    ? findStudy(database, text)?.studyInstanceUid
    : /^[\d.]+$/.test(text)
      ? text
      : undefined
  return studyInstanceUid === undefined ? { subject: text } : { subject: text, studyInstanceUid }
}

function summaryOf(database: Database, { seq: _, ...event }: EventRow): EventSummary {
  const queuedJob =
    event.state === 'waiting' ? findLatestOutboxJob(database, event.type, event.subject) : undefined
  return {
    ...event,
    kind: kindOf(event.type),
    nextAt: queuedJob?.state === 'waiting' ? queuedJob.notBefore : null,
  }
}

const rowOf = ({ apiKeyId, subject, isTest = false, ...event }: NewEvent) => ({
  ...event,
  subject: subjectOf(subject),
  isTest,
  owner: apiKeyId ?? queries.CLINIC_OWNER,
})

const attemptOf = ({ response, notes, ...attempt }: EventAttemptRow): EventAttempt => ({
  ...attempt,
  notes: [...notes],
  response: response?.toString() ?? null,
})

/**
 * clinical_context.enrichment_requested identifies a study by its UUID
 * (`shared/contract/webhooks.ts`).
 */
const subjectOf = (subject: string) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(subject) ? idFromUuid('stu', subject) : subject

/** The beginning of a body, copied so that the rest can be garbage-collected. */
function truncatedBody(body: Buffer | null, most: number): Buffer | null {
  if (body === null || body.length <= most) return body
  return most === 0 ? null : Buffer.from(body.subarray(0, most))
}

// The caller may have truncated the body as well, so one with exactly the maximum length is
// considered truncated.
const isCut = (storedResponse: Buffer | null, body: Buffer | null) =>
  body !== null &&
  (storedResponse === null ||
    storedResponse.length < body.length ||
    body.length === MAX_STORED_BYTES)

/** Removes query strings from URLs, because anyone who has a presigned URL can read the report. */
const withoutQueries = (json: string | null) =>
  json?.replace(/"(https?:\/\/[^"?\\]*)\?(?:[^"\\]|\\.)*"/gi, '"$1?…"') ?? null

/**
 * Matches a link in a response, complete or truncated, however the serializer escapes slashes and
 * question marks.
 */
const LINK_PATTERN =
  /"\s*(https?:(?:\\?\/){2}[^"?\\]*(?:\\\/[^"?\\]*)*)(?:\?|\\u003f)(?:[^"\\]|\\.)*(?:"|\\?$)/gi

/**
 * Removes the query strings of links from a response, because anyone who has the links can read the
 * images or documents.
 */
function withoutLinks(response: Buffer | null): Buffer | null {
  const text = response?.toString('latin1') ?? ''
  const textWithoutLinks = text.replace(LINK_PATTERN, '"$1?..."')
  return textWithoutLinks === text ? response : Buffer.from(textWithoutLinks, 'latin1')
}
