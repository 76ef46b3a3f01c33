import { describe, expect, it } from 'vitest'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { setEventState } from '#server/modules/events/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { EventRecord, EventSummary } from '#shared/contract/events.ts'
import { verbatim } from '#shared/messages/message.ts'
import { attempt, newEvent } from '../../../../support/events.ts'
import { reportedErrors, tempStore, withoutRoom } from '../../../../support/temp-store.ts'

function openLog() {
  const temp = tempStore()
  const errors = reportedErrors(temp.store)
  const log = new EventLog(temp.store)
  return { ...temp, log, errors, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}
const all = (log: EventLog) => log.list({ limit: 100, show: 'all' }).items

describe('the log of events', () => {
  it('writes what was noted soon, all of it in its order', async () => {
    using opened = openLog()
    const { log, errors } = opened
    const events = Array.from({ length: 120 }, () => newEvent())
    for (const event of events) log.record(event, attempt())
    expect(all(log)).toEqual([])
    await log.flush()
    expect(
      [...all(log), ...log.list({ limit: 100, show: 'all', after: '21' }).items].map(
        ({ eventId }) => eventId,
      ),
    ).toEqual(events.map(({ eventId }) => eventId).toReversed())
    expect(errors).toEqual([])
  })

  it('writes by itself after half a second, and when it is closed', async () => {
    using opened = openLog()
    const { log } = opened
    log.record(newEvent(), attempt())
    await expect.poll(() => all(log).length, { timeout: 5000 }).toBe(1)
    log.record(newEvent(), attempt())
    await log[Symbol.asyncDispose]()
    expect(all(log)).toHaveLength(2)
  })

  it('shows a call with its outcome, its bodies and its notes', async () => {
    using opened = openLog()
    const { log } = opened
    const event = newEvent()
    const note = { path: 'urls.0', sentence: verbatim('It is not text; it is left out.') }
    log.record(event, attempt({ notes: [note] }), verbatim('12 images were loaded.'))
    await log.flush()
    const record = EventRecord.parse(log.read(event.eventId))
    expect(record).toMatchObject({
      ...{
        eventId: event.eventId,
        type: 'study.access_requested',
        kind: 'synchronous',
        endpointId: 'e1',
        studyInstanceUid: '1.2.3',
      },
      ...{
        state: 'done',
        outcome: 'accepted',
        attempts: 1,
        notes: 1,
        tookMs: 12.4,
        effect: '12 images were loaded.',
        isTest: false,
        nextAt: null,
      },
      ...{ request: '{"type":"x"}', mayReplay: false },
    })
    expect(record.whyNot).not.toBe('')
    expect(record.attemptList).toEqual([
      expect.objectContaining({
        attempt: 1,
        httpStatus: 200,
        response: '{"authorized":true}',
        isCut: false,
        notes: [note],
      }),
    ])
    expect(EventSummary.array().parse(all(log))).toHaveLength(1)
  })

  it('shows a failed call as failed, with what the partner said', async () => {
    using opened = openLog()
    const { log } = opened
    const event = newEvent()
    log.record(
      event,
      attempt({
        outcome: 'refused',
        detail: verbatim('study not found'),
        response: null,
        request: null,
      }),
    )
    await log.flush()
    expect(log.read(event.eventId)).toMatchObject({
      ...{ state: 'failed', outcome: 'refused', request: null },
      attemptList: [{ detail: 'study not found', response: null, isCut: false }],
    })
  })

  it('keeps 64 KiB of an answer, 8 of a worklist, and a presigned URL without its query', async () => {
    using opened = openLog()
    const { log } = opened
    const long = Buffer.alloc(100_000, 'x')
    const request =
      '{"data":{"presignedUrl":"https://a.example/r.pdf?expires=1&signature=s\\"ecret","plainText":"see https://b.example/?q=1"}}'
    const [other, worklist, short] = [
      newEvent(),
      newEvent({ type: 'modality_worklist.requested', subject: 'CT1' }),
      newEvent(),
    ]
    log.record(other, attempt({ response: long, request }))
    log.record(worklist, attempt({ response: long }))
    log.record(short, attempt({ response: Buffer.alloc(50, 'x') }))
    await log.flush()
    const kept = [other, worklist, short].map(({ eventId }) => log.read(eventId).attemptList[0])
    expect(kept.map((one) => [one?.response?.length, one?.isCut])).toEqual([
      [65_536, true],
      [8192, true],
      [50, false],
    ])
    expect(log.read(other.eventId).request).toBe(
      '{"data":{"presignedUrl":"https://a.example/r.pdf?…","plainText":"see https://b.example/?q=1"}}',
    )
  })

  it.each([
    [
      'a link',
      '{"urls":["https://s3.example/a%20b?X-Amz-Signature=secret","https://s3.example/c"]}',
    ],
    [
      'one with escaped slashes',
      '{"urls":["https:\\/\\/s3.example\\/a%20b?X-Amz-Signature=secret"]}',
    ],
    [
      'one with an escaped question mark',
      '{"urls":["https://s3.example/a%20b\\u003fX-Amz-Signature=secret\\u0026b"]}',
    ],
    ['one that is cut short', '{"urls":["https://s3.example/a%20b?X-Amz-Signature=secret\\'],
    ['one of three characters', '{"urls":["https://s3.example/a%20b?sec"]}'],
    [
      'one in an echo of what was sent',
      '{"error":"no","got":{"presignedUrl": " https://s3.example/a%20b?sec=ret"}}',
    ],
  ])('keeps an answer without the query of %s', async (_what, answer) => {
    using opened = openLog()
    const { log } = opened
    const event = newEvent({ type: 'study.access_requested' })
    log.record(event, attempt({ response: Buffer.from(answer) }))
    await log.flush()
    const kept = log.read(event.eventId).attemptList[0]?.response ?? ''
    expect(kept).toContain('a%20b?..."')
    expect(kept).not.toContain('sec')
    expect(kept.startsWith(answer.slice(0, 9))).toBe(true)
  })

  it('lets an event wait from the transaction that made it, attempt by attempt', () => {
    using opened = openLog()
    const { log, store, clock } = opened
    const event = newEvent({ type: 'report.delivered', subject: 'rep_1' })
    store.database.transaction(() => {
      log.begin(event)
      addOutboxJob(store.database, {
        kind: 'report.delivered',
        subject: 'rep_1',
        payload: {},
        at: instantOf(clock()),
      })
    })
    expect(all(log)[0]).toMatchObject({
      state: 'waiting',
      outcome: 'none',
      attempts: 0,
      nextAt: instantOf(clock()),
    })
    store.database.transaction(() =>
      log.attempted(event.eventId, attempt({ outcome: 'unreachable' }), 'waiting'),
    )
    store.database.transaction(() =>
      log.attempted(
        event.eventId,
        attempt({ at: instantOf(clock() + 5000) }),
        'done',
        verbatim('Delivered.'),
        'e2',
      ),
    )
    expect(log.read(event.eventId)).toMatchObject({
      ...{
        state: 'done',
        outcome: 'accepted',
        attempts: 2,
        effect: 'Delivered.',
        endpointId: 'e2',
        nextAt: null,
      },
      attemptList: [{ outcome: 'accepted' }, { outcome: 'unreachable' }],
    })
  })

  it('takes a rolled-back beginning back', () => {
    using opened = openLog()
    const { log, store } = opened
    const unsigned = () =>
      store.database.transaction(() => {
        log.begin(newEvent({ type: 'report.delivered' }))
        throw new Error('the report was not signed')
      })
    expect(unsigned).toThrow('not signed')
    expect(all(log)).toEqual([])
  })

  it('does not let an event wait again that a person dropped while it was under way, but says that it went out', () => {
    using opened = openLog()
    const { log, store } = opened
    const [missed, delivered] = [
      newEvent({ type: 'report.delivered' }),
      newEvent({ type: 'report.delivered' }),
    ]
    for (const event of [missed, delivered]) {
      log.begin(event)
      setEventState(store.database, event.eventId, 'dropped', '2026-03-10T09:00:00.000Z')
    }
    log.attempted(missed.eventId, attempt({ outcome: 'timeout' }), 'waiting')
    log.attempted(delivered.eventId, attempt(), 'done')
    expect([missed, delivered].map(({ eventId }) => log.read(eventId).state)).toEqual([
      'dropped',
      'done',
    ])
  })

  it('is told what an event led to before and after it is written', async () => {
    using opened = openLog()
    const { log, store } = opened
    const [first, second] = [newEvent(), newEvent()]
    log.record(first, attempt())
    log.record(second, attempt())
    log.setEffect(first.eventId, verbatim('Before.'))
    await log.flush()
    store.database.transaction(() => log.setEffect(second.eventId, verbatim('After.')))
    expect([first, second].map(({ eventId }) => log.read(eventId).effect)).toEqual([
      'Before.',
      'After.',
    ])
    log.setEffect(second.eventId, verbatim('Later.'))
    await expect.poll(() => log.read(second.eventId).effect).toEqual('Later.')
  })

  it('finds what is about a study by its UID, and a study that is named by its UUID by its id', async () => {
    using opened = openLog()
    const { log } = opened
    const byUuid = newEvent({
      type: 'clinical_context.enrichment_requested',
      subject: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    })
    const report = newEvent({ type: 'report.delivered', subject: 'rep_1' })
    const other = newEvent({ subject: 'CT1', studyInstanceUid: null })
    for (const event of [byUuid, report, other]) log.record(event, attempt())
    await log.flush()
    const about = (text: string) =>
      log.list({ limit: 10, show: 'all', about: text }).items.map(({ eventId }) => eventId)
    expect(about('1.2.3')).toEqual([report.eventId, byUuid.eventId])
    expect(about('stu_aaaaaaaabbbb4ccc8dddeeeeeeeeeeee')).toEqual([byUuid.eventId])
    expect(about('CT1')).toEqual([other.eventId])
    expect(about(other.eventId)).toEqual([other.eventId])
    expect(about('rep_2')).toEqual([])
  })

  it('says that an event is not kept', () => {
    using opened = openLog()
    expect(() => opened.log.read(newEvent().eventId)).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
  })

  it('never throws at whoever notes, and loses only what could not be written', async () => {
    using opened = openLog()
    const { log, errors } = opened
    const wrong = newEvent({ eventId: 'no id of an event' })
    const right = newEvent()
    log.record(wrong, attempt())
    await log.flush()
    log.record(right, attempt())
    await log.flush()
    expect(errors).toHaveLength(1)
    expect(all(log).map(({ eventId }) => eventId)).toEqual([right.eventId])
  })

  it.each(['full', 'read-only'] as const)(
    'keeps what was noted while the disk is %s, and writes it in its order afterwards',
    async (disk) => {
      using opened = openLog()
      const { log, errors, store } = opened
      const [first, second, third] = [newEvent(), newEvent(), newEvent()]
      {
        using _fault = withoutRoom(store, disk)
        for (const event of [first, second])
          log.record(event, attempt({ response: Buffer.alloc(50_000, 'x') }))
        await log.flush()
        log.record(third, attempt())
        log.setEffect(first.eventId, verbatim('The report was taken.'))
        await log.flush()
        expect(all(log)).toEqual([])
      }
      await log.flush()
      expect(all(log).map(({ eventId }) => eventId)).toEqual(
        [third, second, first].map(({ eventId }) => eventId),
      )
      expect(log.read(first.eventId).effect).toEqual('The report was taken.')
      expect(errors).toEqual([])
    },
  )

  it('ends on a full disk, and says that something was lost', async () => {
    using opened = openLog()
    const { log, errors, store } = opened
    using _full = withoutRoom(store)
    log.record(newEvent(), attempt({ response: Buffer.alloc(50_000, 'x') }))
    await log[Symbol.asyncDispose]()
    expect(errors).toMatchObject([{ code: 'SQLITE_FULL' }])
  })

  it('keeps the same event of a second try as one, with two attempts', async () => {
    using opened = openLog()
    const { log } = opened
    const event = newEvent()
    log.record(event, attempt({ outcome: 'timeout' }))
    await log.flush()
    log.record(event, attempt())
    await log.flush()
    expect(all(log)).toMatchObject([{ attempts: 2, state: 'done' }])
  })
})

describe('the meter', () => {
  it('counts calls, outcomes and times by event, with the commonest notes', async () => {
    using opened = openLog()
    const { log, clock } = opened
    const note = (index: number) => ({
      path: `manifest.series.${index}.sops.7.rows`,
      sentence: verbatim('It is missing.'),
    })
    const call = (more: Parameters<typeof attempt>[0]) => {
      const event = newEvent()
      log.record(event, attempt({ at: instantOf(clock()), ...more }))
      return event
    }
    for (let ms = 1; ms <= 18; ms++) call({ tookMs: ms })
    clock.pass(3 * 24 * 60 * 60_000)
    call({ tookMs: 19, notes: [note(0), note(1)] })
    const newest = call({
      tookMs: 20,
      notes: [note(2), { path: 'urls.0', sentence: verbatim('It is not text; it is left out.') }],
    })
    call({ tookMs: 5000, outcome: 'timeout' })
    call({ tookMs: 0, outcome: 'circuit-open' })
    log.record(newEvent({ isTest: true }), attempt({ at: instantOf(clock()) }))
    await log.flush()
    const rows = await log.meter({ days: 7 })
    expect(rows).toEqual([
      {
        ...{
          type: 'study.access_requested',
          calls: 21,
          accepted: 20,
          withNotes: 2,
          p50Ms: 11,
          p95Ms: 20,
        },
        byOutcome: { accepted: 20, timeout: 1, 'circuit-open': 1 },
        notes: [
          {
            path: 'manifest.series.*.sops.*.rows',
            sentence: verbatim('It is missing.'),
            count: 3,
            eventId: newest.eventId,
          },
          {
            path: 'urls.*',
            sentence: 'It is not text; it is left out.',
            count: 1,
            eventId: newest.eventId,
          },
        ],
      },
    ])
    expect((await log.meter({ days: 2 }))[0]?.calls).toBe(3)
    expect(await log.meter({ days: 7, endpointId: 'e2' })).toEqual([])
    clock.pass(8 * 24 * 60 * 60_000)
    expect(await log.meter({ days: 7 })).toEqual([])
  })
})
