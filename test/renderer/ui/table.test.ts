import { describe, expect, it } from 'vitest'
import { columnsFor } from '../../../renderer/src/ui/columns-that-fit.ts'
import { ROW_STEPS, steppedIndex } from '../../../renderer/src/ui/row-steps.ts'

const at = (name: keyof typeof ROW_STEPS, from: number, count = 100) =>
  steppedIndex(ROW_STEPS[name], from, count, 10)

describe('a long table', () => {
  it('moves from row to row and page to page, and stops at its ends', () => {
    expect([at('down', 0), at('up', 5), at('down', 99), at('up', 0)]).toEqual([1, 4, 99, 0])
    expect([at('pageDown', 0), at('pageUp', 50), at('pageUp', 3), at('pageDown', 95)]).toEqual([
      10, 40, 0, 99,
    ])
    expect([at('first', 50), at('last', 50)]).toEqual([0, 99])
  })

  it('leaves out columns by rank where there is no room, and always has those without one', () => {
    const columns = [
      { name: 'patient', track: 'minmax(140px, 1fr)' },
      { name: 'accession', track: '100px', rank: 2 },
      { name: 'scanned', track: '90px', rank: 1 },
      { name: 'small', track: '10px', rank: 3 },
    ]
    const names = (width: number) => columnsFor(columns, width).map(({ name }) => name)
    expect(names(0)).toHaveLength(4)
    expect(names(100)).toEqual(['patient'])
    expect(names(32 + 140 + 14 + 90)).toEqual(['patient', 'scanned'])
    // The small one would have room, but what is left out never comes back before what goes first.
    expect(names(32 + 140 + 14 + 90 + 14 + 50)).toEqual(['patient', 'scanned'])
    expect(names(1000)).toEqual(['patient', 'accession', 'scanned', 'small'])
  })
})
