import { inLanguage } from '../i18n/words.ts'
import { en } from './correction-words.en.ts'
import { es } from './correction-words.es.ts'

export const words = inLanguage(en, es)
