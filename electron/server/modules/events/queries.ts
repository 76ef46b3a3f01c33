import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import { type SliceQuery, sliceOf } from '#server/database/page.ts'
import { flag } from '#server/database/query.ts'
import type { Schema } from '#server/database/schema.ts'
import type { AnswerNote, EventOutcome } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { type Message, storedMessage, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'
import { openedDetail, sealedDetail } from './attempt-detail.ts'
import { type CallsSince, newestWithNotes, type Span, WITH_NOTES } from './tally-queries.ts'

/**
 * waiting: it goes out, or goes out again; done: accepted; failed: no more attempts; dropped: by a
 * person.
 */
export type EventState = 'waiting' | 'done' | 'failed' | 'dropped'

/**
 * An event sent to a partner, as it stands. Nothing about a patient is in it; bodies are sealed at
 * rest.
 */
export interface EventRow {
  readonly seq: number
  readonly eventId: WebhookEventId
  readonly type: EventType
  readonly endpointId: string | null
  readonly subject: string
  readonly studyInstanceUid: string | null
  readonly state: EventState
  /** Of the last attempt. */
  readonly outcome: EventOutcome
  readonly attempts: number
  readonly notes: number
  readonly tookMs: number
  /** Null: none. */
  readonly effect: Message | null
  readonly isTest: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** An event that has just been made. */
export type NewEventRow = Pick<
  EventRow,
  'type' | 'endpointId' | 'subject' | 'studyInstanceUid' | 'state' | 'isTest' | 'createdAt'
> & {
  readonly eventId: string
}

export interface EventAttemptRow {
  readonly attempt: number
  readonly at: string
  readonly outcome: EventOutcome
  readonly httpStatus: number | null
  readonly tookMs: number
  /** Of the whole body, as it came over the wire. */
  readonly bytes: number
  /** Sealed at rest, for a refusal is in the partner's own words. */
  readonly detail: Message | null
  readonly notes: readonly AnswerNote[]
  readonly response: Buffer | null
  /** The response is not all of the body. */
  readonly isCut: boolean
}

/** How an event stands after an attempt. */
export interface EventStanding {
  readonly state: EventState
  /** As JSON, what was sent; null leaves what was sent before. */
  readonly request: string | null
  /** Undefined leaves it as it is. */
  readonly endpointId?: string | null | undefined
  readonly effect?: Message | null | undefined
}

export type EventShow = 'all' | 'waiting' | 'failed' | 'notes'

/** An event by its id; what is about a subject; or that and everything of a study. */
export type EventAbout =
  | { readonly eventId: string }
  | { readonly subject: string }
  | { readonly subject: string; readonly studyInstanceUid: string }

export interface EventQuery extends SliceQuery {
  readonly type?: EventType | undefined
  readonly show: EventShow
  readonly endpointId?: string | undefined
  readonly about?: EventAbout | undefined
}

const COLUMNS = [
  'seq',
  'eventId',
  'type',
  'endpointId',
  'subject',
  'studyInstanceUid',
  'state',
  'outcome',
  'attempts',
  'notes',
  'tookMs',
  'effect',
  'isTest',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof EventRow)[]

const SHOWN = {
  waiting: sql<boolean>`state = 'waiting'`,
  failed: sql<boolean>`state = 'failed'`,
  notes: WITH_NOTES,
} as const satisfies Record<Exclude<EventShow, 'all'>, unknown>

const rows = ({ sql }: Database) => sql.selectFrom('events').select(COLUMNS)

/** The event waits. */
export const insertEvent = (database: Database, event: NewEventRow): void =>
  database.transaction(() => {
    insert(database, event, {})
    database.notify('events')
  })

/** An event with its first attempt; where it is known already, one attempt more. */
export const recordEvent = (
  database: Database,
  event: Omit<NewEventRow, 'state'>,
  attempt: Omit<EventAttemptRow, 'attempt'>,
  standing: EventStanding,
): void =>
  database.transaction(() => {
    const { eventId } = event
    const seq = insert(
      database,
      { ...event, state: standing.state },
      { ...standingOf(database, eventId, attempt, standing), attempts: 1 },
    )
    if (seq === undefined) addEventAttempt(database, eventId, attempt, standing)
    else insertAttempt(database, eventId, seq, { ...attempt, attempt: 1 })
    database.notify('events')
  })

export function findEvent(database: Database, eventId: string) {
  const row = database.get(rows(database).where('eventId', '=', eventId))
  return row && eventOf(row)
}

/** What decides whether the event of a report can be sent again. */
export const findReportState = (database: Database, reportId: string) =>
  database.get(
    database.sql
      .selectFrom('reports')
      .select(['status', 'studyId'])
      .where('reportId', '=', reportId),
  )

/** Newest first. */
export function listEvents(
  database: Database,
  { after, limit, type, show, endpointId, about }: EventQuery,
) {
  // SQLite takes the narrower index by itself, but knows nothing of how rare notes are.
  const isOfType = (of: EventType) =>
    show === 'notes' ? sql<boolean>`+type = ${of}` : sql<boolean>`type = ${of}`
  const isOfEndpoint = (id: string) =>
    show === 'notes' ? sql<boolean>`+endpointId = ${id}` : sql<boolean>`endpointId = ${id}`
  const found = database.all(
    rows(database)
      .$if(after !== undefined, (query) => query.where('seq', '<', Number(after)))
      .$if(type !== undefined, (query) => query.where(isOfType(type as EventType)))
      .$if(endpointId !== undefined, (query) => query.where(isOfEndpoint(endpointId as string)))
      .$if(show !== 'all', (query) => query.where(SHOWN[show as Exclude<EventShow, 'all'>]))
      .$if(about !== undefined, (query) => query.where(isAbout(about as EventAbout)))
      .orderBy('seq', 'desc')
      .limit(limit + 1),
  )
  return sliceOf(found.map(eventOf), limit, (row) => row.seq)
}

/** The body that was sent last, as JSON. @throws StoreError seal-broken */
export function eventRequest(database: Database, eventId: string): string | null {
  const row = database.get(
    database.sql.selectFrom('events').select('sealedRequest').where('eventId', '=', eventId),
  )
  return row?.sealedRequest
    ? database.seal.open(row.sealedRequest, requestContext(eventId)).toString()
    : null
}

/** Newest first. @throws StoreError seal-broken */
export function eventAttempts(database: Database, eventId: string): EventAttemptRow[] {
  const event = seqOf(database, eventId)
  if (!event) return []
  return database
    .all(
      database.sql
        .selectFrom('eventAttempts')
        .selectAll()
        .where('seq', '=', event.seq)
        .orderBy('attempt', 'desc'),
    )
    .map(({ seq: _, sealedDetail, sealedResponse, ...row }) => ({
      ...row,
      outcome: row.outcome as EventOutcome,
      ...openedDetail(database.seal, eventId, row.attempt, sealedDetail),
      response:
        sealedResponse && database.seal.open(sealedResponse, responseContext(eventId, row.attempt)),
    }))
}

/** Counts an attempt of the event; false where the event is not known. */
export const addEventAttempt = (
  database: Database,
  eventId: string,
  given: Omit<EventAttemptRow, 'attempt'>,
  standing: EventStanding,
): boolean =>
  database.transaction(() => {
    const event = seqOf(database, eventId)
    if (!event) return false
    const attempt = event.attempts + 1
    insertAttempt(database, eventId, event.seq, { ...given, attempt })
    const stands = { ...standingOf(database, eventId, given, standing), attempts: attempt }
    database.run(database.sql.updateTable('events').set(stands).where('seq', '=', event.seq))
    database.notify('events')
    return true
  })

export const setEventState = (
  database: Database,
  eventId: string,
  state: EventState,
  updatedAt: string,
): void =>
  database.transaction(() => {
    const changed = database.sql.updateTable('events').set({ state, updatedAt })
    database.run(changed.where('eventId', '=', eventId))
    database.notify('events')
  })

export const setEventEffect = (database: Database, eventId: string, effect: Message): void =>
  database.transaction(() => {
    const changed = database.sql.updateTable('events').set({ effect: storedMessage(effect) })
    database.run(changed.where('eventId', '=', eventId))
    database.notify('events')
  })

/**
 * Events of a type in one of the states, made in the span (`to` excluded), oldest first, tests left
 * out.
 */
export const eventsInState = (
  database: Database,
  type: EventType,
  states: readonly EventState[],
  { from, to }: Span,
  limit: number,
) =>
  database
    .all(
      rows(database)
        .where('type', '=', type)
        .where('state', 'in', states)
        .where('createdAt', '>=', from)
        .where('createdAt', '<', to)
        .where('isTest', '=', 0)
        .orderBy('seq')
        .limit(limit),
    )
    .map(eventOf)

/**
 * When the last event before the endpoint's newest failure was made that it accepted; undefined
 * where none did, or none failed.
 */
export function lastAcceptedBeforeFailure(database: Database, endpointId: string | null) {
  const ofEndpoint = database.sql
    .selectFrom('events')
    .where('endpointId', 'is', endpointId)
    .where('isTest', '=', 0)
  const newest = (state: EventState) =>
    database.get(
      ofEndpoint
        .select('seq')
        .where('state', '=', state)
        .where('attempts', '>', 0)
        .orderBy('seq', 'desc')
        .limit(1),
    )?.seq ?? 0
  const failure = Math.max(newest('failed'), newest('waiting'))
  return database.get(
    ofEndpoint
      .select('createdAt')
      // Not by the index of states: what was accepted is most of it, and the endpoint's newest is
      // near.
      .where(sql<boolean>`+state = 'done'`)
      .where('seq', '<', failure)
      .orderBy('seq', 'desc')
      .limit(1),
  )?.createdAt
}

/** The newest events of a type whose last answer had parts left out, with these. */
export const eventsWithNotes = (
  database: Database,
  type: EventType,
  calls: CallsSince,
  limit: number,
) =>
  newestWithNotes(database, type, calls, limit).map(({ eventId, attempt, sealedDetail }) => ({
    eventId: eventId as WebhookEventId,
    notes: openedDetail(database.seal, eventId, attempt, sealedDetail).notes,
  }))

type EventColumns = Omit<Schema['events'], 'seq'>

const seqOf = (database: Database, eventId: string) =>
  database.get(
    database.sql.selectFrom('events').select(['seq', 'attempts']).where('eventId', '=', eventId),
  )

/** Its sequence number; undefined where it was known. */
function insert(
  database: Database,
  { isTest, ...event }: NewEventRow,
  standing: Partial<EventColumns>,
) {
  const row = {
    ...{ outcome: 'none' satisfies EventOutcome, attempts: 0, notes: 0, tookMs: 0, effect: '' },
    ...{ updatedAt: event.createdAt, ...event, ...standing, isTest: flag(isTest) },
  }
  const { changes, lastInsertRowid } = database.run(
    database.sql
      .insertInto('events')
      .values(row)
      .onConflict((known) => known.column('eventId').doNothing()),
  )
  return changes === 0 ? undefined : lastInsertRowid
}

/** What an attempt makes of its event. */
function standingOf(
  { seal }: Database,
  eventId: string,
  { at: updatedAt, outcome, tookMs, notes }: Omit<EventAttemptRow, 'attempt'>,
  { state, request, endpointId, effect }: EventStanding,
): Partial<EventColumns> {
  return {
    ...{ state, outcome, tookMs, updatedAt, notes: notes.length },
    ...(request !== null && {
      sealedRequest: seal.seal(Buffer.from(request), requestContext(eventId)),
    }),
    ...(endpointId !== undefined && { endpointId }),
    ...(effect !== undefined && { effect: storedOrEmpty(effect) }),
  }
}

function insertAttempt(
  database: Database,
  eventId: string,
  seq: number,
  { attempt, detail, notes, isCut, response, ...facts }: EventAttemptRow,
): void {
  const { seal } = database
  database.run(
    database.sql.insertInto('eventAttempts').values({
      ...{ ...facts, seq, attempt },
      sealedDetail: sealedDetail(seal, eventId, attempt, { detail, notes, isCut }),
      sealedResponse: response && seal.seal(response, responseContext(eventId, attempt)),
    }),
  )
}

function isAbout(about: EventAbout) {
  if ('eventId' in about) return sql<boolean>`eventId = ${about.eventId}`
  if ('studyInstanceUid' in about)
    return sql<boolean>`(subject = ${about.subject} or studyInstanceUid = ${about.studyInstanceUid})`
  return sql<boolean>`subject = ${about.subject}`
}

const requestContext = (eventId: string) => `event ${eventId} request`
const responseContext = (eventId: string, attempt: number) => `event ${eventId} response ${attempt}`

type StoredRow = { readonly [K in keyof EventRow]: unknown } & { readonly effect: string }
const eventOf = (row: StoredRow): EventRow =>
  ({
    ...row,
    effect: messageOrNull(row.effect),
    isTest: row.isTest === 1,
  }) as EventRow
