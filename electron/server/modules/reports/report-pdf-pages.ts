import type { SetLine } from './report-pdf-lines.ts'

/**
 * Text positioned in a row: `x` from the left edge of the column, `y` of the baseline from the top
 * of the row.
 */
export interface PlacedText {
  readonly line: SetLine
  readonly x: number
  readonly y: number
}

/** A unit that is never split between pages: a line, or texts side by side. */
export interface Row {
  readonly height: number
  readonly texts: readonly PlacedText[]
}

/** Structure type of a block (ISO 32000-1 §14.8.4). */
export type Tag = 'H1' | 'H2' | 'P'

/** A heading, a paragraph or a panel: a vertical sequence of rows. */
export interface Block {
  readonly tag: Tag
  readonly rows: readonly Row[]
  /** Space above it, unless it is at the top of a page. */
  readonly before: number
  /** Keep it on the same page as the next block. */
  readonly keepWithNext?: boolean
  /** Do not split it between pages if it fits on one. */
  readonly isWhole?: boolean
  /** Background color of its rows, across the whole column. */
  readonly fill?: string
  /** Color of a bar along the left edge of its rows. */
  readonly bar?: string
  /** Color of a rule above it. */
  readonly rule?: string
}

/** The rows of a block on one page. */
export interface Slice {
  readonly block: Block
  readonly rows: readonly Row[]
  /** Position of its first row, from the top of the column. */
  readonly top: number
  readonly isFirst: boolean
}
export type Page = readonly Slice[]

/** Minimum number of lines at the end and the start of a page (orphans and widows). */
const MIN_LINES = 2

/**
 * Distributes blocks to pages of a given height in points. A row that is higher than a page gets
 * its own page.
 */
export function pagesOf(blocks: readonly Block[], height: number): Page[] {
  const pages: Slice[][] = [[]]
  let used = 0

  const startPage = () => {
    pages.push([])
    used = 0
  }
  const put = (block: Block, rows: readonly Row[], isFirst: boolean) => {
    pages.at(-1)?.push({ block, rows, top: used, isFirst })
    used += heightOf(rows)
  }

  for (const [at, block] of blocks.entries()) {
    const isTop = used === 0
    const before = isTop ? 0 : block.before
    if (!isTop && used + before + minHeight(blocks, at, height) > height) startPage()
    else used += before
    let rows = block.rows
    let isFirst = true
    while (rows.length > 0) {
      const fits = fittingRowCount(rows, height - used)
      if (fits === rows.length) {
        put(block, rows, isFirst)
        break
      }
      // Avoid a single first line at the end of a page and a single last line at the start of the
      // next.
      const count = Math.max(rows.length - fits < MIN_LINES ? rows.length - MIN_LINES : fits, 0)
      const splitAt = count < MIN_LINES && used > 0 ? 0 : Math.max(count, used === 0 ? 1 : 0)
      if (splitAt > 0) put(block, rows.slice(0, splitAt), isFirst)
      isFirst &&= splitAt === 0
      rows = rows.slice(splitAt)
      if (rows.length > 0) startPage()
    }
  }
  return pages
}

const heightOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + row.height, 0)

/**
 * The height that must fit on the page on which the block starts, including blocks that it must
 * stay with.
 */
function minHeight(blocks: readonly Block[], at: number, height: number): number {
  const block = blocks[at]
  if (!block) return 0
  const blockHeight = heightOf(block.rows)
  const isWhole =
    block.keepWithNext ||
    block.rows.length < 2 * MIN_LINES ||
    (block.isWhole && blockHeight <= height)
  const min = isWhole ? blockHeight : heightOf(block.rows.slice(0, MIN_LINES))
  const next = blocks[at + 1]
  return min + (block.keepWithNext && next ? next.before + minHeight(blocks, at + 1, height) : 0)
}

function fittingRowCount(rows: readonly Row[], room: number): number {
  let used = 0
  const firstMisfitAt = rows.findIndex((row) => {
    used += row.height
    return used > room + 0.01
  })
  return firstMisfitAt === -1 ? rows.length : firstMisfitAt
}
