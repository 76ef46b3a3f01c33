import { describe, expect, it } from 'vitest'
import { announceInstances } from '#server/modules/images/announced-instance-queries.ts'
import {
  findCommitment,
  findCommitmentOf,
  insertCommitment,
  listCommitmentItems,
  listDueCommitments,
  listStudyCommitments,
  type NewCommitment,
  nextCommitmentDue,
  postponeCommitment,
  purgeCommitments,
  setCommitmentFailures,
  settleCommitment,
} from '#server/modules/images/commitment-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
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
    const { database } = temp.store
    const id = insertCommitment(database, request('2.25.1', '1.2.1.2', '1.2.1.1'))
    expect(findCommitment(database, id)).toEqual({
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
        lastError: null,
        instances: 2,
        failed: 0,
      },
    })
    expect(listCommitmentItems(database, id)).toEqual([
      { sopClassUid: CT, sopInstanceUid: '1.2.1.2', failureReason: null },
      { sopClassUid: CT, sopInstanceUid: '1.2.1.1', failureReason: null },
    ])
    const again = insertCommitment(database, request('2.25.1'))
    expect(findCommitmentOf(database, 'CT1', '2.25.1')?.commitmentId).toBe(again)
    expect(findCommitmentOf(database, 'CT2', '2.25.1')).toBeUndefined()
  })

  it('wait until they are due, and no longer once they are settled', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [a = 0, b = 0] = ['2.25.1', '2.25.2'].map((uid) =>
      insertCommitment(database, request(uid, '1.2.1.1')),
    )
    expect(listDueCommitments(database, AT, 10).map(({ commitmentId }) => commitmentId)).toEqual([
      a,
      b,
    ])
    postponeCommitment(database, a, { nextAt: LATER, lastError: verbatim('CT1 does not listen.') })
    expect(listDueCommitments(database, AT, 10).map(({ commitmentId }) => commitmentId)).toEqual([
      b,
    ])
    expect([
      settleCommitment(database, b, 'delivered'),
      settleCommitment(database, b, 'given-up', verbatim('late')),
    ]).toEqual([true, false])
    expect(findCommitment(database, b)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      nextAt: null,
      lastError: null,
    })
    expect(nextCommitmentDue(database)).toBe(LATER)
    expect(listDueCommitments(database, LATER, 10)).toMatchObject([
      { commitmentId: a, attempts: 1, lastError: 'CT1 does not listen.' },
    ])
    settleCommitment(database, a, 'given-up', verbatim('CT1 does not listen.'))
    expect([nextCommitmentDue(database), findCommitment(database, a)?.lastError]).toEqual([
      undefined,
      'CT1 does not listen.',
    ])
  })

  it('tell which instances the result refuses, each time anew', () => {
    using temp = tempStore()
    const { database } = temp.store
    const id = insertCommitment(database, request('2.25.1', '1.2.1.1', '1.2.1.2', '1.2.1.1'))
    setCommitmentFailures(database, id, [{ sopInstanceUid: '1.2.1.1', failureReason: 0x0112 }])
    expect(findCommitment(database, id)).toMatchObject({ instances: 3, failed: 2 })
    setCommitmentFailures(database, id, [{ sopInstanceUid: '1.2.1.2', failureReason: 0x0131 }])
    expect(listCommitmentItems(database, id).map(({ failureReason }) => failureReason)).toEqual([
      null,
      0x0131,
      null,
    ])
  })

  it('belong to the studies of their instances, here or announced', () => {
    using temp = tempStore()
    const { store } = temp
    seedImages(store, { uid: '1.2' })
    announceInstances(
      store.database,
      '1.3',
      [{ sopInstanceUid: '1.3.1.1', seriesInstanceUid: '1.3.1' }],
      '2026-11-20T08:45:00.000Z',
    )
    const both = insertCommitment(store.database, request('2.25.1', '1.2.1.1', '1.3.1.1'))
    const other = insertCommitment(store.database, request('2.25.2', '1.3.1.1'))
    const ids = (uid: string) =>
      listStudyCommitments(store.database, uid).map(({ commitmentId }) => commitmentId)
    expect([ids('1.2'), ids('1.3'), ids('1.4')]).toEqual([[both], [other, both], []])
  })

  it('are told of when they are committed, and forgotten when they are old and settled', () => {
    using temp = tempStore()
    const { database } = temp.store
    let heard = 0
    const stop = database.subscribe('commitments', () => heard++)
    const id = database.transaction(() => {
      const made = insertCommitment(database, request('2.25.1', '1.2.1.1'))
      expect(heard).toBe(0)
      return made
    })
    expect(heard).toBe(1)
    stop()
    insertCommitment(database, request('2.25.2'))
    expect(heard).toBe(1)
    settleCommitment(database, id, 'delivered')
    expect([purgeCommitments(database, AT), purgeCommitments(database, LATER)]).toEqual([0, 1])
    expect([
      listCommitmentItems(database, id),
      findCommitmentOf(database, 'CT1', '2.25.2')?.state,
    ]).toEqual([[], 'waiting'])
  })
})
