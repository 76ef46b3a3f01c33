import { inLanguage } from '../i18n/words.ts'
import { en } from './words.en.ts'
import { es } from './words.es.ts'

/** Every text of the page that an invitation's link opens. */
export const words = inLanguage(en, es)
