import { inLanguage } from '../i18n/words.ts'
import { en } from './words.en.ts'
import { es } from './words.es.ts'

/** Every text of the viewer. */
export const words = inLanguage(en, es)
