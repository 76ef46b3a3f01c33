/**
 * A PN value in the parts that people type (PS3.5 §6.2.1). The second and third group are kept as
 * they are.
 */
export interface NameParts {
  readonly family: string
  readonly given: string
  readonly middle: string
  readonly prefix: string
  readonly suffix: string
  readonly ideographic: string
  readonly phonetic: string
}

export function namePartsOf(personName: string): NameParts {
  const [alphabetic = '', ideographic = '', ...phonetic] = personName.split('=')
  const [family = '', given = '', middle = '', prefix = '', ...suffix] = alphabetic
    .split('^')
    .map((part) => part.trim())
  return {
    family,
    given,
    middle,
    prefix,
    suffix: suffix.join('^'),
    ideographic,
    phonetic: phonetic.join('='),
  }
}

/** The PN value without delimiters at the end of a group or of the whole. */
export function joinedName(parts: NameParts): string {
  const { family, given, middle, prefix, suffix, ideographic, phonetic } = parts
  const alphabetic = [family, given, middle, prefix, suffix].map((part) => part.trim()).join('^')
  return [alphabetic, ideographic.trim(), phonetic.trim()]
    .map((group) => group.replace(/\^+$/, ''))
    .join('=')
    .replace(/=+$/, '')
}
