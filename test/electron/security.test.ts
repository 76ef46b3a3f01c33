// The 20 items of Electron's security checklist (docs/tutorial/security.md), each by its number.
// What only a real Electron can show is in test/e2e/electron.spec.ts.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { securityHeaders } from '#server/http/security-headers.ts'
import { registerIpcHandlers, withValidation } from '../../electron/desktop/ipc-handlers.ts'
import { refusePermissions, refuseRequests } from '../../electron/desktop/permissions.ts'
import { isOpenable, openWindow, refuseWebviews } from '../../electron/desktop/window.ts'
import { stateFile, WindowBoundsBySet } from '../../electron/desktop/window-state.ts'
import * as fake from '../support/electron.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = [
  'electron/main.ts',
  'electron/preload.ts',
  ...globSync('electron/desktop/*.ts', { cwd: root }),
].map((path) => ({
  path: path.replaceAll('\\', '/'),
  // What a comment says is not done.
  text: read(path).replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1'),
}))
const page = globSync('renderer/**/*.{ts,tsx,html}', { cwd: root }).map((path) => ({
  path,
  text: read(path),
}))
const naming = (form: RegExp, among = sources) =>
  among.filter(({ text }) => form.test(text)).map(({ path }) => path)

const ORIGIN = 'http://127.0.0.1:8042'
const folder = mkdtempSync(join(tmpdir(), 'isthmus-security-'))

beforeAll(() => {
  fake.forgetAll()
  refuseWebviews()
  refusePermissions(() => ORIGIN)
  refuseRequests(() => ORIGIN)
  const places = stateFile(join(folder, 'window.json'), WindowBoundsBySet, [])
  openWindow('/preload.cjs', () => ORIGIN, places, 'win32')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const contents = () => {
  const [window] = fake.windows
  if (!window) throw new Error('no window')
  return window.webContents
}
const prefs = () => fake.windows[0]?.options.webPreferences ?? {}

it('1: loads from the gateway on this PC alone', () => {
  expect(
    ['https://evil.test/x.js', 'http://127.0.0.1:9/', 'ws://evil.test/', 'ftp://evil.test/'].map(
      (url) => fake.goesOut(url),
    ),
  ).toEqual(Array(4).fill(false))
  expect(fake.goesOut(`${ORIGIN}/assets/x.js`)).toBe(true)
  expect(naming(/loadURL\(['"`]https?:/)).toEqual([])
})

it('2: gives no page Node', () => {
  expect(prefs().nodeIntegration).toBe(false)
  expect(naming(/nodeIntegration(InWorker|InSubFrames)?: *true/)).toEqual([])
})

it('3: isolates the preload script from the page', () => {
  expect(prefs().contextIsolation).toBe(true)
  expect(naming(/contextIsolation: *false/)).toEqual([])
  expect(naming(/\bwindow\.gateway *=|globalThis\.\w+ *=/)).toEqual([])
})

it('4: sandboxes every page, from before the app is ready', () => {
  const main = sources.find(({ path }) => path === 'electron/main.ts')?.text ?? ''
  expect(main.indexOf('app.enableSandbox()')).toBeGreaterThan(0)
  expect(main.indexOf('app.enableSandbox()')).toBeLessThan(main.indexOf('app.whenReady()'))
  expect(prefs().sandbox).toBe(true)
  expect(naming(/sandbox: *false|no-sandbox['"]\)|appendSwitch/)).toEqual([])
})

it('5: refuses what pages ask for, but to copy and to know the screens', () => {
  const asked = [
    ...[
      'geolocation',
      'notifications',
      'media',
      'midi',
      'midiSysex',
      'hid',
      'serial',
      'usb',
      'fullscreen',
    ],
    ...[
      'pointerLock',
      'openExternal',
      'clipboard-read',
      'display-capture',
      'fileSystem',
      'idle-detection',
    ],
  ]
  expect(asked.filter((permission) => fake.asked(permission, `${ORIGIN}/`))).toEqual([])
  expect(fake.permissions.device?.({ deviceType: 'hid', origin: ORIGIN } as never)).toBe(false)
})

it('6: keeps the same-origin policy', () => {
  expect(prefs().webSecurity).toBe(true)
  expect(naming(/webSecurity: *false|disable-web-security/)).toEqual([])
})

it('7: serves every page with a strict policy for its content', async () => {
  const { window, viewer } = await securityHeaders()
  const policyOf = (headers: typeof window) =>
    new Map(
      (headers['content-security-policy'] ?? '')
        .split(';')
        .map((line) => [line.trim().split(' ')[0], line.trim().split(' ').slice(1)]),
    )
  for (const policy of [policyOf(window), policyOf(viewer)]) {
    expect(policy.get('default-src')).toEqual(["'self'"])
    expect(policy.get('script-src-attr')).toEqual(["'none'"])
    expect(policy.get('object-src')).toEqual(["'none'"])
    expect(policy.get('base-uri')).toEqual(["'none'"])
    expect(policy.get('connect-src')).toEqual(["'self'"])
  }
  expect(policyOf(window).get('script-src')).toEqual(["'self'"])
  expect(policyOf(window).get('frame-ancestors')).toEqual(["'none'"])
  expect(policyOf(viewer).get('script-src')).toEqual(["'self'", "'wasm-unsafe-eval'"])
})

it('8: lets no insecure content run', () => {
  expect(prefs()).not.toHaveProperty('allowRunningInsecureContent')
  expect(naming(/allowRunningInsecureContent/)).toEqual([])
})

it('9: turns on no experiments', () => {
  expect(naming(/experimentalFeatures|enable-experimental/)).toEqual([])
})

it('10: turns on no feature of Blink', () => {
  expect(naming(/enableBlinkFeatures|enable-blink-features/)).toEqual([])
})

it('11: has no webview, and none that opens windows', () => {
  expect(naming(/<webview|allowpopups|webviewTag/)).toEqual([])
  expect(naming(/<webview|allowpopups/, page)).toEqual([])
})

it('12: refuses a webview that is attached, in every page', () => {
  const other = new fake.Contents()
  fake.app.fire('web-contents-created', fake.event(), other)
  for (const one of [contents(), other]) {
    const attached = fake.event()
    one.fire('will-attach-webview', attached, {}, { src: 'https://evil.test/' })
    expect(attached.defaultPrevented).toBe(true)
  }
})

it('13: leaves the gateway’s pages for none', () => {
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate'] as const) {
    for (const url of [
      'https://evil.test/',
      'file:///etc/passwd',
      'http://127.0.0.1:8043/',
      'javascript:alert(1)',
      'about:blank',
    ]) {
      const led = fake.event({ url })
      contents().fire(event, led, url)
      expect(led.defaultPrevented, `${event} ${url}`).toBe(true)
    }
  }
})

it('14: opens windows with images alone', () => {
  for (const url of ['https://evil.test/', 'about:blank', `${ORIGIN}/`, ''])
    expect(contents().opens(url)).toEqual({ action: 'deny' })
  expect(contents().opens(`${ORIGIN}/viewer`)).toMatchObject({ action: 'allow' })
})

it('15: hands the system nothing but addresses of a list', () => {
  expect(naming(/openExternal/)).toEqual(['electron/desktop/window.ts'])
  expect(naming(/openItem|showItemInFolder|node:child_process/)).toEqual([])
  expect(
    [
      'file:///etc/passwd',
      'ms-msdt:/id',
      'smb://evil.test/',
      'https://evil.test/',
      'https://user@dicom.nema.org/',
    ].some(isOpenable),
  ).toBe(false)
})

it('16: runs a version of Electron that is mended', () => {
  const { version } = createRequire(import.meta.url)(
    '../../node_modules/electron/package.json',
  ) as { version: string }
  const pinned = (JSON.parse(read('package.json')) as { devDependencies: Record<string, string> })
    .devDependencies.electron
  expect(pinned).toBe(version)
  // The newest three majors are; 45 is of August 2026, and a major lives some six months.
  expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(45)
})

it('17: answers the main frame of its own page, and messages of a known form', () => {
  expect(naming(/\bipcMain\b/)).toEqual(['electron/desktop/ipc-handlers.ts'])
  expect(
    naming(/ipcRenderer\.(on|once|send|sendSync|postMessage|sendToHost)\b|\.on\('ipc-message/),
  ).toEqual([])
  const heard: unknown[] = []
  registerIpcHandlers(() => ORIGIN, {
    'checklist-17': withValidation(z.tuple([z.string().max(5)]), (text) => heard.push(text)),
  })
  const own = { url: `${ORIGIN}/#/` }
  fake.sent('checklist-17', own, 'yes')
  for (const frame of [
    { url: 'https://evil.test/' },
    { ...own, parent: {} },
    { url: `${ORIGIN}.evil.test/` },
    { url: 'garbage' },
    null,
  ])
    expect(() => fake.sent('checklist-17', frame, 'no')).toThrow('not for this page')
  for (const given of [[], ['too long'], [7], [{}], ['a', 'b']])
    expect(() => fake.sent('checklist-17', own, ...given)).toThrow('not understood')
  expect(heard).toEqual(['yes'])
})

it('18: loads no file and serves no protocol of its own', () => {
  expect(naming(/file:\/\/|loadFile|\bprotocol\.(handle|register)|registerFileProtocol/)).toEqual(
    [],
  )
})

it('19: is built with the fuses that close what it does not need', () => {
  const config = read('electron-builder.yml')
  const wanted = {
    ...{
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
    },
    ...{
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    },
    ...{ loadBrowserProcessSpecificV8Snapshot: false, grantFileProtocolExtraPrivileges: false },
  }
  const set = Object.fromEntries(
    [...config.matchAll(/^ {2}(\w+): (true|false)$/gm)].map(([, name, value]) => [
      name,
      value === 'true',
    ]),
  )
  expect(set).toMatchObject(wanted)
  expect(config).toMatch(/^asar: true$/m)
})

it('20: gives the page functions of its own, and nothing of Electron’s', async () => {
  await import('../../electron/preload.ts')
  expect(naming(/exposeInMainWorld/)).toEqual(['electron/preload.ts'])
  const bridge = fake.exposed.get('gateway') as Record<string, unknown>
  expect(Object.isFrozen(bridge)).toBe(true)
  expect(Object.values(bridge).map((member) => typeof member)).toEqual(Array(7).fill('function'))
  expect(Object.values(bridge)).not.toContain(fake.ipcRenderer.invoke)
  // Each names its message itself: a page cannot send one of its own.
  expect(sources.find(({ path }) => path === 'electron/preload.ts')?.text).not.toMatch(
    /invoke\((?!')/,
  )
})
