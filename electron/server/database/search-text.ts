import { folded } from '#server/platform/text.ts'

/** The searchable values of a record. */
export interface SearchableValues {
  readonly texts: readonly string[]
  readonly uid: string
}

/**
 * Word separators: whitespace, the `^` and `=` of a person name (PS3.5 6.2.1.1), and what people
 * type between names.
 */
const SEPARATORS = /[\s^=,;]+/u
const ALPHANUMERIC = /[\p{L}\p{N}]/u
/** Scripts written without spaces; a word may start at each character. */
const UNSPACED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
/** The start of a UID (PS3.5 9.1), longer than its root alone. */
const UID_LIKE = /^[0-2]\.\d[\d.]*$/
const MAX_TERMS = 10
/** Terms shorter than this match only at the start of a word; longer ones match anywhere. */
export const MIN_SUBSTRING_LENGTH = 3

/** The words of a text, folded (`platform/text.ts`). */
export const wordsIn = (text: string): string[] =>
  folded(text)
    .split(SEPARATORS)
    .filter((word) => word !== '')

/** The search terms: the first ten distinct words. */
export const termsOf = (search: string): string[] =>
  [...new Set(wordsIn(search))].slice(0, MAX_TERMS)

/** Whether the term is also matched against the start of UIDs. */
export const isUidLike = (term: string): boolean => UID_LIKE.test(term)

/** The positions in a word (as characters) at which a short term can match. */
export function matchPositions(characters: readonly string[]): number[] {
  const positions: number[] = []
  for (const [at, character] of characters.entries()) {
    const before = characters[at - 1]
    if (
      before === undefined ||
      UNSPACED_SCRIPTS.test(character) ||
      (ALPHANUMERIC.test(character) && !ALPHANUMERIC.test(before))
    )
      positions.push(at)
  }
  return positions
}

/**
 * Whether every term matches: a substring of a word, the start of a word for a short term, or the
 * start of the UID.
 */
export function matchesTerms(terms: readonly string[], { texts, uid }: SearchableValues): boolean {
  const words = texts.flatMap(wordsIn)
  return terms.every(
    (term) =>
      (isUidLike(term) && uid.startsWith(term)) || words.some((word) => matches(word, term)),
  )
}

function matches(word: string, term: string): boolean {
  if (!word.includes(term)) return false
  const wanted = [...term]
  if (wanted.length >= MIN_SUBSTRING_LENGTH) return true
  const characters = [...word]
  return matchPositions(characters).some((at) =>
    wanted.every((character, index) => characters[at + index] === character),
  )
}
