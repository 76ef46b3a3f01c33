/** Languages of the window. `test/shared/messages/catalogues.test.ts` reports missing texts. */
export const LANGUAGES = { en: 'English', es: 'Español' } as const
export type Language = keyof typeof LANGUAGES

const STORAGE_KEY = 'isthmus-language'
/**
 * English between brackets, longer and with accents: what is not in it is not in the words
 * (docs/decisions/0021).
 */
export const PSEUDO = 'pseudo'

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text)

function chosenLanguage(): Language | typeof PSEUDO | undefined {
  const storedLanguage = globalThis.localStorage?.getItem(STORAGE_KEY) ?? ''
  return storedLanguage === PSEUDO || isLanguage(storedLanguage) ? storedLanguage : undefined
}
const browserLanguage = (): Language | undefined =>
  globalThis.window?.navigator.languages
    .map((tag) => tag.slice(0, 2).toLowerCase())
    .find(isLanguage)

/**
 * The language of this page: chosen on this PC, else the browser's. It stays for as long as the
 * page does.
 */
export const language: Language | typeof PSEUDO = chosenLanguage() ?? browserLanguage() ?? 'en'
/**
 * For `Intl`. English is written as clinics outside the United States do: 24 hours, day before
 * month.
 */
export const locale: string = language === 'es' ? 'es' : 'en-GB'

/** Takes effect by loading the page anew: words are constants. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next)
  window.location.reload()
}
