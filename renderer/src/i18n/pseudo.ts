const ACCENTED: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aáeéiíoóuúcçnñsšyýzžAÁEÉIÍOÓUÚCÇNÑSŠYÝZŽ'.matchAll(/(.)(.)/gu)].map(
    ([, plain = '', accented = '']) => [plain, accented],
  ),
)

/** A text as the pseudo-locale has it: between brackets, a third longer. */
export function pseudoText(text: string): string {
  if (text === '') return text
  const padding = '~'.repeat(Math.ceil(text.length / 3))
  return `⟦${text.replace(/[A-Za-z]/g, (letter) => ACCENTED[letter] ?? letter)}${padding}⟧`
}

/** All texts of some words, and those their functions give. What is no word (a `tone`) stays. */
export function pseudo<T>(words: T, name = ''): T {
  if (typeof words === 'string') return (name === 'tone' ? words : pseudoText(words)) as T
  if (typeof words === 'function')
    return ((...given: unknown[]) =>
      pseudo((words as (...of: unknown[]) => unknown)(...given))) as T
  if (Array.isArray(words)) return words.map((one) => pseudo(one)) as T
  if (typeof words !== 'object' || words === null) return words
  return Object.fromEntries(
    Object.entries(words).map(([key, value]) => [key, pseudo(value, key)]),
  ) as T
}
