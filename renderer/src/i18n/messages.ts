import { type Message, openMessages } from '#shared/messages/message.ts'
import { language, locale, PSEUDO } from './language.ts'
import { pseudoText } from './pseudo.ts'

const CATALOGUES = {
  en: () => import('#shared/messages/en.json'),
  es: () => import('#shared/messages/es.json'),
}

let catalogue: Readonly<Record<string, string>> = {}
let textOf = openMessages(catalogue, locale)

/**
 * Loads the catalogue of messages in the language of the page. Modules have texts in constants, so
 * a page loads its program after it. A catalogue that does not come leaves a page that shows codes,
 * which is better than none.
 */
export async function loadMessages(): Promise<void> {
  try {
    catalogue = (await CATALOGUES[language === PSEUDO ? 'en' : language]()).default
    textOf = openMessages(catalogue, locale)
  } catch {}
}

export const codesOf = (): readonly string[] => Object.keys(catalogue)
export const hasMessage = (code: string): boolean => Object.hasOwn(catalogue, code)

/** What the gateway says (a refusal, a line of the feed, a reason) in the language of the page. */
export function translateMessage(message: Message): string {
  const text = textOf(message)
  return language === PSEUDO ? pseudoText(text) : text
}
