import { describe, expect, it } from 'vitest'
import { openDurationOf } from '../../../renderer/src/format/open-for.ts'

const AT = '2026-11-20T10:00:00.000Z'
const DUE = '2026-11-20T11:00:00.000Z'
const waited = (minutes: number) =>
  openDurationOf({ openedAt: AT, dueAt: DUE }, new Date(new Date(AT).getTime() + minutes * 60_000))

describe('how long a critical result waits', () => {
  it.each([
    [0, '0 min'],
    [59.9, '59 min'],
    [60, '1 h 00 min'],
    [125, '2 h 05 min'],
    [24 * 60, '1 day 0 h'],
    [51 * 60, '2 days 3 h'],
  ])('is after %d minutes %s', (minutes, text) => {
    expect(waited(minutes).text).toBe(text)
  })

  it('is overdue from then on, and never before its time where two clocks differ', () => {
    expect(waited(59).isOverdue).toBe(false)
    expect(waited(60).isOverdue).toBe(true)
    expect(waited(-5)).toEqual({ text: '0 min', isOverdue: false })
  })
})
