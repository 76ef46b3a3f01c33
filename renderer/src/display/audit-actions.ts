import { inLanguage } from '../i18n/words.ts'
import { en } from './audit-actions.en.ts'
import { es } from './audit-actions.es.ts'

const words = inLanguage(en, es)

/** Acts in the groups of a menu: its name, then the act and its words. */
export const ACT_GROUPS: readonly {
  readonly name: string
  readonly acts: readonly (readonly [action: string, text: string])[]
}[] = Object.values(words).map(({ name, acts }) => ({ name, acts: Object.entries(acts) }))

const TEXTS = new Map(ACT_GROUPS.flatMap(({ acts }) => acts))

/** An act of the audit trail in words; undefined for one that is not of this version. */
export const actText = (action: string): string | undefined => TEXTS.get(action)
