import { existsSync, readFileSync } from 'node:fs'
import { app, type BrowserWindow } from 'electron'
import electronUpdater, { type AppUpdater, type UpdateInfo } from 'electron-updater'
import type { ShellStatus, UpdateState } from '#shared/contract/shell.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import {
  type Disk,
  isUnsigned,
  type Program,
  updateErrorMessage,
  updateObstacle,
} from './update-support.ts'

const WAITS_FOR_CONSENT = message('updates.waits-for-consent')
const WAITS_UNSIGNED = message('updates.waits-unsigned')

const MINUTE_MS = 60_000
const FIRST_CHECK_MS = 2 * MINUTE_MS
const CHECK_INTERVAL_MS = 6 * 60 * MINUTE_MS
/**
 * One attempt a night, so that a failed preparation is not repeated every minute of the maintenance
 * hour.
 */
const ATTEMPT_INTERVAL_MS = 12 * 60 * MINUTE_MS
/** The installer terminates this program within seconds. */
const INSTALLER_TIMEOUT_MS = 2 * MINUTE_MS

const NO_UPDATE: UpdateState = { state: 'none', version: null, share: 0, sentence: null, notes: [] }

/**
 * Updates with electron-updater. They are downloaded automatically, and installed at the user's
 * request or in the maintenance hour. They are never installed on exit or shutdown, because an
 * installer interrupted by a shutdown leaves no working program (electron-builder issue 7807). Must
 * be disposed of before the program exits.
 */
export class Updates implements Disposable {
  readonly #status: () => ShellStatus | undefined
  readonly #prepare: () => Promise<string>
  readonly #stop: () => Promise<void>
  readonly #program: Program
  readonly #opened = new DisposableStack()
  #state = NO_UPDATE
  #needsConsent = false
  #isEnding = false
  #isDisposed = false
  #attemptedAt = Number.NEGATIVE_INFINITY
  #checkedAt = Date.now() - CHECK_INTERVAL_MS + FIRST_CHECK_MS
  #leaving: NodeJS.Timeout | undefined

  /**
   * @param status the gateway's status: whether and when an update may be installed automatically
   * @param prepare makes a backup and drains devices; if it rejects, nothing is installed
   * @param stop stops the gateway process
   */
  constructor(
    status: () => ShellStatus | undefined,
    prepare: () => Promise<string>,
    stop: () => Promise<void>,
    program: Program = thisProgram(),
    disk: Disk = thisDisk,
  ) {
    this.#status = status
    this.#prepare = prepare
    this.#stop = stop
    this.#program = program
    const sentence = updateObstacle(program, disk)
    if (sentence === undefined) this.#begin()
    else {
      this.#state = { ...NO_UPDATE, state: 'not-here', sentence }
      this.#isDisposed = true
    }
  }

  state(): UpdateState {
    return this.#state
  }

  /** Checks for an update, which is then downloaded automatically. The result is in `state`. */
  async check(): Promise<void> {
    if (this.#isDisposed || BUSY_STATES.includes(this.#state.state)) return
    this.#checkedAt = Date.now()
    // Both failures are also reported as events; an unhandled rejection would end the program.
    const found = await electronUpdater.autoUpdater.checkForUpdates().catch(() => undefined)
    found?.downloadPromise?.catch(() => undefined)
  }

  /**
   * Prepares, stops the gateway and starts the installer, which restarts the program. Does nothing
   * if no update is ready.
   */
  async install(): Promise<void> {
    if (this.#isDisposed || this.#state.state !== 'ready') return
    this.#isEnding = false
    this.#attemptedAt = Date.now()
    this.#set({ state: 'installing', sentence: null })
    try {
      await this.#prepare()
    } catch (error) {
      return this.#set({ state: 'ready', sentence: explanationOf(error) })
    }
    if (this.#isInterrupted()) return this.#set({ state: 'ready' })
    try {
      await this.#stop()
    } catch {
      return this.#relaunch()
    }
    this.#leaving = setTimeout(() => this.#relaunch(), INSTALLER_TIMEOUT_MS)
    if (!this.#isInterrupted()) electronUpdater.autoUpdater.quitAndInstall(true, true)
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#leaving)
    this.#opened.dispose()
  }

  #begin(): void {
    const updater = electronUpdater.autoUpdater
    Object.assign(updater, UPDATER_SETTINGS)
    const url = this.#program.env.ISTHMUS_UPDATE_URL
    if (url) updater.setFeedURL({ provider: 'generic', url })
    this.#opened.use(this.#listen(updater))
    const markEnding = () => {
      this.#isEnding = true
    }
    // On Windows there is no before-quit event during a shutdown, but windows receive these.
    const watchSessionEnd = (_event: unknown, window: BrowserWindow) => {
      window.on('query-session-end', markEnding)
      window.on('session-end', markEnding)
    }
    app.on('before-quit', markEnding)
    app.on('browser-window-created', watchSessionEnd)
    const timer = setInterval(() => this.#everyMinute(), MINUTE_MS)
    timer.unref()
    this.#opened.defer(() => {
      clearInterval(timer)
      app.off('before-quit', markEnding)
      app.off('browser-window-created', watchSessionEnd)
    })
  }

  #listen(updater: AppUpdater): Disposable {
    return listen(updater, {
      'checking-for-update': () => this.#set({ state: 'checking', sentence: null }),
      'update-not-available': () => this.#set(NO_UPDATE),
      'update-available': (info: UpdateInfo) =>
        this.#set({
          state: 'available',
          version: info.version,
          share: 0,
          sentence: null,
          notes: releaseNotesOf(info),
        }),
      'download-progress': ({ percent }: { percent: number }) =>
        this.#state.state !== 'ready' &&
        this.#set({ state: 'downloading', share: Math.min(1, percent / 100) }),
      'update-downloaded': (info: UpdateInfo) => this.#downloaded(info),
      'update-cancelled': () => this.#set(NO_UPDATE),
      error: (error: Error) => {
        if (this.#leaving) this.#relaunch()
        else if (!['ready', 'installing'].includes(this.#state.state))
          this.#set({ state: 'failed', sentence: updateErrorMessage(error) })
      },
    })
  }

  #downloaded(info: UpdateInfo): void {
    const needsAdminRights = info.files.some(
      ({ isAdminRightsRequired }) => isAdminRightsRequired === true,
    )
    this.#needsConsent = needsAdminRights || isUnsigned(this.#program)
    this.#set({
      state: 'ready',
      version: info.version,
      share: 1,
      sentence: needsAdminRights ? WAITS_FOR_CONSENT : this.#needsConsent ? WAITS_UNSIGNED : null,
      notes: releaseNotesOf(info),
    })
  }

  #everyMinute(): void {
    const now = Date.now()
    if (now - this.#checkedAt >= CHECK_INTERVAL_MS) void this.check()
    const update = this.#status()?.update
    if (this.#state.state !== 'ready' || this.#needsConsent || !update?.isAutomatic) return
    if (now - this.#attemptedAt < ATTEMPT_INTERVAL_MS) return
    if (isInMaintenanceHour(update, now)) void this.install()
  }

  #set(change: Partial<UpdateState>): void {
    this.#state = { ...this.#state, ...change }
  }

  #isInterrupted(): boolean {
    return this.#isEnding || this.#isDisposed
  }

  /**
   * Restarts the program if the gateway was stopped but no installer took over, so that devices are
   * served again.
   */
  #relaunch(): void {
    clearTimeout(this.#leaving)
    if (this.#isDisposed) return
    // An AppImage runs from a mount that disappears with this process.
    const { APPIMAGE } = this.#program.env
    app.relaunch(APPIMAGE ? { execPath: APPIMAGE, args: process.argv.slice(1) } : {})
    app.exit(0)
  }
}

const BUSY_STATES: readonly UpdateState['state'][] = [
  'checking',
  'downloading',
  'ready',
  'installing',
]

const UPDATER_SETTINGS: Partial<AppUpdater> = {
  autoDownload: true,
  autoInstallOnAppQuit: false,
  autoRunAppAfterInstall: true,
  allowDowngrade: false,
  allowPrerelease: false,
  disableWebInstaller: true,
  // It would log to the console what the state already describes.
  logger: null,
}

/** Handles events of the updater until it is disposed of. */
function listen(
  updater: AppUpdater,
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own
  events: Readonly<Record<string, (info: any) => unknown>>,
): Disposable {
  const entries = Object.entries(events) as [never, never][]
  for (const [event, listener] of entries) updater.on(event, listener)
  return {
    [Symbol.dispose]() {
      for (const [event, listener] of entries) updater.off(event, listener)
      // An EventEmitter throws an error event that has no listener.
      updater.on('error', () => undefined)
    },
  }
}

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

const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * 60

/**
 * Whether the maintenance hour that begins at `at` (HH:MM in the clinic's time zone) is now. @param
 * now milliseconds since 1970
 */
export function isInMaintenanceHour(
  { at, timeZone }: { readonly at: string; readonly timeZone: string },
  now: number,
): boolean {
  const since = (minutesOf(localTimeIn(timeZone, now)) - minutesOf(at) + DAY_MINUTES) % DAY_MINUTES
  return since < HOUR_MINUTES
}

const localTimeIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now)

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

const MAX_LINES = 60
const MAX_LINE_LENGTH = 500

/**
 * The release notes of an update as plain text, one item per line, for display. They come from the
 * update server, so Markdown and HTML markup is removed. Empty if there are none.
 */
export function releaseNotesOf({ releaseNotes }: Pick<UpdateInfo, 'releaseNotes'>): string[] {
  const notes =
    typeof releaseNotes === 'string'
      ? [releaseNotes]
      : (releaseNotes ?? []).map(({ note }) => note ?? '')
  const text = notes.join('\n').replace(/<(?:br|\/p|\/li|\/h\d)[^>]*>/gi, '\n')
  const points: string[] = []
  for (const line of text.replace(/<[^>]*>/g, '').split(/\r?\n/)) {
    const plain = line
      .replace(/^\s*(?:[-*•]|#+|\d+\.)\s+/, '')
      .replace(/[`*]/g, '')
      .trim()
    if (plain === '') continue
    // Joins an item that was wrapped over several lines.
    const last = points.at(-1)
    if (last !== undefined && /^\s{2,}\S/.test(line) && !/^\s*(?:[-*•]|\d+\.)\s/.test(line))
      points[points.length - 1] = `${last} ${plain}`
    else points.push(plain)
  }
  return points
    .slice(0, MAX_LINES)
    .map((point) =>
      point.length > MAX_LINE_LENGTH ? `${point.slice(0, MAX_LINE_LENGTH)}…` : point,
    )
}
