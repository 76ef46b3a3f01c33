import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executableIn, filesIn, readAsar } from '../../packaging/app-folder.ts'
import { faultsOfFuses } from '../../packaging/fuses.ts'
import { needing } from '../support/needs.ts'

// `npm run package -- --dir` as a developer runs it. Without Electron's binary a stand-in has its
// place, and everything else is as in a release.
const root = join(import.meta.dirname, '../..')
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'isthmus-app-')))
const folder = join(scratch, `linux${process.arch === 'arm64' ? '-arm64' : ''}-unpacked`)
const archive = join(folder, 'resources', 'app.asar')
let printed = ''

describe('the folder of the app', needing('linux'), () => {
  beforeAll(() => {
    const made = spawnSync(
      process.execPath,
      [join(root, 'scripts/package.mjs'), '--dir', '--out', scratch],
      { encoding: 'utf8' },
    )
    printed = made.stdout + made.stderr
    expect(made.status, printed).toBe(0)
  }, 300_000)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  it('is looked at when it is made, and what is missing is named', () => {
    expect(printed).toContain(
      'The fuses are set, native modules lie beside the archive, and nothing else is inside.',
    )
    expect(printed).toMatch(/gateway +\d+\.\d MB of \d+/)
    expect(printed).toContain('  - installers: --dir makes the folder they are made of')
    const isStandIn = readFileSync(join(folder, executableIn('linux'))).includes(
      'This is a stand-in',
    )
    expect(printed.includes('  - Electron itself')).toBe(isStandIn)
  })

  it('has its fuses set', async () => {
    expect(await faultsOfFuses(join(folder, executableIn('linux')))).toEqual([])
  })

  it('has native modules of this system beside the archive, and the languages of the window', () => {
    const native = readAsar(archive).filter(({ path }) => path.endsWith('.node'))
    expect(native.map(({ path }) => path)).toContain(
      `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
    )
    expect(
      native.every(
        ({ path, isUnpacked }) => isUnpacked && existsSync(join(`${archive}.unpacked`, path)),
      ),
    ).toBe(true)
    expect(
      readdirSync(join(folder, 'locales')).filter((name) => !/^(en|es)(-|\.)/.test(name)),
    ).toEqual([])
    expect(filesIn(folder)).toEqual(
      expect.arrayContaining([
        'THIRD-PARTY-LICENSES.txt',
        'LICENSE.electron.txt',
        'autostart/isthmus.desktop',
        'resources/app-update.yml',
      ]),
    )
  })

  it('holds a gateway that runs from what is in the archive alone', async () => {
    const require = createRequire(
      createRequire(createRequire(import.meta.url).resolve('electron-builder')).resolve(
        'app-builder-lib',
      ),
    )
    const { extractAll } = require('@electron/asar') as {
      extractAll(from: string, to: string): void
    }
    const program = join(scratch, 'program')
    extractAll(archive, program)
    const args = [
      'serve',
      '--data',
      join(scratch, 'data'),
      '--http',
      '127.0.0.1:0',
      '--dimse',
      '127.0.0.1:0',
      '--dimse-tls',
      'off',
    ]
    const child = spawn(process.execPath, [join(program, 'dist/electron/headless.js'), ...args], {
      cwd: scratch,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line] = await once(createInterface({ input: child.stdout }), 'line')
      const { http } = JSON.parse(String(line)) as { readonly http: string }
      expect((await fetch(http)).status).toBe(200)
    } finally {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    expect(child.exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'))).toMatchObject({
      name: 'isthmus',
      productName: 'Isthmus',
    })
  }, 60_000)
})
