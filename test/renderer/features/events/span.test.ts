import { describe, expect, it } from 'vitest'
import { dashboardEvents } from '#shared/contract/events.ts'
import { partsOf } from '../../../../renderer/src/features/events/meter-parts.ts'
import {
  bodyOf,
  localTime,
  type ReplayForm,
} from '../../../../renderer/src/features/events/span.ts'
import { filterOf } from '../../../../renderer/src/features/events/use-events.ts'

const asked: ReplayForm = {
  which: 'span',
  from: '2026-11-20T10:00',
  to: '2026-11-20T11:30',
  only: 'failed',
}
const eventId = `whe_${'0'.repeat(32)}`

describe('sending again', () => {
  it('is asked for as the contract takes it', () => {
    const bodies = [
      bodyOf(asked, []),
      bodyOf({ ...asked, which: 'these' }, [eventId]),
      bodyOf({ ...asked, which: 'since-outage' }, []),
    ]
    for (const body of bodies)
      expect(dashboardEvents.replay.body.safeParse(body).error).toBeUndefined()
    expect(bodies[0]).toEqual({
      which: 'span',
      from: new Date(2026, 10, 20, 10).toISOString(),
      to: new Date(2026, 10, 20, 11, 30).toISOString(),
      only: 'failed',
    })
  })

  it('is not asked for while the span has no beginning, no end, or none after the other', () => {
    expect(bodyOf({ ...asked, from: '' }, [])).toBeUndefined()
    expect(bodyOf({ ...asked, to: '' }, [])).toBeUndefined()
    expect(bodyOf({ ...asked, to: asked.from }, [])).toBeUndefined()
  })

  it('has its times in the zone of this PC', () => {
    expect(localTime(new Date(2026, 0, 5, 7, 3))).toBe('2026-01-05T07:03')
  })
})

it('takes from an address only what is a filter', () => {
  const endpoint = '0d4b0a6e-5b0e-4c55-8f0e-3f3c1a2b4c5d'
  expect(filterOf({ show: 'failed', type: 'report.delivered', endpoint, about: 'rep_1' })).toEqual({
    ...{ show: 'failed', type: 'report.delivered', endpointId: endpoint, about: 'rep_1' },
  })
  expect(filterOf({ show: 'nonsense', type: 'nonsense', endpoint: 'nonsense' })).toEqual({
    show: 'all',
  })
})

describe('the contract meter', () => {
  it('splits the calls into those compliant, those partly accepted, and failures, the commonest first', () => {
    const parts = partsOf({
      accepted: 10,
      withNotes: 3,
      byOutcome: { accepted: 10, timeout: 1, status: 4, none: 2 },
    })
    expect(parts.map(({ name, tone, count }) => [name, tone, count])).toEqual([
      ['compliant', 'good', 7],
      ['partly accepted', 'warning', 3],
      ['error', 'danger', 4],
      ['timed out', 'danger', 1],
    ])
  })

  it('has no empty part', () => {
    expect(partsOf({ accepted: 0, withNotes: 0, byOutcome: {} })).toEqual([])
  })
})
