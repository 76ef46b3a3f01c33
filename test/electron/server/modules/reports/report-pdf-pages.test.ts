import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, pagesOf, type Row } from '#server/modules/reports/report-pdf-pages.ts'
import { runs } from '../../../../support/property-runs.ts'

const HEIGHT = 100
const rows = (count: number, height = 10): Row[] =>
  Array.from({ length: count }, () => ({ height, texts: [] }))
const block = (count: number, more: Partial<Block> = {}): Block => ({
  tag: 'P',
  rows: rows(count),
  before: 0,
  ...more,
})
/** Rows of each block on each page. */
const shape = (blocks: readonly Block[]) =>
  pagesOf(blocks, HEIGHT).map((page) => page.map((slice) => slice.rows.length))

describe('blocks on pages', () => {
  it('puts what fits on one page', () => {
    expect(shape([block(3), block(7)])).toEqual([[3, 7]])
  })

  it('never leaves a heading without two lines of what follows', () => {
    const heading = block(1, { keepWithNext: true })
    expect(shape([block(8), heading, block(5)])).toEqual([[8], [1, 5]])
    expect(shape([block(7), heading, block(5)])).toEqual([[7, 1, 2], [3]])
    expect(shape([block(6), heading, heading, block(5)])).toEqual([[6, 1, 1, 2], [3]])
    expect(shape([block(7), heading, heading, block(5)])).toEqual([[7], [1, 1, 5]])
  })

  it('leaves no line of a paragraph alone, at the end of a page or at the top of one', () => {
    expect(shape([block(9), block(5)])).toEqual([[9], [5]])
    expect(shape([block(6), block(5)])).toEqual([[6, 3], [2]])
    expect(shape([block(7), block(3)])).toEqual([[7, 3]])
    expect(shape([block(8), block(3)])).toEqual([[8], [3]])
  })

  it('keeps a panel whole, unless it is higher than a page', () => {
    expect(shape([block(5), block(6, { isWhole: true })])).toEqual([[5], [6]])
    expect(shape([block(14, { isWhole: true })])).toEqual([[10], [4]])
  })

  it('forgets the space above a block at the top of a page, and counts it elsewhere', () => {
    const [first, second] = pagesOf(
      [block(9), block(2, { before: 15 }), block(2, { before: 15 })],
      HEIGHT,
    )
    expect(first?.map(({ top }) => top)).toEqual([0])
    expect(second?.map(({ top }) => top)).toEqual([0, 35])
  })

  it('puts a row that is higher than a page on one of its own', () => {
    const high: Block = { tag: 'P', rows: rows(1, 250), before: 0 }
    expect(shape([block(2), high, block(2)])).toEqual([[2], [1], [2]])
  })

  it('puts every row on a page once, in its order, and none over the edge', () => {
    const any = fc.record({
      count: fc.integer({ min: 0, max: 30 }),
      before: fc.integer({ min: 0, max: 30 }),
      keepWithNext: fc.boolean(),
      isWhole: fc.boolean(),
      height: fc.integer({ min: 1, max: 40 }),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 20 }), (given) => {
        const blocks = given.map(
          ({ count, height, ...more }): Block => ({ tag: 'P', rows: rows(count, height), ...more }),
        )
        const pages = pagesOf(blocks, HEIGHT)
        expect(pages.flat().flatMap((slice) => slice.rows)).toEqual(
          blocks.flatMap((each) => each.rows),
        )
        for (const page of pages) {
          for (const { top, rows: own } of page)
            expect(top + own.reduce((sum, row) => sum + row.height, 0)).toBeLessThanOrEqual(
              HEIGHT + 0.1,
            )
        }
      }),
      runs(100),
    )
  })
})
