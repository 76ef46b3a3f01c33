import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import { isInMaintenanceHour, releaseNotesOf, Updates } from '../../../electron/desktop/updates.ts'
import type { ShellStatus } from '../../../shared/contract/shell.ts'
import * as electron from '../../support/electron.ts'
import { type FakeUpdater, freshUpdater } from '../../support/electron-updater.ts'
import { saying } from '../../support/saying.ts'

const PROGRAM = {
  isPackaged: true,
  platform: 'win32',
  env: { ISTHMUS_UPDATE_URL: 'https://updates.clinic.test/' },
  resources: '/nowhere',
  executable: '/nowhere/isthmus',
} as const
const APPIMAGE = {
  ...PROGRAM,
  platform: 'linux',
  env: { ...PROGRAM.env, APPIMAGE: '/home/clinic/Isthmus.AppImage' },
} as const
const DISK = {
  exists: () => true,
  read: (path: string) =>
    path.endsWith('.json')
      ? '{"allowUpdateUrl": true}'
      : 'provider: generic\nurl: https://updates.invalid/\n',
}
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const STATUS: ShellStatus = {
  version: '0.1.0',
  isSafe: false,
  tray: 'ok',
  lines: [],
  attention: [],
  openAssociations: 0,
  update: { isAutomatic: true, at: '03:30', timeZone: 'UTC' },
}

let updater: FakeUpdater
let updates: Updates
let status: ShellStatus | undefined
const done: string[] = []
const prepare = vi.fn<() => Promise<string>>()
const stop = vi.fn<() => Promise<void>>()

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T12:00:00Z') })
  done.length = 0
  status = STATUS
  updater = freshUpdater()
  prepare.mockReset().mockImplementation(() => Promise.resolve(String(done.push('prepared'))))
  stop.mockReset().mockImplementation(() => Promise.resolve(void done.push('stopped')))
  updater.quitAndInstall = (...args) => {
    updater.installs.push(args)
    done.push('installed')
  }
  Object.assign(electron.app, {
    relaunch: () => done.push('relaunched'),
    exit: () => done.push('exited'),
  })
  updates = new Updates(() => status, prepare, stop, PROGRAM, DISK)
})
afterEach(() => {
  updates[Symbol.dispose]()
  vi.useRealTimers()
})

const downloaded = (isAdminRightsRequired = false) =>
  updater.emit('update-downloaded', {
    version: '2.0.0',
    files: [{ url: 'x', isAdminRightsRequired }],
  })
const atNight = () => vi.advanceTimersByTimeAsync(15.5 * HOUR)

describe('an update is looked for', () => {
  it('downloads by itself, never installs as the program quits, never goes back, and takes no other place', () => {
    expect(updater).toMatchObject({
      ...{ autoDownload: true, autoInstallOnAppQuit: false, allowDowngrade: false },
      ...{ allowPrerelease: false, disableWebInstaller: true, logger: null },
    })
    expect(updater.feeds).toEqual([{ provider: 'generic', url: 'https://updates.clinic.test/' }])
  })

  it('does so soon after the start, and every six hours', async () => {
    updater.answer = () => {
      updater.emit('update-not-available', { version: '0.1.0' })
      return Promise.resolve({})
    }
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(updater.checks).toBe(0)
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(updater.checks).toBe(1)
    await vi.advanceTimersByTimeAsync(12 * HOUR)
    expect(updater.checks).toBe(3)
    expect(updates.state()).toEqual({
      state: 'none',
      version: null,
      share: 0,
      sentence: null,
      notes: [],
    })
  })

  it('says how far the download is', () => {
    updater.emit('update-available', { version: '2.0.0' })
    expect(updates.state()).toMatchObject({ state: 'available', version: '2.0.0' })
    updater.emit('download-progress', { percent: 41.5 })
    expect(updates.state()).toMatchObject({ state: 'downloading', share: 0.415, version: '2.0.0' })
    downloaded()
    expect(updates.state()).toEqual({
      state: 'ready',
      version: '2.0.0',
      share: 1,
      sentence: null,
      notes: [],
    })
  })

  it('tells a failure in a sentence, and asks again later', async () => {
    const fault = new Error('net::ERR_INTERNET_DISCONNECTED')
    updater.answer = () => {
      updater.emit('error', fault)
      return Promise.reject(fault)
    }
    await updates.check()
    expect(updates.state()).toMatchObject({
      state: 'failed',
      sentence: saying(/could not be reached/),
    })
    await vi.advanceTimersByTimeAsync(7 * HOUR)
    expect(updater.checks).toBeGreaterThan(1)
  })

  it('lives through a download that breaks off', async () => {
    updater.answer = () =>
      Promise.resolve({ downloadPromise: Promise.reject(new Error('ECONNRESET')) })
    await updates.check()
    updater.emit('error', new Error('ECONNRESET'))
    expect(updates.state().state).toBe('failed')
  })

  it('keeps one that is ready, whatever a later check meets', async () => {
    downloaded()
    updater.emit('error', new Error('net::ERR_FAILED'))
    await updates.check()
    expect(updater.checks).toBe(0)
    expect(updates.state().state).toBe('ready')
  })
})

describe('an update is installed', () => {
  it('when a person says so: prepared, the gateway ended, then the installer, silent, which starts the program again', async () => {
    downloaded()
    await updates.install()
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
    expect(updater.installs).toEqual([[true, true]])
    expect(updates.state().state).toBe('installing')
  })

  it('only when one is ready, and once', async () => {
    await updates.install()
    expect(done).toEqual([])
    downloaded()
    await Promise.all([updates.install(), updates.install()])
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })

  it('not where the preparation fails: its sentence is told, and nothing was ended', async () => {
    downloaded()
    prepare.mockRejectedValueOnce(new Error('The folder for backups cannot be written to.'))
    await updates.install()
    expect(done).toEqual([])
    expect(updates.state()).toMatchObject({
      state: 'ready',
      version: '2.0.0',
      sentence: 'The folder for backups cannot be written to.',
    })
    await updates.install()
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })

  it('by itself in the hour of maintenance, once', async () => {
    downloaded()
    await vi.advanceTimersByTimeAsync(15 * HOUR)
    expect(done).toEqual([])
    await vi.advanceTimersByTimeAsync(0.5 * HOUR)
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })

  it('is tried once a night, and again the next one', async () => {
    downloaded()
    prepare.mockRejectedValue(new Error('The disk is full.'))
    await vi.advanceTimersByTimeAsync(18 * HOUR)
    expect(prepare).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(24 * HOUR)
    expect(prepare).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['it was not switched on', { ...STATUS, update: { ...STATUS.update, isAutomatic: false } }],
    ['nobody knows what the gateway wants', undefined],
  ])('never by itself where %s', async (_, told) => {
    status = told
    downloaded()
    await vi.advanceTimersByTimeAsync(48 * HOUR)
    expect(done).toEqual([])
  })

  it('waits for a person where it is an AppImage, which nobody signed', async () => {
    updates[Symbol.dispose]()
    updates = new Updates(() => status, prepare, stop, APPIMAGE, DISK)
    downloaded()
    await vi.advanceTimersByTimeAsync(48 * HOUR)
    expect(done).toEqual([])
    expect(englishText(updates.state().sentence as Message)).toMatch(/not signed/)
    await updates.install()
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })

  it('waits for a person where Windows would ask one at night, with the gateway down meanwhile', async () => {
    downloaded(true)
    await vi.advanceTimersByTimeAsync(48 * HOUR)
    expect(done).toEqual([])
    expect(englishText(updates.state().sentence as Message)).toMatch(/administrator/)
    await updates.install()
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })
})

describe('an update is never installed as the program or the PC ends', () => {
  it('goes no further where the program quits meanwhile', async () => {
    downloaded()
    prepare.mockImplementationOnce(() => {
      electron.app.emit('before-quit', { preventDefault: () => undefined })
      return Promise.resolve('')
    })
    await updates.install()
    expect(stop).not.toHaveBeenCalled()
    expect(done).toEqual([])
  })

  it('goes no further where Windows ends the session, while the gateway is being ended', async () => {
    const window = new EventEmitter()
    electron.app.emit('browser-window-created', {}, window)
    downloaded()
    stop.mockImplementationOnce(() => Promise.resolve(void window.emit('session-end')))
    await updates.install()
    expect(updater.installs).toEqual([])
    expect(done).toEqual(['prepared'])
  })

  it('does nothing more once it is disposed', async () => {
    downloaded()
    updates[Symbol.dispose]()
    await updates.install()
    await atNight()
    updater.emit('error', new Error('late'))
    expect(done).toEqual([])
    expect(updater.checks).toBe(0)
  })

  it('may be installed later where the quit was called off', async () => {
    electron.app.emit('before-quit', { preventDefault: () => undefined })
    downloaded()
    await updates.install()
    expect(done).toEqual(['prepared', 'stopped', 'installed'])
  })
})

describe('an installer that does not take over', () => {
  it('brings the program back, so that devices are served', async () => {
    downloaded()
    await updates.install()
    updater.emit('error', new Error('No update filepath provided'))
    expect(done).toEqual(['prepared', 'stopped', 'installed', 'relaunched', 'exited'])
  })

  it('is not waited for for ever', async () => {
    downloaded()
    await updates.install()
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(done.slice(-2)).toEqual(['relaunched', 'exited'])
  })

  it('brings it back, too, where the gateway could not be ended', async () => {
    downloaded()
    stop.mockRejectedValueOnce(new Error('it hangs'))
    await updates.install()
    expect(done).toEqual(['prepared', 'relaunched', 'exited'])
  })
})

it('touches no updater where the program is not installed', async () => {
  const untouched = freshUpdater()
  using elsewhere = new Updates(() => STATUS, prepare, stop, { ...PROGRAM, isPackaged: false })
  await elsewhere.check()
  await elsewhere.install()
  expect(elsewhere.state()).toMatchObject({
    state: 'not-here',
    sentence: saying(/not an installed version/),
  })
  expect(untouched.autoInstallOnAppQuit).toBe(true)
  expect(untouched.checks).toBe(0)
})

const at = (instant: string) => Date.parse(instant)

it.each([
  ['a minute before', '2026-03-02T02:29:59Z', false],
  ['at the minute', '2026-03-02T02:30:00Z', true],
  ['in its last minute', '2026-03-02T03:29:59Z', true],
  ['an hour later', '2026-03-02T03:30:00Z', false],
  ['at noon', '2026-03-02T12:00:00Z', false],
])('lasts one hour of the clinic’s day: %s', (_, instant, expected) => {
  expect(isInMaintenanceHour({ at: '03:30', timeZone: 'Europe/Madrid' }, at(instant))).toBe(
    expected,
  )
})

it('goes on over midnight', () => {
  const update = { at: '23:40', timeZone: 'UTC' }
  expect(
    ['2026-03-02T23:40:00Z', '2026-03-03T00:39:00Z', '2026-03-03T00:40:00Z'].map((one) =>
      isInMaintenanceHour(update, at(one)),
    ),
  ).toEqual([true, true, false])
})

it('comes at the clinic’s clock on both sides of a change of clocks', () => {
  const update = { at: '03:30', timeZone: 'Europe/Madrid' }
  expect(isInMaintenanceHour(update, at('2026-03-28T02:30:00Z'))).toBe(true)
  expect(isInMaintenanceHour(update, at('2026-03-29T01:30:00Z'))).toBe(true)
  expect(isInMaintenanceHour(update, at('2026-03-29T02:30:00Z'))).toBe(false)
})

it.each([
  ['nothing', undefined, []],
  ['no text', null, []],
  [
    'Markdown',
    '- Reports: drafts are saved\n  while they are written.\n- `doctor` says **more**.\n\n## Mended\n* A race.',
    ['Reports: drafts are saved while they are written.', 'doctor says more.', 'Mended', 'A race.'],
  ],
  [
    'HTML',
    '<h2>New</h2><ul><li>One &amp; two</li><li>Three</li></ul><script>alert(1)</script>',
    ['New', 'One &amp; two', 'Three', 'alert(1)'],
  ],
  [
    'several versions',
    [
      { version: '2.0.0', note: '- Second' },
      { version: '1.9.0', note: null },
      { version: '1.8.0', note: 'First' },
    ],
    ['Second', 'First'],
  ],
] as const)('of %s, a point a line, without marks', (_name, releaseNotes, points) => {
  expect(releaseNotesOf({ releaseNotes: releaseNotes as never })).toEqual(points)
})

it('are bounded, whatever the place for updates says', () => {
  const points = releaseNotesOf({ releaseNotes: `- ${'x'.repeat(100_000)}\n`.repeat(500) })
  expect(points).toHaveLength(60)
  expect(Math.max(...points.map(({ length }) => length))).toBe(501)
})
