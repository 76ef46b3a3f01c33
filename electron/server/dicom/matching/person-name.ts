import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import { trimTrailing } from '#server/dicom/data-set/vr.ts'
import { hasWildCard, wildCardTest } from './wild-card.ts'

/** Alphabetic, ideographic and phonetic (PS3.5 §6.2.1). */
const MAX_GROUPS = 3

/**
 * The component groups of a PN in the form in which they are compared: without compatibility
 * variants, case, diacritics of Latin, Greek and Cyrillic letters, and trailing empty components.
 * PS3.4 C.2.2.2.4 leaves this to the implementation; docs/CONFORMANCE.md documents it.
 */
export const foldName = (name: string): readonly string[] =>
  name.split('=', MAX_GROUPS).map(foldGroup)

function foldGroup(group: string): string {
  const trimmed = trimTrailing(
    group
      .split('^')
      .map((component) => component.trim())
      .join('^'),
    '^',
  )
  if (isAscii(trimmed)) return trimmed.toLowerCase()
  // Upper case first, so that ß and ſ match ss and s. Recomposed at the end, so that Hangul
  // syllables and kana with marks stay whole.
  return trimmed
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}

/**
 * The test of one value of a PN key on the component groups of a folded name (`foldName`). Component
 * groups are compared separately, and any of them may match. If the key has several groups, each is
 * compared with the group in the same position.
 * @param allowsMoreComponents whether the key also matches a name with further components: `SMITH`
 *   matches `SMITH^JOHN`
 */
export function nameTest(
  name: string,
  allowsMoreComponents: boolean,
): (held: readonly string[]) => boolean {
  const test = (wanted: string): ((held: string) => boolean) => {
    if (!hasWildCard(wanted))
      return (held) => held === wanted || (allowsMoreComponents && held.startsWith(`${wanted}^`))
    const [exact, more] = [
      wildCardTest(wanted),
      allowsMoreComponents ? wildCardTest(`${wanted}^*`) : () => false,
    ]
    return (held) => exact(held) || more(held)
  }
  const tests = foldName(name).map((group) => (/^\**$/.test(group) ? undefined : test(group)))
  const [only] = tests
  if (tests.length === 1 && only) return (held) => held.some(only)
  return (held) => tests.some((wanted, index) => wanted?.(held[index] ?? '') === true)
}
