import { describe, expect, it } from 'vitest'
import { chipsOf, daysText } from '../../../../renderer/src/ui/study-list/filter-words.ts'
import { initialsOf, waitingText } from '../../../../renderer/src/ui/study-list/waiting.ts'

const now = new Date('2026-11-22T12:00:00.000Z')

describe('words of a list', () => {
  it.each([
    ['2026-11-22T12:05:00.000Z', '0 min'],
    ['2026-11-22T11:56:30.000Z', '3 min'],
    ['2026-11-22T10:00:00.000Z', '2 h'],
    ['2026-11-22T08:40:00.000Z', '3 h 20 min'],
    ['2026-11-20T12:00:00.000Z', '2 days'],
    ['nonsense', ''],
  ])('a study that came %s has waited %s', (since, text) =>
    expect(waitingText(since, now)).toBe(text),
  )

  it.each([
    ['Olga Berg', 'OB'],
    ['Ana María García Ejemplo', 'AE'],
    ['山田 太郎', '山太'],
    ['Cher', 'C'],
    ['  ', ''],
  ])('%s writes as %s', (name, initials) => expect(initialsOf(name)).toBe(initials))

  it('names each part of a filter, and days as days', () => {
    const chips = chipsOf(
      {
        cancelled: 'hide',
        severity: ['stat', 'high'],
        assignedTo: 'nobody',
        expressCustomerId: 'none',
        addendum: 'needed',
        days: { from: '2026-11-20', to: '2026-11-22' },
      },
      { person: '', customer: '' },
    )
    expect(chips.map(({ text }) => text)).toEqual([
      'STAT, High',
      'Unassigned',
      'no customer',
      'Not cancelled',
      'Addendum needed',
      'Received: 20 Nov 2026 – 22 Nov 2026',
    ])
    expect(daysText({ from: '2026-11-20' })).toBe('since 20 Nov 2026')
    expect(chipsOf({ cancelled: 'all' }, { person: '', customer: '' })).toEqual([])
  })
})
