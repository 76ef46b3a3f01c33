/**
 * Headings of the sections of a report. A heading is a line that consists of the word, or starts
 * with it and a colon, in any case.
 */
export const SECTIONS = ['Indication', 'Technique', 'Comparison', 'Findings', 'Impression'] as const

/** A section of a report; positions are UTF-16 offsets. */
export interface ReportSection {
  /** One of `SECTIONS`, in its spelling; empty for the text before the first heading. */
  readonly heading: string
  /** Start of the heading. */
  readonly from: number
  /** Start of the text after the heading, its colon and the line break. */
  readonly bodyFrom: number
  /** Start of the next section, or end of the text. */
  readonly to: number
  /** The trimmed text below the heading. */
  readonly text: string
}

/** A field to fill in; `choices` are the options, empty if any text may be entered. */
export interface FillIn {
  readonly from: number
  readonly to: number
  readonly choices: readonly string[]
}

const HEADING = new RegExp(`^[ \\t]*(${SECTIONS.join('|')})[ \\t]*(?::[ \\t]*|(?=\\r?$))`, 'gim')

/**
 * Splits a text into sections, in order. Text before the first heading is included only if it is
 * not empty.
 */
export function sectionsOf(text: string): ReportSection[] {
  const found = [...text.matchAll(HEADING)].map((match) => ({
    heading: SECTIONS.find((name) => name.toLowerCase() === match[1]?.toLowerCase()) ?? '',
    from: match.index,
    bodyFrom: afterLineEnd(text, match.index + match[0].length),
  }))
  const first = found[0]?.from ?? text.length
  const starts =
    text.slice(0, first).trim() === '' ? found : [{ heading: '', from: 0, bodyFrom: 0 }, ...found]
  return starts.map((start, at) => {
    const to = starts[at + 1]?.from ?? text.length
    return { ...start, to, text: text.slice(start.bodyFrom, to).trim() }
  })
}

const afterLineEnd = (text: string, at: number) =>
  at + (/^\r?\n/.exec(text.slice(at, at + 2))?.[0].length ?? 0)

// A checked box, [x], and a reference, [1], are not fields; `[3 cm]` is the author's own text.
const FIELD = /\[(?:[ \t_]*|(?!x\])\p{L}[^[\]\n]{0,59})\]|\{([^{}\n|]*(?:\|[^{}\n|]*)+)\}/giu

/** The fields that have not been filled in: `[ ]`, `[___]`, `[name]`, `{a|b}`. */
export const fieldsOf = (text: string): FillIn[] =>
  [...text.matchAll(FIELD)].map(({ 0: field, 1: choices, index }) => ({
    from: index,
    to: index + field.length,
    choices: choices === undefined ? [] : choices.split('|').map((choice) => choice.trim()),
  }))

/**
 * Replaces the variables of a template, such as `{patientName}`. A variable that is unknown or
 * empty becomes a field `[patientName]`.
 */
export const expandTemplate = (
  template: string,
  values: Readonly<Record<string, string>>,
): string =>
  template.replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name]?.trim() ?? '') : ''
    return value === '' ? `[${name}]` : value
  })

// Characters that are not displayed: control characters except line feed and tab, the byte order
// mark, and bidirectional overrides, which display a line in a misleading order.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\u202d\u202e]/g

/**
 * Limits combining marks per character; no script needs more (UAX #15, Stream-Safe Text Format),
 * and laying out thousands of them takes minutes.
 */
const STACKED_MARKS = /([\p{M}\u200c\u200d]{30})[\p{M}\u200c\u200d]+/gu
/**
 * Removes excess combining marks. Called before normalization, whose cost depends on them, and
 * again afterwards, because characters between them may have been removed.
 */
export const limitMarks = (text: string): string => text.replace(STACKED_MARKS, '$1')

/**
 * Normalizes the text of a report for storing and signing: NFC, lines terminated by `\n` without
 * trailing spaces, no control characters, no excess combining marks.
 */
export const normalizeReport = (text: string): string =>
  limitMarks(
    limitMarks(text.toWellFormed())
      .normalize('NFC')
      .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
      .replace(INVISIBLE, ''),
  )
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replace(/^\n+|(?<!\n)\n+$/g, '')
