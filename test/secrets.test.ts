import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  type Found,
  familiesIn,
  MACHINE,
  matches,
  SECRETS,
  unknownFamilies,
} from './support/secret-rules.ts'

// The repository has no key, names no machine it was made on and no real patient.
// flows/built-files.test.ts looks at what is built.

const root = join(import.meta.dirname, '..')
const FOLDERS = [
  '.ci',
  '.githooks',
  '.github',
  'shared',
  'electron',
  'renderer',
  'test',
  'docs',
  'packaging',
  'scripts',
]
const BINARY = new Set([
  '.png',
  '.woff',
  '.woff2',
  '.wasm',
  '.br',
  '.ico',
  '.map',
  '.dcm',
  '.bin',
  '.gz',
  '.zip',
])

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && !/node_modules|test-results/.test(entry.parentPath.slice(root.length)),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
const ownFiles = (): string[] => [
  ...FOLDERS.flatMap((folder) => filesIn(join(root, folder))),
  ...readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && entry.name !== '.git' ? [entry.name] : [],
  ),
]
const texts = (files: readonly string[]): Found[] =>
  files
    .filter((file) => !BINARY.has(extname(file)))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Of a file that tells what it must not hold. */
const THIS = 'test/secrets.test.ts'
const others = (found: readonly Found[]) => found.filter(({ file }) => file !== THIS)

describe('the repository', () => {
  const found = others(texts(ownFiles()))

  it('holds nothing that opens anything', () => {
    expect(found.length).toBeGreaterThan(1000)
    // Hashes of the lock are of public packages.
    expect(
      matches(
        SECRETS,
        found.filter(({ file }) => file !== 'package-lock.json'),
      ),
    ).toEqual([])
  })

  it('says nothing of the machine it was made on, nor from where its packages came', () => {
    expect(matches(MACHINE, found)).toEqual([])
  })

  it('names no patient but those who were invented', () => {
    // Fuzzing keeps what it made of names.
    const written = found.filter(({ file }) => !file.startsWith('test/fuzz/corpus/'))
    expect(written.flatMap(({ text }) => familiesIn(text)).length).toBeGreaterThan(200)
    expect([...new Set(written.flatMap(unknownFamilies))]).toEqual([])
  })

  it('has pictures that say nothing beside what they show', () => {
    const pictures = ownFiles().filter((file) => file.endsWith('.png'))
    expect(pictures.length).toBeGreaterThan(10)
    expect(
      pictures.flatMap((file) =>
        wordsOf(readFileSync(join(root, file))).map((words) => `${file} says ${words}`),
      ),
    ).toEqual([])
  })
})

describe('the search', () => {
  it.each([
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkq'.repeat(4)}`],
    ['a signing secret', `whsec_${'c2VjcmV0'.repeat(4)}`],
    ['a key or token of ours', `key: '${'aB3_'.repeat(10)}xyz'`],
    ['a token of a forge or a registry', `ghp_${'a1B2'.repeat(9)}`],
    ['a JSON Web Token', 'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl'],
  ])('finds %s', (what, text) => {
    expect(matches(SECRETS, [{ file: 'planted', text }])).toEqual([
      expect.stringContaining(`planted has ${what}`),
    ])
  })

  it.each([
    ['a folder of somebody', 'see /home/maria/clinic/x.ts'],
    ['a folder of this machine', 'cd /tmp/proof && npm test'],
    ['a host that packages come from', `"resolved": "https://registry.${'npmjs'}.org/x.tgz"`],
  ])('finds %s', (what, text) => {
    expect(matches(MACHINE, [{ file: 'planted', text }])).toEqual([expect.stringContaining(what)])
  })

  it('finds a patient, and words in a picture', () => {
    expect(familiesIn("{ PatientName: 'Kowalczyk^Piotr' }")).toEqual(['Kowalczyk'])
    const words = Buffer.from('Author\0Maria')
    const chunk = Buffer.concat([
      Buffer.from([0, 0, 0, words.length]),
      Buffer.from('tEXt'),
      words,
      Buffer.alloc(4),
    ])
    expect(wordsOf(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk]))).toEqual([
      'tEXt Author Maria',
    ])
  })
})

/** Chunks of a PNG that hold words (PNG, 11.3.3 and 11.3.5): text, a date, Exif. */
function wordsOf(png: Buffer): string[] {
  const words: string[] = []
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const type = png.toString('latin1', at + 4, at + 8)
    if (!['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME'].includes(type)) continue
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    const end = data.indexOf(0)
    const text =
      type === 'zTXt'
        ? inflateSync(data.subarray(end + 2)).toString('latin1')
        : data.subarray(end + 1).toString('latin1')
    words.push(`${type} ${data.toString('latin1', 0, Math.max(0, end))} ${text}`)
  }
  return words
}
