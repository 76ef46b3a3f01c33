import { t } from '../i18n/t.ts'

/** A person's name as screens show it. */
interface ShownName {
  /** Family name of the alphabetic group, letters as the partner wrote them. */
  readonly family: string
  /** What follows the comma: given and middle names, then suffix and prefix. */
  readonly rest: string
  /** The ideographic group, empty where there is none. */
  readonly ideographic: string
}

/**
 * Reads a PN value for the screen (PS3.5 §6.2.1: up to three groups separated by `=`; in each
 * family^given^middle^prefix^suffix). Where only the ideographic group is filled it takes the first
 * place. Letters are never changed: upper case is not the same name in every script.
 */
export function shownName(personName: string): ShownName {
  const [alphabetic = '', ideographic = '', phonetic = ''] = personName.split('=')
  const first =
    [alphabetic, ideographic, phonetic].find((group) => group.replaceAll('^', '').trim() !== '') ??
    ''
  const [family = '', ...others] = componentsOf(first)
  const [given = '', middle = '', prefix = '', suffix = ''] = others
  const named = [given, middle].filter(Boolean).join(' ')
  return {
    family: family || named,
    rest: [family ? named : '', suffix, prefix].filter(Boolean).join(', '),
    ideographic: first === ideographic ? '' : componentsOf(ideographic).filter(Boolean).join(' '),
  }
}

/** `LAST, First` on one line; `(no name)` for an empty value. */
export function nameText(personName: string): string {
  const { family, rest, ideographic } = shownName(personName)
  const name = [family, rest].filter(Boolean).join(', ')
  if (name === '') return t('ui.format.noName')
  return ideographic ? `${name} (${ideographic})` : name
}

const componentsOf = (group: string) => group.split('^').map((component) => component.trim())
