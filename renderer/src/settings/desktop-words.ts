import { inLanguage } from '../i18n/words.ts'
import { en } from './desktop-words.en.ts'
import { es } from './desktop-words.es.ts'

export const words = inLanguage(en, es)
