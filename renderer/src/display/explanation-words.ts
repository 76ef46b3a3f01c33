import { inLanguage } from '../i18n/words.ts'
import { en } from './explanation-words.en.ts'
import { es } from './explanation-words.es.ts'

export const words = inLanguage(en, es)
