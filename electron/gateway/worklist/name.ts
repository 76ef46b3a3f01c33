// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/**
 * Component groups of a PN as they are compared: compatibility forms made one, without case and without the diacritics of Latin, Greek
 * and Cyrillic letters, without empty components at the end. PS3.4 C.2.2.2.4 leaves this to the implementation; docs/CONFORMANCE.md says it.
 */
export const foldName = (name: string): readonly string[] => name.split('=').map(foldGroup)

function foldGroup(group: string): string {
  const trimmed = group
    .split('^')
    .map((component) => component.trim())
    .join('^')
    .replace(/\^+$/, '')
  if (ASCII.test(trimmed)) return trimmed.toLowerCase()
  // Upper case first, so that ß and ſ meet ss and s. Recomposed at the end: Hangul syllables and kana with their marks stay whole.
  return trimmed
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}
