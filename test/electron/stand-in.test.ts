import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import * as fake from '../support/electron.ts'

// The stand-in for Electron is held to Electron's own declarations by the compiler: each line below
// that expects an error would fail `tsc` if it made none.
const root = join(import.meta.dirname, '../..')
beforeEach(() => fake.forgetAll())

it('emits no event that Electron does not have', () => {
  // @ts-expect-error: an app has no such event
  expect(fake.app.fire('screen-locked')).toBe(false)
  // @ts-expect-error: the power monitor has it, an app has not
  expect(fake.app.fire('lock-screen')).toBe(false)
  // @ts-expect-error: a window of Electron is not told so
  expect(new fake.BrowserWindow().fire('will-navigate')).toBe(false)
  // @ts-expect-error: misspelt
  expect(new fake.Contents().fire('will-navigated')).toBe(false)
  expect(fake.powerMonitor.fire('lock-screen')).toBe(false)
})

it('has a member of its own for everything the app takes from Electron', () => {
  const files = [
    'electron/main.ts',
    'electron/preload.ts',
    ...globSync('electron/desktop/*.ts', { cwd: root }),
  ]
  const taken = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(/import \{([^}]+)\} from 'electron'/g),
    ].flatMap(([, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type ')),
    ),
  )
  expect(taken.length).toBeGreaterThan(20)
  expect([...new Set(taken)].filter((name) => !(name in fake))).toEqual([])
})

it('refuses what Electron refuses', async () => {
  await fake.app.whenReady()
  expect(() => fake.app.enableSandbox()).toThrow('before app is ready')
  fake.ipcMain.handle('once', () => undefined)
  expect(() => fake.ipcMain.handle('once', () => undefined)).toThrow('second handler')
  expect(() => fake.sent('never', null)).toThrow('No handler')
  fake.keyStore.isThere = false
  expect(() => fake.safeStorage.encryptString('x')).toThrow('encrypting')
})
