import { codesOf, tableOf } from './code-element.ts'

/**
 * A character set of PS3.3 Table C.12-5, which allows no code extensions: no escape sequences, and
 * delimiters as in ASCII.
 */
export interface UnicodeSet {
  /** Undefined bytes become U+FFFD. */
  decode(bytes: Buffer): string
  /**
   * `undefined` if the set lacks a character. The text must not contain lone surrogates or U+FFFD.
   */
  encode(text: string): Buffer | undefined
}

const SETS: Readonly<Record<string, UnicodeSet>> = {
  '192': { decode: decoderOf('utf-8'), encode: (text) => Buffer.from(text) },
  GB18030: {
    decode: decoderOf('gb18030'),
    encode: (text) => encodeChinese(text, gb18030Bytes),
  },
  GBK: { decode: decoderOf('gbk'), encode: (text) => encodeChinese(text, gbkBytes) },
}

/** Looks up a set by its term in (0008,0005), or by its registration number if it has one. */
export const unicodeSetOf = (term: string): UnicodeSet | undefined =>
  Object.hasOwn(SETS, term) ? SETS[term] : undefined

function decoderOf(label: string): (bytes: Buffer) => string {
  const decoder = new TextDecoder(label, { ignoreBOM: true })
  return (bytes) => decoder.decode(bytes)
}

function encodeChinese(
  text: string,
  bytesOf: (character: string) => readonly number[] | undefined,
): Buffer | undefined {
  const out: number[] = []
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    const bytes = codePoint < 0x80 ? [codePoint] : bytesOf(character)
    if (!bytes) return undefined
    out.push(...bytes)
  }
  return Buffer.from(out)
}

type Runs = readonly (readonly [number, number])[]
const isInRuns = (runs: Runs, code: number) => runs.some(([from, to]) => code >= from && code <= to)

/**
 * Codes whose character differs between editions of GB 18030; consoles may decode them differently.
 */
const UNSTABLE_RUNS: Runs = [
  [0xa6d9, 0xa6df],
  [0xa6ec, 0xa6ed],
  [0xa6f3, 0xa6f3],
  [0xa8bc, 0xa8bc],
  [0xfe59, 0xfe59],
  [0xfe61, 0xfe61],
  [0xfe66, 0xfe67],
  [0xfe6d, 0xfe6d],
  [0xfe7e, 0xfe7e],
  [0xfe90, 0xfe90],
  [0xfea0, 0xfea0],
]
/** Assigned by GB 18030 in positions that GBK had left open. */
const ADDED_BY_GB_18030: Runs = [
  [0xa2e3, 0xa2e3],
  [0xa6d9, 0xa6fe],
  [0xa8bf, 0xa8bf],
  [0xa989, 0xa995],
  [0xfe50, 0xfea0],
]

let twoByteCodes: Map<string, number> | undefined
/** The two-byte code of a character in GBK and GB 18030. */
function twoByteCodeOf(character: string): number | undefined {
  twoByteCodes ??= codesOf(
    [...tableOf('gb18030', TWO_BYTE_CODES, bytesOfPair)].filter(
      ([code]) => !isInRuns(UNSTABLE_RUNS, code),
    ),
  )
  return twoByteCodes.get(character)
}

const TWO_BYTE_CODES = Array.from(
  { length: 126 * 191 },
  (_, at) => ((0x81 + Math.floor(at / 191)) << 8) | (0x40 + (at % 191)),
).filter((code) => (code & 0xff) !== 0x7f)
const bytesOfPair = (code: number) => [code >> 8, code & 0xff]

function gbkBytes(character: string): readonly number[] | undefined {
  const code = twoByteCodeOf(character)
  return code === undefined || isInRuns(ADDED_BY_GB_18030, code) ? undefined : bytesOfPair(code)
}

let fourByteCodes: Map<string, number> | undefined
/**
 * Characters without a two-byte code are numbered in Unicode order, those of the supplementary
 * planes from 90308130 on.
 */
function gb18030Bytes(character: string): readonly number[] | undefined {
  const code = twoByteCodeOf(character)
  if (code !== undefined) return bytesOfPair(code)
  fourByteCodes ??= codesOf(tableOf('gb18030', [...Array(39_420).keys()], fourBytesOf))
  const codePoint = character.codePointAt(0) ?? 0
  const number = codePoint >= 0x10000 ? 189_000 + codePoint - 0x10000 : fourByteCodes.get(character)
  return number === undefined ? undefined : fourBytesOf(number)
}

function fourBytesOf(number: number): number[] {
  return [
    0x81 + Math.floor(number / 12_600),
    0x30 + (Math.floor(number / 1260) % 10),
    0x81 + (Math.floor(number / 10) % 126),
    0x30 + (number % 10),
  ]
}
