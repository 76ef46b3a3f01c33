import { describe, expect, it } from 'vitest'
import { dayBefore, isDay } from '../../../../renderer/src/ui/study-list/days.ts'
import {
  addressOf,
  daysOf,
  filterOf,
  isOpen,
  isSame,
  type ListFilter,
  queryOf,
  withoutPart,
} from '../../../../renderer/src/ui/study-list/study-filter.ts'
import { BUILT_IN } from '../../../../renderer/src/ui/study-list/views.ts'
import { dashboardStudies } from '../../../../shared/contract/dashboard-studies.ts'
import { idFromUuid } from '../../../../shared/ids.ts'

const person = idFromUuid('usr', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee')
const customer = idFromUuid('cus', 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee')

describe('the filter of a list in its address', () => {
  const filters: readonly ListFilter[] = [
    { cancelled: 'all' },
    { cancelled: 'all', addendum: 'needed' },
    { cancelled: 'only', severity: ['stat', 'high'] },
    {
      cancelled: 'hide',
      status: ['in_progress', 'addendum_active'],
      assignedTo: 'me',
      days: 'week',
    },
    {
      cancelled: 'hide',
      assignedTo: person,
      expressCustomerId: customer,
      days: { from: '2026-11-20' },
    },
    {
      cancelled: 'all',
      assignedTo: 'nobody',
      expressCustomerId: 'none',
      days: { from: '2026-11-20', to: '2026-11-22' },
    },
  ]
  it.each(filters.map((filter) => [JSON.stringify(filter), filter] as const))(
    'comes back as it was: %s',
    (_, filter) => {
      const read = filterOf(addressOf(filter), 'scribe')
      expect(read && isSame(read, filter)).toBe(true)
    },
  )

  it('is none where the address narrows nothing, so that the view’s own counts', () => {
    expect(filterOf({ view: 'stat', area: 'scribe', study: 'stu_1' }, 'scribe')).toBeUndefined()
  })

  it('leaves out what nobody can read, and statuses of the other area', () => {
    const typed = {
      severity: 'stat,urgent',
      status: 'complete,assigned',
      assignedTo: 'someone',
      customer: 'cus_x',
      from: '2026-02-30',
      to: 'tomorrow',
      addendum: 'any',
    }
    expect(filterOf(typed, 'scribe')).toEqual({
      cancelled: 'all',
      severity: ['stat'],
      status: ['assigned'],
    })
    expect(filterOf(typed, 'viewer')).toEqual({
      cancelled: 'all',
      severity: ['stat'],
      status: ['complete'],
    })
  })

  it('asks for days of the clinic, counted by the calendar over the turn of a month and a year', () => {
    expect(daysOf('today', '2026-03-01')).toEqual({ from: '2026-03-01', to: '2026-03-01' })
    expect(daysOf('yesterday', '2026-03-01')).toEqual({ from: '2026-02-28', to: '2026-02-28' })
    expect(daysOf('week', '2027-01-03')).toEqual({ from: '2026-12-28', to: '2027-01-03' })
    expect(daysOf({ to: '2026-03-01' }, '2026-03-05')).toEqual({ to: '2026-03-01' })
    expect(dayBefore('2028-03-01')).toBe('2028-02-29')
    expect([isDay('2028-02-29'), isDay('2026-02-29'), isDay('2026-2-9'), isDay(undefined)]).toEqual(
      [true, false, false, false],
    )
  })

  it('loses one part at a time, and is open at the end', () => {
    let filter: ListFilter = { cancelled: 'hide', severity: ['stat'], days: 'today' }
    filter = withoutPart(filter, 'severity')
    expect(filter).toEqual({ cancelled: 'hide', days: 'today' })
    filter = withoutPart(withoutPart(filter, 'days'), 'cancelled')
    expect([filter, isOpen(filter)]).toEqual([{ cancelled: 'all' }, true])
  })

  it('is what the gateway takes, for every view that is always there', () => {
    for (const [list, areas] of Object.entries(BUILT_IN)) {
      for (const [area, views] of Object.entries(areas)) {
        expect(new Set(views.map(({ viewId }) => viewId)).size, `${list} ${area}`).toBe(
          views.length,
        )
        for (const view of views) {
          const query = { area, ...queryOf(view.filter, '2026-11-22'), order: view.order }
          expect(
            dashboardStudies.list.query.safeParse(query).success,
            `${list} ${area} ${view.viewId}`,
          ).toBe(true)
        }
      }
    }
  })
})
