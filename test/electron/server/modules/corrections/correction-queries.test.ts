import { describe, expect, it } from 'vitest'
import { rawQuery } from '#server/database/raw-query.ts'
import type {
  CorrectedPair,
  NewCorrection,
} from '#server/modules/corrections/correction-queries.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward, settleForward } from '#server/modules/forwarding/forward-queries.ts'
import { findAnnotations, putAnnotations } from '#server/modules/viewer/queries.ts'
import { quarantine, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { HEADER } from '../images/intake-fixture.ts'

const AT = '2026-03-10T09:00:00.000Z'
const [FROM, TO] = ['1.2.1', '1.2.2']
const UNDONE = { at: AT, by: 'usr_2', with: null, reason: 'it was right' }

/** Three images and three copies of them, in two studies; the first two images were corrected. */
function stage() {
  const temp = tempStore()
  const { corrections, database, instances } = temp.store
  for (const uid of [FROM, TO]) seedImages(temp.store, { uid, instances: 3 })
  for (const uid of ['1.2.3', '1.2.9']) seedImages(temp.store, { uid, instances: 0 })
  const ids = (uid: string) => instances.ofStudy(uid).map(({ instanceId }) => instanceId)
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
    corrections.insert(record, pairs)
    return record
  }
  const made = insert('c1', [pair(0), pair(1)])
  return {
    ...{ ...temp, corrections, database, instances, originals, copies, pair, insert, made },
    original: (index: number) => originals[index] ?? 0,
    copy: (index: number) => copies[index] ?? 0,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a correction', () => {
  it('is kept with its reason sealed, and what undid it', () => {
    using on = stage()
    const standing = { ...on.made, undoneAt: null, undoneBy: null, undoneWith: null }
    expect(on.corrections.get('c1')).toEqual(standing)
    on.corrections.setUndone('c1', UNDONE)
    const undone = {
      ...{ ...standing, undoneAt: AT, undoneBy: 'usr_2' },
      details: { ...on.made.details, undoReason: 'it was right' },
    }
    expect(on.corrections.get('c1')).toEqual(undone)
    on.corrections.setUndone('c1', { ...UNDONE, by: 'usr_3' })
    on.corrections.setUndone('gone', UNDONE)
    expect(on.corrections.get('c1')).toMatchObject({ undoneBy: 'usr_2' })
    expect(on.corrections.get('gone')).toBeUndefined()
  })

  it('does not give its reason to the row of another', () => {
    using on = stage()
    on.insert('c2', [])
    const other = "(select sealedDetails from corrections where correctionId = 'c2')"
    const taken = `update corrections set sealedDetails = ${other} where correctionId = 'c1'`
    on.database.run(rawQuery(taken, []))
    expect(() => on.corrections.get('c1')).toThrow()
  })

  it('has its pairs in the order of the copies, and knows which copies are not current any more', () => {
    using on = stage()
    on.insert('c2', [on.pair(2)], { at: '2026-03-10T10:00:00.000Z', toStudyInstanceUid: '1.2.9' })
    expect(on.corrections.pairsOf('c1')).toEqual([on.pair(0), on.pair(1)])
    expect(on.corrections.pairsOf('gone')).toEqual([])
    expect(on.corrections.ofStudy(FROM).map(({ correctionId }) => correctionId)).toEqual([
      ...['c2', 'c1'],
    ])
    expect(on.corrections.ofStudy(TO)).toHaveLength(1)
    expect(on.corrections.copiesGone('c1')).toBe(0)
    on.instances.setState(on.copy(1), 'superseded')
    on.instances.setState(on.copy(2), 'superseded')
    expect([on.corrections.copiesGone('c1'), on.corrections.copiesGone('c2')]).toEqual([1, 1])
  })

  it('was sent once an original or a copy arrived at a destination', () => {
    using on = stage()
    on.insert('c2', [on.pair(2)])
    insertDestination(on.database, {
      ...{ destinationId: 'd1', name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
      ...{ isTls: false, certificate: null, isEnabled: true, isAutomatic: true, modalities: [] },
      ...{ hasPriors: false, createdAt: AT, updatedAt: AT, lastSentAt: null, lastError: '' },
    })
    const forward = (instanceId: number) =>
      appendForward(on.store.database, {
        ...{ destinationId: 'd1', instanceId, sopInstanceUid: `1.${instanceId}` },
        ...{ studyInstanceUid: FROM, at: AT },
      }) ?? 0
    const sent = { at: AT, status: '0000', lastError: '' }
    const [original, copy] = [forward(on.original(1)), forward(on.copy(2))]
    expect([on.corrections.isSent('c1'), on.corrections.isSent('c2')]).toEqual([false, false])
    settleForward(on.database, original, 'sent', sent)
    expect([on.corrections.isSent('c1'), on.corrections.isSent('c2')]).toEqual([true, false])
    settleForward(on.database, copy, 'sent', sent)
    expect(on.corrections.isSent('c2')).toBe(true)
  })
})

describe('an instance', () => {
  it('does not count where its correction stands, or as the copy of one that was undone', () => {
    using on = stage()
    const { isWithdrawn, isCopy } = on.corrections
    const all = () =>
      [0, 1, 2].map((index) => [isWithdrawn(on.original(index)), isWithdrawn(on.copy(index))])
    on.insert('c2', [on.pair(1)])
    expect(all()).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ])
    expect([...on.originals, ...on.copies].map(isCopy)).toEqual([
      ...[false, false, false, true, true, false],
    ])
    on.corrections.setUndone('c1', UNDONE)
    expect(all()[0]).toEqual([false, true])
  })

  it('stays withdrawn where a further correction undid the first', () => {
    using on = stage()
    on.insert('c2', [])
    on.corrections.setUndone('c1', { ...UNDONE, with: 'c2' })
    const { isWithdrawn } = on.corrections
    expect([isWithdrawn(on.original(0)), isWithdrawn(on.copy(0))]).toEqual([true, false])
  })
})

describe('versions of an image', () => {
  it('are what corrections, recorded or found, connect, however long the chain is', () => {
    using on = stage()
    const aside = quarantine(on.store, '1.2.3', { sopInstanceUid: '1.2.3.9' })
    on.insert('c2', [{ originalId: on.copy(0), correctedId: on.original(2) }])
    on.corrections.noteFound({ instanceId: aside.instanceId, header: HEADER }, [`${FROM}.1.3`])
    const chain = [`${FROM}.1.1`, `${TO}.1.1`, `${FROM}.1.3`, '1.2.3.9']
    for (const uid of chain)
      expect(on.corrections.otherVersions([uid]).sort()).toEqual(
        chain.filter((other) => other !== uid).sort(),
      )
    expect(on.corrections.otherVersions(chain)).toEqual([])
    expect(on.corrections.otherVersions([`${TO}.1.3`])).toEqual([])
  })

  it('that were found are beside the UIDs that were given', () => {
    using on = stage()
    const { isOfFound, foundBeside, noteFound, moveFound } = on.corrections
    const { instanceId } = quarantine(on.store, '1.2.3', { sopInstanceUid: '1.2.3.9' })
    const uids = [`${FROM}.1.1`, `${FROM}.1.2`]
    noteFound({ instanceId, header: HEADER }, uids)
    noteFound({ instanceId, header: HEADER }, uids)
    expect(foundBeside(instanceId).sort()).toEqual(uids)
    expect(foundBeside(on.original(0))).toEqual([])
    expect([...uids, `${FROM}.1.3`, '1.2.3.9'].map(isOfFound)).toEqual([true, true, false, false])
    moveFound(`${FROM}.1.1`, { instanceId: on.copy(0), sopInstanceUid: `${TO}.1.1` })
    expect(foundBeside(instanceId).sort()).toEqual([...uids, `${TO}.1.1`])
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
    on.corrections.moveAnnotations({ from: FROM, to: TO, uids, moved, at: AT })
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
    on.corrections.moveAnnotations({ from: FROM, to: FROM, uids, moved, at: AT })
    expect(findAnnotations(on.database, FROM, 'usr_1')).toEqual({
      ...{ revision: 4, annotations: ['text', drawn(`${TO}.1.1`, 1)] },
    })
  })
})
