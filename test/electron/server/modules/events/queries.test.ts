import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { countAttempts, countCalls } from '#server/modules/events/call-count-queries.ts'
import * as queries from '#server/modules/events/queries.ts'
import {
  addEventAttempt,
  type EventAttemptRow,
  type EventQuery,
  type EventState,
  eventAttempts,
  eventRequest,
  eventsWithNotes,
  insertEvent,
  listEvents,
  type NewEventRow,
  setEventEffect,
} from '#server/modules/events/queries.ts'
import { lastAcceptedBeforeFailure } from '#server/modules/events/replay-queries.ts'
import { deleteEventBodies, purgeEvents } from '#server/modules/events/retention-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const START = Date.parse('2026-03-10T09:00:00.000Z')
const at = (second: number) => instantOf(START + second * 1000)
const id = (number: number) => `whe_${String(number).padStart(32, '0')}`
const event = (number: number, more: Partial<NewEventRow> = {}): NewEventRow => ({
  ...{
    eventId: id(number),
    type: 'modality_worklist.requested',
    endpointId: 'e1',
    subject: 'CT1',
    studyInstanceUid: null,
    owner: 'clinic',
  },
  ...{ state: 'waiting', isTest: false, createdAt: at(number) },
  ...more,
})
const attempt = (
  second: number,
  more: Partial<EventAttemptRow> = {},
): Omit<EventAttemptRow, 'attempt'> => ({
  ...{
    at: at(second),
    outcome: 'accepted',
    httpStatus: 200,
    tookMs: 12,
    bytes: 2,
    detail: null,
    notes: [],
    response: null,
    isCut: false,
  },
  ...more,
})
const NOTE = { path: 'urls.0', sentence: verbatim('It is not text; it is left out.') }

/** An event that ended so. */
function ended(
  store: Context,
  number: number,
  state: EventState,
  more: Partial<NewEventRow> = {},
  last: Partial<EventAttemptRow> = {},
) {
  insertEvent(store.database, event(number, more))
  addEventAttempt(
    store.database,
    id(number),
    attempt(number, { outcome: state === 'done' ? 'accepted' : 'timeout', ...last }),
    {
      state,
      request: '{}',
    },
  )
}
const ids = (store: Context, query: Partial<EventQuery>) =>
  listEvents(store.database, { limit: 100, show: 'all', ...query }).items.map(({ eventId }) =>
    Number(eventId.slice(4)),
  )

describe('events', () => {
  it('tell of each commit that made or changed one, once', () => {
    using temp = tempStore()
    const { database } = temp.store
    const events = bound(queries, database)
    let changes = 0
    const stop = database.subscribe('events', () => changes++)
    events.recordEvent(event(1), attempt(1), { state: 'done', request: null })
    expect(changes).toBe(1)
    for (const change of [
      () => events.setEventState(id(1), 'dropped', at(2)),
      () => events.setEventEffect(id(1), verbatim('Done.')),
    ])
      change()
    expect(changes).toBe(3)
    expect(() =>
      database.transaction(() => {
        events.insertEvent(event(2))
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(changes).toBe(3)
    stop()
    events.insertEvent(event(3))
    expect(changes).toBe(3)
  })

  it('are read with their attempts, the newest first, as they were written', () => {
    using temp = tempStore()
    const events = bound(queries, temp.store.database)
    events.insertEvent(
      event(1, { type: 'report.delivered', subject: 'rep_1', studyInstanceUid: '1.2.3' }),
    )
    const first = attempt(2, {
      outcome: 'status',
      httpStatus: 500,
      detail: verbatim('it responded with 500'),
      response: Buffer.from('oops'),
      isCut: true,
    })
    const second = attempt(3, { notes: [NOTE], bytes: 16, tookMs: 8.5 })
    events.addEventAttempt(id(1), first, { state: 'waiting', request: '{"a":1}' })
    events.addEventAttempt(id(1), second, {
      state: 'done',
      request: null,
      effect: verbatim('Delivered.'),
      endpointId: 'e2',
    })
    expect(events.eventAttempts(id(1))).toEqual([
      { attempt: 2, ...second },
      { attempt: 1, ...first },
    ])
    expect(events.eventRequest(id(1))).toBe('{"a":1}')
    expect(events.findEvent(id(1))).toMatchObject({
      ...{
        type: 'report.delivered',
        state: 'done',
        outcome: 'accepted',
        attempts: 2,
        notes: 1,
        tookMs: 8.5,
        effect: 'Delivered.',
      },
      ...{ endpointId: 'e2', isTest: false, createdAt: at(1), updatedAt: at(3) },
    })
  })

  it('are none where nobody wrote them', () => {
    using temp = tempStore()
    const events = bound(queries, temp.store.database)
    expect(events.addEventAttempt(id(9), attempt(1), { state: 'done', request: null })).toBe(false)
    expect([
      events.findEvent(id(9)),
      events.eventRequest(id(9)),
      events.eventAttempts(id(9)),
    ]).toEqual([undefined, null, []])
  })

  it('keep nothing of a body or a detail in the clear', () => {
    using temp = tempStore()
    const { database } = temp.store
    const events = bound(queries, database)
    events.insertEvent(event(1))
    const told = attempt(1, {
      detail: verbatim('Quillfeather'),
      notes: [NOTE],
      response: Buffer.from('Quillfeather'),
    })
    events.addEventAttempt(id(1), told, { state: 'failed', request: 'Quillfeather' })
    const rows = [
      ...database.all(database.sql.selectFrom('events').selectAll()),
      ...database.all(database.sql.selectFrom('eventAttempts').selectAll()),
    ]
    const bytes = Buffer.concat(
      rows.flatMap((row) =>
        Object.values(row).map((value) =>
          Buffer.isBuffer(value) ? value : Buffer.from(String(value)),
        ),
      ),
    )
    expect(bytes.includes('Quillfeather')).toBe(false)
    expect(bytes.includes(englishText(NOTE.sentence))).toBe(false)
  })

  it('are listed by type, state, endpoint, notes and what they are about', () => {
    using temp = tempStore()
    const { store } = temp
    ended(store, 1, 'done')
    ended(store, 2, 'failed', { subject: 'MR1', endpointId: null })
    ended(store, 3, 'waiting', {
      type: 'report.delivered',
      subject: 'rep_1',
      studyInstanceUid: '1.2.3',
    })
    ended(
      store,
      4,
      'done',
      {
        type: 'study.access_requested',
        subject: 'stu_1',
        studyInstanceUid: '1.2.3',
        endpointId: 'e2',
      },
      { notes: [NOTE] },
    )
    ended(store, 5, 'dropped', {
      type: 'report.delivered',
      subject: 'rep_2',
      studyInstanceUid: '1.2.4',
    })
    expect(ids(store, {})).toEqual([5, 4, 3, 2, 1])
    expect(ids(store, { show: 'waiting' })).toEqual([3])
    expect(ids(store, { show: 'failed' })).toEqual([2])
    expect(ids(store, { show: 'notes' })).toEqual([4])
    expect(ids(store, { show: 'notes', type: 'report.delivered' })).toEqual([])
    expect(ids(store, { type: 'report.delivered' })).toEqual([5, 3])
    expect(ids(store, { type: 'report.delivered', show: 'waiting', endpointId: 'e1' })).toEqual([3])
    expect(ids(store, { endpointId: 'e2' })).toEqual([4])
    expect(ids(store, { about: { eventId: id(2) } })).toEqual([2])
    expect(ids(store, { about: { subject: 'CT1' } })).toEqual([1])
    expect(ids(store, { about: { subject: '1.2.3', studyInstanceUid: '1.2.3' } })).toEqual([4, 3])
    expect(ids(store, { about: { subject: 'rep_2', studyInstanceUid: '1.2.3' } })).toEqual([
      5, 4, 3,
    ])
  })

  it('are paged without a gap or a repeat', () => {
    using temp = tempStore()
    const { store } = temp
    store.database.transaction(() => {
      for (let number = 1; number <= 25; number++)
        ended(store, number, number % 3 === 0 ? 'failed' : 'done')
    })
    for (const show of ['all', 'failed'] as const) {
      const seen: number[] = []
      let after: string | undefined
      do {
        const page = listEvents(store.database, { limit: 4, show, after })
        seen.push(...page.items.map(({ eventId }) => Number(eventId.slice(4))))
        after = page.next
      } while (after !== undefined)
      expect(seen).toEqual(ids(store, { show }))
    }
  })

  it.each<[string, Partial<EventQuery>, string]>([
    ['all', {}, 'SEARCH events USING INTEGER PRIMARY KEY'],
    ['of a type', { type: 'report.delivered' }, 'eventsByType '],
    ['of a type that failed', { type: 'report.delivered', show: 'failed' }, 'eventsByTypeAndState'],
    ['that wait', { show: 'waiting' }, 'eventsByState'],
    ['with notes', { show: 'notes' }, 'eventsWithNotes'],
    ['of a type with notes', { show: 'notes', type: 'report.delivered' }, 'eventsWithNotes'],
    ['of an endpoint', { endpointId: 'e1' }, 'eventsByEndpoint'],
    [
      'of an endpoint and a type',
      { endpointId: 'e1', type: 'report.delivered' },
      'eventsByEndpointAndType',
    ],
    ['of an endpoint that failed', { endpointId: 'e1', show: 'failed' }, 'eventsBy'],
    ['about a device', { about: { subject: 'CT1' } }, 'eventsBySubject'],
    ['about a study', { about: { subject: 's', studyInstanceUid: '1.2' } }, 'MULTI-INDEX OR'],
  ])('%s are found by an index, in its order', (_what, query, index) => {
    using temp = tempStore()
    const { database } = temp.store
    const lines: string[] = []
    const spied = Object.create(database, {
      all: {
        value: (asked: { compile(): { sql: string } }) => {
          const compiled = asked.compile()
          const explained = { ...compiled, sql: `explain query plan ${compiled.sql}` }
          for (const row of database.all<{ detail: string }>({ compile: () => explained as never }))
            lines.push(row.detail)
          return []
        },
      },
    })
    listEvents(spied, { limit: 20, show: 'all', after: '900', ...query })
    expect(lines.join('; ')).toContain(index)
    // Of a study there are a few; any other order would be made of all there is.
    if (!index.startsWith('MULTI')) expect(lines.join('; ')).not.toContain('TEMP B-TREE')
  })

  it('tell how calls ended: of reports each attempt, of tests none', () => {
    using temp = tempStore()
    const { store } = temp
    ended(store, 1, 'done', {}, { tookMs: 10.2 })
    ended(store, 2, 'done', {}, { tookMs: 9.8, notes: [NOTE] })
    ended(store, 3, 'failed', { endpointId: 'e2' })
    ended(store, 4, 'done', { isTest: true })
    ended(
      store,
      5,
      'waiting',
      { type: 'report.delivered', subject: 'rep_1' },
      { outcome: 'unreachable' },
    )
    addEventAttempt(store.database, id(5), attempt(6, { tookMs: 20 }), {
      state: 'done',
      request: null,
    })
    const span = { from: at(0), to: at(100) }
    const tallied = (of: typeof span, endpointId?: string) => [
      ...countCalls(store.database, of, endpointId),
      ...countAttempts(store.database, of, endpointId),
    ]
    expect(tallied(span).toSorted((a, b) => a.count - b.count || a.tookMs - b.tookMs)).toEqual([
      {
        type: 'modality_worklist.requested',
        outcome: 'timeout',
        tookMs: 12,
        count: 1,
        withNotes: 0,
      },
      { type: 'report.delivered', outcome: 'unreachable', tookMs: 12, count: 1, withNotes: 0 },
      { type: 'report.delivered', outcome: 'accepted', tookMs: 20, count: 1, withNotes: 0 },
      {
        type: 'modality_worklist.requested',
        outcome: 'accepted',
        tookMs: 10,
        count: 2,
        withNotes: 1,
      },
    ])
    expect(tallied(span, 'e2')).toHaveLength(1)
    expect(tallied({ from: at(6), to: at(7) }).map(({ tookMs }) => tookMs)).toEqual([20])
    expect(
      eventsWithNotes(store.database, 'modality_worklist.requested', { since: at(0) }, 10),
    ).toEqual([{ eventId: id(2), notes: [NOTE] }])
    expect(
      eventsWithNotes(store.database, 'modality_worklist.requested', { since: at(3) }, 10),
    ).toEqual([])
    expect(
      eventsWithNotes(
        store.database,
        'modality_worklist.requested',
        { since: at(0), endpointId: 'e2' },
        10,
      ),
    ).toEqual([])
  })

  it('know since when an endpoint has not accepted', () => {
    using temp = tempStore()
    const { store } = temp
    const since = (endpointId: string | null) =>
      lastAcceptedBeforeFailure(store.database, endpointId)
    expect(since('e1')).toBeUndefined()
    ended(store, 1, 'done')
    ended(store, 2, 'done', { endpointId: 'e2' })
    expect(since('e1')).toBeUndefined()
    ended(store, 3, 'failed')
    ended(store, 4, 'waiting', { type: 'report.delivered' })
    ended(store, 5, 'done')
    expect([since('e1'), since('e2'), since(null)]).toEqual([at(1), undefined, undefined])
  })

  it('are forgotten when they were made and last tried long ago, with their attempts, and never while they wait', () => {
    using temp = tempStore()
    const { store } = temp
    ended(store, 1, 'done')
    ended(store, 2, 'waiting')
    ended(store, 3, 'failed')
    ended(store, 4, 'dropped', {}, { at: at(50) })
    ended(store, 5, 'done')
    expect(purgeEvents(store.database, at(5), 1)).toBe(1)
    expect(purgeEvents(store.database, at(5), 100)).toBe(1)
    expect(purgeEvents(store.database, at(5), 100)).toBe(0)
    expect(ids(store, {})).toEqual([5, 4, 2])
    const { database } = store
    expect(database.all(database.sql.selectFrom('eventAttempts').select('seq'))).toHaveLength(3)
  })

  it('lose what was said, where only that is forgotten', () => {
    using temp = tempStore()
    const { store } = temp
    const response = Buffer.from('{}')
    ended(store, 1, 'done', {}, { response })
    ended(store, 2, 'done', { type: 'report.delivered' }, { response })
    ended(store, 3, 'failed', {}, { response })
    ended(store, 4, 'done', {}, { response })
    expect(deleteEventBodies(store.database, 'modality_worklist.requested', at(4), 100)).toBe(1)
    expect(deleteEventBodies(store.database, 'modality_worklist.requested', at(4), 100)).toBe(0)
    const kept = [1, 2, 3, 4].map((number) => [
      eventRequest(store.database, id(number)),
      eventAttempts(store.database, id(number))[0]?.response,
    ])
    expect(kept).toEqual([
      [null, null],
      ['{}', response],
      ['{}', response],
      ['{}', response],
    ])
  })

  it('do not count as a change of what the interface answers', () => {
    using temp = tempStore()
    const before = temp.store.database.changeCount
    ended(temp.store, 1, 'done')
    setEventEffect(temp.store.database, id(1), verbatim('Nothing.'))
    expect(temp.store.database.changeCount).toBe(before)
  })
})
