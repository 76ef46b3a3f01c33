import en from '#shared/messages/en.json' with { type: 'json' }
import es from '#shared/messages/es.json' with { type: 'json' }
import { pseudoText } from '../../renderer/src/i18n/pseudo.ts'

/** A language of the window, and the one that shows what is not in the words. */
export type Spoken = 'en' | 'es' | 'pseudo'

interface Pair {
  readonly en: string
  readonly es: string
}

/** Every text of the window without arguments, in both languages. */
export const allWords = (): readonly Pair[] =>
  Object.entries(en).flatMap(([code, text]) =>
    code.startsWith('ui.') && !text.includes('{')
      ? [{ en: text, es: (es as Readonly<Record<string, string>>)[code] ?? '' }]
      : [],
  )

/** Names by which a test finds what it presses, in the language of the page, from the English. */
export function speaker(language: Spoken): (english: string) => string {
  if (language === 'en') return (english) => english
  if (language === 'pseudo') return pseudoText
  const words = new Map(allWords().map(({ en, es }) => [en, es]))
  return (english) => words.get(english) ?? english
}
