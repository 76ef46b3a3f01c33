import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '../support/certificate.ts'
import { needing } from '../support/needs.ts'
import { saying } from '../support/saying.ts'

// The real electron-updater against a place for updates, as an AppImage has it: only Electron's own
// part is played (test/support/update-electron.ts).
const PROGRAM = join(import.meta.dirname, '../support/update-program.ts')
const NEXT = Buffer.from('#!/bin/sh\nexit 0\n# the next version\n')
const FILE = 'Isthmus-x86_64.AppImage'
const run = promisify(execFile)

let scratch: string
let server: Server
let place: string
let image: string
const files = new Map<string, Buffer>()

beforeEach(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'isthmus-update-')))
  mkdirSync(join(scratch, 'resources'))
  writeFileSync(
    join(scratch, 'resources/app-update.yml'),
    'provider: generic\nurl: https://updates.invalid/\nupdaterCacheDirName: isthmus-updater\n',
  )
  writeFileSync(join(scratch, 'resources/update-policy.json'), '{"allowUpdateUrl": true}')
  image = join(scratch, FILE)
  writeFileSync(image, 'the version of now')
  const certificate = selfSignedCertificate(['localhost'])
  writeFileSync(join(scratch, 'ca.pem'), certificate.cert)
  files.clear()
  server = createServer(certificate, (request, response) => {
    const bytes = files.get(new URL(request.url ?? '', 'https://localhost').pathname.slice(1))
    response.writeHead(bytes ? 200 : 404, { 'content-length': bytes?.length ?? 0 }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  place = `https://localhost:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
  rmSync(scratch, { recursive: true, force: true })
})

/** Offers a version, as electron-builder writes it. */
function offer(version: string, sha512 = createHash('sha512').update(NEXT).digest('base64')): void {
  files.set(FILE, NEXT)
  const about = `files:\n  - url: ${FILE}\n    sha512: ${sha512}\n    size: ${NEXT.length}\npath: ${FILE}\nsha512: ${sha512}\nreleaseNotes: |\n  - The first thing.\n  - The second.\n`
  files.set(
    'latest-linux.yml',
    Buffer.from(`version: ${version}\n${about}releaseDate: '2026-03-02T12:00:00.000Z'\n`),
  )
}

async function update(...words: string[]): Promise<Record<string, unknown>[]> {
  const env = {
    ...process.env,
    ...{
      APPIMAGE: image,
      ISTHMUS_UPDATE_URL: place,
      UPDATE_CA: join(scratch, 'ca.pem'),
      UPDATE_VERSION: '1.0.0',
    },
    ...{
      UPDATE_RESOURCES: join(scratch, 'resources'),
      HOME: scratch,
      XDG_CACHE_HOME: join(scratch, 'cache'),
      VITEST: '1',
    },
  }
  const { stdout } = await run(process.execPath, [PROGRAM, ...words], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('an update by the real electron-updater', needing('linux'), () => {
  it('is fetched, and takes the place of the program only when it is installed: prepared, stopped, installed, quit', async () => {
    offer('2.0.0')
    const sentence =
      'An AppImage is not signed, so it is not installed automatically: install it only if you know where it comes from.'
    expect(await update()).toEqual([
      {
        state: 'ready',
        version: '2.0.0',
        share: 1,
        sentence,
        notes: ['The first thing.', 'The second.'],
      },
    ])
    expect(readFileSync(image, 'utf8')).toBe('the version of now')

    const told = await update('install')
    expect(told[0]).toMatchObject({ state: 'ready', version: '2.0.0' })
    expect(told.slice(1)).toEqual([{ did: 'prepare' }, { did: 'stop' }, { did: 'quit' }])
    expect(readFileSync(image)).toEqual(NEXT)
  })

  it('is not taken where it came damaged', async () => {
    offer('2.0.0', createHash('sha512').update('something else').digest('base64'))
    expect(await update('install')).toEqual([
      expect.objectContaining({
        state: 'failed',
        sentence: 'The downloaded update is damaged. It will be downloaded again later.',
      }),
    ])
    expect(readFileSync(image, 'utf8')).toBe('the version of now')
  })

  it.each(['0.9.0', '1.0.0'])('is none where the place has the version %s', async (version) => {
    offer(version)
    expect(await update('install')).toEqual([
      { state: 'none', version: null, share: 0, sentence: null, notes: [] },
    ])
    expect(existsSync(join(scratch, 'cache/isthmus-updater/pending'))).toBe(false)
  })

  it('is none where the place has nothing for this system, and says so', async () => {
    expect(await update()).toEqual([
      expect.objectContaining({
        state: 'failed',
        sentence: 'The update server has no update for this system.',
      }),
    ])
  })

  it('is none where the place cannot be reached, and says so', async () => {
    place = 'https://localhost:1/'
    expect(await update()).toEqual([
      expect.objectContaining({
        state: 'failed',
        sentence: 'The update server could not be reached. The app will try again later.',
      }),
    ])
  })

  it('is none where the place is not who it says it is', async () => {
    offer('2.0.0')
    writeFileSync(join(scratch, 'ca.pem'), selfSignedCertificate(['localhost']).cert)
    expect(await update('install')).toEqual([
      expect.objectContaining({
        state: 'failed',
        sentence: saying(/certificate/),
      }),
    ])
  })
})
