import { inLanguage } from '../i18n/words.ts'
import { en } from './access-words.en.ts'
import { es } from './access-words.es.ts'

export const words = inLanguage(en, es)
