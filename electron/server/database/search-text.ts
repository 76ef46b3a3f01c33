import { folded } from '#server/platform/text.ts'

/** The searchable values of a record. */
export interface Searchable {
  readonly texts: readonly string[]
  readonly uid: string
}

/**
 * Word separators: whitespace, the `^` and `=` of a person name (PS3.5 6.2.1.1), and what people
 * type between names.
 */
const BETWEEN = /[\s^=,;]+/u
const ALPHANUMERIC = /[\p{L}\p{N}]/u
/** Scripts written without spaces; a word may start at each character. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
/** The start of a UID (PS3.5 9.1), longer than its root alone. */
const UID_LIKE = /^[0-2]\.\d[\d.]*$/
const MOST_WORDS = 10
/** Terms shorter than this match only at the start of a word; longer ones match anywhere. */
export const ANYWHERE = 3

/** The words of a text, folded (`platform/text.ts`). */
export const wordsIn = (text: string): string[] =>
  folded(text)
    .split(BETWEEN)
    .filter((word) => word !== '')

/** The search terms: the first ten distinct words. */
export const termsOf = (search: string): string[] =>
  [...new Set(wordsIn(search))].slice(0, MOST_WORDS)

/** Whether the term is also matched against the start of UIDs. */
export const isUidLike = (term: string): boolean => UID_LIKE.test(term)

/** The positions in a word (as characters) at which a short term can match. */
export function beginningsIn(signs: readonly string[]): number[] {
  const beginnings: number[] = []
  for (const [at, sign] of signs.entries()) {
    const before = signs[at - 1]
    if (
      before === undefined ||
      UNSPACED.test(sign) ||
      (ALPHANUMERIC.test(sign) && !ALPHANUMERIC.test(before))
    )
      beginnings.push(at)
  }
  return beginnings
}

/**
 * Whether every term matches: a substring of a word, the start of a word for a short term, or the
 * start of the UID.
 */
export function isFound(terms: readonly string[], { texts, uid }: Searchable): boolean {
  const words = texts.flatMap(wordsIn)
  return terms.every(
    (term) => (isUidLike(term) && uid.startsWith(term)) || words.some((word) => isIn(word, term)),
  )
}

function isIn(word: string, term: string): boolean {
  if (!word.includes(term)) return false
  const wanted = [...term]
  if (wanted.length >= ANYWHERE) return true
  const signs = [...word]
  return beginningsIn(signs).some((at) => wanted.every((sign, index) => signs[at + index] === sign))
}
