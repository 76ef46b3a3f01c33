import type { SetLine } from './report-pdf-lines.ts'

/**
 * Text at its place in a row: `x` from the left of the column, `y` of the baseline from the top of
 * the row.
 */
export interface Placed {
  readonly line: SetLine
  readonly x: number
  readonly y: number
}

/** What is never cut: a line, or what stands side by side. */
export interface Row {
  readonly height: number
  readonly texts: readonly Placed[]
}

/** Its type in the structure of the document (ISO 32000-1 §14.8.4). */
export type Tag = 'H1' | 'H2' | 'P'

/** A heading, a paragraph, a panel: rows below each other. */
export interface Block {
  readonly tag: Tag
  readonly rows: readonly Row[]
  /** Space above it, where it does not begin a page. */
  readonly before: number
  /** It stays on the page of what follows. */
  readonly keepsNext?: boolean
  /** It is not divided, where a page has room for it. */
  readonly isWhole?: boolean
  /** Colour behind its rows, over the whole column. */
  readonly fill?: string
  /** Colour of a bar to the left of its rows. */
  readonly bar?: string
  /** A rule above it. */
  readonly rule?: string
}

/** Rows of one block on one page. */
export interface Slice {
  readonly block: Block
  readonly rows: readonly Row[]
  /** Of its first row, from the top of the column. */
  readonly top: number
  readonly isFirst: boolean
}
export type Page = readonly Slice[]

/** Lines that stay together at the end and at the beginning of a page. */
const FEW = 2

/**
 * Puts blocks on pages of this height (points). A row that is higher than a page is alone on its
 * page.
 */
export function pagesOf(blocks: readonly Block[], height: number): Page[] {
  const pages: Slice[][] = [[]]
  let used = 0

  const turn = () => {
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
    if (!isTop && used + before + leastOf(blocks, at, height) > height) turn()
    else used += before
    let rows = block.rows
    let isFirst = true
    while (rows.length > 0) {
      const fits = fitting(rows, height - used)
      if (fits === rows.length) {
        put(block, rows, isFirst)
        break
      }
      // Neither the first line alone at the end of a page nor the last alone at the top of the
      // next.
      const count = Math.max(rows.length - fits < FEW ? rows.length - FEW : fits, 0)
      const cut = count < FEW && used > 0 ? 0 : Math.max(count, used === 0 ? 1 : 0)
      if (cut > 0) put(block, rows.slice(0, cut), isFirst)
      isFirst &&= cut === 0
      rows = rows.slice(cut)
      if (rows.length > 0) turn()
    }
  }
  return pages
}

const heightOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + row.height, 0)

/** How much of the block, and of what it keeps, must stand on the page it begins on. */
function leastOf(blocks: readonly Block[], at: number, height: number): number {
  const block = blocks[at]
  if (!block) return 0
  const whole = heightOf(block.rows)
  const isWhole =
    block.keepsNext || block.rows.length < 2 * FEW || (block.isWhole && whole <= height)
  const least = isWhole ? whole : heightOf(block.rows.slice(0, FEW))
  const next = blocks[at + 1]
  return least + (block.keepsNext && next ? next.before + leastOf(blocks, at + 1, height) : 0)
}

function fitting(rows: readonly Row[], room: number): number {
  let used = 0
  const cut = rows.findIndex((row) => {
    used += row.height
    return used > room + 0.01
  })
  return cut === -1 ? rows.length : cut
}
