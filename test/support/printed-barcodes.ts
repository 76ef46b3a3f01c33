import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { code128Symbols } from '#shared/code128.ts'

const run = promisify(execFile)

/** Of a laser printer. */
const DPI = 300
const START_B = '211214'
const STOP = '2331112'

/** Characters of code set B by the widths of their bars and spaces. */
const BY_WIDTHS = new Map(
  Array.from({ length: 95 }, (_, at) => {
    const character = String.fromCharCode(32 + at)
    return [code128Symbols(character)?.slice(6, 12).join('') ?? '', character] as const
  }),
)

/** A Code 128 symbol of a page, in pixels of 1/300 inch. */
export interface PrintedBarcode {
  readonly text: string
  readonly left: number
  readonly top: number
  /** Rows of pixels in which it can be read. */
  readonly height: number
}

/**
 * The Code 128 symbols (code set B) of a page, read as a hand-held reader does: from dark and light
 * in each row of pixels of the page that poppler draws. Ten modules must be light on both sides.
 */
export async function printedBarcodes(pdf: Buffer, page = 1): Promise<PrintedBarcode[]> {
  const { width, height, gray } = await drawn(pdf, page)
  const found: PrintedBarcode[] = []
  for (let y = 0; y < height; y++) {
    for (const { text, left } of symbolsOf(gray.subarray(y * width, (y + 1) * width))) {
      const isAbove = (one: PrintedBarcode) => one.left === left && one.top + one.height === y
      const above = found.findLastIndex((one) => one.text === text && isAbove(one))
      const known = found[above]
      if (known) found[above] = { ...known, height: known.height + 1 }
      else found.push({ text, left, top: y, height: 1 })
    }
  }
  return found
}

interface Drawn {
  readonly width: number
  readonly height: number
  /** A byte a pixel, 0 is black. */
  readonly gray: Buffer
}

async function drawn(pdf: Buffer, page: number): Promise<Drawn> {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-barcode-'))
  try {
    const file = join(folder, 'page.pdf')
    writeFileSync(file, pdf)
    const options = { encoding: 'buffer', maxBuffer: 1 << 26, timeout: 60_000 } as const
    const args = ['-gray', '-r', DPI, '-f', page, '-l', page, file].map(String)
    const { stdout } = await run('pdftoppm', args, options)
    // Portable graymap: `P5`, width, height and the greatest value as text, then a byte a pixel.
    const found = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(stdout.toString('latin1', 0, 64))
    const [head = '', width, height] = found ?? []
    return { width: Number(width), height: Number(height), gray: stdout.subarray(head.length) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly isDark: boolean
  readonly from: number
  readonly length: number
}

function runsOf(row: Buffer): Run[] {
  const runs: Run[] = []
  for (let from = 0, to = 0; from < row.length; from = to) {
    const isDark = (row[from] ?? 255) < 128
    while (to < row.length && (row[to] ?? 255) < 128 === isDark) to++
    runs.push({ isDark, from, length: to - from })
  }
  return runs
}

/** Every dark run may begin a symbol; most do not. */
function symbolsOf(row: Buffer): { text: string; left: number }[] {
  const runs = runsOf(row)
  return runs.flatMap((first, at) => {
    const text = first.isDark ? decoded(runs, at) : undefined
    return text === undefined ? [] : [{ text, left: first.from }]
  })
}

/** The text of the symbol that begins with a run; undefined where none does. */
function decoded(runs: readonly Run[], first: number): string | undefined {
  const module = runs.slice(first, first + 6).reduce((sum, { length }) => sum + length, 0) / 11
  const isQuiet = (at: number) => (runs[at]?.length ?? 0) >= 10 * module
  const widths = (at: number, count: number) =>
    runs
      .slice(at, at + count)
      .map(({ length }) => Math.round(length / module))
      .join('')
  if (!isQuiet(first - 1) || widths(first, 6) !== START_B) return undefined
  let end = first + 6
  while (end + 7 < runs.length && widths(end, 7) !== STOP) end += 6
  if (!isQuiet(end + 7)) return undefined
  // The last one is the check character, which may stand for no character: it is compared below.
  const count = (end - first) / 6 - 2
  const symbols = Array.from({ length: count }, (_, at) => widths(first + 6 * (at + 1), 6))
  const text = symbols.map((symbol) => BY_WIDTHS.get(symbol) ?? '\n').join('')
  return code128Symbols(text)?.join('') === widths(first, end + 7 - first) ? text : undefined
}
