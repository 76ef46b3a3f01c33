import { describe, expect, it } from 'vitest'
import {
  deleteInstance,
  findCurrentInstance,
  findInstance,
  hasInstanceOfFile,
  insertInstance,
  listInstanceVersions,
  listStepInstances,
  listStudyInstances,
  listStudyInstancesAfter,
  type NewInstance,
  setInstanceState,
  updateLastSeen,
} from '#server/modules/images/instance-queries.ts'
import {
  countQuarantined,
  countQuarantinedIn,
  listQuarantined,
  listQuarantinedGroups,
  listQuarantinedIn,
} from '#server/modules/images/quarantine-queries.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type SeededImages, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'

function stage(...studies: SeededImages[]) {
  const temp = tempStore()
  for (const study of studies) seedImages(temp.store, study)
  const { database } = temp.store
  return {
    ...{ ...temp, database },
    first(sopInstanceUid = '1.2.1.1') {
      const found = findCurrentInstance(database, sopInstanceUid)
      if (!found) throw new Error('There is no such instance')
      return found
    },
    /** Another version of the first instance, from the fields given. */
    version(fields: Partial<NewInstance>) {
      const [like] = listInstanceVersions(database, '1.2.1.1')
      if (!like) throw new Error('There is no such instance')
      const { instanceId: _, ...of } = { ...like, state: 'current' as const }
      return insertInstance(database, { ...of, file: `00/1/${crypto.randomUUID()}.dcm`, ...fields })
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('instances', () => {
  it('are kept as they were given, and found by id, UID, study and file', () => {
    using on = stage({ uid: '1.2', instances: 3 }, { uid: '1.3' })
    const image = {
      ...{
        rows: 512,
        columns: 400,
        bitsAllocated: 16,
        bitsStored: 12,
        highBit: 11,
        pixelRepresentation: 0,
        samplesPerPixel: 1,
      },
      ...{ photometricInterpretation: 'MONOCHROME2', numberOfFrames: null },
    }
    const made = on.version({
      sopInstanceUid: '1.2.1.9',
      image,
      crc32: 4_294_967_295,
      patientName: 'HORÁK^ŽOFIE',
      bytes: 5e9,
    })
    expect(findInstance(on.database, made.instanceId)).toEqual(made)
    expect(findCurrentInstance(on.database, '1.2.1.9')).toEqual({
      ...made,
      image,
      patientName: 'HORÁK^ŽOFIE',
    })
    expect(
      listStudyInstances(on.database, '1.2').map(({ sopInstanceUid }) => sopInstanceUid),
    ).toEqual(['1.2.1.1', '1.2.1.2', '1.2.1.3', '1.2.1.9'])
    const [first] = listStudyInstancesAfter(on.database, '1.2', 0, 1)
    expect(first?.sopInstanceUid).toBe('1.2.1.1')
    const rest = listStudyInstancesAfter(on.database, '1.2', first?.instanceId ?? 0, 2)
    expect(rest.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(['1.2.1.2', '1.2.1.3'])
    expect([
      hasInstanceOfFile(on.database, made.file),
      hasInstanceOfFile(on.database, `00/1/${crypto.randomUUID()}.dcm`),
    ]).toEqual([true, false])
    expect(findCurrentInstance(on.database, '1.2.1.10')).toBeUndefined()
  })

  it('keep the name of the patient sealed', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    const stored = on.database.all(on.database.sql.selectFrom('instances').selectAll())
    expect(stored.map(({ sealedPatientName }) => sealedPatientName?.includes('MEIER'))).toEqual([
      false,
      false,
    ])
    expect(JSON.stringify(stored)).not.toContain('MEIER')
    expect(listStudyInstances(on.database, '1.2').map(({ patientName }) => patientName)).toEqual([
      'MEIER^ANNA',
      'MEIER^ANNA',
    ])
  })

  it('have one current version of a UID', () => {
    using on = stage({ uid: '1.2' })
    expect(() => on.version({})).toThrow('UNIQUE constraint failed: instances.sopInstanceUid')
    const before = on.first()
    setInstanceState(on.database, before.instanceId, 'superseded')
    const after = on.version({ crc32: 7 })
    const aside = on.version({
      state: 'quarantined',
      reason: 'different-content',
      detail: verbatim('Another image of this UID is here.'),
    })
    expect(findCurrentInstance(on.database, '1.2.1.1')).toEqual(after)
    expect(
      listInstanceVersions(on.database, '1.2.1.1').map(({ instanceId, state }) => [
        instanceId,
        state,
      ]),
    ).toEqual([
      [before.instanceId, 'superseded'],
      [after.instanceId, 'current'],
      [aside.instanceId, 'quarantined'],
    ])
  })

  it('belong to a study, and have a file of their own', () => {
    using on = stage({ uid: '1.2' })
    expect(() => on.version({ sopInstanceUid: '1.9', studyInstanceUid: '1.9' })).toThrow(
      'FOREIGN KEY constraint failed',
    )
    expect(() => on.version({ sopInstanceUid: '1.9', file: on.first().file })).toThrow(
      'UNIQUE constraint failed: instances.file',
    )
    expect(() => on.version({ sopInstanceUid: '1.9', file: '../../etc/passwd' })).toThrow(
      'CHECK constraint failed',
    )
    expect(() => on.version({ sopInstanceUid: '1.9', state: 'quarantined' })).toThrow(
      'CHECK constraint failed',
    )
  })

  it('are set aside and let in again', () => {
    using on = stage({ uid: '1.2', instances: 2 }, { uid: '1.3' })
    const ids = ['1.2.1.1', '1.2.1.2', '1.3.1.1'].map((uid) => on.first(uid).instanceId)
    for (const id of ids)
      setInstanceState(
        on.database,
        id,
        'quarantined',
        'wrong-step',
        verbatim('The wrong worklist entry was selected.'),
      )
    expect(countQuarantined(on.database)).toBe(3)
    const first = listQuarantined(on.database, { limit: 2 })
    expect(first.items.map(({ instanceId, reason }) => [instanceId, reason])).toEqual([
      [ids[2], 'wrong-step'],
      [ids[1], 'wrong-step'],
    ])
    expect(listQuarantined(on.database, { limit: 2, after: first.next })).toMatchObject({
      items: [{ instanceId: ids[0] }],
    })
    expect(
      listQuarantined(on.database, { limit: 5, studyInstanceUid: '1.3' }).items.map(
        ({ instanceId }) => instanceId,
      ),
    ).toEqual([ids[2]])
    setInstanceState(on.database, ids[0] ?? 0, 'current')
    expect(findInstance(on.database, ids[0] ?? 0)).toMatchObject({
      state: 'current',
      reason: null,
      detail: null,
    })
    deleteInstance(on.database, ids[1] ?? 0)
    expect([findInstance(on.database, ids[1] ?? 0), countQuarantined(on.database)]).toEqual([
      undefined,
      1,
    ])
  })

  it('that were set aside are counted and found by study and reason, with the names of their patients', () => {
    using on = stage({ uid: '1.2', instances: 3 }, { uid: '1.3' })
    const ids = ['1.2.1.1', '1.2.1.2', '1.2.1.3', '1.3.1.1'].map((uid) => on.first(uid).instanceId)
    const [a = 0, b = 0, c = 0, d = 0] = ids
    for (const id of [a, b, d])
      setInstanceState(
        on.database,
        id,
        'quarantined',
        'wrong-step',
        verbatim('The wrong worklist entry was selected.'),
      )
    setInstanceState(on.database, c, 'quarantined', 'invalid-uid', verbatim('A UID is none.'))
    const { bytes, patientName } = findInstance(on.database, a) ?? { bytes: 0, patientName: '' }
    const group = { studyInstanceUid: '1.2', because: 'wrong-step', upTo: b } as const
    expect(listQuarantinedGroups(on.database, '1.2')).toEqual([
      {
        studyInstanceUid: '1.2',
        because: 'invalid-uid',
        upTo: c,
        instances: 1,
        bytes,
        patientNames: [patientName],
      },
      { ...group, instances: 2, bytes: 2 * bytes, patientNames: [patientName] },
    ])
    const idsIn = (after: number, limit: number, upTo = b) =>
      listQuarantinedIn(on.database, { ...group, upTo }, { after, limit }).map(
        ({ instanceId }) => instanceId,
      )
    expect([idsIn(0, 10), idsIn(0, 1), idsIn(a, 10), idsIn(0, 10, a)]).toEqual([
      [a, b],
      [a],
      [b],
      [a],
    ])
    expect(countQuarantinedIn(on.database, group)).toBe(2)
    expect(listQuarantinedGroups(on.database, '1.4')).toEqual([])
  })

  it('are found by the step they arrived for', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    const other = on.version({ sopInstanceUid: '1.2.1.9', scheduledProcedureStepId: 'S2' })
    expect(listStepInstances(on.database, '1.2', 'S2')).toEqual([other])
    expect(listStepInstances(on.database, '1.2', 'S1')).toHaveLength(2)
    expect(listStepInstances(on.database, '1.3', 'S1')).toEqual([])
  })

  it('remember when they were last sent', () => {
    using on = stage({ uid: '1.2' })
    updateLastSeen(on.database, on.first().instanceId, LATER)
    expect(on.first()).toMatchObject({ receivedAt: AT, lastSeenAt: LATER })
  })
})
