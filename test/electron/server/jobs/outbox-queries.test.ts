import { describe, expect, it } from 'vitest'
import { tempStore } from '../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-03-10T09:05:00.000Z'
const kind = 'invitation.mail'

describe('the outbox', () => {
  it('gives rows oldest first, when they are due', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a, b] = ['inv_a', 'inv_b'].map((subject) =>
      outbox.append({ kind, subject, payload: { subject }, at: AT }),
    )
    outbox.append({ kind: 'report.delivered', subject: 'rep_a', payload: {}, at: AT })
    expect(outbox.due(kind, AT, 10).map(({ payload }) => payload)).toEqual([
      { subject: 'inv_a' },
      { subject: 'inv_b' },
    ])
    outbox.postpone(a ?? 0, {
      notBefore: LATER,
      lastError: 'the mail server did not answer in time',
      at: AT,
    })
    expect(outbox.due(kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(outbox.settle(b ?? 0, 'sent', AT)).toBe(true)
    expect(outbox.settle(b ?? 0, 'sent', AT)).toBe(false)
    expect(outbox.nextDue(kind)).toBe(LATER)
    expect(outbox.due(kind, LATER, 10)).toMatchObject([
      { outboxId: a, attempts: 1, lastError: 'the mail server did not answer in time' },
    ])
    outbox.hasten(kind, AT)
    expect(outbox.nextDue(kind)).toBe(AT)
  })

  it('keeps payloads sealed, and forgets them when a row stops waiting', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    const stored = () =>
      database.get(database.sql.selectFrom('outbox').select('sealedPayload'))?.sealedPayload
    const outboxId = outbox.append({
      kind,
      subject: 'inv_a',
      payload: { link: 'https://gateway.example/#/invitation?token=x' },
      at: AT,
    })
    expect(stored()?.includes('gateway.example')).toBe(false)
    outbox.settle(outboxId, 'failed', LATER, 'the mail server did not take the message')
    expect(stored()).toBeNull()
    expect(outbox.latest(kind, 'inv_a')).toEqual({
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
      lastError: 'the mail server did not take the message',
    })
    expect(outbox.summary(kind)).toEqual({
      waiting: 0,
      failed: 1,
      fault: 'the mail server did not take the message',
    })
  })

  it('gives of a lane only its first row, and leaves other lanes and kinds alone', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const append = (subject: string, lane?: string, of = kind) =>
      outbox.append({ kind: of, subject, payload: {}, at: AT, ...(lane && { lane }) })
    const first = append('a1', 'a')
    append('a2', 'a')
    append('b1', 'b')
    append('x', 'a', 'report.archive')
    append('free')
    const due = () => outbox.due(kind, AT, 10).map(({ subject }) => subject)
    expect(due()).toEqual(['a1', 'b1', 'free'])
    outbox.postpone(first, { notBefore: LATER, lastError: 'no answer', at: AT })
    expect(due()).toEqual(['b1', 'free'])
    outbox.drop(kind, 'a1', AT)
    expect(due()).toEqual(['a2', 'b1', 'free'])
    expect(outbox.due('report.archive', AT, 10)).toHaveLength(1)
  })

  it('gives long queues page by page', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    for (let at = 0; at < 25; at++)
      outbox.append({ kind, subject: `s${at}`, payload: {}, at: at % 2 === 0 ? AT : LATER })
    const seen: string[] = []
    for (
      let page = outbox.due(kind, LATER, 10);
      page.length > 0;
      page = outbox.due(kind, LATER, 10, page.at(-1))
    )
      seen.push(...page.map(({ subject }) => subject))
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    expect(seen[13]).toBe('s1')
  })

  it('holds a row without counting an attempt, hastens some, and tells what is overdue', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a = 0, b = 0] = ['a', 'b'].map((subject) =>
      outbox.append({ kind, subject, payload: {}, at: AT }),
    )
    for (const row of [a, b])
      outbox.hold(row, { notBefore: LATER, lastError: 'its endpoint is switched off', at: AT })
    expect(outbox.get(a)).toMatchObject({
      attempts: 0,
      state: 'waiting',
      lastError: 'its endpoint is switched off',
    })
    expect(outbox.nextDue(kind, AT)).toBe(LATER)
    outbox.hasten(kind, AT, [b])
    expect(outbox.due(kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(outbox.nextDue(kind, AT)).toBe(LATER)
    expect(outbox.waiting(kind)).toHaveLength(2)
    expect(outbox.overdue(kind, LATER)).toEqual({
      count: 2,
      since: AT,
      fault: 'its endpoint is switched off',
    })
    expect(outbox.overdue(kind, AT)).toEqual({ count: 0, since: null, fault: null })
    expect(outbox.drop(kind, 'a', AT)).toBe(1)
    expect(outbox.drop(kind, 'a', AT)).toBe(0)
    expect(outbox.get(99)).toBeUndefined()
  })

  it('gives no payload that was swapped with another row’s', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    for (const subject of ['inv_a', 'inv_b'])
      outbox.append({ kind, subject, payload: { subject }, at: AT })
    const [a] = database.all(
      database.sql.selectFrom('outbox').select('sealedPayload').orderBy('outboxId'),
    )
    database.run(
      database.sql.updateTable('outbox').set({ sealedPayload: a?.sealedPayload ?? null }),
    )
    expect(outbox.due(kind, AT, 10).map(({ payload }) => payload)).toEqual([
      { subject: 'inv_a' },
      undefined,
    ])
  })

  it('tells of a row when it is committed, and of none that was rolled back', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    const heard: number[] = []
    const stop = database.subscribe(`outbox ${kind}`, () =>
      heard.push(outbox.due(kind, AT, 10).length),
    )
    database.transaction(() => {
      outbox.append({ kind, subject: 'inv_a', payload: {}, at: AT })
      expect(heard).toEqual([])
    })
    expect(() =>
      database.transaction(() => {
        outbox.append({ kind, subject: 'inv_b', payload: {}, at: AT })
        throw new Error('no')
      }),
    ).toThrow('no')
    outbox.append({ kind: 'report.delivered', subject: 'rep_a', payload: {}, at: AT })
    expect(heard).toEqual([1])
    stop()
    outbox.append({ kind, subject: 'inv_c', payload: {}, at: AT })
    expect(heard).toEqual([1])
  })

  it('drops what waits about one subject, and forgets old rows that wait no more', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    for (const subject of ['inv_a', 'inv_a', 'inv_b'])
      outbox.append({ kind, subject, payload: {}, at: AT })
    outbox.drop(kind, 'inv_a', AT)
    expect(outbox.due(kind, AT, 10).map(({ subject }) => subject)).toEqual(['inv_b'])
    expect(outbox.latest(kind, 'inv_a')?.state).toBe('dropped')
    expect(outbox.purge(AT)).toBe(0)
    expect(outbox.purge(LATER)).toBe(2)
    expect(outbox.summary(kind)).toEqual({ waiting: 1, failed: 0, fault: null })
  })
})

describe('rows of the outbox', () => {
  const EARLIER = '2026-03-10T08:55:00.000Z'
  const REPORT = 'report.delivered'

  it('are appended as waiting, due at once, without an attempt', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const outboxId = outbox.append({ kind, subject: 'a', lane: 'l', payload: [1], at: AT })
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
    expect(outbox.get(outboxId)).toEqual({ ...row, createdAt: AT, updatedAt: AT })
    expect(outbox.due(kind, AT, 10)).toEqual([
      { ...row, createdAt: AT, updatedAt: AT, payload: [1] },
    ])
    expect(outbox.due(kind, EARLIER, 10)).toEqual([])
  })

  it('are due in the order of their times, then as they came, and as many as are asked for', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    for (const [subject, at] of [
      ['c', LATER],
      ['a', AT],
      ['b', AT],
      ['x', EARLIER],
    ] as const)
      outbox.append({ kind, subject, payload: {}, at })
    expect(outbox.due(kind, LATER, 10).map(({ subject }) => subject)).toEqual(['x', 'a', 'b', 'c'])
    expect(outbox.due(kind, LATER, 2).map(({ subject }) => subject)).toEqual(['x', 'a'])
    expect([
      outbox.nextDue(kind),
      outbox.nextDue(kind, EARLIER),
      outbox.nextDue(kind, AT),
      outbox.nextDue(kind, LATER),
    ]).toEqual([...[EARLIER, AT, LATER, undefined]])
    expect(outbox.nextDue(REPORT)).toBeUndefined()
    expect(outbox.waiting(kind).map(({ subject }) => subject)).toEqual(['c', 'a', 'b', 'x'])
  })

  it('that wait no more are neither settled, postponed, held nor hastened', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const states = ['sent', 'failed', 'dropped'] as const
    const rows = states.map((state) => {
      const row = outbox.append({ kind, subject: state, payload: {}, at: LATER })
      expect(outbox.settle(row, state, LATER)).toBe(true)
      return row
    })
    // An attempt is one that was made: what is dropped was not tried.
    expect(rows.map((row) => outbox.get(row)?.attempts)).toEqual([1, 1, 0])
    const before = rows.map((row) => outbox.get(row))
    for (const row of rows) {
      expect(outbox.settle(row, 'failed', AT, 'no')).toBe(false)
      outbox.postpone(row, { notBefore: EARLIER, lastError: 'no', at: AT })
      outbox.hold(row, { notBefore: EARLIER, lastError: 'no', at: AT })
    }
    outbox.hasten(kind, AT)
    outbox.hasten(kind, AT, rows)
    expect(rows.map((row) => outbox.get(row))).toEqual(before)
    expect(states.map((state) => outbox.drop(kind, state, AT))).toEqual([0, 0, 0])
    expect([outbox.waiting(kind), outbox.due(kind, LATER, 10)]).toEqual([[], []])
  })

  it('say when they were changed, and why they wait', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a, b, c] = ['a', 'b', 'c'].map((subject) =>
      outbox.append({ kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number, number]
    outbox.postpone(a, { notBefore: LATER, lastError: 'no answer', at: AT })
    outbox.hold(b, { notBefore: LATER, lastError: 'switched off', at: AT })
    outbox.drop(kind, 'c', AT)
    expect([a, b, c].map((row) => outbox.get(row))).toMatchObject([
      { attempts: 1, notBefore: LATER, lastError: 'no answer', updatedAt: AT },
      { attempts: 0, notBefore: LATER, lastError: 'switched off', updatedAt: AT },
      { attempts: 0, state: 'dropped', updatedAt: AT },
    ])
    outbox.settle(a, 'sent', LATER)
    expect(outbox.get(a)).toMatchObject({
      state: 'sent',
      attempts: 2,
      lastError: null,
      updatedAt: LATER,
    })
  })

  it('are hastened, never delayed, and only those that are named, of their kind', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const early = outbox.append({ kind, subject: 'early', payload: {}, at: EARLIER })
    const [a, b] = ['a', 'b'].map((subject) =>
      outbox.append({ kind, subject, payload: {}, at: LATER }),
    ) as [number, number]
    const other = outbox.append({ kind: REPORT, subject: 'r', payload: {}, at: LATER })
    const times = () => [early, a, b, other].map((row) => outbox.get(row)?.notBefore)
    outbox.hasten(kind, AT, [])
    expect(times()).toEqual([EARLIER, LATER, LATER, LATER])
    outbox.hasten(kind, AT, [early, b, other])
    expect(times()).toEqual([EARLIER, LATER, AT, LATER])
    outbox.hasten(kind, AT)
    expect(times()).toEqual([EARLIER, AT, AT, LATER])
  })

  it('are counted of one kind, with the fault of the one that changed last', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a, b, c] = ['a', 'b', 'c'].map((subject) =>
      outbox.append({ kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number, number]
    outbox.append({ kind: REPORT, subject: 'r', payload: {}, at: EARLIER })
    expect(outbox.summary(kind)).toEqual({ waiting: 3, failed: 0, fault: null })
    expect(outbox.overdue(kind, AT)).toEqual({ count: 3, since: EARLIER, fault: null })
    outbox.postpone(b, { notBefore: LATER, lastError: 'newer', at: LATER })
    outbox.postpone(a, { notBefore: LATER, lastError: 'older', at: AT })
    expect(outbox.summary(kind)).toEqual({ waiting: 3, failed: 0, fault: 'newer' })
    expect(outbox.overdue(kind, AT)).toEqual({ count: 3, since: EARLIER, fault: 'newer' })
    outbox.settle(b, 'dropped', LATER)
    expect(outbox.summary(kind)).toEqual({ waiting: 2, failed: 0, fault: 'older' })
    outbox.settle(c, 'failed', LATER, 'given up')
    expect(outbox.summary(kind)).toEqual({ waiting: 1, failed: 1, fault: 'given up' })
    expect(outbox.overdue(kind, AT)).toEqual({ count: 1, since: EARLIER, fault: 'older' })
    expect(outbox.overdue(kind, EARLIER)).toEqual({ count: 0, since: null, fault: null })
    expect(outbox.latest(kind, 'r')).toBeUndefined()
    expect(outbox.latest(REPORT, 'r')?.subject).toBe('r')
  })

  it('of reports are never forgotten, nor what still waits', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const report = outbox.append({ kind: REPORT, subject: 'r', payload: {}, at: EARLIER })
    outbox.settle(report, 'sent', EARLIER)
    const [sent, waiting] = ['sent', 'waiting'].map((subject) =>
      outbox.append({ kind, subject, payload: {}, at: EARLIER }),
    ) as [number, number]
    outbox.settle(sent, 'sent', AT)
    expect(outbox.purge(AT)).toBe(0)
    expect(outbox.purge(LATER)).toBe(1)
    expect([report, sent, waiting].map((row) => outbox.get(row)?.state)).toEqual([
      'sent',
      undefined,
      'waiting',
    ])
  })
})

describe('a secret', () => {
  it('is kept sealed under its name until it is taken away', () => {
    using temp = tempStore()
    const { secrets, database } = temp.store
    expect([secrets.has('mail.password'), secrets.get('mail.password')]).toEqual([false, undefined])
    secrets.set('mail.password', 'old')
    secrets.set('mail.password', 'köstlich geheim')
    expect([secrets.has('mail.password'), secrets.get('mail.password')]).toEqual([
      true,
      'köstlich geheim',
    ])
    expect(
      database.get(database.sql.selectFrom('secrets').select('sealed'))?.sealed.includes('geheim'),
    ).toBe(false)
    database.run(database.sql.updateTable('secrets').set({ name: 'other' }))
    expect(() => secrets.get('other')).toThrow('cannot be opened')
    expect([secrets.remove('other'), secrets.remove('other')]).toEqual([true, false])
  })
})
