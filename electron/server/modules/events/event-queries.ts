import { sql } from 'kysely'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import type { Schema } from '#server/database/schema.ts'
import type { AnswerNote, EventOutcome } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import {
  attemptsOf,
  type CallsSince,
  type CallTally,
  newestWithNotes,
  type Span,
  tallyOf,
  WITH_NOTES,
} from './event-tally-queries.ts'

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
  readonly effect: string
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
  readonly detail: string
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
  readonly effect?: string | undefined
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

export interface EventsStore {
  insert(event: NewEventRow): void
  /** An event with its first attempt; where it is known already, one attempt more. */
  record(
    event: Omit<NewEventRow, 'state'>,
    attempt: Omit<EventAttemptRow, 'attempt'>,
    standing: EventStanding,
  ): void
  get(eventId: string): EventRow | undefined
  /** Newest first. */
  list(query: EventQuery): Slice<EventRow>
  /** The body that was sent last. @throws StoreError seal-broken */
  request(eventId: string): string | null
  /** Newest first. @throws StoreError seal-broken */
  attempts(eventId: string): EventAttemptRow[]
  /** Counts an attempt of the event; false where the event is not known. */
  addAttempt(
    eventId: string,
    attempt: Omit<EventAttemptRow, 'attempt'>,
    standing: EventStanding,
  ): boolean
  setState(eventId: string, state: EventState, at: string): void
  setEffect(eventId: string, effect: string): void
  /** Events of a type that stand so, made in the span, oldest first, tests left out. */
  standing(
    type: EventType,
    states: readonly EventState[],
    span: { readonly from: string; readonly to: string },
    limit: number,
  ): EventRow[]
  /**
   * When the last event before the endpoint's newest failure was made that it accepted; undefined
   * where none did, or none failed.
   */
  lastAcceptedBeforeFailure(endpointId: string | null): string | undefined
  /** Calls in the span of events that are sent once; tests left out. */
  tally(span: Span, endpointId?: string): CallTally[]
  /** Attempts in the span of events that are sent until they are accepted; tests left out. */
  tallyAttempts(span: Span, endpointId?: string): CallTally[]
  /** The newest events of a type whose last answer had parts left out, with these. */
  withNotes(
    type: EventType,
    calls: CallsSince,
    limit: number,
  ): { readonly eventId: WebhookEventId; readonly notes: readonly AnswerNote[] }[]
  /**
   * Forgets what was sent and answered in at most `limit` accepted events of a type that were made
   * before the instant.
   */
  forgetBodies(type: EventType, before: string, limit: number): number
  /**
   * Forgets at most `limit` events that were made and last tried before the instant; none that
   * waits.
   */
  purge(before: string, limit: number): number
  /**
   * Calls the listener after each commit that made or changed events. It must not throw. Returns
   * what stops it.
   */
  onChange(listener: () => void): () => void
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

// Word for word the condition of the partial index eventsWithBody.
const HAS_BODY = sql<boolean>`state = 'done' and sealedRequest is not null`
const SHOWN = {
  waiting: sql<boolean>`state = 'waiting'`,
  failed: sql<boolean>`state = 'failed'`,
  notes: WITH_NOTES,
} as const satisfies Record<Exclude<EventShow, 'all'>, unknown>

export function eventsStore(db: Database, seal: Seal): EventsStore {
  const rows = db.sql.selectFrom('events').select(COLUMNS)
  const listeners = new Set<() => void>()
  const notifyAfterCommit = () =>
    db.afterCommit(() => {
      for (const listener of listeners) listener()
    })
  const seqOf = (eventId: string) =>
    db.get(db.sql.selectFrom('events').select(['seq', 'attempts']).where('eventId', '=', eventId))

  function opened(
    { eventId, attempt }: { eventId: string; attempt: number },
    sealed: Buffer,
  ): AttemptDetail {
    return JSON.parse(seal.open(sealed, contextOf(eventId, attempt, 'detail')).toString())
  }

  /** Whether it is new, and where. */
  function insert({ isTest, ...event }: NewEventRow, standing: Partial<EventColumns>) {
    const row = {
      ...{
        outcome: 'none' satisfies EventOutcome,
        attempts: 0,
        notes: 0,
        tookMs: 0,
        effect: '',
        updatedAt: event.createdAt,
      },
      ...{ ...event, ...standing, isTest: flag(isTest) },
    }
    const { changes, lastInsertRowid } = db.run(
      db.sql
        .insertInto('events')
        .values(row)
        .onConflict((known) => known.column('eventId').doNothing()),
    )
    return changes === 0 ? undefined : lastInsertRowid
  }

  /** What an attempt makes of its event. */
  function standingOf(
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
      ...(effect !== undefined && { effect }),
    }
  }

  function insertAttempt(
    eventId: string,
    seq: number,
    { attempt, detail, notes, isCut, response, ...facts }: EventAttemptRow,
  ): void {
    const inWords: AttemptDetail = { detail, notes, isCut }
    db.run(
      db.sql.insertInto('eventAttempts').values({
        ...facts,
        ...{ seq, attempt },
        sealedDetail: seal.seal(
          Buffer.from(JSON.stringify(inWords)),
          contextOf(eventId, attempt, 'detail'),
        ),
        sealedResponse: response && seal.seal(response, contextOf(eventId, attempt, 'response')),
      }),
    )
  }

  const addAttempt: EventsStore['addAttempt'] = (eventId, given, standing) =>
    db.transaction(() => {
      const event = seqOf(eventId)
      if (!event) return false
      const attempt = event.attempts + 1
      insertAttempt(eventId, event.seq, { ...given, attempt })
      const stands = { ...standingOf(eventId, given, standing), attempts: attempt }
      db.run(db.sql.updateTable('events').set(stands).where('seq', '=', event.seq))
      notifyAfterCommit()
      return true
    })

  return {
    insert: (event) =>
      db.transaction(() => {
        insert(event, {})
        notifyAfterCommit()
      }),

    record: (event, given, standing) =>
      db.transaction(() => {
        const { eventId } = event
        const seq = insert(
          { ...event, state: standing.state },
          { ...standingOf(eventId, given, standing), attempts: 1 },
        )
        if (seq === undefined) addAttempt(eventId, given, standing)
        else insertAttempt(eventId, seq, { ...given, attempt: 1 })
        notifyAfterCommit()
      }),

    get(eventId) {
      const row = db.get(rows.where('eventId', '=', eventId))
      return row && eventOf(row)
    },

    list({ after, limit, type, show, endpointId, about }) {
      // SQLite takes the narrower index by itself, but knows nothing of how rare notes are.
      const isOfType = (of: EventType) =>
        show === 'notes' ? sql<boolean>`+type = ${of}` : sql<boolean>`type = ${of}`
      const isOfEndpoint = (id: string) =>
        show === 'notes' ? sql<boolean>`+endpointId = ${id}` : sql<boolean>`endpointId = ${id}`
      const found = db.all(
        rows
          .$if(after !== undefined, (query) => query.where('seq', '<', Number(after)))
          .$if(type !== undefined, (query) => query.where(isOfType(type as EventType)))
          .$if(endpointId !== undefined, (query) => query.where(isOfEndpoint(endpointId as string)))
          .$if(show !== 'all', (query) => query.where(SHOWN[show as Exclude<EventShow, 'all'>]))
          .$if(about !== undefined, (query) => query.where(isAbout(about as EventAbout)))
          .orderBy('seq', 'desc')
          .limit(limit + 1),
      )
      return sliceOf(found.map(eventOf), limit, (row) => row.seq)
    },

    request(eventId) {
      const row = db.get(
        db.sql.selectFrom('events').select('sealedRequest').where('eventId', '=', eventId),
      )
      return row?.sealedRequest
        ? seal.open(row.sealedRequest, requestContext(eventId)).toString()
        : null
    },

    attempts(eventId) {
      const event = seqOf(eventId)
      if (!event) return []
      return db
        .all(
          db.sql
            .selectFrom('eventAttempts')
            .selectAll()
            .where('seq', '=', event.seq)
            .orderBy('attempt', 'desc'),
        )
        .map(({ seq: _, sealedDetail, sealedResponse, ...row }) => ({
          ...row,
          outcome: row.outcome as EventOutcome,
          ...opened({ eventId, attempt: row.attempt }, sealedDetail),
          response:
            sealedResponse &&
            seal.open(sealedResponse, contextOf(eventId, row.attempt, 'response')),
        }))
    },

    addAttempt,

    setState: (eventId, state, at) =>
      db.transaction(() => {
        db.run(
          db.sql.updateTable('events').set({ state, updatedAt: at }).where('eventId', '=', eventId),
        )
        notifyAfterCommit()
      }),
    setEffect: (eventId, effect) =>
      db.transaction(() => {
        db.run(db.sql.updateTable('events').set({ effect }).where('eventId', '=', eventId))
        notifyAfterCommit()
      }),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    standing: (type, states, { from, to }, limit) =>
      db
        .all(
          rows
            .where('type', '=', type)
            .where('state', 'in', states)
            .where('createdAt', '>=', from)
            .where('createdAt', '<', to)
            .where('isTest', '=', 0)
            .orderBy('seq')
            .limit(limit),
        )
        .map(eventOf),

    lastAcceptedBeforeFailure(endpointId) {
      const ofEndpoint = db.sql
        .selectFrom('events')
        .where('endpointId', 'is', endpointId)
        .where('isTest', '=', 0)
      const newest = (state: EventState) =>
        db.get(
          ofEndpoint
            .select('seq')
            .where('state', '=', state)
            .where('attempts', '>', 0)
            .orderBy('seq', 'desc')
            .limit(1),
        )?.seq ?? 0
      const failure = Math.max(newest('failed'), newest('waiting'))
      return db.get(
        ofEndpoint
          .select('createdAt')
          // Not by the index of states: what was accepted is most of it, and the endpoint's newest
          // is near.
          .where(sql<boolean>`+state = 'done'`)
          .where('seq', '<', failure)
          .orderBy('seq', 'desc')
          .limit(1),
      )?.createdAt
    },

    tally: (span, endpointId) => tallyOf(db, span, endpointId),
    tallyAttempts: (span, endpointId) => attemptsOf(db, span, endpointId),
    withNotes: (type, calls, limit) =>
      newestWithNotes(db, type, calls, limit).map(({ eventId, attempt, sealedDetail }) => ({
        eventId: eventId as WebhookEventId,
        notes: opened({ eventId, attempt }, sealedDetail).notes,
      })),

    forgetBodies: (type, before, limit) =>
      db.transaction(() => {
        const seqs = db
          .all(
            db.sql
              .selectFrom('events')
              .select('seq')
              .where(HAS_BODY)
              .where(sql<boolean>`+type = ${type}`)
              .where('createdAt', '<', before)
              .orderBy('createdAt')
              .limit(limit),
          )
          .map(({ seq }) => seq)
        if (seqs.length === 0) return 0
        db.run(db.sql.updateTable('events').set({ sealedRequest: null }).where('seq', 'in', seqs))
        db.run(
          db.sql
            .updateTable('eventAttempts')
            .set({ sealedResponse: null })
            .where('seq', 'in', seqs),
        )
        return seqs.length
      }),

    purge: (before, limit) =>
      db.run(
        db.sql
          .deleteFrom('events')
          .where(
            'seq',
            'in',
            db.sql
              .selectFrom('events')
              .select('seq')
              .where('createdAt', '<', before)
              .where('updatedAt', '<', before)
              .where(sql<boolean>`+state <> 'waiting'`)
              .orderBy('createdAt')
              .limit(limit),
          ),
      ).changes,
  }
}

type EventColumns = Omit<Schema['events'], 'seq'>

interface AttemptDetail {
  readonly detail: string
  readonly notes: readonly AnswerNote[]
  readonly isCut: boolean
}

function isAbout(about: EventAbout) {
  if ('eventId' in about) return sql<boolean>`eventId = ${about.eventId}`
  if ('studyInstanceUid' in about)
    return sql<boolean>`(subject = ${about.subject} or studyInstanceUid = ${about.studyInstanceUid})`
  return sql<boolean>`subject = ${about.subject}`
}

const requestContext = (eventId: string) => `event ${eventId} request`
const contextOf = (eventId: string, attempt: number, part: 'detail' | 'response') =>
  `event ${eventId} ${part} ${attempt}`

const eventOf = (row: { [K in keyof EventRow]: unknown }): EventRow =>
  ({ ...row, isTest: row.isTest === 1 }) as EventRow
