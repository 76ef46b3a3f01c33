import { type Message, openMessages } from '#shared/messages/message.ts'
import { language, locale, PSEUDO } from './language.ts'
import { pseudoText } from './pseudo.ts'

const CATALOGUES = {
  en: () => import('#shared/messages/en.json'),
  es: () => import('#shared/messages/es.json'),
}

let textOf = openMessages({}, locale)

/** Loads the catalogue of messages in the language of the page, before the page is drawn. */
export async function loadMessages(): Promise<void> {
  const { default: catalogue } = await CATALOGUES[language === PSEUDO ? 'en' : language]()
  textOf = openMessages(catalogue, locale)
}

/** What the gateway says (a refusal, a line of the feed, a reason) in the language of the page. */
export function said(message: Message): string {
  const text = textOf(message)
  return language === PSEUDO ? pseudoText(text) : text
}
