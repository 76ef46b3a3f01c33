import { withoutStacks } from '#shared/report-text.ts'
import type { Run, Weight } from './report-pdf-fonts.ts'

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

/** Measures and breaks text; what it has measured is remembered for the document. */
export interface Typesetter {
  /**
   * Lines of the text in a column of this width; '' is one empty line. Line ends of the text are
   * kept.
   */
  lines(text: string, style: TextStyle, width: number): SetLine[]
  /** One line, cut with an ellipsis where it is too long. */
  line(text: string, style: TextStyle, width: number): SetLine
  /** Whether a character was set that no font has. */
  hasUnknown(): boolean
}

/** Width of a run, in thousandths of its size. */
export type Measure = (run: Run) => number

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

export function openTypesetter(
  runsOf: (text: string, weight: Weight) => readonly Run[],
  measure: Measure,
): Typesetter {
  const measured = new Map<string, Measured>()

  function measuredOf(text: string, weight: Weight): Measured {
    const key = `${weight} ${text}`
    let found = measured.get(key)
    if (!found) {
      const runs = runsOf(text.replaceAll(GLUE, ' '), weight).map((run) => ({
        ...run,
        width: measure(run),
      }))
      found = { runs, width: runs.reduce((sum, run) => sum + run.width, 0) }
      measured.set(key, found)
    }
    return found
  }

  const widthOf = (text: string, { size, weight }: TextStyle) =>
    (measuredOf(text, weight).width * size) / 1000

  function setLine(pieces: readonly string[], style: TextStyle, indent: number): SetLine {
    const runs: (SetRun & { text: string; width: number })[] = []
    for (const piece of pieces)
      for (const run of measuredOf(piece, style.weight).runs) {
        const width = (run.width * style.size) / 1000
        const last = runs.at(-1)
        if (last && last.font === run.font && last.isUnknown === run.isUnknown) {
          runs[runs.length - 1] = { ...last, text: last.text + run.text, width: last.width + width }
        } else runs.push({ ...run, width })
      }
    return { style, indent, runs, width: runs.reduce((sum, run) => sum + run.width, 0) }
  }

  /** Pieces of a word that is longer than a line. */
  function chopped(word: string, style: TextStyle, width: number): string[] {
    const pieces: string[] = []
    let piece = ''
    let used = 0
    for (const [cluster] of word.matchAll(/[\s\S][\p{M}\u200c\u200d]*/gu)) {
      const own = widthOf(cluster, style)
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

  function paragraph(text: string, style: TextStyle, width: number): SetLine[] {
    const lead = ITEM.exec(text)?.[0] ?? ''
    const hanging = Math.min(lead === '' ? 0 : widthOf(lead, style), MOST_INDENT)
    const lines: SetLine[] = []
    let pieces: string[] = lead === '' ? [] : [lead]
    let used = lead === '' ? 0 : widthOf(lead, style)
    const indentNow = () => (lines.length === 0 ? 0 : hanging)
    const end = () => {
      // A space at the end of a line is not seen.
      while (
        pieces.length > (lines.length === 0 && lead !== '' ? 1 : 0) &&
        pieces.at(-1)?.trim() === ''
      )
        pieces.pop()
      lines.push(setLine(pieces, style, indentNow()))
      pieces = []
      used = 0
    }
    const isEmpty = () =>
      pieces.length === 0 || (lines.length === 0 && pieces.length === 1 && pieces[0] === lead)
    for (const [piece] of text.slice(lead.length).replace(GLUED, GLUE).matchAll(PIECES)) {
      const isSpace = piece.trim() === ''
      const own = widthOf(piece, style)
      if (isSpace) {
        if (lines.length > 0 && pieces.length === 0) continue
        pieces.push(piece)
        used += own
        continue
      }
      if (indentNow() + used + own > width && !isEmpty()) end()
      const room = width - indentNow()
      if (own <= room - (pieces.length === 0 ? 0 : used)) {
        pieces.push(piece)
        used += own
        continue
      }
      for (const part of chopped(piece, style, Math.max(room - used, room / 2))) {
        if (!isEmpty()) end()
        pieces.push(part)
        used += widthOf(part, style)
      }
    }
    if (pieces.length > 0 || lines.length === 0) end()
    return lines
  }

  return {
    lines: (text, style, width) =>
      printable(text)
        .split('\n')
        .flatMap((each) => paragraph(each, style, width)),
    line(text, style, width) {
      const whole = printable(text).replace(/\s+/g, ' ').trim()
      if (widthOf(whole, style) <= width) return setLine([whole], style, 0)
      const [first = ''] = chopped(whole, style, width - widthOf(ELLIPSIS, style))
      return setLine([first.trimEnd() + ELLIPSIS], style, 0)
    },
    hasUnknown: () =>
      [...measured.values()].some(({ runs }) => runs.some(({ isUnknown }) => isUnknown)),
  }
}

interface Measured {
  readonly runs: readonly SetRun[]
  readonly width: number
}
