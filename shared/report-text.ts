/**
 * Headings that a report's text is divided by: a line that is the word, or begins with it and a
 * colon, in any case.
 */
export const SECTIONS = ['Indication', 'Technique', 'Comparison', 'Findings', 'Impression'] as const

/** A part of a report's text; positions are UTF-16 offsets into it. */
export interface ReportSection {
  /** One of `SECTIONS`, in its spelling; empty for what stands before the first heading. */
  readonly heading: string
  /** Where the heading begins. */
  readonly from: number
  /** Where the text after the heading, its colon and the line end begins. */
  readonly bodyFrom: number
  /** Where the next section begins, or the text ends. */
  readonly to: number
  /** What stands below the heading, without blank lines and spaces around it. */
  readonly text: string
}

/** A place to fill in; `choices` are what it offers, none where anything may be written. */
export interface FillIn {
  readonly from: number
  readonly to: number
  readonly choices: readonly string[]
}

const HEADING = new RegExp(`^[ \\t]*(${SECTIONS.join('|')})[ \\t]*(?::[ \\t]*|(?=\\r?$))`, 'gim')

/**
 * The parts of the text in their order; what stands before the first heading only where there is
 * something.
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

// A box that was ticked, [x], and a reference, [1], are no fields; `[3 cm]` is somebody's own
// words.
const FIELD = /\[(?:[ \t_]*|(?!x\])\p{L}[^[\]\n]{0,59})\]|\{([^{}\n|]*(?:\|[^{}\n|]*)+)\}/giu

/** Fields that are still to be filled in: `[ ]`, `[___]`, `[name]`, `{a|b}`. */
export const fieldsOf = (text: string): FillIn[] =>
  [...text.matchAll(FIELD)].map(({ 0: field, 1: choices, index }) => ({
    from: index,
    to: index + field.length,
    choices: choices === undefined ? [] : choices.split('|').map((choice) => choice.trim()),
  }))

/**
 * The template with its variables, such as `{patientName}`, put in; one that is unknown or empty
 * becomes a field `[patientName]`.
 */
export const expanded = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name]?.trim() ?? '') : ''
    return value === '' ? `[${name}]` : value
  })

// What no reader shows: controls other than line end and tab, a byte order mark, and overrides that
// show a line in another order than it is.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\u202d\u202e]/g

/**
 * Marks on one character; no script has more (UAX #15, Stream-Safe Text Format), and setting
 * thousands of them takes minutes.
 */
const STACKED = /([\p{M}\u200c\u200d]{30})[\p{M}\u200c\u200d]+/gu
/**
 * Before they are composed, which takes its time too, and after what stood between them is gone.
 */
export const withoutStacks = (text: string): string => text.replace(STACKED, '$1')

/**
 * What is stored and signed of a text: composed (NFC), lines ended by `\n` and without spaces at
 * their ends, no controls, no stacks of marks.
 */
export const plainReport = (text: string): string =>
  withoutStacks(
    withoutStacks(text.toWellFormed())
      .normalize('NFC')
      .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
      .replace(INVISIBLE, ''),
  )
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replace(/^\n+|(?<!\n)\n+$/g, '')
