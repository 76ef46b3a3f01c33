import { folded } from '#server/platform/text.ts'

/** What a record can be found by. */
export interface Searchable {
  readonly texts: readonly string[]
  readonly uid: string
}

/**
 * Between the words of a text: blanks, the `^` and `=` of a name (PS3.5 6.2.1.1), and what people
 * write between names.
 */
const BETWEEN = /[\s^=,;]+/u
const ALPHANUMERIC = /[\p{L}\p{N}]/u
/** Scripts without blanks between words: each sign may begin one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
/** How a UID of ours or a device begins (PS3.5 9.1), once it says more than the root. */
const UID_LIKE = /^[0-2]\.\d[\d.]*$/
const MOST_WORDS = 10
/** Terms of fewer signs are looked for where a word begins, longer ones anywhere. */
export const ANYWHERE = 3

/** The words of a text, folded (`folding.ts`). */
export const wordsIn = (text: string): string[] =>
  folded(text)
    .split(BETWEEN)
    .filter((word) => word !== '')

/** What is looked for, each word for itself: the first ten of what was typed. */
export const termsOf = (search: string): string[] =>
  [...new Set(wordsIn(search))].slice(0, MOST_WORDS)

/** Whether the term is also looked for at the beginning of UIDs. */
export const isUidLike = (term: string): boolean => UID_LIKE.test(term)

/** Where in the word (as signs) something begins that a short term can name. */
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
 * Whether each term is found: contained in a word, where it is short at a beginning, or as what the
 * UID begins with.
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
