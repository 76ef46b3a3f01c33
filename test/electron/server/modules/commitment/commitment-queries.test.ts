import { describe, expect, it } from 'vitest'
import type { NewCommitment } from '#server/modules/commitment/commitment-queries.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'
const CT = '1.2.840.10008.5.1.4.1.1.2'
const request = (transactionUid: string, ...sopInstanceUids: string[]): NewCommitment => ({
  ...{
    transactionUid,
    callingAeTitle: 'CT1',
    remoteAddress: '10.0.3.7',
    deviceName: 'CT room 1',
    requestedAt: AT,
    nextAt: AT,
  },
  items: sopInstanceUids.map((sopInstanceUid) => ({ sopClassUid: CT, sopInstanceUid })),
})

describe('commitment requests', () => {
  it('are kept with what they name, in its order', () => {
    using temp = tempStore()
    const { commitments } = temp.store
    const id = commitments.append(request('2.25.1', '1.2.1.2', '1.2.1.1'))
    expect(commitments.get(id)).toEqual({
      ...{
        commitmentId: id,
        transactionUid: '2.25.1',
        callingAeTitle: 'CT1',
        remoteAddress: '10.0.3.7',
        deviceName: 'CT room 1',
      },
      ...{
        requestedAt: AT,
        state: 'waiting',
        attempts: 0,
        nextAt: AT,
        lastError: '',
        instances: 2,
        failed: 0,
      },
    })
    expect(commitments.itemsOf(id)).toEqual([
      { sopClassUid: CT, sopInstanceUid: '1.2.1.2', failureReason: null },
      { sopClassUid: CT, sopInstanceUid: '1.2.1.1', failureReason: null },
    ])
    const again = commitments.append(request('2.25.1'))
    expect(commitments.find('CT1', '2.25.1')?.commitmentId).toBe(again)
    expect(commitments.find('CT2', '2.25.1')).toBeUndefined()
  })

  it('wait until they are due, and no longer once they are settled', () => {
    using temp = tempStore()
    const { commitments } = temp.store
    const [a = 0, b = 0] = ['2.25.1', '2.25.2'].map((uid) =>
      commitments.append(request(uid, '1.2.1.1')),
    )
    expect(commitments.due(AT, 10).map(({ commitmentId }) => commitmentId)).toEqual([a, b])
    commitments.postpone(a, { nextAt: LATER, lastError: 'CT1 does not listen.' })
    expect(commitments.due(AT, 10).map(({ commitmentId }) => commitmentId)).toEqual([b])
    expect([commitments.settle(b, 'delivered'), commitments.settle(b, 'given-up', 'late')]).toEqual(
      [true, false],
    )
    expect(commitments.get(b)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      nextAt: null,
      lastError: '',
    })
    expect(commitments.nextDue()).toBe(LATER)
    expect(commitments.due(LATER, 10)).toMatchObject([
      { commitmentId: a, attempts: 1, lastError: 'CT1 does not listen.' },
    ])
    commitments.settle(a, 'given-up', 'CT1 does not listen.')
    expect([commitments.nextDue(), commitments.get(a)?.lastError]).toEqual([
      undefined,
      'CT1 does not listen.',
    ])
  })

  it('tell which instances the result refuses, each time anew', () => {
    using temp = tempStore()
    const { commitments } = temp.store
    const id = commitments.append(request('2.25.1', '1.2.1.1', '1.2.1.2', '1.2.1.1'))
    commitments.setFailures(id, [{ sopInstanceUid: '1.2.1.1', failureReason: 0x0112 }])
    expect(commitments.get(id)).toMatchObject({ instances: 3, failed: 2 })
    commitments.setFailures(id, [{ sopInstanceUid: '1.2.1.2', failureReason: 0x0131 }])
    expect(commitments.itemsOf(id).map(({ failureReason }) => failureReason)).toEqual([
      null,
      0x0131,
      null,
    ])
  })

  it('belong to the studies of their instances, here or announced', () => {
    using temp = tempStore()
    const { store } = temp
    seedImages(store, { uid: '1.2' })
    store.imageStudies.announce(
      '1.3',
      [{ sopInstanceUid: '1.3.1.1', seriesInstanceUid: '1.3.1' }],
      '2026-11-20T08:45:00.000Z',
    )
    const both = store.commitments.append(request('2.25.1', '1.2.1.1', '1.3.1.1'))
    const other = store.commitments.append(request('2.25.2', '1.3.1.1'))
    const ids = (uid: string) =>
      store.commitments.ofStudy(uid).map(({ commitmentId }) => commitmentId)
    expect([ids('1.2'), ids('1.3'), ids('1.4')]).toEqual([[both], [other, both], []])
  })

  it('are told of when they are committed, and forgotten when they are old and settled', () => {
    using temp = tempStore()
    const { commitments, database } = temp.store
    let heard = 0
    const stop = database.subscribe('commitments', () => heard++)
    const id = database.transaction(() => {
      const made = commitments.append(request('2.25.1', '1.2.1.1'))
      expect(heard).toBe(0)
      return made
    })
    expect(heard).toBe(1)
    stop()
    commitments.append(request('2.25.2'))
    expect(heard).toBe(1)
    commitments.settle(id, 'delivered')
    expect([commitments.purge(AT), commitments.purge(LATER)]).toEqual([0, 1])
    expect([commitments.itemsOf(id), commitments.find('CT1', '2.25.2')?.state]).toEqual([
      [],
      'waiting',
    ])
  })
})
