import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { create, type Font } from 'fontkit'

export type Weight = 400 | 700

/** Consecutive characters in one font; `font` is its name in the document. */
export interface Run {
  readonly font: string
  readonly text: string
  /** Set if no font has the characters; they are printed as boxes. */
  readonly isUnknown: boolean
}

// Noto Sans is published with one file per script. The first font that has a character is used.
const SCRIPTS = [
  'latin',
  'latin-ext',
  'greek',
  'greek-ext',
  'cyrillic',
  'cyrillic-ext',
  'vietnamese',
  'devanagari',
] as const
const BASE_FONTS = SCRIPTS.map((script) => `noto-sans-${script}`)
// Noto Sans JP is published in numbered files. They contain kanji, kana and symbols that occur in
// reports, such as ≤ and →.
const JAPANESE_FONTS = Array.from({ length: 120 }, (_, at) => `noto-sans-jp-${at}`)
const [LATIN = ''] = BASE_FONTS
const fileOf = (name: string, weight: Weight) => `${name}-${weight}-normal.woff`
/** All font files that may be needed. */
export const FONT_FILES: readonly string[] = [...BASE_FONTS, ...JAPANESE_FONTS].flatMap((name) => [
  fileOf(name, 400),
  fileOf(name, 700),
])

/**
 * The fonts next to the built program, where `vite.config.ts` copies them; undefined when the fonts
 * are read from the packages.
 */
const BUILT_FOLDER = [
  join(import.meta.dirname, 'fonts'),
  join(import.meta.dirname, '..', 'fonts'),
].find((folder) => existsSync(join(folder, fileOf(LATIN, 400))))
const PACKAGES_FOLDER = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'node_modules',
  '@fontsource',
)

const bytes = new Map<string, Buffer>()

function bytesOf(name: string, weight: Weight): Buffer {
  const file = fileOf(name, weight)
  let found = bytes.get(file)
  if (!found) {
    const packagePath = join(
      PACKAGES_FOLDER,
      name.startsWith('noto-sans-jp') ? 'noto-sans-jp' : 'noto-sans',
      'files',
      file,
    )
    found = sfntOfWoff(readFileSync(BUILT_FOLDER ? join(BUILT_FOLDER, file) : packagePath))
    bytes.set(file, found)
  }
  return found
}

/** Fonts of the regular weight for looking up characters; both weights contain the same ones. */
const lookupFonts = new Map<string, Font>()
/** The font of each character; undefined if no font has it. */
const fontOfCharacter = new Map<number, string | undefined>()

function has(name: string, codePoint: number): boolean {
  let font = lookupFonts.get(name)
  if (!font) {
    font = create(bytesOf(name, 400))
    lookupFonts.set(name, font)
  }
  return font.hasGlyphForCodePoint(codePoint)
}

/** The name of the font that has the character. */
function fontNameOf(codePoint: number): string | undefined {
  if (codePoint < 0x7f) return LATIN
  if (!fontOfCharacter.has(codePoint))
    fontOfCharacter.set(
      codePoint,
      [...BASE_FONTS, ...JAPANESE_FONTS].find((name) => has(name, codePoint)),
    )
  return fontOfCharacter.get(codePoint)
}

// A character with its combining marks and following joiners.
export const CLUSTER_PATTERN = /[\s\S][\p{M}\u200c\u200d]*/gu

/**
 * The parts of a cluster with their fonts. A cluster is set in one font if a font has all of its
 * characters, so that marks are positioned correctly.
 */
function splitByFont(cluster: string): readonly (readonly [string, string | undefined])[] {
  const characters = [...cluster].filter(
    (each) => !isJoiner(each) || fontNameOf(codePointOf(each)) !== undefined,
  )
  const [first] = characters
  if (first === undefined) return []
  if (characters.length === 1) return [[first, fontNameOf(codePointOf(first))]]
  const commonFont = [...BASE_FONTS, ...JAPANESE_FONTS].find((name) =>
    characters.every((each) => has(name, codePointOf(each))),
  )
  return commonFont === undefined
    ? characters.map((each) => [each, fontNameOf(codePointOf(each))])
    : [[characters.join(''), commonFont]]
}

const codePointOf = (character: string) => character.codePointAt(0) ?? 0
const isJoiner = (character: string) => character === '\u200c' || character === '\u200d'

/**
 * The fonts of one document, which are registered when they are first used. Fonts are not shared
 * between documents: fontkit caches which character a glyph was last used for, so the bytes of a
 * document would depend on earlier ones.
 */
export class ReportFonts {
  readonly #register: (name: string, font: Font) => void
  readonly #registered = new Set<string>()

  constructor(register: (name: string, font: Font) => void) {
    this.#register = register
  }

  /** Splits the text into runs of one font. */
  runsOf(text: string, weight: Weight): readonly Run[] {
    if (/^[\x20-\x7e]*$/.test(text))
      return text === '' ? [] : [{ font: this.#nameOf(LATIN, weight), text, isUnknown: false }]
    const runs: { font: string; text: string; isUnknown: boolean }[] = []
    for (const [cluster] of text.matchAll(CLUSTER_PATTERN)) {
      for (const [part, fontName] of splitByFont(cluster)) {
        const font = this.#nameOf(fontName, weight)
        const isUnknown = fontName === undefined
        const last = runs.at(-1)
        if (last?.font === font && last.isUnknown === isUnknown) last.text += part
        else runs.push({ font, text: part, isUnknown })
      }
    }
    return runs
  }

  #nameOf(fontName = LATIN, weight: Weight): string {
    const name = `${fontName}-${weight}`
    if (!this.#registered.has(name)) {
      this.#registered.add(name)
      this.#register(name, create(bytesOf(fontName, weight)))
    }
    return name
  }
}

const HEADER_BYTES = 44
const ENTRY_BYTES = 20
const SFNT_HEADER_BYTES = 12
const SFNT_ENTRY_BYTES = 16

/**
 * Converts a WOFF file (W3C WOFF 1.0) to TrueType or OpenType. fontkit can read WOFF, but
 * decompresses it in JavaScript every time, which would take most of the time of a page.
 * @throws {RangeError} if it is not a WOFF file
 */
export function sfntOfWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new RangeError('not a WOFF file')
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, at) => {
    const entry = HEADER_BYTES + at * ENTRY_BYTES
    const [offset, packed, length] = [4, 8, 12].map((field) =>
      woff.readUInt32BE(entry + field),
    ) as [number, number, number]
    const bytes = woff.subarray(offset, offset + packed)
    return {
      tag: woff.subarray(entry, entry + 4),
      checksum: woff.subarray(entry + 16, entry + 20),
      bytes: packed < length ? inflateSync(bytes, { maxOutputLength: length }) : bytes,
    }
  })
  const power = 2 ** Math.floor(Math.log2(count))
  const head = Buffer.alloc(SFNT_HEADER_BYTES + count * SFNT_ENTRY_BYTES)
  woff.copy(head, 0, 4, 8)
  for (const [at, value] of [count, power * 16, Math.log2(power), (count - power) * 16].entries())
    head.writeUInt16BE(value, 4 + at * 2)
  const parts: Uint8Array[] = [head]
  let offset = head.length
  for (const [at, { tag, checksum, bytes }] of tables.entries()) {
    const entry = SFNT_HEADER_BYTES + at * SFNT_ENTRY_BYTES
    tag.copy(head, entry)
    checksum.copy(head, entry + 4)
    head.writeUInt32BE(offset, entry + 8)
    head.writeUInt32BE(bytes.length, entry + 12)
    const padding = -bytes.length & 3
    parts.push(bytes, Buffer.alloc(padding))
    offset += bytes.length + padding
  }
  return Buffer.concat(parts)
}
