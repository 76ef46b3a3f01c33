import { inLanguage } from '../i18n/words.ts'
import { en } from './setting-names.en.ts'
import { es } from './setting-names.es.ts'

const names = inLanguage(en, es)

/** Groups in their order, by the first part of a key. */
export const GROUPS: Readonly<Record<string, { readonly title: string; readonly about: string }>> =
  names.groups
/** Names of settings; one that is not here is named by its key. */
export const LABELS: Readonly<Record<string, string>> = names.labels
/** Names of the values of settings that are chosen from a list. */
export const OPTIONS: Readonly<Record<string, string>> = names.options
