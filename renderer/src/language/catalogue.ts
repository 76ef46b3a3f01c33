/** A sentence with `{}` where a value stands, and the same in another language with `{0}`, `{1}` … for the values in their order. */
export type Sentence = readonly [english: string, other: string]

/** Gives a sentence of the catalogue in the other language; any other as it is. */
export function openCatalogue(sentences: readonly Sentence[]): (sentence: string) => string {
  const whole = new Map(sentences.filter(([english]) => !english.includes('{}')))
  const patterns = sentences
    .filter(([english]) => english.includes('{}'))
    .map(([english, other]) => ({
      pattern: new RegExp(`^${english.split('{}').map(escaped).join('(.+?)')}$`, 's'),
      other,
      fixed: english.length,
    }))
    // The more of a sentence is fixed, the surer it is the one that is meant.
    .sort((a, b) => b.fixed - a.fixed)
  const kept = new Map<string, string>()

  const find = (sentence: string): string => {
    const known = whole.get(sentence)
    if (known !== undefined) return known
    for (const { pattern, other } of patterns) {
      const values = pattern.exec(sentence)
      if (values) return other.replace(/\{(\d+)\}/g, (_, at: string) => find(values[Number(at) + 1] ?? ''))
    }
    return sentence
  }
  return (sentence) => {
    const known = kept.get(sentence)
    if (known !== undefined) return known
    const found = find(sentence)
    if (kept.size > 2000) kept.clear()
    kept.set(sentence, found)
    return found
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
