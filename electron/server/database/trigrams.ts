const TRIGRAM_LENGTH = 3
/** Enough trigrams to narrow the candidates down; the caller compares what remains as a whole. */
const MAX_TRIGRAMS = 32

/** Padding, so that a trigram starts at each character of the text. */
const PADDING = '\0'.repeat(TRIGRAM_LENGTH - 1)

/**
 * The trigrams of a folded text as words for FTS5's `ascii` tokenizer: four hex digits for each
 * UTF-16 unit. Unlike FTS5's own trigram tokenizer, these words also match terms of one or two
 * characters, by prefix. The caller has folded case and accents (`folded`).
 */
export function trigramWords(text: string): string {
  const padded = text + PADDING
  const grams = new Set<string>()
  for (let start = 0; start < text.length; start++)
    grams.add(hexWord(padded.slice(start, start + TRIGRAM_LENGTH)))
  return [...grams].join(' ')
}

/**
 * The FTS5 expression that matches every text containing the folded term, and few others. The term
 * must not be empty.
 */
export function matchExpression(term: string): string {
  if (term.length < TRIGRAM_LENGTH) return `"${hexWord(term)}"*`
  const grams = new Set<string>()
  for (let start = 0; start <= term.length - TRIGRAM_LENGTH && grams.size < MAX_TRIGRAMS; start++)
    grams.add(hexWord(term.slice(start, start + TRIGRAM_LENGTH)))
  return [...grams].map((gram) => `"${gram}"`).join(' AND ')
}

/**
 * Whether the term is shorter than a trigram. It is then matched by prefix, which is slow for
 * common prefixes.
 */
export const isShort = (term: string): boolean => term.length < TRIGRAM_LENGTH

function hexWord(text: string): string {
  let word = ''
  for (let at = 0; at < text.length; at++) word += text.charCodeAt(at).toString(16).padStart(4, '0')
  return word
}
