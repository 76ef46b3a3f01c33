import { limitMarks } from '#shared/report-text.ts'
import { CLUSTER_PATTERN, type ReportFonts, type Run, type Weight } from './report-pdf-fonts.ts'

/** The style of text; sizes are in points. */
export interface TextStyle {
  readonly size: number
  readonly weight: Weight
  readonly color: string
  /** Distance between baselines. */
  readonly leading: number
}

export interface SetRun extends Run {
  readonly width: number
}

/** A line of text with its position in the column. */
export interface SetLine {
  readonly style: TextStyle
  /** Distance from the left edge of the column. */
  readonly indent: number
  readonly runs: readonly SetRun[]
  readonly width: number
}

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef'
const OPENING_BRACKETS = '（「『【〔〈《［｛'
const NO_LINE_START = '、。，．：；！？）」』】〕〉》］｝ー…ぁぃぅぇぉっゃゅょァィゥェォッャュョ々'
// The units between which a line may break: after spaces, after a hyphen or slash within a word,
// and next to a Han character or kana. Punctuation stays with its character.
const BREAK_UNITS = new RegExp(
  `\\s+|[${OPENING_BRACKETS}]*[${CJK}][\\p{M}]*[${NO_LINE_START}]*|[^\\s${CJK}]+?[-/](?=\\p{L}{2})|[^\\s${CJK}]+`,
  'gu',
)
// A placeholder for spaces at which a line must not break: between a number and its unit, and
// between a comparison sign and its number. U+0001 does not occur in printable text.
const NO_BREAK = '\u0001'
const NO_BREAK_SPACE =
  /(?<=[≤≥<>=≈~±×][ ]?\(?)[ ](?=\d)|(?<=\d)[ ](?=(?:[mcµ]?m[²³23]?|m?[lL]|k?g|mg|HU|mGy|mSv|×|%)(?![\p{L}\d]))|\u00a0/gu
/** The start of a list item; its other lines are aligned with its text. */
const LIST_ITEM_START = /^(?:[ ]*(?:[-–—•*]|\d{1,2}[.)])[ ]+|[ ]+)/
const ELLIPSIS = '…'
const MAX_INDENT = 72

/**
 * Normalizes text for printing: NFC, without control characters and without bidirectional controls,
 * which could hide or reorder what was signed.
 */
export const printableText = (text: string): string =>
  limitMarks(
    limitMarks(text.toWellFormed())
      .normalize('NFC')
      .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
      .replaceAll('\t', '    ')
      .replace(/[\u2010\u2011]/g, '-')
      .replace(/[\u2002-\u200a\u202f\u205f]/g, ' ')
      .replace(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g,
        '',
      )
      .replace(/[\ufe00-\ufe0f]/g, ''),
  )

interface MeasuredRuns {
  readonly runs: readonly SetRun[]
  readonly width: number
}

/** Measures text and breaks it into lines. Measurements are cached for the document. */
export class Typesetter {
  readonly #fonts: Pick<ReportFonts, 'runsOf'>
  readonly #measure: (run: Run) => number
  readonly #measured = new Map<string, MeasuredRuns>()

  /** @param measure returns the width of a run in thousandths of the font size */
  constructor(fonts: Pick<ReportFonts, 'runsOf'>, measure: (run: Run) => number) {
    this.#fonts = fonts
    this.#measure = measure
  }

  /**
   * Breaks text into lines of at most `width`; '' results in one empty line. Line breaks in the
   * text are kept.
   */
  lines(text: string, style: TextStyle, width: number): SetLine[] {
    return printableText(text)
      .split('\n')
      .flatMap((each) => this.#paragraph(each, style, width))
  }

  /** Sets text in one line, truncated with an ellipsis if it is too long. */
  line(text: string, style: TextStyle, width: number): SetLine {
    const whole = printableText(text).replace(/\s+/g, ' ').trim()
    if (this.#widthOf(whole, style) <= width) return this.#setLine([whole], style, 0)
    const room = width - this.#widthOf(ELLIPSIS, style)
    const [first = ''] = this.#splitWord(whole, style, room)
    return this.#setLine([first.trimEnd() + ELLIPSIS], style, 0)
  }

  /** Whether a character without a font was set. */
  hasUnknown(): boolean {
    return [...this.#measured.values()].some(({ runs }) => runs.some(({ isUnknown }) => isUnknown))
  }

  #measuredOf(text: string, weight: Weight): MeasuredRuns {
    const key = `${weight} ${text}`
    let found = this.#measured.get(key)
    if (!found) {
      const runs = this.#fonts
        .runsOf(text.replaceAll(NO_BREAK, ' '), weight)
        .map((run) => ({ ...run, width: this.#measure(run) }))
      found = { runs, width: widthOfAll(runs) }
      this.#measured.set(key, found)
    }
    return found
  }

  #widthOf(text: string, { size, weight }: TextStyle): number {
    return (this.#measuredOf(text, weight).width * size) / 1000
  }

  #setLine(pieces: readonly string[], style: TextStyle, indent: number): SetLine {
    const runs: SetRun[] = []
    for (const run of pieces.flatMap((piece) => this.#measuredOf(piece, style.weight).runs)) {
      const width = (run.width * style.size) / 1000
      const last = runs.at(-1)
      if (last && last.font === run.font && last.isUnknown === run.isUnknown)
        runs[runs.length - 1] = { ...last, text: last.text + run.text, width: last.width + width }
      else runs.push({ ...run, width })
    }
    return { style, indent, runs, width: widthOfAll(runs) }
  }

  /** Splits a word that is longer than a line. */
  #splitWord(word: string, style: TextStyle, width: number): string[] {
    const pieces: string[] = []
    let piece = ''
    let usedWidth = 0
    for (const [cluster] of word.matchAll(CLUSTER_PATTERN)) {
      const pieceWidth = this.#widthOf(cluster, style)
      if (piece !== '' && usedWidth + pieceWidth > width) {
        pieces.push(piece)
        piece = ''
        usedWidth = 0
      }
      piece += cluster
      usedWidth += pieceWidth
    }
    return [...pieces, piece]
  }

  #paragraph(text: string, style: TextStyle, width: number): SetLine[] {
    const itemStart = LIST_ITEM_START.exec(text)?.[0] ?? ''
    const itemStartWidth = itemStart === '' ? 0 : this.#widthOf(itemStart, style)
    const hangingIndent = Math.min(itemStartWidth, MAX_INDENT)
    const lines: SetLine[] = []
    let pieces: string[] = itemStart === '' ? [] : [itemStart]
    let used = itemStartWidth
    const currentIndent = () => (lines.length === 0 ? 0 : hangingIndent)
    const isEmpty = () =>
      pieces.length === 0 || (lines.length === 0 && pieces.length === 1 && pieces[0] === itemStart)
    const end = () => {
      const minPieces = lines.length === 0 && itemStart !== '' ? 1 : 0
      // Trailing spaces are invisible.
      while (pieces.length > minPieces && pieces.at(-1)?.trim() === '') pieces.pop()
      lines.push(this.#setLine(pieces, style, currentIndent()))
      pieces = []
      used = 0
    }
    const add = (piece: string, pieceWidth: number) => {
      pieces.push(piece)
      used += pieceWidth
    }
    for (const [piece] of text
      .slice(itemStart.length)
      .replace(NO_BREAK_SPACE, NO_BREAK)
      .matchAll(BREAK_UNITS)) {
      const pieceWidth = this.#widthOf(piece, style)
      if (piece.trim() === '') {
        if (lines.length === 0 || pieces.length > 0) add(piece, pieceWidth)
        continue
      }
      if (currentIndent() + used + pieceWidth > width && !isEmpty()) end()
      const room = width - currentIndent()
      if (pieceWidth <= room - (pieces.length === 0 ? 0 : used)) {
        add(piece, pieceWidth)
        continue
      }
      for (const part of this.#splitWord(piece, style, Math.max(room - used, room / 2))) {
        if (!isEmpty()) end()
        add(part, this.#widthOf(part, style))
      }
    }
    if (pieces.length > 0 || lines.length === 0) end()
    return lines
  }
}

const widthOfAll = (runs: readonly SetRun[]) => runs.reduce((sum, { width }) => sum + width, 0)
