import { inLanguage } from '../i18n/words.ts'
import { en } from './event-words.en.ts'
import { es } from './event-words.es.ts'

export const words = inLanguage(en, es)
