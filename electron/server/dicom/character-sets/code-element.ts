/**
 * A code element of ISO 2022 (PS3.3 C.12.1.1.2, Tables C.12-2 to C.12-4): the region it is
 * designated to, its escape sequence, and its characters. Codes are in 7-bit form; those of
 * two-byte sets are `first << 8 | second`.
 */
export interface CodeElement {
  readonly region: 'G0' | 'G1'
  readonly bytes: 1 | 2
  /** The bytes of its escape sequence after ESC. */
  readonly designator: readonly number[]
  /** The character of a code; `undefined` if the set does not define it. */
  decode(code: number): string | undefined
  /** The code of a character; `undefined` if the set does not contain it. */
  encode(character: string): number | undefined
}

/**
 * Decoding accepts more characters than encoding: vendor extensions and later additions are
 * understood but never sent.
 */
interface Repertoire {
  readonly characters: () => ReadonlyMap<number, string>
  readonly isEncodable?: (code: number) => boolean
  readonly aliases?: Readonly<Record<string, number>>
}

function element(
  region: 'G0' | 'G1',
  bytes: 1 | 2,
  designator: readonly number[],
  repertoire: Repertoire,
): CodeElement {
  const { isEncodable = () => true, aliases = {} } = repertoire
  let characters: ReadonlyMap<number, string> | undefined
  let codes: Map<string, number> | undefined
  const decodingTable = () => {
    characters ??= repertoire.characters()
    return characters
  }
  const encodingTable = () => {
    codes ??= codesOf([...decodingTable()].filter(([code]) => isEncodable(code)))
    return codes
  }
  return {
    region,
    bytes,
    designator,
    decode: (code) => decodingTable().get(code),
    encode: (character) => aliases[character] ?? encodingTable().get(character),
  }
}

/** The upper half of a single-byte set, derived from the platform's decoder (by WHATWG label). */
const upperHalfElement = (label: string, final: number, isEncodable?: (code: number) => boolean) =>
  element('G1', 1, [0x2d, final], {
    characters: () => tableOf(label, range(0x20, 0x7f), (code) => [code | 0x80]),
    ...(isEncodable && { isEncodable }),
  })

/**
 * A set of 94 rows of 94 characters, derived from the platform's decoder of an EUC encoding that
 * contains it.
 */
const elementOf94Rows = (
  region: 'G0' | 'G1',
  designator: readonly number[],
  label: string,
  more: {
    readonly prefix?: readonly number[]
    readonly isEncodable: (code: number) => boolean
    readonly aliases?: Readonly<Record<string, number>>
  },
) =>
  element(region, 2, designator, {
    characters: () =>
      tableOf(
        label,
        range(0x21, 0x7e).flatMap((row) => range(0x21, 0x7e).map((cell) => (row << 8) | cell)),
        (code) => [...(more.prefix ?? []), (code >> 8) | 0x80, (code & 0xff) | 0x80],
      ),
    isEncodable: more.isEncodable,
    ...(more.aliases && { aliases: more.aliases }),
  })

const row = (code: number) => (code >> 8) - 0x20

/** The default repertoire, ISO-IR 6 (PS3.5 Table E.1-1). */
export const ASCII = element('G0', 1, [0x28, 0x42], {
  characters: () => new Map(range(0x20, 0x7e).map((code) => [code, String.fromCharCode(code)])),
})

/** ISO-IR 14, the Roman set of JIS X 0201: yen and overline where ASCII has backslash and tilde. */
export const JIS_ROMAN = element('G0', 1, [0x28, 0x4a], {
  characters: () =>
    new Map(
      range(0x20, 0x7e).map((code) => [
        code,
        { 92: '¥', 126: '‾' }[code] ?? String.fromCharCode(code),
      ]),
    ),
})

/** ISO-IR 13, the half-width katakana of JIS X 0201. */
export const JIS_KATAKANA = element('G1', 1, [0x29, 0x49], {
  characters: () =>
    new Map(range(0x21, 0x5f).map((code) => [code, String.fromCharCode(0xff40 + code)])),
})

/**
 * ISO 8859-1. The platform's decoder with this label is windows-1252, which differs only below A0,
 * outside this table.
 */
export const LATIN_1 = upperHalfElement('iso-8859-1', 0x41)
export const LATIN_2 = upperHalfElement('iso-8859-2', 0x42)
export const LATIN_3 = upperHalfElement('iso-8859-3', 0x43)
export const LATIN_4 = upperHalfElement('iso-8859-4', 0x44)
export const CYRILLIC = upperHalfElement('iso-8859-5', 0x4c)
export const ARABIC = upperHalfElement('iso-8859-6', 0x47)
// ISO-IR 126 is the 1987 edition; euro, drachma and ypogegrammeni were added in 2003.
export const GREEK = upperHalfElement(
  'iso-8859-7',
  0x46,
  (code) => ![0x24, 0x25, 0x2a].includes(code),
)
// ISO-IR 138 is the 1988 edition; the directional marks were added in 1999.
export const HEBREW = upperHalfElement('iso-8859-8', 0x48, (code) => code < 0x7d)
export const LATIN_5 = upperHalfElement('iso-8859-9', 0x4d)
export const THAI = upperHalfElement('windows-874', 0x54, (code) => code > 0x20)
export const LATIN_9 = upperHalfElement('iso-8859-15', 0x62)

/**
 * ISO-IR 87. Rows 9 to 15 and from 85 on are vendor extensions; row 84 ends after six characters.
 */
export const JIS_X_0208 = elementOf94Rows('G0', [0x24, 0x42], 'euc-jp', {
  isEncodable: (code) => row(code) < 9 || (row(code) > 15 && code <= 0x7426),
  // The decoder follows Microsoft's mapping; these are the standard's characters for the same
  // codes.
  aliases: {
    '—': 0x213d,
    '‖': 0x2142,
    '〜': 0x2141,
    '−': 0x215d,
    '¢': 0x2171,
    '£': 0x2172,
    '¬': 0x224c,
  },
})
/** ISO-IR 159. The platform decodes its tilde at 2237 as the full-width tilde of JIS X 0208. */
export const JIS_X_0212 = elementOf94Rows('G0', [0x24, 0x28, 0x44], 'euc-jp', {
  prefix: [0x8f],
  isEncodable: (code) => row(code) < 78 && code !== 0x2237,
})
/** ISO-IR 149; the euro and registered signs were added later. */
export const KS_X_1001 = elementOf94Rows('G1', [0x24, 0x29, 0x43], 'euc-kr', {
  isEncodable: (code) => code < 0x2266 || code > 0x2268,
})

/** The codes assigned by GB 2312 itself; GBK filled the gaps. */
const GB_2312_RUNS: readonly (readonly [number, number])[] = [
  [0x2121, 0x217e],
  [0x2231, 0x2262],
  [0x2265, 0x226e],
  [0x2271, 0x227c],
  [0x2321, 0x237e],
  [0x2421, 0x2473],
  [0x2521, 0x2576],
  [0x2621, 0x2638],
  [0x2641, 0x2658],
  [0x2721, 0x2741],
  [0x2751, 0x2771],
  [0x2821, 0x283a],
  [0x2845, 0x2869],
  [0x2924, 0x296f],
  [0x3021, 0x5779],
  [0x5821, 0x777e],
]
/** ISO-IR 58. */
export const GB_2312 = elementOf94Rows('G1', [0x24, 0x29, 0x41], 'gbk', {
  isEncodable: (code) => GB_2312_RUNS.some(([from, to]) => code >= from && code <= to),
  aliases: { '―': 0x212a, '・': 0x2124 },
})

/** All code elements, for lookup by escape sequence. */
export const CODE_ELEMENTS: readonly CodeElement[] = [
  ASCII,
  JIS_ROMAN,
  JIS_KATAKANA,
  LATIN_1,
  LATIN_2,
  LATIN_3,
  LATIN_4,
  CYRILLIC,
  ARABIC,
  GREEK,
  HEBREW,
  LATIN_5,
  THAI,
  LATIN_9,
  JIS_X_0208,
  JIS_X_0212,
  KS_X_1001,
  GB_2312,
]

/**
 * Inverts a decoding table. A character with two codes is encoded as the first; the others exist
 * for compatibility.
 */
export function codesOf(characters: Iterable<readonly [number, string]>): Map<string, number> {
  const codes = new Map<string, number>()
  for (const [code, character] of characters) if (!codes.has(character)) codes.set(character, code)
  return codes
}

/**
 * Decodes all codes in one call. A line feed after each code prevents an undefined code from
 * consuming its neighbor.
 */
export function tableOf(
  label: string,
  codes: readonly number[],
  bytesOf: (code: number) => readonly number[],
): Map<number, string> {
  const texts = new TextDecoder(label)
    .decode(Uint8Array.from(codes.flatMap((code) => [...bytesOf(code), 0x0a])))
    .split('\n')
  const table = new Map<number, string>()
  codes.forEach((code, at) => {
    const text = texts[at] ?? ''
    if (isOneCharacter(text)) table.set(code, text)
  })
  return table
}

/** Rejects private-use code points, which have no agreed meaning. */
const isOneCharacter = (text: string) =>
  [...text].length === 1 && !/[\uFFFD\p{Co}\p{Cn}\p{Cc}]/u.test(text)

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
