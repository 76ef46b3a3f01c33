/** VRs in which `*` and `?` are wild cards (PS3.4 C.2.2.2.4). */
export const WILD_CARD_VRS: ReadonlySet<string> = new Set([
  'AE',
  'CS',
  'LO',
  'LT',
  'PN',
  'SH',
  'ST',
  'UC',
  'UR',
  'UT',
])
export const hasWildCard = (text: string): boolean => /[*?]/.test(text)

/**
 * Compiles a wild card pattern (PS3.4 C.2.2.2.4): `*` matches any characters, `?` one. The matcher
 * backtracks to the last `*` only, so that a pattern such as `*a*a*a*b` takes at most the product
 * of both lengths.
 */
export function wildCardTest(key: string): (text: string) => boolean {
  // Consecutive `*` are equivalent to one, and would cost time for each row.
  const pattern = key.replace(/\*+/g, '*')
  const starAt = pattern.indexOf('*')
  if (starAt >= 0 && starAt === pattern.length - 1 && !pattern.includes('?')) {
    const beginning = pattern.slice(0, -1)
    return (text) => text.startsWith(beginning)
  }
  return (text) => {
    let at = 0
    let patternAt = 0
    let lastStar = -1
    let resume = 0
    while (at < text.length) {
      const wanted = pattern[patternAt]
      if (wanted === '*') {
        lastStar = patternAt++
        resume = at
      } else if (wanted === '?') {
        patternAt++
        at += widthAt(text, at)
      } else if (wanted === text[at]) {
        patternAt++
        at++
      } else if (lastStar >= 0) {
        patternAt = lastStar + 1
        // May stop in the middle of a surrogate pair; that is harmless, because only a whole
        // character begins a match.
        at = ++resume
      } else return false
    }
    if (pattern[patternAt] === '*') patternAt++
    return patternAt === pattern.length
  }
}

// A character may take two code units.
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
