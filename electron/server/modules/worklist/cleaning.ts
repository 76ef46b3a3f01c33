/** Text of the partner made fit for a DICOM value. */

// Marks that turn the direction of writing or have no width: in a value they only hide what it
// says.
const INVISIBLE = /[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/g
const SPACING = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g
const UNCLEAN = /[^\x20-\x5b\x5d-\x7e]/
/** U+FFFD, or half a surrogate pair: something was lost before the text came here. */
const DAMAGED = /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Whether characters were lost on the way. */
export const isDamaged = (text: string): boolean => DAMAGED.test(text)

/**
 * NFC, tabs and line ends as spaces, other control characters removed, `\` as `/` (it would divide
 * the value), no spaces around.
 */
export function cleanText(text: string): string {
  if (!UNCLEAN.test(text)) return text.trim()
  return text
    .normalize('NFC')
    .replace(SPACING, ' ')
    .replace(CONTROL, '')
    .replace(INVISIBLE, '')
    .replaceAll('\\', '/')
    .trim()
}

/**
 * An identifier: nothing in it may be changed, because two of them could become one. Undefined
 * where it would have to be.
 */
export function cleanIdentifier(text: string): string | undefined {
  const trimmed = text.trim()
  return cleanText(trimmed) === trimmed.normalize('NFC') && !isDamaged(trimmed)
    ? trimmed.normalize('NFC')
    : undefined
}

/** LO: at most 64 characters. */
export const truncateToLo = (text: string): string =>
  text.length <= 64 ? text : [...text].slice(0, 64).join('').trim()

export const lengthOf = (text: string): number =>
  text.length <= 16 ? text.length : [...text].length

/**
 * PS3.5 §6.2.1: at most three component groups of at most five components, without empty ones at
 * the end.
 */
export function cleanName(text: string): string {
  const groups = cleanText(text)
    .split('=')
    .slice(0, 3)
    .map((group) => {
      const components = group.split('^').map((component) => component.replace(/ +/g, ' ').trim())
      const five =
        components.length <= 5
          ? components
          : [...components.slice(0, 4), components.slice(4).filter(Boolean).join(' ')]
      return five.join('^').replace(/\^+$/, '')
    })
  return groups.join('=').replace(/=+$/, '')
}

/** `YYYYMMDD` of the forms that partners write: with hyphens or points too. */
export const plainDate = (text: string): string =>
  text.trim().replace(/^(\d{4})([-.])(\d\d)\2(\d\d)$/, '$1$3$4')

/**
 * `HHMMSS` of a TM, of `HH:MM` and of `HH:MM:SS`, without a fraction; undefined for anything else.
 */
export function plainTime(text: string): string | undefined {
  const parts = /^([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:\.\d+)?)?)?$/.exec(text.trim())
  if (!parts) return undefined
  const [, hour = '', minute = '00', second = '00'] = parts
  // A leap second is valid in TM; no console's clock has one.
  return `${hour}${minute}${second === '60' ? '59' : second}`
}

/** A DS of at most 16 characters within bounds; undefined for anything else. */
export function decimal(text: string, least: number, most: number): string | undefined {
  const plain = text.trim().replace(/^(\d+),(\d+)$/, '$1.$2')
  if (!/^\+?(\d+(\.\d*)?|\.\d+)$/.test(plain)) return undefined
  const value = Number(plain)
  if (!(value >= least && value <= most)) return undefined
  return plain.length <= 16 ? plain : String(Number(value.toPrecision(12)))
}
