import { glossaryTerms, type Term } from './glossary.ts'
import { phraseTerms } from './phrases.ts'

/** What is wrong at a position of a text. */
export interface Finding {
  readonly index: number
  readonly message: string
}

const MAX_SENTENCE_WORDS = 40
const MAX_LINE = 120
const MAX_LINES = 300
/** Limits of single documents; a changelog has none. */
const LINES_OF: Readonly<Record<string, number>> = {
  'README.md': 120,
  'CHANGELOG.md': Number.POSITIVE_INFINITY,
}

let terms: readonly Term[] | undefined

/** Words and phrases that are not used. */
export function termFindings(text: string): Finding[] {
  terms ??= [...glossaryTerms(), ...phraseTerms()]
  return terms.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      index,
      message: `“${found.replace(/\s+/g, ' ')}”: use ${use}`,
    })),
  )
}

/** Words that occur twice in a row. */
export const doubleWordFindings = (text: string): Finding[] =>
  [...text.matchAll(/(?<![\p{L}\d’'-])(\p{L}+)\s+\1(?![\p{L}\d’'-])/giu)].map(
    ({ 1: word = '', index }) => ({ index, message: `“${word}” twice in a row` }),
  )

/** Sentences that are too long. Abbreviations that end with a full stop do not end a sentence. */
export function sentenceFindings(text: string): Finding[] {
  const findings: Finding[] = []
  let start = 0
  for (const { index, 0: end } of text.matchAll(
    /(?<!\b(?:e\.g|i\.e|vs|No))[.!?:][”"’)*_]*(?=\s+|$)|$/gu,
  )) {
    const words = text.slice(start, index).match(/[\p{L}\d]\S*/gu)?.length ?? 0
    if (words > MAX_SENTENCE_WORDS) {
      const before = text.slice(start).search(/\S/)
      const message = `sentence of ${words} words; the limit is ${MAX_SENTENCE_WORDS}`
      findings.push({ index: start + before, message })
    }
    start = index + end.length
  }
  return findings
}

/**
 * Lines that are too long, and too many lines. The target of a link does not count.
 * @param isProse whether a line, counted from 1, is neither a table nor code
 */
export function lineFindings(
  text: string,
  name: string,
  isProse: (line: number) => boolean,
): Finding[] {
  const lines = text.trimEnd().split('\n')
  const findings: Finding[] = []
  let index = 0
  for (const [at, line] of lines.entries()) {
    const length = line.replace(/\]\([^)]*\)/g, ']').length
    if (isProse(at + 1) && length > MAX_LINE)
      findings.push({ index, message: `line of ${length} characters; the limit is ${MAX_LINE}` })
    index += line.length + 1
  }
  const limit = LINES_OF[name] ?? MAX_LINES
  if (lines.length > limit)
    findings.push({ index: 0, message: `${lines.length} lines; the limit is ${limit}` })
  return findings
}
