import {
  ARABIC,
  ASCII,
  CODE_ELEMENTS,
  type CodeElement,
  CYRILLIC,
  GB_2312,
  GREEK,
  HEBREW,
  JIS_KATAKANA,
  JIS_ROMAN,
  JIS_X_0208,
  JIS_X_0212,
  KS_X_1001,
  LATIN_1,
  LATIN_2,
  LATIN_3,
  LATIN_4,
  LATIN_5,
  LATIN_9,
  THAI,
} from './code-element.ts'
import { type UnicodeSet, unicodeSetOf } from './unicode-set.ts'

/**
 * The decoded text. Bytes that the set does not define become U+FFFD, and `isExact` is then false.
 */
export interface DecodedText {
  readonly text: string
  readonly isExact: boolean
}

/** PS3.3 Tables C.12-2 to C.12-4, by ISO registration number; G0 before G1. */
const ELEMENTS_BY_REGISTRATION: Readonly<Record<string, readonly CodeElement[]>> = {
  '6': [ASCII],
  '100': [ASCII, LATIN_1],
  '101': [ASCII, LATIN_2],
  '109': [ASCII, LATIN_3],
  '110': [ASCII, LATIN_4],
  '144': [ASCII, CYRILLIC],
  '127': [ASCII, ARABIC],
  '126': [ASCII, GREEK],
  '138': [ASCII, HEBREW],
  '148': [ASCII, LATIN_5],
  '203': [ASCII, LATIN_9],
  '166': [ASCII, THAI],
  '13': [JIS_ROMAN, JIS_KATAKANA],
  '87': [JIS_X_0208],
  '159': [JIS_X_0212],
  '149': [KS_X_1001],
  '58': [GB_2312],
}

interface CharacterSet {
  /** Set for the character sets without code extensions: ISO_IR 192, GB18030, GBK. */
  readonly unicode: UnicodeSet | undefined
  /** The initial G0 and G1, designated by value 1 (PS3.5 6.1.2.5.3). */
  readonly g0: CodeElement
  readonly g1: CodeElement | undefined
  /** The code elements that may be designated, those of value 1 first. */
  readonly elements: readonly CodeElement[]
  /**
   * Some writers omit the escape sequence of a two-byte G1 set. If only one such set is declared,
   * it is assumed.
   */
  readonly impliedG1: CodeElement | undefined
}

/** PS3.5 6.1.2.2: the VRs that the attribute affects; all others use the default repertoire. */
const AFFECTED_VRS = new Set(['SH', 'LO', 'ST', 'LT', 'UC', 'UT', 'PN'])

/**
 * PS3.5 6.1.2.5.3: the delimiters that reset the code elements to value 1, besides control
 * characters.
 */
const DELIMITERS: Readonly<Record<string, string>> = { PN: '\\^=', LT: '', ST: '', UT: '' }
const delimitersOf = (vr: string) => DELIMITERS[vr] ?? '\\'

const ESC = 0x1b
const REPLACEMENT_CHARACTER = '\uFFFD'
/** The control characters that PS3.5 6.1.3 allows in text. */
const ALLOWED_CONTROLS = '\t\n\f\r'
/**
 * Text that is encoded identically in every set whose value 1 is based on ASCII, which is most
 * text.
 */
const PLAIN_ASCII = /^[\x20-\x7e]*$/

/**
 * Decodes the bytes of a text value (all values, delimiters included) in the Specific Character Set
 * (0008,0005). `terms`: the values of that attribute as received, empty for the default repertoire.
 * `vr` determines which delimiters end a code extension (PS3.5 6.1.2.5.3) and whether the attribute
 * applies. A set that PS3.3 does not define is decoded as the default repertoire. Padding is kept.
 * Never throws.
 */
export function decodeText(bytes: Buffer, terms: readonly string[], vr = 'LO'): DecodedText {
  const set = characterSetFor(vr, terms)
  if (set.unicode) return decodedText(set.unicode.decode(bytes))
  const text = bytes.toString('latin1')
  if (set.g0 === ASCII && PLAIN_ASCII.test(text)) return { text, isExact: true }
  return decodedText(decodeExtended(bytes, set, delimitersOf(vr)))
}

const decodedText = (text: string): DecodedText => ({
  text,
  isExact: !text.includes(REPLACEMENT_CHARACTER),
})

// PS3.5 6.1.2.5: codes 21-7E are in G0 and A0-FF in G1; escape sequences designate the sets.
function decodeExtended(bytes: Buffer, set: CharacterSet, delimiters: string): string {
  let { g0, g1 } = set
  let lastG1 = set.impliedG1
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === ESC) {
      const invoked = CODE_ELEMENTS.find(({ designator }) =>
        designator.every((expected, after) => bytes[at + 1 + after] === expected),
      )
      if (!invoked) {
        text += REPLACEMENT_CHARACTER
        continue
      }
      at += invoked.designator.length
      if (invoked.region === 'G0') g0 = invoked
      else g1 = lastG1 = invoked
      continue
    }
    if (byte < 0x20) {
      text += String.fromCharCode(byte)
      g0 = set.g0
      g1 = set.g1
      continue
    }
    if (byte === 0x20) {
      text += ' '
      continue
    }
    // Many writers designate a two-byte G1 set only once for the whole value. If value 1 has no G1
    // set, the last designated one is used.
    const element = (byte & 0x80) === 0 ? g0 : (g1 ?? lastG1)
    const next = bytes[at + 1] ?? 0
    if (element?.bytes === 2) {
      const isPair = (next & 0x80) === (byte & 0x80) && isIn94Set(byte) && isIn94Set(next)
      text += isPair
        ? (element.decode(((byte & 0x7f) << 8) | (next & 0x7f)) ??
          REPLACEMENT_CHARACTER + REPLACEMENT_CHARACTER)
        : REPLACEMENT_CHARACTER
      if (isPair) at++
      continue
    }
    // 5C is the delimiter even in sets that have a yen sign there (PS3.5 6.1.2.5.3 note).
    const isBackslash = byte === 0x5c && delimiters.includes('\\')
    const character = isBackslash ? '\\' : (element?.decode(byte & 0x7f) ?? REPLACEMENT_CHARACTER)
    text += character
    if (delimiters.includes(character)) {
      g0 = set.g0
      g1 = set.g1
    }
  }
  return text
}

const isIn94Set = (byte: number) => (byte & 0x7f) >= 0x21 && (byte & 0x7f) <= 0x7e

/**
 * Encodes text (in NFC) in the given Specific Character Set; `undefined` if the set lacks a
 * character, which is never substituted. The first component group of a PN uses only the set of
 * value 1 (PS3.5 6.2.1.2). A backslash separates values, except in LT, ST and UT.
 */
export function encodeText(text: string, terms: readonly string[], vr = 'LO'): Buffer | undefined {
  const set = characterSetFor(vr, terms)
  if (set.g0 === ASCII && PLAIN_ASCII.test(text)) return Buffer.from(text)
  if (/[\uFFFD\p{Cs}]/u.test(text)) return undefined
  for (const control of text.match(/\p{Cc}/gu) ?? [])
    if (!ALLOWED_CONTROLS.includes(control)) return undefined
  if (set.unicode) return set.unicode.encode(text)
  return encodeExtended(text, set, vr)
}

function encodeExtended(text: string, set: CharacterSet, vr: string): Buffer | undefined {
  const delimiters = delimitersOf(vr)
  const initialElements = [set.g0, ...(set.g1 ? [set.g1] : [])]
  const out: number[] = []
  let { g0, g1 } = set
  let isAlphabetic = vr === 'PN'

  const invoke = (element: CodeElement) => {
    out.push(ESC, ...element.designator)
    if (element.region === 'G0') g0 = element
    else g1 = element
  }
  const returnToValueOne = () => {
    if (g0 !== set.g0) invoke(set.g0)
    if (set.g1 && g1 !== set.g1) invoke(set.g1)
    g1 = set.g1
  }
  const put = (character: string): boolean => {
    const active = g1 ? [g0, g1] : [g0]
    for (const element of isAlphabetic ? initialElements : [...active, ...set.elements]) {
      const code = element.encode(character)
      // The yen sign of ISO-IR 14 would be read as a delimiter in VRs that have one.
      if (
        code === undefined ||
        (element === JIS_ROMAN && code === 0x5c && delimiters.includes('\\'))
      )
        continue
      if (element !== g0 && element !== g1) invoke(element)
      const high = element.region === 'G1' ? 0x80 : 0
      if (element.bytes === 2) out.push((code >> 8) | high, (code & 0xff) | high)
      else out.push(code | high)
      return true
    }
    return false
  }

  for (const character of text) {
    const isDelimiter = delimiters.includes(character)
    if (isDelimiter || ALLOWED_CONTROLS.includes(character)) {
      returnToValueOne()
      out.push(character.charCodeAt(0))
      if (isDelimiter && vr === 'PN' && character !== '^') isAlphabetic = character === '\\'
      continue
    }
    if (!put(character)) return undefined
  }
  returnToValueOne()
  return Buffer.from(out)
}

/**
 * The values of (0008,0005) to send to a device configured with `set`: none for the default
 * repertoire, because the attribute must not be empty (PS3.4 C.2.2.2); an empty value 1 before a
 * two-byte set (PS3.5 H.3.1, I.2, K.2). `set` may contain several values, separated by backslashes.
 */
export function specificCharacterSetFor(set: string): readonly string[] {
  if (set === '' || set === 'ISO_IR 6') return []
  if (set === 'ISO 2022 IR 159') return ['', 'ISO 2022 IR 87', set]
  if (['ISO 2022 IR 87', 'ISO 2022 IR 149', 'ISO 2022 IR 58'].includes(set)) return ['', set]
  return set.split('\\')
}

/**
 * The character set configured for a device, used for data sets that declare none; empty if none is
 * configured.
 */
export const characterSetOf = (
  device: { readonly characterSet: string | null } | undefined,
): readonly string[] => (device?.characterSet ? specificCharacterSetFor(device.characterSet) : [])

/** Whether PS3.3 C.12.1.1.2 defines all of these terms. */
export const isDefinedCharacterSet = (terms: readonly string[]): boolean =>
  terms
    .map(plainTerm)
    .every(
      (term) =>
        term === '' ||
        Object.hasOwn(ELEMENTS_BY_REGISTRATION, term) ||
        unicodeSetOf(term) !== undefined,
    )

/**
 * The registration number of a term: 87 for `ISO 2022 IR 87` and `ISO_IR 87`, with any spelling of
 * spaces and underscores.
 */
function plainTerm(term: string): string {
  const text = term.trim().toUpperCase()
  return /^ISO(?:[ _-]?2022)?[ _-]?IR[ _-]?(\d{1,3})$/.exec(text)?.[1] ?? text
}

const DEFAULT_REPERTOIRE: readonly string[] = []
/** Keyed by the array, because all values of a data set share the same one. */
const resolved = new WeakMap<readonly string[], CharacterSet>()

function characterSetFor(vr: string, declared: readonly string[]): CharacterSet {
  const terms = AFFECTED_VRS.has(vr) ? declared : DEFAULT_REPERTOIRE
  const known = resolved.get(terms)
  if (known) return known
  const set = resolve(terms.map(plainTerm))
  resolved.set(terms, set)
  return set
}

function resolve(terms: readonly string[]): CharacterSet {
  const elements = terms.map((term) => ELEMENTS_BY_REGISTRATION[term] ?? [])
  // A two-byte set in value 1 is a writer error and is treated as if it were in value 2.
  const [g0 = ASCII, g1] = elements[0]?.filter(({ bytes }) => bytes === 1) ?? []
  const doubleByteG1 = elements.flat().filter(({ region, bytes }) => region === 'G1' && bytes === 2)
  return {
    unicode: terms.map(unicodeSetOf).find((set) => set !== undefined),
    g0,
    g1,
    elements: [g0, ...(g1 ? [g1] : []), ...elements.flat()],
    impliedG1: doubleByteG1.length === 1 ? doubleByteG1[0] : undefined,
  }
}
