import { describe, expect, it } from 'vitest'
import type { DestinationRecord } from '#server/modules/forwarding/destination-queries.ts'
import * as destinationQueries from '#server/modules/forwarding/destination-queries.ts'
import * as forwardQueries from '#server/modules/forwarding/forward-queries.ts'
import { storedMessage, verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'
const LAST = '2026-11-20T08:47:00.000Z'
const FAULT = { status: 'A700', lastError: 'The PACS is full.' }

const destination = (destinationId: string): DestinationRecord => ({
  ...{
    destinationId,
    name: destinationId.toUpperCase(),
    aeTitle: 'PACS',
    host: 'pacs.clinic.example',
    port: 104,
    isTls: false,
  },
  ...{
    certificate: null,
    isEnabled: true,
    isAutomatic: true,
    modalities: ['CT'],
    hasPriors: false,
    confirmsStorage: false,
    createdAt: AT,
    updatedAt: AT,
  },
  ...{ lastSentAt: null, lastError: null },
})

function stage() {
  const temp = tempStore()
  const { database } = temp.store
  const forwards = bound(forwardQueries, database)
  const destinations = bound(destinationQueries, database)
  for (const id of ['b', 'a']) destinations.insertDestination(destination(id))
  return {
    ...{ ...temp, forwards, destinations, database },
    append: (instanceId: number, { to = 'a', study = '1.2', at = AT } = {}) =>
      forwards.appendForward({
        destinationId: to,
        instanceId,
        sopInstanceUid: `${study}.1.${instanceId}`,
        studyInstanceUid: study,
        at,
      }) ?? 0,
    due: (at: string, to = 'a') =>
      forwards.dueForwards(to, at, 10).map(({ forwardId }) => forwardId),
    studies: (show: 'all' | 'waiting' | 'failed' = 'all', destinationId?: string) =>
      forwards
        .listForwardedStudies({ show, destinationId, limit: 10 })
        .items.map(
          ({ destinationId: id, studyInstanceUid, waiting, sent, failed, dropped, lastError }) => [
            ...[`${id} ${studyInstanceUid}`, waiting, sent, failed, dropped, lastError],
          ],
        ),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('destinations', () => {
  it('are kept as they were given, by name, with how the last attempt went', () => {
    using on = stage()
    expect(on.destinations.listDestinations()).toEqual([destination('a'), destination('b')])
    on.destinations.recordError('a', verbatim('It did not answer.'))
    on.destinations.updateDestination({
      ...destination('a'),
      name: 'Z',
      isTls: true,
      modalities: [],
      lastError: verbatim('ignored'),
      createdAt: LATER,
    })
    expect(on.destinations.listDestinations().at(-1)).toEqual({
      ...{
        ...destination('a'),
        name: 'Z',
        isTls: true,
        modalities: [],
        lastError: verbatim('It did not answer.'),
      },
    })
    on.destinations.recordSent('a', LATER)
    expect(on.destinations.findDestination('a')).toMatchObject({
      lastSentAt: LATER,
      lastError: null,
    })
  })

  it('go with their queue', () => {
    using on = stage()
    const forwardId = on.append(1)
    const other = on.append(1, { to: 'b' })
    expect(['a', 'a'].map((id) => on.destinations.deleteDestination(id).changes > 0)).toEqual([
      true,
      false,
    ])
    expect([on.forwards.findForward(forwardId), on.studies()]).toEqual([
      undefined,
      [['b 1.2', 1, 0, 0, 0, '']],
    ])
    expect(on.due(AT, 'b')).toEqual([other])
  })
})

describe('a forward', () => {
  it('waits until it is due, in the order it was appended', () => {
    using on = stage()
    const [a, b] = [on.append(1), on.append(2)]
    on.append(1, { to: 'b', at: LATER })
    expect([on.due(AT), on.due(AT, 'b'), on.due(LATER, 'b').length]).toEqual([[a, b], [], 1])
    on.forwards.postponeForward(a, { at: AT, nextAt: LATER, ...FAULT })
    expect([
      on.due(AT),
      on.due(LATER),
      on.forwards.nextForwardDue('a'),
      on.forwards.nextForwardDue('b'),
    ]).toEqual([[b], [b, a], AT, LATER])
    expect(on.forwards.findForward(a)).toMatchObject({
      attempts: 1,
      status: 'A700',
      lastError: 'The PACS is full.',
      queuedAt: AT,
    })
  })

  it('is settled once', () => {
    using on = stage()
    const id = on.append(1)
    expect(
      on.forwards.settleForward(id, 'sent', {
        at: LATER,
        status: '0000',
        lastError: '',
        sentAs: 'JPEG Lossless',
      }),
    ).toBe(true)
    expect(on.forwards.settleForward(id, 'failed', { at: LATER, ...FAULT })).toBe(false)
    on.forwards.postponeForward(id, { at: LAST, nextAt: LAST, ...FAULT })
    expect(on.forwards.findForward(id)).toEqual({
      ...{
        forwardId: id,
        destinationId: 'a',
        instanceId: 1,
        sopInstanceUid: '1.2.1.1',
        studyInstanceUid: '1.2',
        state: 'sent',
      },
      ...{
        attempts: 1,
        queuedAt: AT,
        nextAt: null,
        status: '0000',
        lastError: '',
        sentAs: 'JPEG Lossless',
        createdAt: AT,
        updatedAt: LATER,
      },
    })
    expect(on.forwards.nextForwardDue('a')).toBeUndefined()
  })

  it('is appended once, and waits anew only where it failed or was dropped', () => {
    using on = stage()
    let heard = 0
    on.database.subscribe('forwards', () => heard++)
    const [sent, failed] = [on.append(1), on.append(2)]
    on.forwards.settleForward(sent, 'sent', { at: AT, status: '0000', lastError: '' })
    on.forwards.settleForward(failed, 'failed', { at: AT, ...FAULT })
    expect([
      on.append(1, { at: LATER }),
      on.append(2, { at: LATER }),
      on.append(2, { at: LAST }),
    ]).toEqual([0, failed, 0])
    expect(on.forwards.findForward(failed)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      queuedAt: LATER,
      nextAt: LATER,
      createdAt: AT,
    })
    expect(heard).toBe(3)
  })

  it('is dropped where its instance is set aside, kept in mind, and begins anew when it is appended again', () => {
    using on = stage()
    const [waiting, sent, other] = [on.append(1), on.append(2), on.append(3)]
    on.forwards.postponeForward(waiting, { at: LATER, nextAt: LATER, ...FAULT })
    on.forwards.settleForward(sent, 'sent', { at: AT, status: '0000', lastError: '' })
    const why = verbatim('It was set aside.')
    const said = { at: LATER, lastError: storedMessage(why) }
    expect(
      [1, 2].map((instanceId) => on.forwards.dropForwardsOfInstance(instanceId, said)),
    ).toEqual([['a'], []])
    expect(on.forwards.findForward(waiting)).toMatchObject({
      state: 'dropped',
      nextAt: null,
      lastError: said.lastError,
    })
    expect([sent, other].map((id) => on.forwards.findForward(id)?.state)).toEqual([
      'sent',
      'waiting',
    ])
    expect([1, 2].map((instanceId) => on.forwards.destinationsDroppedFor(instanceId, why))).toEqual(
      [['a'], []],
    )
    expect(on.forwards.destinationsDroppedFor(1, verbatim('Something else.'))).toEqual([])
    on.append(1, { at: LAST })
    expect(on.forwards.findForward(waiting)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      status: '',
      lastError: '',
      nextAt: LAST,
    })
    expect(on.forwards.destinationsDroppedFor(1, why)).toEqual([])
  })

  it('is told of when it is committed, and not when it was rolled back', () => {
    using on = stage()
    let heard = 0
    const stop = on.database.subscribe('forwards', () => heard++)
    expect(() =>
      on.database.transaction(() => {
        on.append(1)
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect([heard, on.studies()]).toEqual([0, []])
    stop()
    on.append(1)
    expect(heard).toBe(0)
  })
})

describe('studies on their way', () => {
  it('are counted as their instances wait, go, fail, are tried again and are dropped', () => {
    using on = stage()
    const [a, b, c] = [on.append(1), on.append(2), on.append(3)]
    on.append(4, { study: '1.3', at: LATER })
    on.append(1, { to: 'b', at: LAST })
    expect(on.studies()).toEqual([
      ['b 1.2', 1, 0, 0, 0, ''],
      ['a 1.3', 1, 0, 0, 0, ''],
      ['a 1.2', 3, 0, 0, 0, ''],
    ])
    on.forwards.settleForward(a, 'sent', { at: LAST, status: '0000', lastError: '' })
    on.forwards.settleForward(b, 'failed', { at: LAST, ...FAULT })
    expect(on.studies('failed')).toEqual([['a 1.2', 1, 1, 1, 0, 'The PACS is full.']])
    expect(on.forwards.countForwardsTo('a')).toEqual({ waiting: 2, sent: 1, failed: 1 })
    expect(on.forwards.countForwards()).toEqual({ waiting: 3, failed: 1 })
    expect(on.forwards.retryForwards('a', '1.2', LAST)).toBe(2)
    expect(on.forwards.findForward(b)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      queuedAt: LAST,
      nextAt: LAST,
    })
    expect(on.studies('waiting', 'a')).toEqual([
      ['a 1.2', 2, 1, 0, 0, 'The PACS is full.'],
      ['a 1.3', 1, 0, 0, 0, ''],
    ])
    on.forwards.settleForward(c, 'sent', { at: LAST, status: '0000', lastError: '' })
    expect(on.forwards.openStudies('a').sort()).toEqual(['1.2', '1.3'])
    expect(['1.2', '1.3'].map((uid) => on.forwards.dropForwards('a', uid, LAST))).toEqual([1, 1])
    expect(on.studies('all', 'a')).toEqual([
      ['a 1.3', 0, 0, 0, 1, ''],
      ['a 1.2', 0, 2, 0, 1, ''],
    ])
    expect([on.forwards.countForwardsTo('a'), on.forwards.countForwards()]).toEqual([
      { waiting: 0, sent: 2, failed: 0 },
      { waiting: 1, failed: 0 },
    ])
    expect(on.forwards.openStudies('a')).toEqual([])
    expect(on.forwards.dropForwards('a', '1.2', LAST)).toBe(0)
  })

  it('keep the fault of one that waits again, until everything of them went', () => {
    using on = stage()
    const [a, b] = [on.append(1), on.append(2)]
    on.forwards.postponeForward(a, { at: LATER, nextAt: LATER, ...FAULT })
    on.forwards.settleForward(b, 'sent', { at: LATER, status: '0000', lastError: '' })
    expect(on.studies()).toEqual([['a 1.2', 1, 1, 0, 0, 'The PACS is full.']])
    on.forwards.settleForward(a, 'sent', { at: LATER, status: '0000', lastError: '' })
    expect(on.studies()).toEqual([['a 1.2', 0, 2, 0, 0, '']])
  })

  it('and their instances are listed page by page', () => {
    using on = stage()
    const studies = ['1.1', '1.2', '1 3', '1.4', '1.5']
    for (const [index, study] of studies.entries())
      on.append(20 + index, { study, at: study === '1.1' ? LATER : AT })
    for (let instance = 1; instance < 12; instance++)
      on.append(instance, { study: '1.1', at: LATER })
    const uids: string[] = []
    for (let after: string | undefined, more = true; more; ) {
      const { items, next } = on.forwards.listForwardedStudies({ show: 'all', limit: 1, after })
      uids.push(...items.map(({ studyInstanceUid }) => studyInstanceUid))
      after = next
      more = next !== undefined
    }
    expect(uids).toEqual(['1.1', '1.5', '1.4', '1.2', '1 3'])
    const first = on.forwards.listForwards({
      destinationId: 'a',
      studyInstanceUid: '1.1',
      limit: 7,
    })
    const rest = on.forwards.listForwards({
      destinationId: 'a',
      studyInstanceUid: '1.1',
      limit: 7,
      after: first.next,
    })
    expect([...first.items, ...rest.items].map(({ instanceId }) => instanceId)).toEqual([
      20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ])
    expect(rest.next).toBeUndefined()
  })

  it('are found by indexes where they are asked for often: those of older versions, and what waits or failed', () => {
    using on = stage()
    const plan: string[] = []
    const spied = Object.create(on.database, {
      all: {
        value: (query: { compile(): { sql: string; parameters: readonly unknown[] } }) => {
          const compiled = query.compile()
          const explained = { ...compiled, sql: `explain query plan ${compiled.sql}` }
          for (const row of on.database.all<{ detail: string }>({
            compile: () => explained as never,
          }))
            plan.push(row.detail)
          return []
        },
      },
    })
    const {
      listForwardedStudies: studies,
      supersedeForwards: supersede,
      dropForwardsOfInstance: setAside,
      destinationsDroppedFor: keptFrom,
    } = bound(forwardQueries, spied)
    for (const work of [
      () => void setAside(1, { at: AT, lastError: '' }),
      () => void keptFrom(1, verbatim('')),
    ]) {
      work()
      expect(plan).toContainEqual(
        expect.stringMatching(
          /^SEARCH forwards USING INDEX .*\(destinationId=\? AND instanceId=\?\)$/,
        ),
      )
      plan.length = 0
    }
    supersede({ sopInstanceUid: '1.2.1.1', instanceId: 1 }, { at: AT, lastError: '' })
    expect(plan).toContainEqual(
      expect.stringMatching(
        /^SEARCH forwards USING INDEX .*\(destinationId=\? AND instanceId=\?\)$/,
      ),
    )
    expect(plan).toContainEqual(expect.stringMatching(/^SEARCH n USING INDEX instancesNotCurrent/))
    plan.length = 0
    for (const show of ['waiting', 'failed'] as const)
      for (const destinationId of [undefined, 'a'])
        studies({ show, destinationId, limit: 10, after: `${AT} a 1.2` })
    expect(plan.filter((line) => line.includes('forwardedStudies '))).toEqual(
      Array(4).fill(expect.stringMatching(/USING INDEX forwardedStudiesOpen/)),
    )
  })
})
