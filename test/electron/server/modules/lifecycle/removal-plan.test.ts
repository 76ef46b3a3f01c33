import { describe, expect, it } from 'vitest'
import type { StudyFacts } from '#server/modules/lifecycle/evaluation.ts'
import { RemovalPlan } from '#server/modules/lifecycle/removal-plan.ts'
import type { NewLifecycleRule } from '#shared/contract/lifecycle.ts'
import { DAY_MS, RULE } from './lifecycle-fixture.ts'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const BYTES = 100

/** A study of an age in days that only its age keeps, if nothing else is said. */
function study(days: number, more: Partial<StudyFacts> & { modality?: string } = {}): StudyFacts {
  const { modality = 'CT', ...facts } = more
  const file = { file: '00/0.dcm', localRemovedAt: null, bytes: BYTES, callingAeTitle: 'CT1' }
  return {
    ...{ studyInstanceUid: '1.2.3', receivedAt: NOW - days * DAY_MS, signedAt: null },
    ...{ isHeld: false, isArriving: false, hasQuarantinedImages: false },
    ...{ isMismatched: false, isBeingForwarded: false },
    local: [{ ...file, modality, instanceId: 1, isOwn: false, places: new Set(['PACS']) }],
    ...facts,
  }
}
const NONE = () => 0
const UNCONFIRMED = {
  local: study(0).local.map((instance) => ({ ...instance, places: new Set<string>() })),
}

function planOf(
  rules: readonly Partial<NewLifecycleRule>[],
  studies: readonly StudyFacts[],
  removed: (from: number, to: number) => number = NONE,
) {
  const plan = new RemovalPlan(
    rules.map((rule) => ({ ...RULE, ...rule })),
    NOW,
  )
  for (const one of studies) plan.add(one)
  const { leaving, lifetimes } = plan.result(removed)
  return {
    leaving: leaving.map(({ inDays, bytes }) => [inDays, Math.round(bytes)]),
    lifetimes: lifetimes.map(({ days, share }) => [days, Number(share.toFixed(3))]),
  }
}

describe('what the rules will remove', () => {
  it('goes on the day of its age: now where it is reached, later where not', () => {
    expect(planOf([{ days: 90 }], [study(100), study(80), study(20)]).leaving).toEqual([
      [0, BYTES],
      [10, BYTES],
      [70, BYTES],
    ])
  })

  it('goes by the soonest rule that nothing but the age holds back', () => {
    const rules = [{ days: 90 }, { days: 30 }, { days: 5, copies: 2 }]
    expect(planOf(rules, [study(10)]).leaving).toEqual([[20, BYTES]])
  })

  it('is nothing that no rule applies to, and nothing that only a person releases', () => {
    const studies = [
      study(100, { modality: 'MR' }),
      study(100, { isHeld: true }),
      study(10, { hasQuarantinedImages: true }),
      study(10, { isMismatched: true }),
    ]
    expect(planOf([{ modalities: ['CT'] }], studies).leaving).toEqual([])
  })

  it('is not what reached its age and is kept', () => {
    expect(planOf([{ days: 90 }], [study(100, UNCONFIRMED)]).leaving).toEqual([])
  })

  it('is, of what waits for copies, the share that had them at that age', () => {
    const reached = [study(91), study(95), study(100), study(101, UNCONFIRMED)]
    const { leaving } = planOf([{ days: 90 }], [...reached, study(80, UNCONFIRMED)])
    expect(leaving).toEqual([
      [0, 3 * BYTES],
      [10, 0.75 * BYTES],
    ])
    // Those that were removed already count among them.
    const removed = (from: number, to: number) => {
      expect(to - from).toBe(14 * DAY_MS)
      return to === NOW ? 0 : 9 * BYTES
    }
    const studies = [study(91, UNCONFIRMED), study(80, UNCONFIRMED)]
    expect(planOf([{ days: 90 }], studies, removed).leaving).toEqual([[10, 0.9 * BYTES]])
  })

  it('is, where none reached the age, the share of the younger ones that lack nothing else', () => {
    const studies = [study(20), study(20), study(20), study(10, UNCONFIRMED)]
    expect(planOf([{ days: 90 }], studies).leaving).toEqual([
      [70, 3 * BYTES],
      [80, 0.75 * BYTES],
    ])
    expect(planOf([{ days: 90 }], [study(10, UNCONFIRMED)]).leaving).toEqual([[80, 0]])
  })

  it('counts the age from the signature, which it expects after as many days as the others took', () => {
    const rule = { days: 90, since: 'signed' } as const
    const signed = (days: number, later: number) =>
      study(days, { signedAt: NOW - (days - later) * DAY_MS })
    const { leaving } = planOf([rule], [signed(20, 2), signed(30, 4), study(10)])
    expect(leaving).toEqual([
      [72, BYTES],
      [64, BYTES],
      [83, Math.round((2 / 3) * BYTES)],
    ])
  })

  it('has new images go as those of the last 14 days will, and stay where they will', () => {
    const rules = [
      { days: 30, modalities: ['CT'] },
      { days: 365, modalities: ['MR'] },
    ]
    const studies = [study(1), study(2), study(3, { modality: 'MR' }), study(4, { modality: 'US' })]
    expect(planOf(rules, [...studies, study(50)]).lifetimes).toEqual([
      [30, 0.5],
      [365, 0.25],
    ])
    // Recent ones that are removed already had the shortest age.
    const removed = (_: number, to: number) => (to === NOW ? 4 * BYTES : 0)
    expect(planOf([{ days: 1 }], [study(0.5)], removed).lifetimes).toEqual([
      [1, 0.2],
      [1, 0.8],
    ])
  })

  it('is nothing without rules, and of an empty archive', () => {
    expect(planOf([], [study(1)])).toEqual({ leaving: [], lifetimes: [] })
    expect(planOf([{}], [])).toEqual({ leaving: [], lifetimes: [] })
  })
})
