import { describe, expect, it } from 'vitest'
import { tempStore } from '../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-03-10T09:05:00.000Z'
const kind = 'invitation.mail'

describe('the outbox', () => {
  it('gives rows oldest first, when they are due', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a, b] = ['inv_a', 'inv_b'].map((subject) => outbox.append({ kind, subject, payload: { subject }, at: AT }))
    outbox.append({ kind: 'report.delivered', subject: 'rep_a', payload: {}, at: AT })
    expect(outbox.due(kind, AT, 10).map(({ payload }) => payload)).toEqual([{ subject: 'inv_a' }, { subject: 'inv_b' }])
    outbox.postpone(a ?? 0, { notBefore: LATER, lastError: 'the mail server did not answer in time', at: AT })
    expect(outbox.due(kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(outbox.settle(b ?? 0, 'sent', AT)).toBe(true)
    expect(outbox.settle(b ?? 0, 'sent', AT)).toBe(false)
    expect(outbox.nextDue(kind)).toBe(LATER)
    expect(outbox.due(kind, LATER, 10)).toMatchObject([{ outboxId: a, attempts: 1, lastError: 'the mail server did not answer in time' }])
    outbox.hasten(kind, AT)
    expect(outbox.nextDue(kind)).toBe(AT)
  })

  it('keeps payloads sealed, and forgets them when a row stops waiting', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    const stored = () => database.get(database.sql.selectFrom('outbox').select('sealedPayload'))?.sealedPayload
    const outboxId = outbox.append({ kind, subject: 'inv_a', payload: { link: 'https://gateway.example/#/invitation?token=x' }, at: AT })
    expect(stored()?.includes('gateway.example')).toBe(false)
    outbox.settle(outboxId, 'failed', LATER, 'the mail server did not take the message')
    expect(stored()).toBeNull()
    expect(outbox.latest(kind, 'inv_a')).toEqual({
      ...{ outboxId, kind, subject: 'inv_a', lane: null, state: 'failed', attempts: 1, notBefore: AT, createdAt: AT, updatedAt: LATER },
      lastError: 'the mail server did not take the message',
    })
    expect(outbox.summary(kind)).toEqual({ waiting: 0, failed: 1, fault: 'the mail server did not take the message' })
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
    for (let at = 0; at < 25; at++) outbox.append({ kind, subject: `s${at}`, payload: {}, at: at % 2 === 0 ? AT : LATER })
    const seen: string[] = []
    for (let page = outbox.due(kind, LATER, 10); page.length > 0; page = outbox.due(kind, LATER, 10, page.at(-1)))
      seen.push(...page.map(({ subject }) => subject))
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    expect(seen[13]).toBe('s1')
  })

  it('holds a row without counting an attempt, hastens some, and tells what is overdue', () => {
    using temp = tempStore()
    const { outbox } = temp.store
    const [a = 0, b = 0] = ['a', 'b'].map((subject) => outbox.append({ kind, subject, payload: {}, at: AT }))
    for (const row of [a, b]) outbox.hold(row, { notBefore: LATER, lastError: 'its endpoint is switched off', at: AT })
    expect(outbox.get(a)).toMatchObject({ attempts: 0, state: 'waiting', lastError: 'its endpoint is switched off' })
    expect(outbox.nextDue(kind, AT)).toBe(LATER)
    outbox.hasten(kind, AT, [b])
    expect(outbox.due(kind, AT, 10).map(({ outboxId }) => outboxId)).toEqual([b])
    expect(outbox.nextDue(kind, AT)).toBe(LATER)
    expect(outbox.waiting(kind)).toHaveLength(2)
    expect(outbox.overdue(kind, LATER)).toEqual({ count: 2, since: AT, fault: 'its endpoint is switched off' })
    expect(outbox.overdue(kind, AT)).toEqual({ count: 0, since: null, fault: null })
    expect(outbox.drop(kind, 'a', AT)).toBe(1)
    expect(outbox.drop(kind, 'a', AT)).toBe(0)
    expect(outbox.get(99)).toBeUndefined()
  })

  it('gives no payload that was swapped with another row’s', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    for (const subject of ['inv_a', 'inv_b']) outbox.append({ kind, subject, payload: { subject }, at: AT })
    const [a] = database.all(database.sql.selectFrom('outbox').select('sealedPayload').orderBy('outboxId'))
    database.run(database.sql.updateTable('outbox').set({ sealedPayload: a?.sealedPayload ?? null }))
    expect(outbox.due(kind, AT, 10).map(({ payload }) => payload)).toEqual([{ subject: 'inv_a' }, undefined])
  })

  it('tells of a row when it is committed, and of none that was rolled back', () => {
    using temp = tempStore()
    const { outbox, database } = temp.store
    const heard: number[] = []
    const stop = outbox.onAppend(kind, () => heard.push(outbox.due(kind, AT, 10).length))
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
    for (const subject of ['inv_a', 'inv_a', 'inv_b']) outbox.append({ kind, subject, payload: {}, at: AT })
    outbox.drop(kind, 'inv_a', AT)
    expect(outbox.due(kind, AT, 10).map(({ subject }) => subject)).toEqual(['inv_b'])
    expect(outbox.latest(kind, 'inv_a')?.state).toBe('dropped')
    expect(outbox.purge(AT)).toBe(0)
    expect(outbox.purge(LATER)).toBe(2)
    expect(outbox.summary(kind)).toEqual({ waiting: 1, failed: 0, fault: null })
  })
})

describe('a secret', () => {
  it('is kept sealed under its name until it is taken away', () => {
    using temp = tempStore()
    const { secrets, database } = temp.store
    expect([secrets.has('mail.password'), secrets.get('mail.password')]).toEqual([false, undefined])
    secrets.set('mail.password', 'old')
    secrets.set('mail.password', 'köstlich geheim')
    expect([secrets.has('mail.password'), secrets.get('mail.password')]).toEqual([true, 'köstlich geheim'])
    expect(database.get(database.sql.selectFrom('secrets').select('sealed'))?.sealed.includes('geheim')).toBe(false)
    database.run(database.sql.updateTable('secrets').set({ name: 'other' }))
    expect(() => secrets.get('other')).toThrow('cannot be opened')
    expect([secrets.remove('other'), secrets.remove('other')]).toEqual([true, false])
  })
})
