import { describe, expect, it } from 'vitest'
import type { NewInstance } from '#server/modules/images/instance-queries.ts'
import { type SeededImages, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'

function stage(...studies: SeededImages[]) {
  const temp = tempStore()
  for (const study of studies) seedImages(temp.store, study)
  const { instances, imageStudies, database } = temp.store
  return {
    ...{ ...temp, instances, imageStudies, database },
    first(sopInstanceUid = '1.2.1.1') {
      const found = instances.current(sopInstanceUid)
      if (!found) throw new Error('There is no such instance')
      return found
    },
    /** Another version of the first instance, from the fields given. */
    version(fields: Partial<NewInstance>) {
      const [like] = instances.versions('1.2.1.1')
      if (!like) throw new Error('There is no such instance')
      const { instanceId: _, ...of } = { ...like, state: 'current' as const }
      return instances.insert({ ...of, file: `00/1/${crypto.randomUUID()}.dcm`, ...fields })
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
    expect(on.instances.get(made.instanceId)).toEqual(made)
    expect(on.instances.current('1.2.1.9')).toEqual({ ...made, image, patientName: 'HORÁK^ŽOFIE' })
    expect(on.instances.ofStudy('1.2').map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([
      '1.2.1.1',
      '1.2.1.2',
      '1.2.1.3',
      '1.2.1.9',
    ])
    const [first] = on.instances.partOfStudy('1.2', 0, 1)
    expect(first?.sopInstanceUid).toBe('1.2.1.1')
    const rest = on.instances.partOfStudy('1.2', first?.instanceId ?? 0, 2)
    expect(rest.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(['1.2.1.2', '1.2.1.3'])
    expect([
      on.instances.has(made.file),
      on.instances.has(`00/1/${crypto.randomUUID()}.dcm`),
    ]).toEqual([true, false])
    expect(on.instances.current('1.2.1.10')).toBeUndefined()
  })

  it('keep the name of the patient sealed', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    const stored = on.database.all(on.database.sql.selectFrom('instances').selectAll())
    expect(stored.map(({ sealedPatientName }) => sealedPatientName?.includes('MEIER'))).toEqual([
      false,
      false,
    ])
    expect(JSON.stringify(stored)).not.toContain('MEIER')
    expect(on.instances.ofStudy('1.2').map(({ patientName }) => patientName)).toEqual([
      'MEIER^ANNA',
      'MEIER^ANNA',
    ])
  })

  it('have one current version of a UID', () => {
    using on = stage({ uid: '1.2' })
    expect(() => on.version({})).toThrow('UNIQUE constraint failed: instances.sopInstanceUid')
    const before = on.first()
    on.instances.setState(before.instanceId, 'superseded')
    const after = on.version({ crc32: 7 })
    const aside = on.version({
      state: 'quarantined',
      reason: 'different-content',
      detail: 'Another image of this UID is here.',
    })
    expect(on.instances.current('1.2.1.1')).toEqual(after)
    expect(
      on.instances.versions('1.2.1.1').map(({ instanceId, state }) => [instanceId, state]),
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
      on.instances.setState(
        id,
        'quarantined',
        'wrong-step',
        'The wrong worklist entry was selected.',
      )
    expect(on.instances.countQuarantined()).toBe(3)
    const first = on.instances.quarantined({ limit: 2 })
    expect(first.items.map(({ instanceId, reason }) => [instanceId, reason])).toEqual([
      [ids[2], 'wrong-step'],
      [ids[1], 'wrong-step'],
    ])
    expect(on.instances.quarantined({ limit: 2, after: first.next })).toMatchObject({
      items: [{ instanceId: ids[0] }],
    })
    expect(
      on.instances
        .quarantined({ limit: 5, studyInstanceUid: '1.3' })
        .items.map(({ instanceId }) => instanceId),
    ).toEqual([ids[2]])
    on.instances.setState(ids[0] ?? 0, 'current')
    expect(on.instances.get(ids[0] ?? 0)).toMatchObject({
      state: 'current',
      reason: null,
      detail: '',
    })
    on.instances.remove(ids[1] ?? 0)
    expect([on.instances.get(ids[1] ?? 0), on.instances.countQuarantined()]).toEqual([undefined, 1])
  })

  it('that were set aside are counted and found by study and reason, with the names of their patients', () => {
    using on = stage({ uid: '1.2', instances: 3 }, { uid: '1.3' })
    const ids = ['1.2.1.1', '1.2.1.2', '1.2.1.3', '1.3.1.1'].map((uid) => on.first(uid).instanceId)
    const [a = 0, b = 0, c = 0, d = 0] = ids
    for (const id of [a, b, d])
      on.instances.setState(
        id,
        'quarantined',
        'wrong-step',
        'The wrong worklist entry was selected.',
      )
    on.instances.setState(c, 'quarantined', 'invalid-uid', 'A UID is none.')
    const { bytes, patientName } = on.instances.get(a) ?? { bytes: 0, patientName: '' }
    const group = { studyInstanceUid: '1.2', because: 'wrong-step', upTo: b } as const
    expect(on.instances.quarantineGroups('1.2')).toEqual([
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
      on.instances
        .quarantinedIn({ ...group, upTo }, { after, limit })
        .map(({ instanceId }) => instanceId)
    expect([idsIn(0, 10), idsIn(0, 1), idsIn(a, 10), idsIn(0, 10, a)]).toEqual([
      [a, b],
      [a],
      [b],
      [a],
    ])
    expect(on.instances.countQuarantinedIn(group)).toBe(2)
    expect(on.instances.quarantineGroups('1.4')).toEqual([])
  })

  it('are found by the step they arrived for', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    const other = on.version({ sopInstanceUid: '1.2.1.9', scheduledProcedureStepId: 'S2' })
    expect(on.instances.ofStep('1.2', 'S2')).toEqual([other])
    expect(on.instances.ofStep('1.2', 'S1')).toHaveLength(2)
    expect(on.instances.ofStep('1.3', 'S1')).toEqual([])
  })

  it('remember when they were last sent', () => {
    using on = stage({ uid: '1.2' })
    on.instances.seen(on.first().instanceId, LATER)
    expect(on.first()).toMatchObject({ receivedAt: AT, lastSeenAt: LATER })
  })
})
