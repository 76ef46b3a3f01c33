import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { create, type Font } from 'fontkit'

export type Weight = 400 | 700

/** Characters of one font, beside each other; `font` is its name in the document. */
export interface Run {
  readonly font: string
  readonly text: string
  /** No font has them: they are printed as boxes. */
  readonly isUnknown: boolean
}

// One file for each script, as Noto Sans is published; the first that has a character prints it.
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
const BASE = SCRIPTS.map((script) => `noto-sans-${script}`)
// Noto Sans JP is published in numbered files: kanji and kana, and the symbols that reports have,
// such as ≤ and →.
const JAPANESE = Array.from({ length: 120 }, (_, at) => `noto-sans-jp-${at}`)
const [LATIN = ''] = BASE
const fileOf = (name: string, weight: Weight) => `${name}-${weight}-normal.woff`
/** Every file that may be read. */
export const FONT_FILES: readonly string[] = [...BASE, ...JAPANESE].flatMap((name) => [
  fileOf(name, 400),
  fileOf(name, 700),
])

/** Beside the built program (`vite.config.ts` puts them there), or where the packages are. */
const BUILT = [join(import.meta.dirname, 'fonts'), join(import.meta.dirname, '..', 'fonts')].find(
  (folder) => existsSync(join(folder, fileOf(LATIN, 400))),
)
const PACKAGES = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules', '@fontsource')

const bytes = new Map<string, Buffer>()

function bytesOf(name: string, weight: Weight): Buffer {
  const file = fileOf(name, weight)
  let found = bytes.get(file)
  if (!found) {
    const ofPackage = join(
      PACKAGES,
      name.startsWith('noto-sans-jp') ? 'noto-sans-jp' : 'noto-sans',
      'files',
      file,
    )
    found = fontOfWoff(readFileSync(BUILT ? join(BUILT, file) : ofPackage))
    bytes.set(file, found)
  }
  return found
}

/** Of the regular weight, for looking characters up; both weights have the same. */
const probes = new Map<string, Font>()
/** By character; undefined: no font has it. */
const homes = new Map<number, string | undefined>()

function has(name: string, codePoint: number): boolean {
  let probe = probes.get(name)
  if (!probe) {
    probe = create(bytesOf(name, 400))
    probes.set(name, probe)
  }
  return probe.hasGlyphForCodePoint(codePoint)
}

/** Name of the font that prints the character. */
function homeOf(codePoint: number): string | undefined {
  if (codePoint < 0x7f) return LATIN
  if (!homes.has(codePoint))
    homes.set(
      codePoint,
      [...BASE, ...JAPANESE].find((name) => has(name, codePoint)),
    )
  return homes.get(codePoint)
}

// A character with the marks that stand on it, and with joiners after it.
export const CLUSTERS = /[\s\S][\p{M}\u200c\u200d]*/gu

/** A cluster is of one font where one has all of it, so that marks stand where they belong. */
function homesOf(cluster: string): readonly (readonly [string, string | undefined])[] {
  const characters = [...cluster].filter(
    (each) => !isJoiner(each) || homeOf(pointOf(each)) !== undefined,
  )
  const [first] = characters
  if (first === undefined) return []
  if (characters.length === 1) return [[first, homeOf(pointOf(first))]]
  const whole = [...BASE, ...JAPANESE].find((name) =>
    characters.every((each) => has(name, pointOf(each))),
  )
  return whole === undefined
    ? characters.map((each) => [each, homeOf(pointOf(each))])
    : [[characters.join(''), whole]]
}

const pointOf = (character: string) => character.codePointAt(0) ?? 0
const isJoiner = (character: string) => character === '\u200c' || character === '\u200d'

/**
 * The fonts of one document, which takes each by `register`. Each is read anew: a font remembers
 * which character it last used a glyph for, and the same document would not be the same bytes after
 * others.
 */
export class ReportFonts {
  readonly #register: (name: string, font: Font) => void
  readonly #registered = new Set<string>()

  constructor(register: (name: string, font: Font) => void) {
    this.#register = register
  }

  /** Divides the text by the fonts that have its characters. */
  runsOf(text: string, weight: Weight): readonly Run[] {
    if (/^[\x20-\x7e]*$/.test(text))
      return text === '' ? [] : [{ font: this.#nameOf(LATIN, weight), text, isUnknown: false }]
    const runs: { font: string; text: string; isUnknown: boolean }[] = []
    for (const [cluster] of text.matchAll(CLUSTERS)) {
      for (const [part, home] of homesOf(cluster)) {
        const font = this.#nameOf(home, weight)
        const isUnknown = home === undefined
        const last = runs.at(-1)
        if (last?.font === font && last.isUnknown === isUnknown) last.text += part
        else runs.push({ font, text: part, isUnknown })
      }
    }
    return runs
  }

  #nameOf(home = LATIN, weight: Weight): string {
    const name = `${home}-${weight}`
    if (!this.#registered.has(name)) {
      this.#registered.add(name)
      this.#register(name, create(bytesOf(home, weight)))
    }
    return name
  }
}

const HEADER = 44
const ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

/**
 * The font in a WOFF file (W3C WOFF 1.0) as a plain TrueType or OpenType one. fontkit reads WOFF
 * too, and unpacks it in JavaScript every time: that is most of the time a page takes.
 * @throws {RangeError} where it is no WOFF file
 */
export function fontOfWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new RangeError('not a WOFF file')
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, at) => {
    const entry = HEADER + at * ENTRY
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
  const head = Buffer.alloc(SFNT_HEADER + count * SFNT_ENTRY)
  woff.copy(head, 0, 4, 8)
  for (const [at, value] of [count, power * 16, Math.log2(power), (count - power) * 16].entries())
    head.writeUInt16BE(value, 4 + at * 2)
  const parts: Uint8Array[] = [head]
  let offset = head.length
  for (const [at, { tag, checksum, bytes }] of tables.entries()) {
    const entry = SFNT_HEADER + at * SFNT_ENTRY
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
