import { withoutStacks } from '#shared/report-text.ts'
import { CLUSTERS, type ReportFonts, type Run, type Weight } from './report-pdf-fonts.ts'

/** How text is set; sizes in points. */
export interface TextStyle {
  readonly size: number
  readonly weight: Weight
  readonly color: string
  /** From baseline to baseline. */
  readonly leading: number
}

export interface SetRun extends Run {
  readonly width: number
}

/** A line as it is printed. */
export interface SetLine {
  readonly style: TextStyle
  /** From the left of the column. */
  readonly indent: number
  readonly runs: readonly SetRun[]
  readonly width: number
}

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef'
const OPENING = '（「『【〔〈《［｛'
const CLOSING = '、。，．：；！？）」』】〕〉》］｝ー…ぁぃぅぇぉっゃゅょァィゥェォッャュョ々'
// A line may end after spaces, after a hyphen or slash within a word, and beside a Han character or
// kana; punctuation stays with its character.
const PIECES = new RegExp(
  `\\s+|[${OPENING}]*[${CJK}][\\p{M}]*[${CLOSING}]*|[^\\s${CJK}]+?[-/](?=\\p{L}{2})|[^\\s${CJK}]+`,
  'gu',
)
// What belongs together is not divided: a number and its unit, a sign of comparison and its number.
// The mark is no character of any text here.
const GLUE = '\u0001'
const GLUED =
  /(?<=[≤≥<>=≈~±×][ ]?\(?)[ ](?=\d)|(?<=\d)[ ](?=(?:[mcµ]?m[²³23]?|m?[lL]|k?g|mg|HU|mGy|mSv|×|%)(?![\p{L}\d]))|\u00a0/gu
/** An item of a list: its further lines begin below its text. */
const ITEM = /^(?:[ ]*(?:[-–—•*]|\d{1,2}[.)])[ ]+|[ ]+)/
const ELLIPSIS = '…'
const MOST_INDENT = 72

/**
 * Text as it can be printed: composed, without control characters and those that only steer the
 * direction of writing, which could hide or reorder what was signed.
 */
export const printable = (text: string): string =>
  withoutStacks(
    withoutStacks(text.toWellFormed())
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

interface Measured {
  readonly runs: readonly SetRun[]
  readonly width: number
}

/** Measures and breaks text; what it has measured is remembered for the document. */
export class Typesetter {
  readonly #fonts: Pick<ReportFonts, 'runsOf'>
  readonly #measure: (run: Run) => number
  readonly #measured = new Map<string, Measured>()

  /** `measure`: the width of a run, in thousandths of its size. */
  constructor(fonts: Pick<ReportFonts, 'runsOf'>, measure: (run: Run) => number) {
    this.#fonts = fonts
    this.#measure = measure
  }

  /**
   * Lines of the text in a column of this width; '' is one empty line. Line ends of the text are
   * kept.
   */
  lines(text: string, style: TextStyle, width: number): SetLine[] {
    return printable(text)
      .split('\n')
      .flatMap((each) => this.#paragraph(each, style, width))
  }

  /** One line, cut with an ellipsis where it is too long. */
  line(text: string, style: TextStyle, width: number): SetLine {
    const whole = printable(text).replace(/\s+/g, ' ').trim()
    if (this.#widthOf(whole, style) <= width) return this.#setLine([whole], style, 0)
    const room = width - this.#widthOf(ELLIPSIS, style)
    const [first = ''] = this.#chopped(whole, style, room)
    return this.#setLine([first.trimEnd() + ELLIPSIS], style, 0)
  }

  /** Whether a character was set that no font has. */
  hasUnknown(): boolean {
    return [...this.#measured.values()].some(({ runs }) => runs.some(({ isUnknown }) => isUnknown))
  }

  #measuredOf(text: string, weight: Weight): Measured {
    const key = `${weight} ${text}`
    let found = this.#measured.get(key)
    if (!found) {
      const runs = this.#fonts
        .runsOf(text.replaceAll(GLUE, ' '), weight)
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

  /** Pieces of a word that is longer than a line. */
  #chopped(word: string, style: TextStyle, width: number): string[] {
    const pieces: string[] = []
    let piece = ''
    let used = 0
    for (const [cluster] of word.matchAll(CLUSTERS)) {
      const own = this.#widthOf(cluster, style)
      if (piece !== '' && used + own > width) {
        pieces.push(piece)
        piece = ''
        used = 0
      }
      piece += cluster
      used += own
    }
    return [...pieces, piece]
  }

  #paragraph(text: string, style: TextStyle, width: number): SetLine[] {
    const lead = ITEM.exec(text)?.[0] ?? ''
    const leadWidth = lead === '' ? 0 : this.#widthOf(lead, style)
    const hanging = Math.min(leadWidth, MOST_INDENT)
    const lines: SetLine[] = []
    let pieces: string[] = lead === '' ? [] : [lead]
    let used = leadWidth
    const indentNow = () => (lines.length === 0 ? 0 : hanging)
    const isEmpty = () =>
      pieces.length === 0 || (lines.length === 0 && pieces.length === 1 && pieces[0] === lead)
    const end = () => {
      const least = lines.length === 0 && lead !== '' ? 1 : 0
      // A space at the end of a line is not seen.
      while (pieces.length > least && pieces.at(-1)?.trim() === '') pieces.pop()
      lines.push(this.#setLine(pieces, style, indentNow()))
      pieces = []
      used = 0
    }
    const add = (piece: string, own: number) => {
      pieces.push(piece)
      used += own
    }
    for (const [piece] of text.slice(lead.length).replace(GLUED, GLUE).matchAll(PIECES)) {
      const own = this.#widthOf(piece, style)
      if (piece.trim() === '') {
        if (lines.length === 0 || pieces.length > 0) add(piece, own)
        continue
      }
      if (indentNow() + used + own > width && !isEmpty()) end()
      const room = width - indentNow()
      if (own <= room - (pieces.length === 0 ? 0 : used)) {
        add(piece, own)
        continue
      }
      for (const part of this.#chopped(piece, style, Math.max(room - used, room / 2))) {
        if (!isEmpty()) end()
        add(part, this.#widthOf(part, style))
      }
    }
    if (pieces.length > 0 || lines.length === 0) end()
    return lines
  }
}

const widthOfAll = (runs: readonly SetRun[]) => runs.reduce((sum, { width }) => sum + width, 0)
