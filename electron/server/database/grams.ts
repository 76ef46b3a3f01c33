const SIZE = 3
/**
 * So many grams of a term narrow the candidates down enough; what they let through is compared as a
 * whole.
 */
const MOST_OF_A_TERM = 32

/** The end of a text, so that each of its characters begins a gram. */
const END = '\0'.repeat(SIZE - 1)

/**
 * The trigrams of a folded text as words for FTS5's `ascii` tokenizer: four hex digits for each
 * UTF-16 unit. FTS5's own trigram tokenizer finds no term of one or two characters; ours does, by
 * prefix. Case and accents are gone before (`folded`).
 */
export function gramsOf(text: string): string {
  const padded = text + END
  const grams = new Set<string>()
  for (let start = 0; start < text.length; start++)
    grams.add(wordOf(padded.slice(start, start + SIZE)))
  return [...grams].join(' ')
}

/**
 * The FTS5 expression that holds for every text that contains the folded term, and for few others.
 * The term is not empty.
 */
export function matchOf(term: string): string {
  if (term.length < SIZE) return `"${wordOf(term)}"*`
  const grams = new Set<string>()
  for (let start = 0; start <= term.length - SIZE && grams.size < MOST_OF_A_TERM; start++)
    grams.add(wordOf(term.slice(start, start + SIZE)))
  return [...grams].map((gram) => `"${gram}"`).join(' AND ')
}

/**
 * Whether the term has no whole gram: it is looked up by prefix, which is dear where it is common.
 */
export const isShort = (term: string): boolean => term.length < SIZE

function wordOf(text: string): string {
  let word = ''
  for (let at = 0; at < text.length; at++) word += text.charCodeAt(at).toString(16).padStart(4, '0')
  return word
}
