import { expect, it } from 'vitest'
import { AuditExport, AuditFilter } from '#shared/contract/dashboard.ts'
import {
  EMPTY_FILTER,
  exportAddress,
  filterOf,
  searchOf,
  selectionOf,
} from '../../../../renderer/src/features/audit/filter.ts'

it('asks for everything at first', () => {
  expect(filterOf(EMPTY_FILTER)).toEqual({})
})

it('takes whole days, the last one too', () => {
  const filter = filterOf({
    ...EMPTY_FILTER,
    action: ' report. ',
    fromDay: '2026-11-20',
    toDay: '2026-11-30',
  })
  expect(filter).toEqual({
    action: 'report.',
    from: new Date(2026, 10, 20).toISOString(),
    to: new Date(2026, 11, 1).toISOString(),
  })
  expect(AuditFilter.safeParse(filter).error).toBeUndefined()
})

it('leaves out a day that is half typed', () => {
  expect(filterOf({ ...EMPTY_FILTER, fromDay: '2026-11', toDay: '0000-01-01' })).toEqual({})
})

it('downloads the days that are chosen, as the gateway reads it', () => {
  const { from = '' } = filterOf({ ...EMPTY_FILTER, fromDay: '2026-11-20' })
  const address = new URL(exportAddress('csv', { from }), 'http://localhost')
  expect(address.pathname).toBe('/dashboard/audit/export')
  expect(AuditExport.parse(Object.fromEntries(address.searchParams))).toEqual({
    format: 'csv',
    from,
  })
  expect(exportAddress('jsonl', {})).toBe('/dashboard/audit/export?format=jsonl')
})

it('has its filters in the address, but no id of what was changed', () => {
  const chosen = {
    actor: 'gateway',
    action: 'study.update',
    target: 'stu_1',
    fromDay: '2026-11-20',
    toDay: '',
  }
  const search = searchOf(chosen)
  expect(search).toEqual({ actor: 'gateway', action: 'study.update', from: '2026-11-20' })
  expect({ ...selectionOf(search), target: 'stu_1' }).toEqual(chosen)
  expect(searchOf(EMPTY_FILTER)).toEqual({})
})
