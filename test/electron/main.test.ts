import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openControl } from '#server/modules/control/control.ts'
import type { DesktopState, ShellStatus } from '#shared/contract/shell.ts'
import { main } from '../../electron/main.ts'
import * as fake from '../support/electron.ts'

// One run of the app, from its start to its end, on a control socket that is real. Each test goes
// on where the one before it left off.
const ORIGIN = 'http://127.0.0.1:8042'
const READY = { ready: true, http: ORIGIN, dimse: 'ISTHMUS@127.0.0.1:11112' }
const OWN = { url: `${ORIGIN}/#/devices` }
const STATUS: ShellStatus = {
  version: '0.0.0',
  isSafe: false,
  tray: 'ok',
  lines: ['3 devices were served today.'],
  attention: [],
  openAssociations: 0,
  update: { isAutomatic: false, at: '03:00', timeZone: 'UTC' },
}

const data = mkdtempSync(join(tmpdir(), 'isthmus-main-'))
const printed: string[] = []
const commands: string[] = []
let status: ShellStatus = STATUS
let control: AsyncDisposable

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  vi.spyOn(process, 'argv', 'get').mockReturnValue([
    'electron',
    '.',
    '--data',
    data,
    '--ae-title',
    'CLINIC',
  ])
  control = await openControl(data, ({ command }) => {
    commands.push(command)
    return Promise.resolve({ ok: true, output: command === 'status' ? JSON.stringify(status) : '' })
  })
  await main()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await control[Symbol.asyncDispose]()
  rmSync(data, { recursive: true, force: true })
})

const window = () => {
  const [one] = fake.windows
  if (!one) throw new Error('no window')
  return one
}
const gateway = () => {
  const last = fake.processes.at(-1)
  if (!last) throw new Error('no process')
  return last
}

describe('the start', () => {
  it('is sandboxed before all, and starts the gateway’s process with the folder, its log, its rescue and its key', () => {
    expect(fake.app.sandboxed).toBe(true)
    expect(fake.crashes.options).toMatchObject({ uploadToServer: false })
    expect(gateway().path).toMatch(/headless\.js$/)
    expect(gateway().args).toEqual([
      ...['serve', '--data', data, '--rescue', '--data-key-from-parent'],
      ...['--log-file', join(data, 'logs', 'gateway.log'), '--ae-title', 'CLINIC'],
    ])
    expect(gateway().messages[0]).toEqual({ dataKey: null, keyStore: 'file' })
  })

  it('shows in the tray that devices are not served yet, and no window', () => {
    expect(fake.trays[0]?.image.path).toMatch(/tray-listener-down/)
    expect(fake.windows).toHaveLength(0)
    expect(fake.blockers.size).toBe(0)
  })

  it('opens one hardened window at the gateway’s address when it is ready, and keeps the PC awake', async () => {
    gateway().prints(READY)
    await vi.waitFor(() => expect(window().url).toBe(`${ORIGIN}/`))
    expect(fake.windows).toHaveLength(1)
    expect(window().isVisible).toBe(true)
    expect(window().options.webPreferences).toMatchObject({
      ...{ contextIsolation: true, sandbox: true },
      ...{ nodeIntegration: false, webSecurity: true },
    })
    expect(printed.join('')).toContain('"http":"http://127.0.0.1:8042"')
    expect([...fake.blockers.values()]).toEqual(['prevent-app-suspension'])
    await vi.waitFor(() => expect(fake.trays[0]?.image.path).toMatch(/tray-ok/))
  })
})

describe('the page', () => {
  it('is answered, and no other page or frame', () => {
    expect(fake.sent('version', OWN)).toBe('0.0.0')
    for (const frame of [{ url: 'https://evil.test/' }, { ...OWN, parent: {} }, { url: '' }, null])
      expect(() => fake.sent('version', frame)).toThrow('not for this page')
  })

  it('learns how the desktop app is, and sets whether it starts with the PC', () => {
    const state = () => fake.sent('desktop', OWN) as DesktopState
    expect(state()).toMatchObject({
      isAutostart: false,
      keyStore: 'file',
      update: { state: 'not-here' },
    })
    expect(() => fake.sent('set-autostart', OWN, 'yes')).toThrow('not understood')
    expect(() => fake.sent('set-autostart', OWN)).toThrow('not understood')
    expect(() => fake.sent('version', OWN, 'more')).toThrow('not understood')
  })

  it('has the data folder opened', () => {
    fake.sent('open-data-folder', OWN)
    expect(fake.opened.at(-1)).toBe(data)
  })
})

describe('while it runs', () => {
  it('is led to a place by a link of a second start, and shown', async () => {
    window().isVisible = false
    fake.app.fire(
      'second-instance',
      fake.event(),
      ['isthmus', `isthmus://study/stu_${'0'.repeat(32)}`],
      '/',
    )
    await vi.waitFor(() => expect(window().url).toBe(`${ORIGIN}/#/studies/stu_${'0'.repeat(32)}`))
    await vi.waitFor(() => expect(window().isVisible).toBe(true))
    expect(fake.windows).toHaveLength(1)
  })

  it('hides its window when it is closed, and explains it once', async () => {
    expect(window().close()).toBe(false)
    expect(window().isVisible).toBe(false)
    expect(fake.boxes.at(-1)?.message).toBe('Isthmus goes on serving your devices')
    const explained = fake.boxes.length
    fake.press(fake.trays[0]?.menu, 'Open Isthmus')
    await vi.waitFor(() => expect(window().isVisible).toBe(true))
    window().close()
    expect(fake.boxes).toHaveLength(explained)
  })

  it('locks the window when the screen is locked or the PC goes to sleep', async () => {
    fake.powerMonitor.fire('lock-screen')
    await vi.waitFor(() => expect(commands).toContain('lock'))
  })

  it('starts the gateway again after a crash, loads its page again, and does not push its window to the front', async () => {
    window().webContents.url = OWN.url
    window().hide()
    gateway().exit(139)
    await vi.waitFor(() => expect(fake.processes).toHaveLength(2), { timeout: 5_000 })
    expect(fake.blockers.size).toBe(0)
    gateway().prints(READY)
    await vi.waitFor(() => expect(window().webContents.reloads).toBe(1))
    expect(window().isVisible).toBe(false)
    expect(readFileSync(join(data, 'logs', 'desktop.log'), 'utf8')).toContain('"exitCode":139')
  })

  it('shows the page that mends the data where the gateway could not open it, and the window when it could', async () => {
    gateway().prints({
      ready: true,
      rescue: true,
      http: ORIGIN,
      link: `${ORIGIN}/rescue.html#secret`,
    })
    await vi.waitFor(() => expect(window().url).toBe(`${ORIGIN}/rescue.html#secret`))
    await vi.waitFor(() => expect(window().isVisible).toBe(true))
    expect(printed.join('')).not.toContain('secret')
    expect(readFileSync(join(data, 'logs', 'desktop.log'), 'utf8')).not.toContain('secret')
    gateway().prints(READY)
    await vi.waitFor(() => expect(window().url).toBe(`${ORIGIN}/`))
  })

  it('restarts the gateway when the PC wakes up and devices cannot reach it', async () => {
    status = { ...STATUS, tray: 'listener-down' }
    const before = fake.processes.length
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    fake.powerMonitor.fire('resume')
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    await vi.waitFor(() => expect(fake.processes.length).toBe(before + 1))
    status = STATUS
    gateway().prints(READY)
  })
})

describe('the end', () => {
  it('is asked about, since devices then get no worklist', async () => {
    const asked = fake.boxes.length
    fake.presses.button = 0
    fake.press(fake.menus.ofApp, 'Quit Isthmus…')
    await vi.waitFor(() => expect(fake.boxes).toHaveLength(asked + 1))
    expect(fake.boxes.at(-1)).toMatchObject({
      buttons: ['Keep running', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    })
    expect(fake.boxes.at(-1)?.detail).toContain('Devices then get no worklist')
    expect(fake.app.quits).toBe(0)
    fake.presses.button = 1
    fake.press(fake.menus.ofApp, 'Quit Isthmus…')
    await vi.waitFor(() => expect(fake.app.quits).toBe(1))
  })

  it('drains the gateway first, and lets the window go, whatever its page holds', async () => {
    const first = fake.event()
    fake.app.fire('before-quit', first)
    expect(first.defaultPrevented).toBe(true)
    expect(gateway().messages.at(-1)).toBe('stop')
    await vi.waitFor(() => expect(fake.app.quits).toBe(2))
    const second = fake.event()
    fake.app.fire('before-quit', second)
    expect(second.defaultPrevented).toBe(false)
    const unloading = fake.event()
    window().webContents.fire('will-prevent-unload', unloading)
    expect(unloading.defaultPrevented).toBe(true)
    expect(window().close()).toBe(true)
    expect(fake.blockers.size).toBe(0)
  })
})
