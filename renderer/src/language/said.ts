import { openCatalogue } from './catalogue.ts'
import { language, PSEUDO } from './language.ts'
import { pseudoText } from './pseudo.ts'

let inSpanish: (sentence: string) => string = (sentence) => sentence

/** Loads the sentences of the gateway in the language of the page; before the page is drawn. */
export async function loadSentences(): Promise<void> {
  if (language !== 'es') return
  const { SENTENCES } = await import('./sentences.es.ts')
  inSpanish = openCatalogue(SENTENCES)
}

/**
 * A sentence that the gateway wrote (a refusal, a line of the feed, a reason) in the language of
 * the page. The gateway speaks English: to logs, partners and the command line too. A sentence that
 * is not in the catalogue stays as it is.
 */
export const said = (sentence: string): string =>
  language === PSEUDO ? pseudoText(sentence) : inSpanish(sentence)
