import { type Catalogue, type Message, openMessages } from '#shared/messages/message.ts'
import { language, locale, PSEUDO } from './language.ts'
import { paramText } from './param-text.ts'
import { pseudoText } from './pseudo.ts'

/**
 * Parts of a catalogue: the texts of the first screen, the messages of the server, and the texts of
 * the other screens (`vite.config.ts` has what belongs to each).
 */
const CATALOGUES = {
  en: {
    first: () => import('../../../shared/messages/en.json?part=first'),
    server: () => import('../../../shared/messages/en.json?part=server'),
    others: () => import('../../../shared/messages/en.json?part=others'),
  },
  es: {
    first: () => import('../../../shared/messages/es.json?part=first'),
    server: () => import('../../../shared/messages/es.json?part=server'),
    others: () => import('../../../shared/messages/es.json?part=others'),
  },
}
const CATALOGUE = CATALOGUES[language === PSEUDO ? 'en' : language]
type Part = keyof typeof CATALOGUE

const catalogue: Record<string, Catalogue[string]> = {}
const textOf = openMessages(catalogue, locale, paramText)
const loading = new Map<Part, Promise<void>>()

/**
 * Loads a part of the catalogue in the language of the page, unless it is there. Modules have texts
 * in constants, so they are loaded after the part that has them.
 * @throws where the gateway does not answer; the next call tries again
 */
export function loadPart(part: Part): Promise<void> {
  const known = loading.get(part)
  if (known) return known
  const loaded = CATALOGUE[part]().then(
    (texts) => void Object.assign(catalogue, texts.default),
    (error: unknown) => {
      loading.delete(part)
      throw error
    },
  )
  loading.set(part, loaded)
  return loaded
}

/**
 * Loads the whole catalogue. A part that does not come leaves a page that shows codes, which is
 * better than none.
 */
export async function loadMessages(): Promise<void> {
  await Promise.allSettled([loadPart('first'), loadPart('server'), loadPart('others')])
}

export const codesOf = (): readonly string[] => Object.keys(catalogue)
export const hasMessage = (code: string): boolean => Object.hasOwn(catalogue, code)

/** What the gateway says (a refusal, a line of the feed, a reason) in the language of the page. */
export function translateMessage(message: Message): string {
  const text = textOf(message)
  return language === PSEUDO ? pseudoText(text) : text
}
