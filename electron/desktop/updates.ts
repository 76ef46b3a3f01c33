import { existsSync, readFileSync } from 'node:fs'
import { app, type BrowserWindow } from 'electron'
import electronUpdater, { type AppUpdater, type UpdateInfo } from 'electron-updater'
import type { ShellStatus, UpdateState } from '#shared/contract/shell.ts'
import { isMaintenance } from './maintenance.ts'
import { releaseNotesOf } from './release-notes.ts'
import { type Disk, faultOfUpdate, isUnsigned, type Program, whyNotHere } from './update-place.ts'

export interface UpdatesOptions {
  /** What the gateway last said: whether it may be done by itself, and when. */
  readonly status: () => ShellStatus | undefined
  /** Back-up, and devices drained. It rejects with a sentence, and nothing is installed. */
  readonly prepare: () => Promise<string>
  /** Ends the gateway's process. */
  readonly stop: () => Promise<void>
  readonly clock?: () => number
  readonly program?: Program
  readonly disk?: Disk
}

export interface Updates extends Disposable {
  state(): UpdateState
  /** Asks whether there is one; it is downloaded by itself. What came of it is in `state`. */
  check(): Promise<void>
  /**
   * Prepares, ends the gateway, and hands over to the installer, which starts the program again.
   * Does nothing where none is ready.
   */
  install(): Promise<void>
}

const BY_WINDOWS =
  'Windows asks for an administrator’s consent to install it, so it waits for a person.'
const NOT_SIGNED =
  'An AppImage is not signed, so it waits for a person who knows where it comes from.'

const MINUTE_MS = 60_000
const FIRST_CHECK_MS = 2 * MINUTE_MS
const CHECK_EVERY_MS = 6 * 60 * MINUTE_MS
/**
 * One attempt a night: a preparation that failed at the hour is not repeated every minute of it.
 */
const ATTEMPT_EVERY_MS = 12 * 60 * MINUTE_MS
/** An installer that was started ends this program within seconds. */
const LEAVING_MS = 2 * MINUTE_MS

const NONE: UpdateState = { state: 'none', version: null, share: 0, sentence: '', notes: [] }

/**
 * Updates by electron-updater: downloaded by themselves, installed when a person says so or in the
 * hour of maintenance, never as the program or the PC ends: an installer cut short by a shutdown
 * leaves no program behind (electron-builder issue 7807). Dispose it before the program ends.
 */
export function openUpdates({
  status,
  prepare,
  stop,
  clock = Date.now,
  program = thisProgram(),
  disk = thisDisk,
}: UpdatesOptions): Updates {
  const reason = whyNotHere(program, disk)
  if (reason !== undefined) return notHere(reason)

  let state = NONE
  let needsConsent = false
  let isEnding = false
  let isDisposed = false
  let attemptedAt = Number.NEGATIVE_INFINITY
  let checkedAt = clock() - CHECK_EVERY_MS + FIRST_CHECK_MS
  let leaving: NodeJS.Timeout | undefined
  const set = (change: Partial<UpdateState>) => {
    state = { ...state, ...change }
  }

  const updater = electronUpdater.autoUpdater
  Object.assign(updater, SETTINGS)
  if (program.env.ISTHMUS_UPDATE_URL)
    updater.setFeedURL({ provider: 'generic', url: program.env.ISTHMUS_UPDATE_URL })
  const listening = listen(updater, {
    'checking-for-update': () => set({ state: 'checking', sentence: '' }),
    'update-not-available': () => set(NONE),
    'update-available': (info: UpdateInfo) =>
      set({
        state: 'available',
        version: info.version,
        share: 0,
        sentence: '',
        notes: releaseNotesOf(info),
      }),
    'download-progress': ({ percent }: { percent: number }) =>
      state.state !== 'ready' && set({ state: 'downloading', share: Math.min(1, percent / 100) }),
    'update-downloaded': (info: UpdateInfo) => {
      const asksWindows = info.files.some(
        ({ isAdminRightsRequired }) => isAdminRightsRequired === true,
      )
      needsConsent = asksWindows || isUnsigned(program)
      const sentence = asksWindows ? BY_WINDOWS : needsConsent ? NOT_SIGNED : ''
      set({
        state: 'ready',
        version: info.version,
        share: 1,
        sentence,
        notes: releaseNotesOf(info),
      })
    },
    'update-cancelled': () => set(NONE),
    error: (error: Error) => {
      if (leaving) comeBack()
      else if (!['ready', 'installing'].includes(state.state))
        set({ state: 'failed', sentence: faultOfUpdate(error) })
    },
  })

  const interrupt = () => {
    isEnding = true
  }
  // On Windows a program that is ended by the shutdown hears no before-quit, but each of its
  // windows is told.
  const watch = (_event: unknown, window: BrowserWindow) => {
    window.on('query-session-end', interrupt)
    window.on('session-end', interrupt)
  }
  app.on('before-quit', interrupt)
  app.on('browser-window-created', watch)

  const timer = setInterval(() => {
    const now = clock()
    if (now - checkedAt >= CHECK_EVERY_MS) void check()
    const update = status()?.update
    if (
      state.state !== 'ready' ||
      needsConsent ||
      !update?.isAutomatic ||
      now - attemptedAt < ATTEMPT_EVERY_MS
    )
      return
    if (isMaintenance(update, now)) void install()
  }, MINUTE_MS)
  timer.unref()

  async function check(): Promise<void> {
    if (isDisposed || ['checking', 'downloading', 'ready', 'installing'].includes(state.state))
      return
    checkedAt = clock()
    // Both failures are told by the event, too; a promise nobody waits for would end the program.
    const found = await updater.checkForUpdates().catch(() => undefined)
    found?.downloadPromise?.catch(() => undefined)
  }

  async function install(): Promise<void> {
    if (isDisposed || state.state !== 'ready') return
    isEnding = false
    attemptedAt = clock()
    set({ state: 'installing', sentence: '' })
    try {
      await prepare()
    } catch (error) {
      return set({ state: 'ready', sentence: (error as Error).message })
    }
    if (mayNotGoOn()) return set({ state: 'ready' })
    try {
      await stop()
    } catch {
      return comeBack()
    }
    leaving = setTimeout(comeBack, LEAVING_MS)
    if (!mayNotGoOn()) updater.quitAndInstall(true, true)
  }

  const mayNotGoOn = () => isEnding || isDisposed

  /**
   * The gateway is ended and no installer took over: devices get their worklist again from a
   * program that starts anew.
   */
  function comeBack(): void {
    clearTimeout(leaving)
    if (isDisposed) return
    // An AppImage runs from a mount of its own, which goes with this process.
    app.relaunch(
      program.env.APPIMAGE ? { execPath: program.env.APPIMAGE, args: process.argv.slice(1) } : {},
    )
    app.exit(0)
  }

  return {
    state: () => state,
    check,
    install,
    [Symbol.dispose]() {
      isDisposed = true
      clearInterval(timer)
      clearTimeout(leaving)
      listening[Symbol.dispose]()
      app.off('before-quit', interrupt)
      app.off('browser-window-created', watch)
    },
  }
}

const SETTINGS: Partial<AppUpdater> = {
  autoDownload: true,
  autoInstallOnAppQuit: false,
  autoRunAppAfterInstall: true,
  allowDowngrade: false,
  allowPrerelease: false,
  disableWebInstaller: true,
  // It writes to the console what the state says in a sentence.
  logger: null,
}

/** What the updater tells, by its events; no longer once it is disposed. */
function listen(
  updater: AppUpdater,
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own
  events: Readonly<Record<string, (told: any) => unknown>>,
): Disposable {
  const entries = Object.entries(events) as [never, never][]
  for (const [event, listener] of entries) updater.on(event, listener)
  return {
    [Symbol.dispose]() {
      for (const [event, listener] of entries) updater.off(event, listener)
      // An EventEmitter throws an error that nobody listens to.
      updater.on('error', () => undefined)
    },
  }
}

const notHere = (sentence: string): Updates => ({
  state: () => ({ ...NONE, state: 'not-here', sentence }),
  check: () => Promise.resolve(),
  install: () => Promise.resolve(),
  [Symbol.dispose]: () => undefined,
})

const thisProgram = (): Program => ({
  isPackaged: app.isPackaged,
  platform: process.platform,
  env: process.env,
  resources: process.resourcesPath ?? '',
  executable: process.execPath,
})

const thisDisk: Disk = {
  exists: existsSync,
  read(path) {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return undefined
    }
  },
}
