import { describe, expect, it } from 'vitest'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import {
  insertPerformedStep,
  type PerformedStepRecord,
  updatePerformedStep,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { openPerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import { seedImages } from '../../../../support/images.ts'
import { performedStep } from '../../../../support/performed-step.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'

function stage() {
  const temp = tempStore()
  const { store } = temp
  const steps = openPerformedSteps(temp.store)
  return {
    ...{ ...temp, steps },
    state: (uid = '1.2') => steps.stateOf(uid, 'S1'),
    begin: (sopInstanceUid: string, more: Partial<PerformedStepRecord> = {}) =>
      store.database.transaction(() => {
        insertPerformedStep(store.database, performedStep({ sopInstanceUid, ...more }))
      }),
    end: (sopInstanceUid: string, status: PerformedStepRecord['status']) =>
      store.database.transaction(() => {
        updatePerformedStep(
          store.database,
          performedStep({ sopInstanceUid, status, endedAt: LATER, updatedAt: LATER }),
        )
      }),
    settle: (uid: string) =>
      store.database.transaction(() => {
        updateImageStudy(store.database, uid, { state: 'settled', settledAt: LATER })
      }),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a step of the worklist', () => {
  it('is scheduled, started and completed as MPPS says', () => {
    using on = stage()
    expect(on.state()).toBeUndefined()
    on.begin('1.9.1')
    expect([on.state(), on.steps.since('1.2', 'S1')]).toEqual(['started', AT])
    on.end('1.9.1', 'COMPLETED')
    expect([on.state(), on.steps.since('1.2', 'S1')]).toEqual(['completed', LATER])
    expect([on.steps.stateOf('1.2', 'S2'), on.steps.since('1.2', 'S2')]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('is scheduled again when its last MPPS was discontinued', () => {
    using on = stage()
    on.begin('1.9.1')
    on.end('1.9.1', 'DISCONTINUED')
    expect([on.state(), on.steps.since('1.2', 'S1')]).toEqual([undefined, undefined])
    on.begin('1.9.2')
    expect(on.state()).toBe('started')
  })

  it('is received when its images are here and settled, where no MPPS speaks of it', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2', state: 'receiving' })
    expect(on.state()).toBeUndefined()
    on.settle('1.2')
    expect([on.state(), on.steps.since('1.2', 'S1')]).toEqual(['received', LATER])
    on.begin('1.9.1')
    expect(on.state()).toBe('started')
    on.end('1.9.1', 'DISCONTINUED')
    expect(on.state()).toBeUndefined()
  })

  it('has another version after each change, and none after one that was rolled back', () => {
    using on = stage()
    const before = on.steps.version
    expect(on.state()).toBeUndefined()
    expect(() =>
      on.store.database.transaction(() => {
        on.begin('1.9.1')
        // It is asked in the transaction too, and must not be remembered from there.
        expect(on.state()).toBe('started')
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect([on.state(), on.steps.version]).toEqual([undefined, before])
    on.begin('1.9.1')
    expect(on.steps.version).toBe(before + 1)
    on.end('1.9.1', 'COMPLETED')
    expect([on.state(), on.steps.version]).toEqual(['completed', before + 2])
  })

  it('is known after a restart', () => {
    using on = stage()
    on.begin('1.9.1')
    expect(openPerformedSteps(on.store).stateOf('1.2', 'S1')).toBe('started')
  })
})
