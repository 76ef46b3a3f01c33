import { inLanguage } from '../language/words.ts'
import { en } from './event-words.en.ts'
import { es } from './event-words.es.ts'

export const words = inLanguage(en, es)
