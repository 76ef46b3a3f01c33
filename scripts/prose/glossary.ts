import { readFileSync } from 'node:fs'
import { documentPath } from '../docs/documents.ts'

/** A word or phrase that is not used, and what to use instead. */
export interface Term {
  readonly pattern: RegExp
  readonly use: string
}

/**
 * Words that docs/GLOSSARY.md rejects in one meaning and that are right in another, so that only a
 * reader can tell.
 */
export const AMBIGUOUS: ReadonlySet<string> = new Set([
  ...['answer', 'ask', 'away', 'came', 'caller', 'document', 'fetch', 'inform', 'made by', 'news'],
  ...['other PC', 'overdue', 'PC', 'people', 'remark', 'switched off'],
  ...['switched on', 'tell', 'the window', 'this window', 'trial', 'unset', 'way'],
])

/** The rejected words of docs/GLOSSARY.md, each with the term of its row. */
export function rejectedWords(
  glossary = readFileSync(documentPath('GLOSSARY.md'), 'utf8'),
): Map<string, string> {
  const words = new Map<string, string>()
  for (const line of glossary.split('\n')) {
    const [, term = '', , meaning = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    const rejected = /\bnot ((?:\*[^*]+\*(?:, )?)+)(?! in the window)/.exec(meaning)?.[1] ?? ''
    for (const [, word = ''] of rejected.matchAll(/\*([^*]+)\*/g)) words.set(word, term)
  }
  return words
}

/** A pattern of whole words that also matches a capital at the beginning. */
export function wordsPattern(words: string): RegExp {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+')
  const [first = '', ...rest] = escaped
  return new RegExp(
    `(?<![\\p{L}\\d-])[${first}${first.toUpperCase()}]${rest.join('')}(?![\\p{L}\\d-])`,
    'gu',
  )
}

export const glossaryTerms = (): Term[] =>
  [...rejectedWords()]
    .filter(([word]) => !AMBIGUOUS.has(word))
    .map(([word, use]) => ({ pattern: wordsPattern(word), use: `“${use}”` }))
