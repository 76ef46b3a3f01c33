import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { INVENTED_FAMILIES } from './support/invented-patients.ts'

// What is in the repository and in what is built of it, read as whoever gets it would: nothing that opens anything, nothing of the machine it was made on,
// nobody who exists.

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const FOLDERS = ['shared', 'electron', 'renderer', 'test', 'docs', 'packaging', 'scripts']
const BINARY = new Set(['.png', '.woff', '.woff2', '.wasm', '.br', '.ico', '.map', '.dcm', '.bin', '.gz', '.zip'])

interface Found {
  readonly file: string
  readonly text: string
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/node_modules|test-results/.test(entry.parentPath.slice(root.length)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
const ownFiles = (): string[] => [
  ...FOLDERS.flatMap((folder) => filesIn(join(root, folder))),
  ...readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
]
const texts = (files: readonly string[]): Found[] =>
  files.filter((file) => !BINARY.has(extname(file))).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Things that open something, by their shape. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/g,
  'a signing secret': /whsec_[A-Za-z0-9+/]{16,}={0,2}/g,
  'a key or token of ours': /(?<![\w/+=.-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[A-Za-z0-9_-]{43}(?![\w/+=-])/g,
  'a key of a cloud': /\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b/g,
  'a token of a forge or a registry': /\b(gh[pousr]_|npm_)[A-Za-z0-9]{36}\b|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}/g,
  'a token of a chat': /\bxox[abps]-[\w-]{10,}/g,
  'a JSON Web Token': /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
}

/** Samples that open nothing, each where it is. */
const SAMPLES: Readonly<Record<string, string>> = {
  whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw: 'the example of the Standard Webhooks specification',
  'whsec_c2V2ZW4gY2FsbSBvdHRlcnM=': 'seven calm otters, a canary of diagnostics.test.ts',
  whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtMTIz: '“secret-secret-secret-123”, of store.test.ts',
  'whsec_aXN0aG11cyBiZW5jaCBzZWNyZXQgMDEyMzQ1Njc=': '“isthmus bench secret 01234567”, of the simulated partner of a measurement',
}

/** Of the machine that somebody works at, and of where its packages come from. */
const MACHINE: Readonly<Record<string, RegExp>> = {
  'a folder of somebody': /\/(home|Users)\/(?!clinic\b)[a-z][\w.-]*\/|[A-Z]:\\{1,2}Users\\{1,2}\w+/g,
  'a folder of this machine': /(?<![\w.])\/(tmp\/proof|work\/(main|shared))\b/g,
  'a host that packages come from':
    /\b(registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|[\w-]+\.jfrog\.io|(artifactory|verdaccio|nexus)\.[a-z][\w-]+)/g,
}

function matches(forms: Readonly<Record<string, RegExp>>, found: readonly Found[]): string[] {
  return found.flatMap(({ file, text }) =>
    Object.entries(forms).flatMap(([what, form]) =>
      [...text.matchAll(form)]
        .filter(([sample]) => !Object.hasOwn(SAMPLES, sample))
        .map(([one]) => `${file} has ${what}: ${one.slice(0, 24)}…`),
    ),
  )
}

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
    const known = new Set(INVENTED_FAMILIES.map(plainName))
    // Fuzzing keeps what it made of names.
    const written = found.filter(({ file }) => !file.startsWith('test/fuzz/corpus/'))
    const named = written.flatMap(({ file, text }) => familiesIn(text).map((family) => ({ file, family })))
    expect(named.length).toBeGreaterThan(200)
    expect([
      ...new Set(
        named
          .filter(({ family }) => !known.has(plainName(family)))
          .map(({ file, family }) => `${family}^… in ${file}: is it invented? Then add it to test/support/invented-patients.ts.`),
      ),
    ]).toEqual([])
  })

  it('has pictures that say nothing beside what they show', () => {
    const pictures = ownFiles().filter((file) => file.endsWith('.png'))
    expect(pictures.length).toBeGreaterThan(10)
    expect(pictures.flatMap((file) => wordsOf(readFileSync(join(root, file))).map((words) => `${file} says ${words}`))).toEqual([])
  })
})

describe.skipIf(!existsSync(join(dist, '.built')))('what is built', () => {
  // Source maps are shipped in nothing (packaging/contents.ts).
  const found = existsSync(dist) ? texts(filesIn(dist)) : []

  it('holds nothing that opens anything, and nothing of the machine that built it', () => {
    expect(found.length).toBeGreaterThan(50)
    const { 'a key or token of ours': _, ...secrets } = SECRETS
    // Packages hold long words of their own; ours are looked for in the sources.
    expect(matches(secrets, found)).toEqual([])
    for (const folder of [root, homedir()])
      expect(found.filter(({ text }) => folder.length > 3 && text.includes(`${folder}/`)).map(({ file }) => file)).toEqual([])
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
    expect(matches(SECRETS, [{ file: 'planted', text }])).toEqual([expect.stringContaining(`planted has ${what}`)])
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
    const chunk = Buffer.concat([Buffer.from([0, 0, 0, words.length]), Buffer.from('tEXt'), words, Buffer.alloc(4)])
    expect(wordsOf(Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk]))).toEqual(['tEXt Author Maria'])
  })
})

/** Family names of person names as DICOM writes them: two words of letters, the first with a capital, with a caret between. */
function familiesIn(text: string): string[] {
  return [
    ...text.matchAll(/(?<![\p{L}\p{N}^\\$[(.])(\p{Lu}[\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+| (?:de|la|von|van|den|der))*)\^(?=\p{L}{2})/gu),
  ].map(([, family = '']) => family.split(' ').at(-1) ?? '')
}

const plainName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Chunks of a PNG that hold words (PNG, 11.3.3 and 11.3.5): text, a date, Exif. */
function wordsOf(png: Buffer): string[] {
  const words: string[] = []
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const type = png.toString('latin1', at + 4, at + 8)
    if (!['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME'].includes(type)) continue
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    const end = data.indexOf(0)
    const text = type === 'zTXt' ? inflateSync(data.subarray(end + 2)).toString('latin1') : data.subarray(end + 1).toString('latin1')
    words.push(`${type} ${data.toString('latin1', 0, Math.max(0, end))} ${text}`)
  }
  return words
}
