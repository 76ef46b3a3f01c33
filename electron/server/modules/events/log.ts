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
import { whyNotAgain } from './replay.ts'

/**
 * An event as it is created. `subject`: what it is about, e.g. a study, a report, a device's AE
 * title; never a patient.
 */
export interface NewEvent {
  readonly eventId: string
  readonly type: EventType
  /** Null where no endpoint takes it. */
  readonly endpointId: string | null
  readonly subject: string
  readonly studyInstanceUid: string | null
  readonly isTest?: boolean
}

/** One call and how it ended. */
export interface AttemptRecord {
  readonly at: string
  readonly outcome: EventOutcome
  readonly httpStatus: number | null
  readonly tookMs: number
  /** Of the answer's body as it came over the wire. */
  readonly bytes: number
  /** What was wrong; of a refusal the partner's own words. */
  readonly detail: Message | null
  readonly notes: readonly AnswerNote[]
  /** The envelope that was sent, as JSON; presigned queries are cut before it is kept. */
  readonly request: string | null
  /** The body of the answer, of which the beginning is kept. */
  readonly response: Buffer | null
}

export type EventListQuery = SliceQuery &
  Omit<CallOf<(typeof dashboardEvents)['list']>['query'], 'cursor' | 'limit'>

const FLUSH_MS = 500
/** Events of one turn of the event loop. */
const AT_A_TIME = 10
/** More than these wait for the disk only where it does not answer. */
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 16 << 20
const KEPT_BYTES = 64 << 10
/** An accepted worklist is kept whole with the queries it answered. */
const WORKLIST_BYTES = 8 << 10

interface Noted {
  readonly event: NewEvent
  readonly attempt: AttemptRecord
  readonly isCut: boolean
  effect: Message | null
}

/**
 * Every event sent to a partner, with its attempts. What is noted and cannot be written is lost and
 * reported; while the disk is full, it stays in memory and is tried again.
 */
export class EventLog implements AsyncDisposable {
  readonly #context: Context
  /** Not yet written, in their order. */
  #waiting = new Map<string, Noted>()
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  #isClosing = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Within the open transaction: the event waits. */
  begin({ subject, isTest = false, ...event }: NewEvent): void {
    const { database, clock } = this.#context
    queries.insertEvent(database, {
      ...event,
      subject: subjectOf(subject),
      isTest,
      state: 'waiting',
      createdAt: instantOf(clock()),
    })
  }

  /**
   * Within a transaction: an attempt, and where the event stands now; one that a person dropped
   * meanwhile does not wait again. `endpointId`: who was asked, where that is another than at the
   * beginning.
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
    const stands = before?.state === 'dropped' && state === 'waiting' ? 'dropped' : state
    const kept = beginningOf(response, KEPT_BYTES)
    queries.addEventAttempt(
      database,
      eventId,
      { ...facts, response: withoutLinks(kept), isCut: isCut(kept, response) },
      { state: stands, request: withoutQueries(request), effect, endpointId },
    )
  }

  /** Synchronous and soft calls: kept in memory, written soon; never throws. */
  noted(event: NewEvent, attempt: AttemptRecord, effect: Message | null = null): void {
    try {
      if (this.#waiting.size >= MOST_WAITING)
        throw new Error('events come faster than they can be written: one was not kept')
      const isWorklist =
        event.type === 'modality_worklist.requested' && attempt.outcome === 'accepted'
      const most = isWorklist ? WORKLIST_BYTES : KEPT_BYTES
      const room = this.#waitingBytes > MOST_WAITING_BYTES ? 0 : most
      const response = beginningOf(attempt.response, room)
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
   * What an event led to, in one sentence without a patient; also of one that is not written yet.
   * Never throws.
   */
  setEffect(eventId: string, effect: Message): void {
    const { database } = this.#context
    const noted = this.#waiting.get(eventId)
    const write = () => queries.setEventEffect(database, eventId, effect)
    if (noted) noted.effect = effect
    else if (database.inTransaction) write()
    else database.commitSoon(write).catch((error) => reportError(this.#context, error))
  }

  /** Writes what was noted; resolves when it is durable. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One after the other: who asks for a second one waits for what the first took.
    this.#flushing = this.#flushing.then(() => this.#writeWaiting())
    await this.#flushing
  }

  async #writeWaiting(): Promise<void> {
    const all = [...this.#waiting.values()]
    for (let from = 0; from < all.length; from += AT_A_TIME) {
      const portion = all.slice(from, from + AT_A_TIME)
      try {
        await this.#context.database.commitSoon(() => {
          for (const noted of portion) this.#write(noted)
          for (const noted of portion) this.#forget(noted)
        })
      } catch (error) {
        if (diskFaultKind(error) !== undefined && !this.#isClosing)
          return this.#waitAgain(all.slice(from))
        for (const noted of portion) this.#forget(noted)
        reportError(this.#context, error)
      }
    }
  }

  /** Nothing was committed, so what was forgotten with it waits again, in its order. */
  #waitAgain(rest: readonly Noted[]): void {
    this.#waiting = new Map([
      ...rest.map((noted) => [noted.event.eventId, noted] as const),
      ...this.#waiting,
    ])
    this.#waitingBytes = [...this.#waiting.values()].reduce(
      (sum, { attempt }) => sum + (attempt.response?.length ?? 0),
      0,
    )
    this.#writeSoon()
  }

  #write({ event, attempt, isCut, effect }: Noted): void {
    const state = attempt.outcome === 'accepted' ? 'done' : 'failed'
    const { request, response, ...facts } = attempt
    queries.recordEvent(
      this.#context.database,
      {
        ...event,
        subject: subjectOf(event.subject),
        isTest: event.isTest ?? false,
        createdAt: attempt.at,
      },
      { ...facts, response: withoutLinks(response), isCut },
      { state, request: withoutQueries(request), effect },
    )
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  #forget({ event, attempt }: Noted): void {
    if (this.#waiting.delete(event.eventId)) this.#waitingBytes -= attempt.response?.length ?? 0
  }

  /** Newest first. */
  list({ about, ...query }: EventListQuery) {
    const { database } = this.#context
    const { items, ...rest } = queries.listEvents(database, {
      ...query,
      ...(about && { about: aboutOf(database, about) }),
    })
    return { items: items.map((event) => summaryOf(database, event)), ...rest }
  }

  /** @throws ApiError not-found */
  read(eventId: string): EventRecord {
    const { database } = this.#context
    const event = queries.findEvent(database, eventId)
    if (!event) throw new ApiError('not-found', message('events.not-kept-settings'))
    const whyNot = whyNotAgain(this.#context, event)
    return {
      ...summaryOf(database, event),
      request: queries.eventRequest(database, eventId),
      attemptList: queries.eventAttempts(database, eventId).map(attemptOf),
      mayReplay: whyNot === null,
      whyNot,
    }
  }

  /** How well partners kept to the contract in the last `days` days. */
  meter(query: { readonly days: number; readonly endpointId?: string | undefined }) {
    return meterOf(this.#context.database, query, this.#context.clock())
  }

  async [Symbol.asyncDispose]() {
    this.#isClosing = true
    // What was noted while the last of it was written is written too.
    do await this.flush()
    while (this.#waiting.size > 0)
  }
}

/** A study's id finds what is about the study under its UID too, such as its reports. */
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
  const queued =
    event.state === 'waiting' ? findLatestOutboxJob(database, event.type, event.subject) : undefined
  return {
    ...event,
    kind: kindOf(event.type),
    nextAt: queued?.state === 'waiting' ? queued.notBefore : null,
  }
}

const attemptOf = ({ response, notes, ...attempt }: EventAttemptRow): EventAttempt => ({
  ...attempt,
  notes: [...notes],
  response: response?.toString() ?? null,
})

/**
 * clinical_context.enrichment_requested names a study by its raw UUID
 * (`shared/contract/webhooks.ts`).
 */
const subjectOf = (subject: string) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(subject) ? idFromUuid('stu', subject) : subject

/** The beginning of a body, copied so that the rest of it is let go. */
function beginningOf(body: Buffer | null, most: number): Buffer | null {
  if (body === null || body.length <= most) return body
  return most === 0 ? null : Buffer.from(body.subarray(0, most))
}

// Whoever hands over a body has cut it too: one of just so many bytes is taken for the beginning of
// a longer one.
const isCut = (kept: Buffer | null, body: Buffer | null) =>
  body !== null && (kept === null || kept.length < body.length || body.length === KEPT_BYTES)

/** A presigned URL opens a report for whoever reads it: its query is not kept. */
const withoutQueries = (json: string | null) =>
  json?.replace(/"(https?:\/\/[^"?\\]*)\?(?:[^"\\]|\\.)*"/gi, '"$1?…"') ?? null

/**
 * A link in an answer, whole or cut short, however its serialiser escapes slashes and question
 * marks.
 */
const LINK =
  /"\s*(https?:(?:\\?\/){2}[^"?\\]*(?:\\\/[^"?\\]*)*)(?:\?|\\u003f)(?:[^"\\]|\\.)*(?:"|\\?$)/gi

/** The same of an answer: whoever has its links has the images or documents behind them. */
function withoutLinks(response: Buffer | null): Buffer | null {
  const text = response?.toString('latin1') ?? ''
  const cut = text.replace(LINK, '"$1?..."')
  return cut === text ? response : Buffer.from(cut, 'latin1')
}
