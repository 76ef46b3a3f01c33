import { createHmac } from 'node:crypto'
import {
  isUidLike,
  MIN_SUBSTRING_LENGTH,
  matchPositions,
  type SearchableValues,
  termsOf,
  wordsIn,
} from './search-text.ts'

/**
 * A blind index: the searchable values of a study as keyed hashes. Each part of a text (a trigram,
 * the first one or two characters of a word, the first characters of a UID) becomes its
 * HMAC-SHA-256 under a separate key, truncated to 50 bits and encoded in base32, so that the text
 * cannot be recovered without the key. The database file alone reveals which rows share a word and
 * how often each word occurs; comparing these frequencies with those of a language may identify
 * common names of common length. The index is only stored, in the same database as the encrypted
 * columns.
 */
export interface SearchWords {
  /** The index words of a record, for FTS5's `ascii` tokenizer. */
  wordsOf(record: SearchableValues, facets?: readonly string[]): string
  /** The index word of a facet, such as `severity stat`. */
  facet(text: string): string
  /**
   * FTS5 expressions, one for each search term, that match every record containing the term, and
   * few others.
   */
  expressionsOf(search: string): Expression[]
}

export interface Expression {
  readonly text: string
  /** The expression matches no other record, so the results need not be compared. */
  readonly isExact: boolean
}

const WORD_LENGTH = 10
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/**
 * Number of hashed parts kept in memory. A clinic's names and numbers have several thousand
 * trigrams, and its texts repeat the same words.
 */
const MAX_CACHED_PARTS = 50_000
/** Enough trigrams of a term to narrow the candidates down. */
const MAX_TRIGRAMS = 8
/** A UID is indexed by its prefixes, at every third character up to this length. */
const UID_STEP = 3
const MAX_UID_PREFIX = 42

/** `key`: a secret of the data folder, 32 bytes. */
export function searchWords(key: Buffer): SearchWords {
  const hashedWord = memoize((part) => base32(createHmac('sha256', key).update(part).digest()))
  const indexWordsOf = memoize((one: string): readonly string[] => {
    const characters = [...one]
    const words: string[] = []
    for (let at = 0; at + MIN_SUBSTRING_LENGTH <= characters.length; at++)
      words.push(hashedWord(`has ${characters.slice(at, at + MIN_SUBSTRING_LENGTH).join('')}`))
    for (const at of matchPositions(characters))
      for (
        let length = 1;
        length < MIN_SUBSTRING_LENGTH && at + length <= characters.length;
        length++
      )
        words.push(hashedWord(`begins ${characters.slice(at, at + length).join('')}`))
    return words
  })

  function expressionOf(term: string): Expression {
    const characters = [...term]
    if (characters.length < MIN_SUBSTRING_LENGTH)
      return { text: quote(hashedWord(`begins ${term}`)), isExact: true }
    const parts = coveringTrigrams(characters).map((gram) => quote(hashedWord(`has ${gram}`)))
    const text = `(${parts.join(' AND ')})`
    const isExact = characters.length === MIN_SUBSTRING_LENGTH
    if (!isUidLike(term)) return { text, isExact }
    const prefix = term.slice(0, Math.min(MAX_UID_PREFIX, term.length - (term.length % UID_STEP)))
    return { text: `(${text} OR ${quote(hashedWord(`uid ${prefix}`))})`, isExact }
  }

  return {
    wordsOf({ texts, uid }, facets = []) {
      const words = new Set(facets)
      for (const text of texts)
        for (const one of wordsIn(text)) for (const part of indexWordsOf(one)) words.add(part)
      for (
        let length = UID_STEP;
        length <= Math.min(uid.length, MAX_UID_PREFIX);
        length += UID_STEP
      )
        words.add(hashedWord(`uid ${uid.slice(0, length)}`))
      return [...words].join(' ')
    },
    facet: (text) => hashedWord(`facet ${text}`),
    expressionsOf: (search) => termsOf(search).map(expressionOf),
  }
}

function memoize<T>(make: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const known = cache.get(text)
    if (known !== undefined) return known
    if (cache.size >= MAX_CACHED_PARTS) cache.clear()
    const value = make(text)
    cache.set(text, value)
    return value
  }
}

/**
 * Consecutive trigrams that cover the term, the last one aligned with its end, so that few lists
 * are intersected and every character is covered. For a number all trigrams are used: digits occur
 * in any order, so consecutive ones would mostly match other numbers that contain the same groups.
 */
function coveringTrigrams(characters: readonly string[]): string[] {
  const grams = new Set<string>()
  const step = characters.some((sign) => /\d/.test(sign)) ? 1 : MIN_SUBSTRING_LENGTH
  for (let at = 0; at < characters.length && grams.size < MAX_TRIGRAMS; at += step) {
    const start = Math.min(at, characters.length - MIN_SUBSTRING_LENGTH)
    grams.add(characters.slice(start, start + MIN_SUBSTRING_LENGTH).join(''))
  }
  return [...grams]
}

export const quote = (hashedWord: string): string => `"${hashedWord}"`

function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let buffer = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5 && text.length < WORD_LENGTH) {
      bits -= 5
      text += BASE32[(buffer >> bits) & 31]
    }
    if (text.length === WORD_LENGTH) break
  }
  return text
}
