import { describe, expect, it } from 'vitest'
import {
  deleteSecret,
  hasSecret,
  readSecret,
  storeSecret,
} from '#server/configuration/secret-queries.ts'
import {
  addOutboxJob,
  deferOutboxJob,
  dropOutboxJobs,
  expediteOutboxJobs,
  findLatestOutboxJob,
  findOutboxJob,
  listDueOutboxJobs,
  listWaitingOutboxJobs,
  nextOutboxDue,
  outboxSummary,
  overdueOutboxJobs,
  postponeOutboxJob,
  purgeOutbox,
  settleOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore } from '../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-03-10T09:05:00.000Z'
const kind = 'invitation.mail'

describe('the outbox', () => {
  it('gives rows oldest first, when they are due', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [a, b] = ['inv_a', 'inv_b'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: { subject }, at: AT }),
    )
    addOutboxJob(database, { kind: 'report.delivered', subject: 'rep_a', payload: {}, at: AT })
    expect(listDueOutboxJobs(database, kind, AT, 10).map(({ payload }) => payload)).toEqual([
      { subject: 'inv_a' },
      { subject: 'inv_b' },
    ])
    postponeOutboxJob(database, a ?? 0, {
      notBefore: LATER,
      lastError: verbatim('the mail server did not respond in time'),
      at: AT,
    })
    expect(listDueOutboxJobs(database, kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(settleOutboxJob(database, b ?? 0, 'sent', AT)).toBe(true)
    expect(settleOutboxJob(database, b ?? 0, 'sent', AT)).toBe(false)
    expect(nextOutboxDue(database, kind)).toBe(LATER)
    expect(listDueOutboxJobs(database, kind, LATER, 10)).toMatchObject([
      { outboxId: a, attempts: 1, lastError: 'the mail server did not respond in time' },
    ])
    expediteOutboxJobs(database, kind, AT)
    expect(nextOutboxDue(database, kind)).toBe(AT)
  })

  it('keeps payloads sealed, and forgets them when a row stops waiting', () => {
    using temp = tempStore()
    const { database } = temp.store
    const stored = () =>
      database.get(database.sql.selectFrom('outbox').select('sealedPayload'))?.sealedPayload
    const outboxId = addOutboxJob(database, {
      kind,
      subject: 'inv_a',
      payload: { link: 'https://gateway.example/#/invitation?token=x' },
      at: AT,
    })
    expect(stored()?.includes('gateway.example')).toBe(false)
    settleOutboxJob(
      database,
      outboxId,
      'failed',
      LATER,
      verbatim('the mail server did not accept the message'),
    )
    expect(stored()).toBeNull()
    expect(findLatestOutboxJob(database, kind, 'inv_a')).toEqual({
      ...{
        outboxId,
        kind,
        subject: 'inv_a',
        lane: null,
        state: 'failed',
        attempts: 1,
        notBefore: AT,
        createdAt: AT,
        updatedAt: LATER,
      },
      lastError: 'the mail server did not accept the message',
    })
    expect(outboxSummary(database, kind)).toEqual({
      waiting: 0,
      failed: 1,
      fault: 'the mail server did not accept the message',
    })
  })

  it('gives of a lane only its first row, and leaves other lanes and kinds alone', () => {
    using temp = tempStore()
    const { database } = temp.store
    const append = (subject: string, lane?: string, of = kind) =>
      addOutboxJob(database, { kind: of, subject, payload: {}, at: AT, ...(lane && { lane }) })
    const first = append('a1', 'a')
    append('a2', 'a')
    append('b1', 'b')
    append('x', 'a', 'report.archive')
    append('free')
    const due = () => listDueOutboxJobs(database, kind, AT, 10).map(({ subject }) => subject)
    expect(due()).toEqual(['a1', 'b1', 'free'])
    postponeOutboxJob(database, first, {
      notBefore: LATER,
      lastError: verbatim('no answer'),
      at: AT,
    })
    expect(due()).toEqual(['b1', 'free'])
    dropOutboxJobs(database, kind, 'a1', AT)
    expect(due()).toEqual(['a2', 'b1', 'free'])
    expect(listDueOutboxJobs(database, 'report.archive', AT, 10)).toHaveLength(1)
  })

  it('gives long queues page by page', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (let at = 0; at < 25; at++)
      addOutboxJob(database, {
        kind,
        subject: `s${at}`,
        payload: {},
        at: at % 2 === 0 ? AT : LATER,
      })
    const seen: string[] = []
    for (
      let page = listDueOutboxJobs(database, kind, LATER, 10);
      page.length > 0;
      page = listDueOutboxJobs(database, kind, LATER, 10, page.at(-1))
    )
      seen.push(...page.map(({ subject }) => subject))
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    expect(seen[13]).toBe('s1')
  })

  it('holds a row without counting an attempt, hastens some, and tells what is overdue', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [a = 0, b = 0] = ['a', 'b'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: {}, at: AT }),
    )
    for (const row of [a, b])
      deferOutboxJob(database, row, {
        notBefore: LATER,
        lastError: verbatim('its endpoint is disabled'),
        at: AT,
      })
    expect(findOutboxJob(database, a)).toMatchObject({
      attempts: 0,
      state: 'waiting',
      lastError: 'its endpoint is disabled',
    })
    expect(nextOutboxDue(database, kind, AT)).toBe(LATER)
    expediteOutboxJobs(database, kind, AT, [b])
    expect(listDueOutboxJobs(database, kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(nextOutboxDue(database, kind, AT)).toBe(LATER)
    expect(listWaitingOutboxJobs(database, kind)).toHaveLength(2)
    expect(overdueOutboxJobs(database, kind, LATER)).toEqual({
      count: 2,
      since: AT,
      fault: 'its endpoint is disabled',
    })
    expect(overdueOutboxJobs(database, kind, AT)).toEqual({ count: 0, since: null, fault: null })
    expect(dropOutboxJobs(database, kind, 'a', AT)).toBe(1)
    expect(dropOutboxJobs(database, kind, 'a', AT)).toBe(0)
    expect(findOutboxJob(database, 99)).toBeUndefined()
  })

  it('gives no payload that was swapped with another row’s', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (const subject of ['inv_a', 'inv_b'])
      addOutboxJob(database, { kind, subject, payload: { subject }, at: AT })
    const [a] = database.all(
      database.sql.selectFrom('outbox').select('sealedPayload').orderBy('outboxId'),
    )
    database.run(
      database.sql.updateTable('outbox').set({ sealedPayload: a?.sealedPayload ?? null }),
    )
    expect(listDueOutboxJobs(database, kind, AT, 10).map(({ payload }) => payload)).toEqual([
      { subject: 'inv_a' },
      undefined,
    ])
  })

  it('tells of a row when it is committed, and of none that was rolled back', () => {
    using temp = tempStore()
    const { database } = temp.store
    const heard: number[] = []
    const stop = database.subscribe(`outbox ${kind}`, () =>
      heard.push(listDueOutboxJobs(database, kind, AT, 10).length),
    )
    database.transaction(() => {
      addOutboxJob(database, { kind, subject: 'inv_a', payload: {}, at: AT })
      expect(heard).toEqual([])
    })
    expect(() =>
      database.transaction(() => {
        addOutboxJob(database, { kind, subject: 'inv_b', payload: {}, at: AT })
        throw new Error('no')
      }),
    ).toThrow('no')
    addOutboxJob(database, { kind: 'report.delivered', subject: 'rep_a', payload: {}, at: AT })
    expect(heard).toEqual([1])
    stop()
    addOutboxJob(database, { kind, subject: 'inv_c', payload: {}, at: AT })
    expect(heard).toEqual([1])
  })

  it('drops what waits about one subject, and forgets old rows that wait no more', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (const subject of ['inv_a', 'inv_a', 'inv_b'])
      addOutboxJob(database, { kind, subject, payload: {}, at: AT })
    dropOutboxJobs(database, kind, 'inv_a', AT)
    expect(listDueOutboxJobs(database, kind, AT, 10).map(({ subject }) => subject)).toEqual([
      'inv_b',
    ])
    expect(findLatestOutboxJob(database, kind, 'inv_a')?.state).toBe('dropped')
    expect(purgeOutbox(database, AT)).toBe(0)
    expect(purgeOutbox(database, LATER)).toBe(2)
    expect(outboxSummary(database, kind)).toEqual({ waiting: 1, failed: 0, fault: null })
  })
})

describe('rows of the outbox', () => {
  const EARLIER = '2026-03-10T08:55:00.000Z'
  const REPORT = 'report.delivered'

  it('are appended as waiting, due at once, without an attempt', () => {
    using temp = tempStore()
    const { database } = temp.store
    const outboxId = addOutboxJob(database, { kind, subject: 'a', lane: 'l', payload: [1], at: AT })
    const row = {
      outboxId,
      kind,
      subject: 'a',
      lane: 'l',
      state: 'waiting',
      attempts: 0,
      notBefore: AT,
      lastError: null,
    }
    expect(findOutboxJob(database, outboxId)).toEqual({ ...row, createdAt: AT, updatedAt: AT })
    expect(listDueOutboxJobs(database, kind, AT, 10)).toEqual([
      { ...row, createdAt: AT, updatedAt: AT, payload: [1] },
    ])
    expect(listDueOutboxJobs(database, kind, EARLIER, 10)).toEqual([])
  })

  it('are due in the order of their times, then as they came, and as many as are asked for', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (const [subject, at] of [
      ['c', LATER],
      ['a', AT],
      ['b', AT],
      ['x', EARLIER],
    ] as const)
      addOutboxJob(database, { kind, subject, payload: {}, at })
    expect(listDueOutboxJobs(database, kind, LATER, 10).map(({ subject }) => subject)).toEqual([
      'x',
      'a',
      'b',
      'c',
    ])
    expect(listDueOutboxJobs(database, kind, LATER, 2).map(({ subject }) => subject)).toEqual([
      'x',
      'a',
    ])
    expect([
      nextOutboxDue(database, kind),
      nextOutboxDue(database, kind, EARLIER),
      nextOutboxDue(database, kind, AT),
      nextOutboxDue(database, kind, LATER),
    ]).toEqual([...[EARLIER, AT, LATER, undefined]])
    expect(nextOutboxDue(database, REPORT)).toBeUndefined()
    expect(listWaitingOutboxJobs(database, kind).map(({ subject }) => subject)).toEqual([
      'c',
      'a',
      'b',
      'x',
    ])
  })

  it('that wait no more are neither settled, postponed, held nor hastened', () => {
    using temp = tempStore()
    const { database } = temp.store
    const states = ['sent', 'failed', 'dropped'] as const
    const rows = states.map((state) => {
      const row = addOutboxJob(database, { kind, subject: state, payload: {}, at: LATER })
      expect(settleOutboxJob(database, row, state, LATER)).toBe(true)
      return row
    })
    // An attempt is one that was made: what is dropped was not tried.
    expect(rows.map((row) => findOutboxJob(database, row)?.attempts)).toEqual([1, 1, 0])
    const before = rows.map((row) => findOutboxJob(database, row))
    for (const row of rows) {
      expect(settleOutboxJob(database, row, 'failed', AT, verbatim('no'))).toBe(false)
      postponeOutboxJob(database, row, { notBefore: EARLIER, lastError: verbatim('no'), at: AT })
      deferOutboxJob(database, row, { notBefore: EARLIER, lastError: verbatim('no'), at: AT })
    }
    expediteOutboxJobs(database, kind, AT)
    expediteOutboxJobs(database, kind, AT, rows)
    expect(rows.map((row) => findOutboxJob(database, row))).toEqual(before)
    expect(states.map((state) => dropOutboxJobs(database, kind, state, AT))).toEqual([0, 0, 0])
    expect([
      listWaitingOutboxJobs(database, kind),
      listDueOutboxJobs(database, kind, LATER, 10),
    ]).toEqual([[], []])
  })

  it('say when they were changed, and why they wait', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [a, b, c] = ['a', 'b', 'c'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number, number]
    postponeOutboxJob(database, a, { notBefore: LATER, lastError: verbatim('no answer'), at: AT })
    deferOutboxJob(database, b, { notBefore: LATER, lastError: verbatim('switched off'), at: AT })
    dropOutboxJobs(database, kind, 'c', AT)
    expect([a, b, c].map((row) => findOutboxJob(database, row))).toMatchObject([
      { attempts: 1, notBefore: LATER, lastError: 'no answer', updatedAt: AT },
      { attempts: 0, notBefore: LATER, lastError: 'switched off', updatedAt: AT },
      { attempts: 0, state: 'dropped', updatedAt: AT },
    ])
    settleOutboxJob(database, a, 'sent', LATER)
    expect(findOutboxJob(database, a)).toMatchObject({
      state: 'sent',
      attempts: 2,
      lastError: null,
      updatedAt: LATER,
    })
  })

  it('are hastened, never delayed, and only those that are named, of their kind', () => {
    using temp = tempStore()
    const { database } = temp.store
    const early = addOutboxJob(database, { kind, subject: 'early', payload: {}, at: EARLIER })
    const [a, b] = ['a', 'b'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: {}, at: LATER }),
    ) as [number, number]
    const other = addOutboxJob(database, { kind: REPORT, subject: 'r', payload: {}, at: LATER })
    const times = () => [early, a, b, other].map((row) => findOutboxJob(database, row)?.notBefore)
    expediteOutboxJobs(database, kind, AT, [])
    expect(times()).toEqual([EARLIER, LATER, LATER, LATER])
    expediteOutboxJobs(database, kind, AT, [early, b, other])
    expect(times()).toEqual([EARLIER, LATER, AT, LATER])
    expediteOutboxJobs(database, kind, AT)
    expect(times()).toEqual([EARLIER, AT, AT, LATER])
  })

  it('are counted of one kind, with the fault of the one that changed last', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [a, b, c] = ['a', 'b', 'c'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number, number]
    addOutboxJob(database, { kind: REPORT, subject: 'r', payload: {}, at: EARLIER })
    expect(outboxSummary(database, kind)).toEqual({ waiting: 3, failed: 0, fault: null })
    expect(overdueOutboxJobs(database, kind, AT)).toEqual({ count: 3, since: EARLIER, fault: null })
    postponeOutboxJob(database, b, { notBefore: LATER, lastError: verbatim('newer'), at: LATER })
    postponeOutboxJob(database, a, { notBefore: LATER, lastError: verbatim('older'), at: AT })
    expect(outboxSummary(database, kind)).toEqual({ waiting: 3, failed: 0, fault: 'newer' })
    expect(overdueOutboxJobs(database, kind, AT)).toEqual({
      count: 3,
      since: EARLIER,
      fault: 'newer',
    })
    settleOutboxJob(database, b, 'dropped', LATER)
    expect(outboxSummary(database, kind)).toEqual({ waiting: 2, failed: 0, fault: 'older' })
    settleOutboxJob(database, c, 'failed', LATER, verbatim('given up'))
    expect(outboxSummary(database, kind)).toEqual({ waiting: 1, failed: 1, fault: 'given up' })
    expect(overdueOutboxJobs(database, kind, AT)).toEqual({
      count: 1,
      since: EARLIER,
      fault: 'older',
    })
    expect(overdueOutboxJobs(database, kind, EARLIER)).toEqual({
      count: 0,
      since: null,
      fault: null,
    })
    expect(findLatestOutboxJob(database, kind, 'r')).toBeUndefined()
    expect(findLatestOutboxJob(database, REPORT, 'r')?.subject).toBe('r')
  })

  it('of reports are never forgotten, nor what still waits', () => {
    using temp = tempStore()
    const { database } = temp.store
    const report = addOutboxJob(database, { kind: REPORT, subject: 'r', payload: {}, at: EARLIER })
    settleOutboxJob(database, report, 'sent', EARLIER)
    const [sent, waiting] = ['sent', 'waiting'].map((subject) =>
      addOutboxJob(database, { kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number]
    settleOutboxJob(database, sent, 'sent', AT)
    expect(purgeOutbox(database, AT)).toBe(0)
    expect(purgeOutbox(database, LATER)).toBe(1)
    expect([report, sent, waiting].map((row) => findOutboxJob(database, row)?.state)).toEqual([
      'sent',
      undefined,
      'waiting',
    ])
  })
})

describe('a secret', () => {
  it('is kept sealed under its name until it is taken away', () => {
    using temp = tempStore()
    const { database } = temp.store
    expect([
      hasSecret(temp.store, 'mail.password'),
      readSecret(temp.store, 'mail.password'),
    ]).toEqual([false, undefined])
    storeSecret(temp.store, 'mail.password', 'old')
    storeSecret(temp.store, 'mail.password', 'köstlich geheim')
    expect([
      hasSecret(temp.store, 'mail.password'),
      readSecret(temp.store, 'mail.password'),
    ]).toEqual([true, 'köstlich geheim'])
    expect(
      database.get(database.sql.selectFrom('secrets').select('sealed'))?.sealed.includes('geheim'),
    ).toBe(false)
    database.run(database.sql.updateTable('secrets').set({ name: 'other' }))
    expect(() => readSecret(temp.store, 'other')).toThrow('cannot be opened')
    expect([deleteSecret(temp.store, 'other'), deleteSecret(temp.store, 'other')]).toEqual([
      true,
      false,
    ])
  })
})
