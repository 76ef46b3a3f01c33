import { withoutEnd } from '#server/dicom/data-set/padding.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/** PS3.5 §6.2.1: alphabetic, ideographic and phonetic. */
const MOST_GROUPS = 3

/**
 * Component groups of a PN as they are compared: compatibility forms made one, without case and
 * without the diacritics of Latin, Greek and Cyrillic letters, without empty components at the end.
 * PS3.4 C.2.2.2.4 leaves this to the implementation; docs/CONFORMANCE.md says it.
 */
export const foldName = (name: string): readonly string[] =>
  name.split('=', MOST_GROUPS).map(foldGroup)

function foldGroup(group: string): string {
  const trimmed = withoutEnd(
    group
      .split('^')
      .map((component) => component.trim())
      .join('^'),
    '^',
  )
  if (ASCII.test(trimmed)) return trimmed.toLowerCase()
  // Upper case first, so that ß and ſ meet ss and s. Recomposed at the end: Hangul syllables and
  // kana with their marks stay whole.
  return trimmed
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}
