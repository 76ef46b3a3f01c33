/**
 * In the order they are looked for: every browser says that it is several of those that came before
 * it.
 */
const BROWSERS = [
  ['Electron/', 'Isthmus'],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const SYSTEMS = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/**
 * What a User-Agent header says, in short, such as `Chrome on Windows`; empty where it says nothing
 * that is known.
 */
export function browserName(userAgent: string | undefined): string {
  const find = (names: readonly (readonly [sign: string, name: string])[]) =>
    names.find(([sign]) => userAgent?.includes(sign))?.[1]
  return [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined).join(' on ')
}
