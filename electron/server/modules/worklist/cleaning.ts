/** Normalizes text of the partner for use in DICOM values. */

// Bidirectional controls and zero-width characters, which would only make a value misleading.
const INVISIBLE_CHARACTERS = /[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/g
const SPACING = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g
const UNCLEAN_CHARACTER = /[^\x20-\x5b\x5d-\x7e]/
/** U+FFFD or an unpaired surrogate: characters were lost before the text was received. */
const DAMAGED_CHARACTER =
  /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Whether characters were lost in transmission. */
export const isDamaged = (text: string): boolean => DAMAGED_CHARACTER.test(text)

/**
 * Normalizes to NFC, replaces tabs and line breaks with spaces and `\` (the value delimiter) with
 * `/`, removes other control characters, and trims.
 */
export function cleanText(text: string): string {
  if (!UNCLEAN_CHARACTER.test(text)) return text.trim()
  return text
    .normalize('NFC')
    .replace(SPACING, ' ')
    .replace(CONTROL_CHARACTERS, '')
    .replace(INVISIBLE_CHARACTERS, '')
    .replaceAll('\\', '/')
    .trim()
}

/**
 * Returns a trimmed identifier in NFC, or undefined if more would have to change: two different
 * identifiers must never become the same one.
 */
export function cleanIdentifier(text: string): string | undefined {
  const trimmed = text.trim()
  return cleanText(trimmed) === trimmed.normalize('NFC') && !isDamaged(trimmed)
    ? trimmed.normalize('NFC')
    : undefined
}

/** Truncates to the 64 characters of an LO. */
export const truncateToLo = (text: string): string =>
  text.length <= 64 ? text : [...text].slice(0, 64).join('').trim()

export const characterCount = (text: string): number =>
  text.length <= 16 ? text.length : [...text].length

/**
 * Normalizes a PN to at most three component groups of at most five components, without trailing
 * empty ones (PS3.5 §6.2.1).
 */
export function cleanName(text: string): string {
  const groups = cleanText(text)
    .split('=')
    .slice(0, 3)
    .map((group) => {
      const components = group.split('^').map((component) => component.replace(/ +/g, ' ').trim())
      const fiveComponents =
        components.length <= 5
          ? components
          : [...components.slice(0, 4), components.slice(4).filter(Boolean).join(' ')]
      return fiveComponents.join('^').replace(/\^+$/, '')
    })
  return groups.join('=').replace(/=+$/, '')
}

/** Converts `YYYY-MM-DD` and `YYYY.MM.DD` to `YYYYMMDD`; returns other text trimmed. */
export const normalizeDate = (text: string): string =>
  text.trim().replace(/^(\d{4})([-.])(\d\d)\2(\d\d)$/, '$1$3$4')

/**
 * Converts a TM, `HH:MM` or `HH:MM:SS` to `HHMMSS` without a fraction; undefined for anything else.
 */
export function normalizeTime(text: string): string | undefined {
  const parts = /^([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:\.\d+)?)?)?$/.exec(text.trim())
  if (!parts) return undefined
  const [, hour = '', minute = '00', second = '00'] = parts
  // A leap second is valid in TM, but no modality's clock has one.
  return `${hour}${minute}${second === '60' ? '59' : second}`
}

/**
 * Returns the text as a DS of at most 16 characters; undefined if it is not a number within the
 * bounds.
 */
export function normalizeDecimal(text: string, least: number, most: number): string | undefined {
  const plain = text.trim().replace(/^(\d+),(\d+)$/, '$1.$2')
  if (!/^\+?(\d+(\.\d*)?|\.\d+)$/.test(plain)) return undefined
  const value = Number(plain)
  if (!(value >= least && value <= most)) return undefined
  return plain.length <= 16 ? plain : String(Number(value.toPrecision(12)))
}
