import { join } from 'node:path'
import { app, shell } from 'electron'
import { sendCommand } from '#server/modules/control/control.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { acquireMachineLock } from './desktop/app-lock.ts'
import { readArguments, type StartArguments } from './desktop/arguments.ts'
import { type Autostart, openAutostart } from './desktop/autostart.ts'
import { desktopLog, keepCrashReports, watchCrashes } from './desktop/crash-reports.ts'
import { handleLinks, pagePathIn } from './desktop/deep-link.ts'
import { Dialogs } from './desktop/dialogs.ts'
import {
  type GatewayAddresses,
  type GatewayExit,
  GatewayProcess,
} from './desktop/gateway-process.ts'
import { ipcHandlers, registerIpcHandlers } from './desktop/ipc-handlers.ts'
import { openKeyStore } from './desktop/key-store.ts'
import { MainWindow } from './desktop/main-window.ts'
import { type Actions, setMenu } from './desktop/menu.ts'
import { openNotifier } from './desktop/notifications.ts'
import { refusePermissions, refuseRequests } from './desktop/permissions.ts'
import { stayAwake, watchSleep } from './desktop/sleep.ts'
import { watchStatus } from './desktop/status-watch.ts'
import { type ShellTexts, shellTexts } from './desktop/texts.ts'
import { openTray } from './desktop/tray.ts'
import { Updates } from './desktop/updates.ts'
import { refuseWebviews } from './desktop/window.ts'

const programFolder = import.meta.dirname
/**
 * Must match electron-builder.yml, because Windows shows notifications only for registered app IDs.
 */
const APP_ID = 'health.isthmus.gateway'
/** At shutdown the operating system waits only a few seconds for a program to exit. */
const SHUTDOWN_MS = 4_000

/** Starts the desktop app unless another instance is running on this PC. */
export async function main(): Promise<void> {
  app.enableSandbox()
  keepCrashReports()
  app.setAppUserModelId(APP_ID)
  const argv = process.argv.slice(app.isPackaged ? 1 : 2)
  const startArguments = readArguments(argv, app.getPath('userData'))
  if (!app.requestSingleInstanceLock()) return app.quit()
  // The gateway keeps serving devices while the window is closed; only Quit stops it.
  app.on('window-all-closed', () => undefined)
  let desktop: DesktopApp | undefined
  let { pagePath: place } = startArguments
  handleLinks((to) => {
    if (desktop) desktop.open(to)
    else place = to
  })
  await app.whenReady()

  const words = shellTexts(app.getLocale())
  const machineLock = await acquireMachineLock(
    startArguments.isFolderGiven ? startArguments.folder : APP_ID,
  )
  if ('heldBy' in machineLock) {
    await new Dialogs(words).showAlreadyRunning(machineLock.heldBy)
    return app.exit(0)
  }
  desktop = new DesktopApp({ ...startArguments, pagePath: place }, argv, words)
  desktop.startArguments()
}

/**
 * The running app: the gateway process, the window, the tray and the menu. It drains the gateway
 * before it quits.
 */
class DesktopApp implements Actions {
  readonly #folder: string
  readonly #log: ReturnType<typeof desktopLog>
  readonly #dialogs: Dialogs
  readonly #window: MainWindow
  readonly #autostart: Autostart
  /** Started hidden or by the system at login, so no window opens on start. */
  readonly #isQuiet: boolean
  readonly #gateway: GatewayProcess
  readonly #updates: Updates
  readonly #tray: ReturnType<typeof openTray>
  readonly #status: ReturnType<typeof watchStatus>
  readonly #sleepBlocker = stayAwake()
  /** The page to open once the gateway is ready. */
  #place: string | undefined
  #ready: GatewayAddresses | undefined
  #fault = ''
  #ending: Promise<void> | undefined
  #isDrained = false

  constructor(startArguments: StartArguments, argv: readonly string[], words: ShellTexts) {
    const { folder, isFolderGiven } = startArguments
    this.#folder = folder
    this.#place = startArguments.pagePath
    this.#log = desktopLog(join(folder, 'logs', 'desktop.log'), Date.now)
    const userData = app.getPath('userData')
    this.#window = new MainWindow(
      folder,
      userData,
      join(programFolder, 'preload.cjs'),
      process.platform,
    )
    this.#dialogs = new Dialogs(words, () => this.#window.current())
    const command = [
      process.execPath,
      ...(app.isPackaged ? [] : [app.getAppPath()]),
      ...(isFolderGiven ? ['--data', folder] : []),
    ]
    this.#autostart = openAutostart(process.platform, process.env, argv, command)
    this.#isQuiet = startArguments.isHidden || this.#autostart.startedIt()
    const keys = openKeyStore(folder, (error) =>
      this.#log('the key store refused', { error: String(error) }),
    )
    this.#gateway = new GatewayProcess(
      join(programFolder, 'headless.js'),
      join(programFolder, 'native-worker.js'),
      [
        ...['--data', folder, '--rescue', '--data-key-from-parent'],
        ...['--log-file', join(folder, 'logs', 'gateway.log'), ...startArguments.serve],
      ],
      keys,
      this.#isQuiet,
    )
    this.#updates = new Updates(
      () => this.#status.latest(),
      () => this.#askControl('prepare-update'),
      () => this.#end(),
    )
    this.#tray = openTray(join(programFolder, '../renderer'), words, this)
    const notifier = openNotifier(words, (place) => this.open(place), Date.now)
    this.#status = watchStatus(folder, (status) => {
      if (this.#ending) return
      this.#tray.show({ status, update: this.#updates.state(), fault: this.#fault })
      notifier.update(status)
    })
    setMenu(words, this)
    const handlers = ipcHandlers(this.#gateway, this.#autostart, keys, this.#updates, this)
    registerIpcHandlers(this.#window.origin, handlers)
  }

  startArguments(): void {
    refuseWebviews()
    refusePermissions(this.#window.origin)
    refuseRequests(this.#window.origin)
    watchCrashes(this.#log, Date.now)
    this.#gateway.on('ready', (ready) => this.#gatewayReady(ready))
    this.#gateway.on('end', (end) => this.#gatewayEnded(end))
    this.#window.on('first-hidden', () => void this.#dialogs.explainClosing())
    this.#window.on('session-end', () => this.#shutDown())
    app.on('second-instance', (_event, argv) => this.open(pagePathIn(argv)))
    app.on('activate', () => this.open())
    app.on('before-quit', (event) => {
      if (this.#isDrained) return
      event.preventDefault()
      this.#updates[Symbol.dispose]()
      void this.#end().then(() => app.quit())
    })
    watchSleep(
      () => void this.#askControl('lock').catch(() => undefined),
      () => void this.#restartUnreachable(),
      () => this.#shutDown(),
    )
    this.#tray.show({ status: undefined, update: this.#updates.state(), fault: '' })
    if (process.platform === 'win32') this.#window.prepare()
    this.#gateway.start()
  }

  /** Opens a page of the window, once the gateway is ready. */
  open(pagePath?: string): void {
    if (this.#ending) return
    if (!this.#ready) {
      this.#place = pagePath ?? this.#place ?? '/'
      return
    }
    void this.#window.show(pagePath ?? this.#place)
    this.#place = undefined
  }

  openDataFolder(): void {
    void shell.openPath(this.#folder)
  }

  installUpdate(): void {
    void this.#updates.install()
  }

  async quit(): Promise<void> {
    if (await this.#dialogs.askToQuit()) app.quit()
  }

  #gatewayReady(ready: GatewayAddresses): void {
    const isFirst = !this.#ready
    this.#ready = ready
    this.#fault = ''
    this.#window.ready = ready
    this.#log('the gateway is ready', { isRescue: ready.rescue === true })
    if (ready.rescue) this.#sleepBlocker.release()
    else this.#sleepBlocker.hold()
    void this.#status.now()
    // Leaves out the rescue link, because anyone who has it can replace the database.
    if (isFirst)
      process.stdout.write(`${JSON.stringify({ ready: true, ...ready, link: undefined })}\n`)
    else void this.#window.renew()
    if (ready.rescue || (isFirst && !this.#isQuiet) || this.#place !== undefined) this.open()
  }

  #gatewayEnded({ exitCode, waitMs, fault, isSafe }: GatewayExit): void {
    this.#sleepBlocker.release()
    this.#fault = fault
    this.#log('the gateway ended', { exitCode, waitMs, fault, isSafe })
    void this.#status.now()
    if (waitMs === undefined) void this.#retryStart(exitCode)
  }

  async #retryStart(exitCode: number): Promise<void> {
    if (await this.#dialogs.askToRetry(this.#fault, exitCode)) this.#gateway.start()
    else app.exit(exitCode || 1)
  }

  /** Restarts the gateway after sleep if devices cannot reach it. */
  async #restartUnreachable(): Promise<void> {
    const status = await this.#status.now()
    if (status && !status.isSafe && status.tray === 'listener-down') this.#gateway.restart()
  }

  async #askControl(command: string): Promise<string> {
    const { ok, output, explanation } = await sendCommand(this.#folder, { command })
    if (!ok) throw explanation ? new MessageError(explanation) : new Error(output)
    return output
  }

  /** Drains and stops the gateway process. No window or dialog appears after this. */
  #end(timeoutMs?: number): Promise<void> {
    this.#window.isEnding = true
    this.#ending ??= this.#gateway.stop(timeoutMs).then(() => {
      this.#isDrained = true
      this.#sleepBlocker.release()
      this.#status[Symbol.dispose]()
    })
    return this.#ending
  }

  /** Called when the PC shuts down: drains the gateway if there is time, and starts no update. */
  #shutDown(): void {
    this.#updates[Symbol.dispose]()
    void this.#end(SHUTDOWN_MS).then(() => app.exit(0))
  }
}

if (!process.env.VITEST) void main()
