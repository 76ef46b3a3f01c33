import { describe, expect, it } from 'vitest'
import { rawQuery } from '#server/database/query.ts'
import {
  type CorrectedPair,
  countReplacedCopies,
  findCorrection,
  insertCorrection,
  isCorrectionSent,
  listCorrectedPairs,
  listCorrections,
  moveAnnotations,
  moveFoundVersions,
  type NewCorrection,
  setCorrectionUndone,
} from '#server/modules/corrections/correction-queries.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward, settleForward } from '#server/modules/forwarding/forward-queries.ts'
import { findAnnotations, putAnnotations } from '#server/modules/images/annotation-queries.ts'
import {
  hasFoundVersion,
  insertFoundVersion,
  isCorrectedCopy,
  isInstanceWithdrawn,
  listFoundVersionUids,
  listOtherVersions,
} from '#server/modules/images/image-version-queries.ts'
import { listStudyInstances, setInstanceState } from '#server/modules/images/instance-queries.ts'
import { quarantine, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { HEADER } from '../images/intake-fixture.ts'

const AT = '2026-03-10T09:00:00.000Z'
const [FROM, TO] = ['1.2.1', '1.2.2']
const UNDONE = { at: AT, by: 'usr_2', with: null, reason: 'it was right' }

/** Three images and three copies of them, in two studies; the first two images were corrected. */
function stage() {
  const temp = tempStore()
  const { database } = temp.store
  for (const uid of [FROM, TO]) seedImages(temp.store, { uid, instances: 3 })
  for (const uid of ['1.2.3', '1.2.9']) seedImages(temp.store, { uid, instances: 0 })
  const ids = (uid: string) => listStudyInstances(database, uid).map(({ instanceId }) => instanceId)
  const [originals, copies] = [ids(FROM), ids(TO)]
  const pair = (index: number): CorrectedPair => ({
    ...{ originalId: originals[index] ?? 0, correctedId: copies[index] ?? 0 },
  })
  const insert = (correctionId: string, pairs: readonly CorrectedPair[], more = {}) => {
    const record: NewCorrection = {
      ...{ correctionId, kind: 'reassign', cause: 'wrong-worklist-entry', instances: 2 },
      ...{ fromStudyInstanceUid: FROM, toStudyInstanceUid: TO, userId: 'usr_1', at: AT },
      details: { reason: 'r', changes: [], handedOut: { from: null, to: null }, undoReason: '' },
      ...{ undoes: null, ...more },
    }
    insertCorrection(database, record, pairs)
    return record
  }
  const made = insert('c1', [pair(0), pair(1)])
  return {
    ...{ ...temp, database, originals, copies, pair, insert, made },
    original: (index: number) => originals[index] ?? 0,
    copy: (index: number) => copies[index] ?? 0,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a correction', () => {
  it('is kept with its reason sealed, and what undid it', () => {
    using on = stage()
    const standing = { ...on.made, undoneAt: null, undoneBy: null, undoneWith: null }
    expect(findCorrection(on.database, 'c1')).toEqual(standing)
    setCorrectionUndone(on.database, 'c1', UNDONE)
    const undone = {
      ...{ ...standing, undoneAt: AT, undoneBy: 'usr_2' },
      details: { ...on.made.details, undoReason: 'it was right' },
    }
    expect(findCorrection(on.database, 'c1')).toEqual(undone)
    setCorrectionUndone(on.database, 'c1', { ...UNDONE, by: 'usr_3' })
    setCorrectionUndone(on.database, 'gone', UNDONE)
    expect(findCorrection(on.database, 'c1')).toMatchObject({ undoneBy: 'usr_2' })
    expect(findCorrection(on.database, 'gone')).toBeUndefined()
  })

  it('does not give its reason to the row of another', () => {
    using on = stage()
    on.insert('c2', [])
    const other = "(select sealedDetails from corrections where correctionId = 'c2')"
    const taken = `update corrections set sealedDetails = ${other} where correctionId = 'c1'`
    on.database.run(rawQuery(taken, []))
    expect(() => findCorrection(on.database, 'c1')).toThrow()
  })

  it('has its pairs in the order of the copies, and knows which copies are not current any more', () => {
    using on = stage()
    on.insert('c2', [on.pair(2)], { at: '2026-03-10T10:00:00.000Z', toStudyInstanceUid: '1.2.9' })
    expect(listCorrectedPairs(on.database, 'c1')).toEqual([on.pair(0), on.pair(1)])
    expect(listCorrectedPairs(on.database, 'gone')).toEqual([])
    expect(listCorrections(on.database, FROM).map(({ correctionId }) => correctionId)).toEqual([
      ...['c2', 'c1'],
    ])
    expect(listCorrections(on.database, TO)).toHaveLength(1)
    expect(countReplacedCopies(on.database, 'c1')).toBe(0)
    setInstanceState(on.database, on.copy(1), 'superseded')
    setInstanceState(on.database, on.copy(2), 'superseded')
    expect([
      countReplacedCopies(on.database, 'c1'),
      countReplacedCopies(on.database, 'c2'),
    ]).toEqual([1, 1])
  })

  it('was sent once an original or a copy arrived at a destination', () => {
    using on = stage()
    on.insert('c2', [on.pair(2)])
    insertDestination(on.database, {
      ...{ destinationId: 'd1', name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
      ...{ isTls: false, certificate: null, isEnabled: true, isAutomatic: true, modalities: [] },
      ...{
        hasPriors: false,
        confirmsStorage: false,
        createdAt: AT,
        updatedAt: AT,
        lastSentAt: null,
        lastError: null,
      },
    })
    const forward = (instanceId: number) =>
      appendForward(on.store.database, {
        ...{ destinationId: 'd1', instanceId, sopInstanceUid: `1.${instanceId}` },
        ...{ studyInstanceUid: FROM, at: AT },
      }) ?? 0
    const sent = { at: AT, status: '0000', lastError: '' }
    const [original, copy] = [forward(on.original(1)), forward(on.copy(2))]
    expect([isCorrectionSent(on.database, 'c1'), isCorrectionSent(on.database, 'c2')]).toEqual([
      false,
      false,
    ])
    settleForward(on.database, original, 'sent', sent)
    expect([isCorrectionSent(on.database, 'c1'), isCorrectionSent(on.database, 'c2')]).toEqual([
      true,
      false,
    ])
    settleForward(on.database, copy, 'sent', sent)
    expect(isCorrectionSent(on.database, 'c2')).toBe(true)
  })
})

describe('an instance', () => {
  it('does not count where its correction stands, or as the copy of one that was undone', () => {
    using on = stage()
    const all = () =>
      [0, 1, 2].map((index) => [
        isInstanceWithdrawn(on.database, on.original(index)),
        isInstanceWithdrawn(on.database, on.copy(index)),
      ])
    on.insert('c2', [on.pair(1)])
    expect(all()).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ])
    expect([...on.originals, ...on.copies].map((id) => isCorrectedCopy(on.database, id))).toEqual([
      ...[false, false, false, true, true, false],
    ])
    setCorrectionUndone(on.database, 'c1', UNDONE)
    expect(all()[0]).toEqual([false, true])
  })

  it('stays withdrawn where a further correction undid the first', () => {
    using on = stage()
    on.insert('c2', [])
    setCorrectionUndone(on.database, 'c1', { ...UNDONE, with: 'c2' })
    expect([
      isInstanceWithdrawn(on.database, on.original(0)),
      isInstanceWithdrawn(on.database, on.copy(0)),
    ]).toEqual([true, false])
  })
})

describe('versions of an image', () => {
  it('are what corrections, recorded or found, connect, however long the chain is', () => {
    using on = stage()
    const aside = quarantine(on.store, '1.2.3', { sopInstanceUid: '1.2.3.9' })
    on.insert('c2', [{ originalId: on.copy(0), correctedId: on.original(2) }])
    insertFoundVersion(on.database, { instanceId: aside.instanceId, header: HEADER }, [
      `${FROM}.1.3`,
    ])
    const chain = [`${FROM}.1.1`, `${TO}.1.1`, `${FROM}.1.3`, '1.2.3.9']
    for (const uid of chain)
      expect(listOtherVersions(on.database, [uid]).sort()).toEqual(
        chain.filter((other) => other !== uid).sort(),
      )
    expect(listOtherVersions(on.database, chain)).toEqual([])
    expect(listOtherVersions(on.database, [`${TO}.1.3`])).toEqual([])
  })

  it('that were found are beside the UIDs that were given', () => {
    using on = stage()
    const { instanceId } = quarantine(on.store, '1.2.3', { sopInstanceUid: '1.2.3.9' })
    const uids = [`${FROM}.1.1`, `${FROM}.1.2`]
    insertFoundVersion(on.database, { instanceId, header: HEADER }, uids)
    insertFoundVersion(on.database, { instanceId, header: HEADER }, uids)
    expect(listFoundVersionUids(on.database, instanceId).sort()).toEqual(uids)
    expect(listFoundVersionUids(on.database, on.original(0))).toEqual([])
    expect(
      [...uids, `${FROM}.1.3`, '1.2.3.9'].map((uid) => hasFoundVersion(on.database, uid)),
    ).toEqual([true, true, false, false])
    moveFoundVersions(on.database, `${FROM}.1.1`, {
      instanceId: on.copy(0),
      sopInstanceUid: `${TO}.1.1`,
    })
    expect(listFoundVersionUids(on.database, instanceId).sort()).toEqual([...uids, `${TO}.1.1`])
  })
})

describe('what was drawn', () => {
  const drawn = (uid: string, number: number) => ({ number, image: `isthmus:${uid}/1` })
  const put = (on: ReturnType<typeof stage>, uid: string, owner: string, list: unknown[]) =>
    putAnnotations(on.database, {
      ...{ studyInstanceUid: uid, owner, revision: 3, annotations: list, updatedAt: AT },
    })
  const uids = new Map([
    [`${FROM}.1.1`, `${TO}.1.1`],
    [`${FROM}.1.2`, `${TO}.1.2`],
  ])

  it('on moved images follows them, after what is there, and the rest stays', () => {
    using on = stage()
    put(on, FROM, 'usr_1', [drawn(`${FROM}.1.1`, 1), drawn(`${FROM}.1.2`, 2), 'text'])
    put(on, FROM, 'usr_2', [drawn(`${FROM}.1.2`, 3)])
    put(on, FROM, 'usr_3', [drawn(`${FROM}.1.1`, 4)])
    put(on, TO, 'usr_1', [drawn(`${TO}.1.3`, 5)])
    const moved = new Set([`${FROM}.1.1`])
    moveAnnotations(on.database, { from: FROM, to: TO, uids, moved, at: AT })
    const found = (uid: string, owner: string) => findAnnotations(on.database, uid, owner)
    expect(found(FROM, 'usr_1')).toEqual({
      ...{ revision: 4, annotations: [drawn(`${FROM}.1.2`, 2), 'text'] },
    })
    expect(found(TO, 'usr_1')).toEqual({
      ...{ revision: 4, annotations: [drawn(`${TO}.1.3`, 5), drawn(`${TO}.1.1`, 1)] },
    })
    expect(found(FROM, 'usr_2')).toEqual({ revision: 3, annotations: [drawn(`${FROM}.1.2`, 3)] })
    expect(found(TO, 'usr_2')).toBeUndefined()
    expect(found(TO, 'usr_3')).toEqual({ revision: 1, annotations: [drawn(`${TO}.1.1`, 4)] })
  })

  it('on images that got new UIDs in their study is on the new ones', () => {
    using on = stage()
    put(on, FROM, 'usr_1', [drawn(`${FROM}.1.1`, 1), 'text'])
    const moved = new Set([`${FROM}.1.1`])
    moveAnnotations(on.database, { from: FROM, to: FROM, uids, moved, at: AT })
    expect(findAnnotations(on.database, FROM, 'usr_1')).toEqual({
      ...{ revision: 4, annotations: ['text', drawn(`${TO}.1.1`, 1)] },
    })
  })
})
