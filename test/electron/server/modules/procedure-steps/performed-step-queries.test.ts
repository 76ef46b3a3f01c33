import { describe, expect, it } from 'vitest'
import {
  findPerformedStep,
  insertPerformedStep,
  listPerformedSteps,
  listStepStatuses,
  type PerformedStepRecord,
  purgePerformedSteps,
  updatePerformedStep,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { performedStep } from '../../../../support/performed-step.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'
const step = (sopInstanceUid: string, more: Partial<PerformedStepRecord> = {}) =>
  performedStep({ sopInstanceUid, ...more })
const done = { status: 'COMPLETED', endedAt: LATER, updatedAt: LATER } as const

describe('performed steps', () => {
  it('are kept as they were given, with their attributes sealed', () => {
    using temp = tempStore()
    const { database } = temp.store
    const given = step('1.9.1', {
      dataSet: { PatientName: 'MEIER^ANNA', Series: [{ Images: ['1.2.1.1'] }] },
      instances: 1,
    })
    insertPerformedStep(database, given)
    expect(findPerformedStep(database, '1.9.1')).toEqual(given)
    const row = database.get(database.sql.selectFrom('performedSteps').select('sealedDataSet'))
    expect(row?.sealedDataSet.includes('MEIER')).toBe(false)
    expect(findPerformedStep(database, '1.9.2')).toBeUndefined()
    expect(() => insertPerformedStep(database, given)).toThrow(
      'UNIQUE constraint failed: performedSteps.sopInstanceUid',
    )
  })

  it('change with what they perform', () => {
    using temp = tempStore()
    const { database } = temp.store
    insertPerformedStep(database, step('1.9.1'))
    const changed = step('1.9.1', {
      ...{
        ...done,
        status: 'DISCONTINUED',
        discontinuationCode: '110514',
        discontinuationMeaning: 'Incorrect worklist entry selected',
      },
      items: [
        { studyInstanceUid: '1.2', scheduledProcedureStepId: 'S2' },
        { studyInstanceUid: '1.3', scheduledProcedureStepId: 'S3' },
      ],
    })
    updatePerformedStep(database, changed)
    expect(findPerformedStep(database, '1.9.1')).toEqual(changed)
    expect([listPerformedSteps(database, '1.2'), listPerformedSteps(database, '1.3')]).toEqual([
      [changed],
      [changed],
    ])
  })

  it('of a study come in the order they began', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (const uid of ['1.9.3', '1.9.1', '1.9.2'])
      insertPerformedStep(database, step(uid, { startedAt: uid === '1.9.3' ? LATER : AT }))
    updatePerformedStep(database, step('1.9.3', done))
    expect(listPerformedSteps(database, '1.2').map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(
      ['1.9.3', '1.9.1', '1.9.2'],
    )
  })

  it('say how each step of a study stands: the last that began speaks', () => {
    using temp = tempStore()
    const { database } = temp.store
    insertPerformedStep(
      database,
      step('1.9.1', { items: [{ studyInstanceUid: '1.2', scheduledProcedureStepId: 'S1' }] }),
    )
    insertPerformedStep(
      database,
      step('1.9.2', {
        ...done,
        items: [{ studyInstanceUid: '1.2', scheduledProcedureStepId: 'S2' }],
      }),
    )
    expect(listStepStatuses(database, '1.2')).toEqual([
      { scheduledProcedureStepId: 'S1', status: 'IN PROGRESS', since: AT },
      { scheduledProcedureStepId: 'S2', status: 'COMPLETED', since: LATER },
    ])
    insertPerformedStep(
      database,
      step('1.9.3', { items: [{ studyInstanceUid: '1.2', scheduledProcedureStepId: 'S2' }] }),
    )
    updatePerformedStep(
      database,
      step('1.9.2', {
        ...done,
        items: [{ studyInstanceUid: '1.2', scheduledProcedureStepId: 'S2' }],
      }),
    )
    expect(listStepStatuses(database, '1.2').at(-1)).toEqual({
      scheduledProcedureStepId: 'S2',
      status: 'IN PROGRESS',
      since: AT,
    })
    expect(listStepStatuses(database, '1.3')).toEqual([])
  })

  it('are forgotten by the time of their last change', () => {
    using temp = tempStore()
    const { database } = temp.store
    insertPerformedStep(database, step('1.9.1'))
    insertPerformedStep(database, step('1.9.2', done))
    expect(purgePerformedSteps(database, LATER)).toBe(1)
    expect(listPerformedSteps(database, '1.2').map(({ sopInstanceUid }) => sopInstanceUid)).toEqual(
      ['1.9.2'],
    )
    expect(database.all(database.sql.selectFrom('performedStepItems').selectAll())).toHaveLength(1)
  })
})
