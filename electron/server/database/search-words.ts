import { createHmac } from 'node:crypto'
import {
  ANYWHERE,
  beginningsIn,
  isUidLike,
  type Searchable,
  termsOf,
  wordsIn,
} from './search-text.ts'

/**
 * The blind index: what a study is found by, as words that say nothing without the data key. Each
 * part of a text (a trigram, the first one or two signs of a word, the first signs of a UID) is
 * HMAC-SHA-256 of it under a key of its own, cut to 50 bits, in base32: which text a word stands
 * for can only be found out with the key. What can be read without it is which rows share a word
 * and how often each occurs: whoever has the database file, and no key, can compare these
 * frequencies with those of a language, and may so guess common names of common length. It is at
 * rest only, in the folder that the sealed columns are in.
 */
export interface SearchWords {
  /** The words of a record, for FTS5's `ascii` tokenizer. */
  wordsOf(record: Searchable, facets?: readonly string[]): string
  /** The word of a facet, such as `severity stat`. */
  facet(text: string): string
  /**
   * The FTS5 expressions, one for each term of a search, that hold for every record in which it is
   * found, and for few others.
   */
  expressionsOf(search: string): Expression[]
}

export interface Expression {
  readonly text: string
  /** It holds for no other record: nothing is to be compared. */
  readonly isExact: boolean
}

const DIGITS = 10
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/**
 * Words kept in memory: a clinic's names and numbers have some thousand trigrams, and its texts the
 * same words again and again.
 */
const MOST_KEPT = 50_000
/** So many trigrams of a term narrow the candidates down enough. */
const MOST_OF_A_TERM = 8
/** A UID is indexed by what it begins with, at every third sign up to here. */
const UID_STEP = 3
const UID_MOST = 42

/** `key` is a secret of the data folder: 32 bytes. */
export function searchWords(key: Buffer): SearchWords {
  const word = remembered((part) => base32(createHmac('sha256', key).update(part).digest()))
  const wordsOfOne = remembered((one: string): readonly string[] => {
    const signs = [...one]
    const words: string[] = []
    for (let at = 0; at + ANYWHERE <= signs.length; at++)
      words.push(word(`has ${signs.slice(at, at + ANYWHERE).join('')}`))
    for (const at of beginningsIn(signs))
      for (let length = 1; length < ANYWHERE && at + length <= signs.length; length++)
        words.push(word(`begins ${signs.slice(at, at + length).join('')}`))
    return words
  })

  function expressionOf(term: string): Expression {
    const signs = [...term]
    if (signs.length < ANYWHERE) return { text: quoted(word(`begins ${term}`)), isExact: true }
    const parts = trigramsAcross(signs).map((gram) => quoted(word(`has ${gram}`)))
    const text = `(${parts.join(' AND ')})`
    const isExact = signs.length === ANYWHERE
    if (!isUidLike(term)) return { text, isExact }
    const prefix = term.slice(0, Math.min(UID_MOST, term.length - (term.length % UID_STEP)))
    return { text: `(${text} OR ${quoted(word(`uid ${prefix}`))})`, isExact }
  }

  return {
    wordsOf({ texts, uid }, facets = []) {
      const words = new Set(facets)
      for (const text of texts)
        for (const one of wordsIn(text)) for (const part of wordsOfOne(one)) words.add(part)
      for (let length = UID_STEP; length <= Math.min(uid.length, UID_MOST); length += UID_STEP)
        words.add(word(`uid ${uid.slice(0, length)}`))
      return [...words].join(' ')
    },
    facet: (text) => word(`facet ${text}`),
    expressionsOf: (search) => termsOf(search).map(expressionOf),
  }
}

function remembered<T>(make: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    if (kept.size >= MOST_KEPT) kept.clear()
    const made = make(text)
    kept.set(text, made)
    return made
  }
}

/**
 * Trigrams that lie side by side over the term, the last one at its end: few lists to intersect,
 * and no sign left out. Of a number every one: digits come in any order, and what merely has the
 * same groups of them is most of what would be let through.
 */
function trigramsAcross(signs: readonly string[]): string[] {
  const grams = new Set<string>()
  const step = signs.some((sign) => /\d/.test(sign)) ? 1 : ANYWHERE
  for (let at = 0; at < signs.length && grams.size < MOST_OF_A_TERM; at += step) {
    const start = Math.min(at, signs.length - ANYWHERE)
    grams.add(signs.slice(start, start + ANYWHERE).join(''))
  }
  return [...grams]
}

export const quoted = (word: string): string => `"${word}"`

function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5 && text.length < DIGITS) {
      bits -= 5
      text += BASE32[(held >> bits) & 31]
    }
    if (text.length === DIGITS) break
  }
  return text
}
