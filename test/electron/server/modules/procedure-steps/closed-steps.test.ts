import { describe, expect, it } from 'vitest'
import {
  isStepClosed,
  listClosedSteps,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import { closeStep, reopenStep } from '#server/modules/procedure-steps/closed-steps.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const STEP = { studyInstanceUid: '1.2.3', scheduledProcedureStepId: 'S1' }

describe('closed steps', () => {
  it('are closed and opened again by a person, which is noted', () => {
    using temp = tempStore()

    expect(closeStep(temp.store, { ...STEP, reason: 'done on paper' }, 'user:usr_1')).toEqual({
      ...STEP,
      closedAt: '2026-03-10T09:00:00.000Z',
      reason: 'done on paper',
    })
    expect([
      isStepClosed(temp.store.database, '1.2.3', 'S1'),
      isStepClosed(temp.store.database, '1.2.3', 'S2'),
    ]).toEqual([true, false])
    expect(listClosedSteps(temp.store.database)).toHaveLength(1)
    expect([
      reopenStep(temp.store, STEP, 'user:usr_2'),
      reopenStep(temp.store, STEP, 'user:usr_2'),
    ]).toEqual([true, false])
    expect(
      temp.store.audit
        .list({ limit: 10 })
        .items.map(({ actor, action, target, detail }) => [actor, action, target, detail]),
    ).toEqual([
      ['user:usr_2', 'step.reopen', '1.2.3 S1', {}],
      ['user:usr_1', 'step.close', '1.2.3 S1', { reason: 'done on paper' }],
    ])
  })
})
