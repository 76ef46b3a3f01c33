/**
 * A sentence with `{}` where a value stands (`{#}`: a number only, `{-}`: nothing with a comma or a
 * semicolon, `{=}`: one word of a program), and the same in another language with `{0}`, `{1}` …
 * for the values in their order. A value is looked up as well, but for a word of a program: what is
 * in the catalogue is told in the other language too.
 */
export type Sentence = readonly [english: string, other: string]

const VALUES: Readonly<Record<string, string>> = {
  '{}': '(.+?)',
  '{#}': '(\\d[\\d.,]*)',
  '{-}': '([^;,]+?)',
  '{=}': '([^\\s;,:]+)',
}
/** Of a list; what stands in brackets is no part of the list. */
const ITEM = '((?:[^()]|\\([^()]*\\))+?)'
const PLACE = /\{[#=-]?\}/
/** Words that join and say nothing: of itself `{} and {}` is no sentence of the gateway. */
const JOINS = /^(?:[^\p{L}]|\b(?:and|or|the|to|under)\b)*$/u
const HAS_WORDS = /\p{Ll}/u
const BETWEEN_SENTENCES = /(?<=[.?!…]) (?=[\p{Lu}\d“])/gu
/** Longer texts are none of the gateway's sentences. */
const MOST_CHARACTERS = 4000
/** Every part of a list may be a list: a long one takes its time. */
const MOST_JOINED = 500
const MOST_KEPT = 20_000
const EDGE = 3

interface Pattern {
  readonly whole: RegExp
  readonly other: string
  readonly start: string
  readonly end: string
  /** The longest piece between two values. */
  readonly inside: string
  readonly isJoining: boolean
  /** Of each value, whether it is looked up. */
  readonly isText: readonly boolean[]
  /** The more of a sentence is fixed, the surer it is the one that is meant. */
  readonly weight: number
}

interface Told {
  readonly text: string
  /** Nothing of it is left in English but values. */
  readonly isWhole: boolean
}

/** Gives a sentence of the catalogue in the other language; any other as it is. */
export function openCatalogue(sentences: readonly Sentence[]): (sentence: string) => string {
  const constant = new Map(
    sentences
      .filter(([english]) => !PLACE.test(english))
      .map(([english, text]) => [english, { text, isWhole: true }]),
  )
  // Many lines of a feed are looked up, and most patterns begin or end with fixed words.
  const byEdge = Map.groupBy(patternsOf(sentences), edgeOf)
  const kept = new Map<string, Told | undefined>()

  function find(text: string): Told | undefined {
    const known = constant.get(text)
    if (known !== undefined || !HAS_WORDS.test(text) || text.length > MOST_CHARACTERS) return known
    if (kept.has(text)) return kept.get(text)
    if (kept.size > MOST_KEPT) kept.clear()
    const found = search(text)
    kept.set(text, found)
    return found
  }

  function search(text: string): Told | undefined {
    const patterns = candidates(text)
    const saying = patterns.filter(({ isJoining }) => !isJoining)
    const inOne = filled(saying, text, (value) => value.search(BETWEEN_SENTENCES) < 0)
    if (inOne) return inOne
    const inSeveral = sentencesOf(text)
    if (inSeveral?.isWhole) return inSeveral
    return filled(saying, text, () => true) ?? joined(patterns, text) ?? inSeveral
  }

  function candidates(text: string): readonly Pattern[] {
    const edges = [`${text.slice(0, EDGE)}…`, `…${text.slice(-EDGE)}`, '…']
    return edges
      .flatMap((edge) => byEdge.get(edge)?.filter((pattern) => isLike(pattern, text)) ?? [])
      .sort((a, b) => b.weight - a.weight)
  }

  function filled(
    patterns: readonly Pattern[],
    text: string,
    isValue: (value: string) => boolean,
  ): Told | undefined {
    for (const { whole, other, isText } of patterns) {
      const values = whole.exec(text)?.slice(1)
      if (!values?.every(isValue)) continue
      const told = values.map((value, index) => (isText[index] ? find(value) : undefined))
      return {
        text: withValues(
          other,
          values.map((value, index) => told[index]?.text ?? value),
        ),
        // A name may be anything; a list is not one.
        isWhole: values.every((value, index) => told[index]?.isWhole ?? !value.includes('; ')),
      }
    }
    return undefined
  }

  /** By what joins parts that are all known, else some of them. */
  function joined(patterns: readonly Pattern[], text: string): Told | undefined {
    let partly: Told | undefined
    if (text.length > MOST_JOINED) return partly
    for (const { whole, other, isJoining } of patterns) {
      const values = isJoining ? whole.exec(text)?.slice(1) : undefined
      const told = values && partsOf(values)
      if (!told) continue
      const { texts, isWhole } = told
      partly ??= { text: withValues(other, texts), isWhole }
      if (isWhole) return { text: withValues(other, texts), isWhole }
    }
    return partly
  }

  /** One sentence after the other. */
  function sentencesOf(text: string): Told | undefined {
    let partly: Told | undefined
    for (const { index } of text.matchAll(BETWEEN_SENTENCES)) {
      const told = partsOf([text.slice(0, index), text.slice(index + 1)])
      if (!told) continue
      const found = { text: told.texts.join(' '), isWhole: told.isWhole }
      if (found.isWhole) return found
      partly ??= found
    }
    return partly
  }

  function partsOf(
    values: readonly string[],
  ): { readonly texts: readonly string[]; readonly isWhole: boolean } | undefined {
    const found = values.map(find)
    if (found.every((value) => value === undefined)) return undefined
    return {
      texts: found.map((value, index) => value?.text ?? values[index] ?? ''),
      isWhole: found.every(
        (value, index) => value?.isWhole ?? !HAS_WORDS.test(values[index] ?? ''),
      ),
    }
  }

  return (sentence) => {
    // What is a part of others may stand alone too, with a capital.
    const text = find(sentence)?.text ?? find(uncapital(sentence))?.text
    // A sentence may begin with what is a part of others.
    return text === undefined || /^\p{Ll}/u.test(sentence) || !/[.?!]$/.test(sentence)
      ? (text ?? sentence)
      : capital(text)
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const uncapital = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
const withValues = (other: string, values: readonly string[]): string =>
  other.replace(/\{(\d+)\}/g, (_, at: string) => values[Number(at)] ?? '')

function patternsOf(sentences: readonly Sentence[]): readonly Pattern[] {
  return sentences.flatMap(([english, other]) => {
    const pieces = english.split(PLACE)
    const places = english.match(/\{[#=-]?\}/g) ?? []
    if (places.length === 0) return []
    const fixed = pieces.join('')
    const isJoining = JOINS.test(fixed) && places.every((place) => place === '{}')
    const form = pieces
      .map(
        (piece, index) =>
          escaped(piece) + valueForm(places[index], isJoining && !fixed.includes('(')),
      )
      .join('')
    return {
      ...{ whole: new RegExp(`^${form}$`, 's'), other, isJoining },
      isText: places.map((place) => place !== '{=}'),
      ...{ start: pieces[0] ?? '', end: pieces.at(-1) ?? '' },
      inside: pieces
        .slice(1, -1)
        .reduce((longest, piece) => (piece.length > longest.length ? piece : longest), ''),
      weight: fixed.length + places.filter((place) => place !== '{}').length / 10,
    }
  })
}

const valueForm = (place: string | undefined, isItem: boolean): string =>
  place === undefined ? '' : place === '{}' && isItem ? ITEM : (VALUES[place] ?? '')

const edgeOf = ({ start, end }: Pattern): string =>
  start.length >= EDGE
    ? `${start.slice(0, EDGE)}…`
    : end.length >= EDGE
      ? `…${end.slice(-EDGE)}`
      : '…'

const isLike = ({ start, end, inside }: Pattern, text: string): boolean =>
  text.startsWith(start) && text.endsWith(end) && text.includes(inside)

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
