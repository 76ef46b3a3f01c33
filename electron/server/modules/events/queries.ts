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
import { openDetail, sealedDetail } from './attempt-detail.ts'
import { type CallsSince, HAS_NOTES, newestWithNotes } from './call-count-queries.ts'

/**
 * waiting: will be sent, or sent again. done: accepted. failed: no further attempts. dropped:
 * stopped by a user.
 */
export type EventState = 'waiting' | 'done' | 'failed' | 'dropped'

/**
 * An event sent to a partner, in its current state. It contains no patient data; bodies are
 * encrypted.
 */
export interface EventRow {
  readonly seq: number
  readonly eventId: WebhookEventId
  readonly type: EventType
  readonly endpointId: string | null
  readonly subject: string
  readonly studyInstanceUid: string | null
  readonly state: EventState
  /** Outcome of the last attempt. */
  readonly outcome: EventOutcome
  readonly attempts: number
  readonly notes: number
  readonly tookMs: number
  /** Null if there is none. */
  readonly effect: Message | null
  readonly isTest: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** An event to be inserted. */
export type NewEventRow = Pick<
  EventRow,
  'type' | 'endpointId' | 'subject' | 'studyInstanceUid' | 'state' | 'isTest' | 'createdAt'
> & {
  readonly eventId: string
  /** The API key that may see it, or `CLINIC`. */
  readonly owner: string
}

/** The owner of an event that belongs to no API key, such as a worklist request. */
export const CLINIC_OWNER = 'clinic'

export interface EventAttemptRow {
  readonly attempt: number
  readonly at: string
  readonly outcome: EventOutcome
  readonly httpStatus: number | null
  readonly tookMs: number
  /** Size of the complete response body as received. */
  readonly bytes: number
  /** Encrypted at rest, because a refusal contains the partner's own text. */
  readonly detail: Message | null
  readonly notes: readonly AnswerNote[]
  readonly response: Buffer | null
  /** Whether the stored response is truncated. */
  readonly isCut: boolean
}

/** The state of an event after an attempt. */
export interface EventUpdate {
  readonly state: EventState
  /** The request as JSON; null keeps the stored one. */
  readonly request: string | null
  /** `undefined` keeps the stored value. */
  readonly endpointId?: string | null | undefined
  readonly effect?: Message | null | undefined
}

export type EventListFilter = 'all' | 'waiting' | 'failed' | 'notes'

/** Selects an event by id, the events of a subject, or those of a subject and its study. */
export type EventAbout =
  | { readonly eventId: string }
  | { readonly subject: string }
  | { readonly subject: string; readonly studyInstanceUid: string }

export interface EventQuery extends SliceQuery {
  readonly type?: EventType | undefined
  readonly show: EventListFilter
  readonly endpointId?: string | undefined
  readonly about?: EventAbout | undefined
  /** Only events of these; see `CLINIC`. */
  readonly owners?: readonly string[] | undefined
  readonly state?: EventState | undefined
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

const FILTERS = {
  waiting: sql<boolean>`state = 'waiting'`,
  failed: sql<boolean>`state = 'failed'`,
  notes: HAS_NOTES,
} as const satisfies Record<Exclude<EventListFilter, 'all'>, unknown>

export const selectEvents = ({ sql }: Database) => sql.selectFrom('events').select(COLUMNS)

/** Inserts an event and notifies subscribers. */
export const insertEvent = (database: Database, event: NewEventRow): void =>
  database.transaction(() => {
    insertRow(database, event, {})
    database.notify('events')
  })

/** Inserts an event with its first attempt, or adds an attempt if the event exists. */
export const recordEvent = (
  database: Database,
  event: Omit<NewEventRow, 'state'>,
  attempt: Omit<EventAttemptRow, 'attempt'>,
  standing: EventUpdate,
): void =>
  database.transaction(() => {
    const { eventId } = event
    const seq = insertRow(
      database,
      { ...event, state: standing.state },
      { ...columnsAfter(database, eventId, attempt, standing), attempts: 1 },
    )
    if (seq === undefined) addEventAttempt(database, eventId, attempt, standing)
    else insertAttempt(database, eventId, seq, { ...attempt, attempt: 1 })
    database.notify('events')
  })

/** The event, if it belongs to one of the owners; by default, whoever it belongs to. */
export function findEvent(database: Database, eventId: string, owners?: readonly string[]) {
  const row = database.get(
    selectEvents(database)
      .where('eventId', '=', eventId)
      .$if(owners !== undefined, (query) => query.where('owner', 'in', owners ?? [])),
  )
  return row && eventOf(row)
}

/** Lists events, newest first. */
export function listEvents(
  database: Database,
  { after, limit, type, show, endpointId, about, owners, state }: EventQuery,
) {
  // The unary plus disables the index on the column. SQLite would prefer it, because it does not
  // know that events with notes are rare.
  const isOfType = (of: EventType) =>
    show === 'notes' ? sql<boolean>`+type = ${of}` : sql<boolean>`type = ${of}`
  const isOfEndpoint = (id: string) =>
    show === 'notes' ? sql<boolean>`+endpointId = ${id}` : sql<boolean>`endpointId = ${id}`
  const found = database.all(
    selectEvents(database)
      .$if(after !== undefined, (query) => query.where('seq', '<', Number(after)))
      .$if(type !== undefined, (query) => query.where(isOfType(type as EventType)))
      .$if(endpointId !== undefined, (query) => query.where(isOfEndpoint(endpointId as string)))
      .$if(show !== 'all', (query) => query.where(FILTERS[show as Exclude<EventListFilter, 'all'>]))
      .$if(about !== undefined, (query) => query.where(isAbout(about as EventAbout)))
      .$if(owners !== undefined, (query) => query.where(isOwnedBy(owners as readonly string[])))
      .$if(state !== undefined, (query) => query.where('state', '=', state as EventState))
      .orderBy('seq', 'desc')
      .limit(limit + 1),
  )
  return sliceOf(found.map(eventOf), limit, (row) => row.seq)
}

/** The last request, as JSON. @throws StoreError seal-broken */
export function eventRequest(database: Database, eventId: string): string | null {
  const row = database.get(
    database.sql.selectFrom('events').select('sealedRequest').where('eventId', '=', eventId),
  )
  return row?.sealedRequest
    ? database.seal.open(row.sealedRequest, requestContext(eventId)).toString()
    : null
}

/** Lists the attempts of an event, newest first. @throws StoreError seal-broken */
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
      ...openDetail(database.seal, eventId, row.attempt, sealedDetail),
      response:
        sealedResponse && database.seal.open(sealedResponse, responseContext(eventId, row.attempt)),
    }))
}

/** Adds an attempt to the event; returns false if the event does not exist. */
export const addEventAttempt = (
  database: Database,
  eventId: string,
  given: Omit<EventAttemptRow, 'attempt'>,
  standing: EventUpdate,
): boolean =>
  database.transaction(() => {
    const event = seqOf(database, eventId)
    if (!event) return false
    const attempt = event.attempts + 1
    insertAttempt(database, eventId, event.seq, { ...given, attempt })
    const columns = { ...columnsAfter(database, eventId, given, standing), attempts: attempt }
    database.run(database.sql.updateTable('events').set(columns).where('seq', '=', event.seq))
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

/** The latest events of a type whose last response has notes, with the notes. */
export const eventsWithNotes = (
  database: Database,
  type: EventType,
  calls: CallsSince,
  limit: number,
) =>
  newestWithNotes(database, type, calls, limit).map(({ eventId, attempt, sealedDetail }) => ({
    eventId: eventId as WebhookEventId,
    notes: openDetail(database.seal, eventId, attempt, sealedDetail).notes,
  }))

type EventColumns = Omit<Schema['events'], 'seq'>

const seqOf = (database: Database, eventId: string) =>
  database.get(
    database.sql.selectFrom('events').select(['seq', 'attempts']).where('eventId', '=', eventId),
  )

/** Returns the sequence number; `undefined` if the event exists already. */
function insertRow(
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

/** The column values of an event after an attempt. */
function columnsAfter(
  { seal }: Database,
  eventId: string,
  { at: updatedAt, outcome, tookMs, notes }: Omit<EventAttemptRow, 'attempt'>,
  { state, request, endpointId, effect }: EventUpdate,
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

/**
 * One owner may have few events, which the index finds. With two, most events match, so the index,
 * after which SQLite would sort them all, is disabled.
 */
const isOwnedBy = (owners: readonly string[]) =>
  owners.length === 1
    ? sql<boolean>`owner = ${owners[0]}`
    : sql<boolean>`+owner in (${sql.join(owners)})`

const requestContext = (eventId: string) => `event ${eventId} request`
const responseContext = (eventId: string, attempt: number) => `event ${eventId} response ${attempt}`

type StoredRow = { readonly [K in keyof EventRow]: unknown } & { readonly effect: string }
export const eventOf = (row: StoredRow): EventRow =>
  ({
    ...row,
    effect: messageOrNull(row.effect),
    isTest: row.isTest === 1,
  }) as EventRow
