import { join } from 'node:path'
import { app, shell } from 'electron'
import { askControl } from '#server/modules/control/control.ts'
import { lockMachine } from './desktop/app-lock.ts'
import { readArguments } from './desktop/arguments.ts'
import { openAutostart } from './desktop/autostart.ts'
import { keepCrashReports, watchCrashes } from './desktop/crash-reports.ts'
import { placeIn, takeLinks } from './desktop/deep-link.ts'
import { desktopLog } from './desktop/desktop-log.ts'
import { dialogs } from './desktop/dialogs.ts'
import { GatewayProcess, type Ready } from './desktop/gateway-process.ts'
import { answerPage } from './desktop/ipc.ts'
import { openKeyStore } from './desktop/key-store.ts'
import { mainWindow } from './desktop/main-window.ts'
import { setMenu } from './desktop/menu.ts'
import { openNotifier } from './desktop/notifications.ts'
import { pageAnswers } from './desktop/page-answers.ts'
import { refusePermissions, refuseRequests } from './desktop/permissions.ts'
import { stayAwake, watchSleep } from './desktop/sleep.ts'
import { watchStatus } from './desktop/status-watch.ts'
import { openTray } from './desktop/tray.ts'
import { openUpdates } from './desktop/updates.ts'
import { refuseWebviews } from './desktop/window.ts'
import { shellWords } from './desktop/words.ts'

const here = import.meta.dirname
/** As in electron-builder.yml: Windows shows notifications for programs it knows by it. */
const APP_ID = 'health.isthmus.gateway'
/** A PC that ends waits a few seconds at most. */
const SHUTDOWN_MS = 4_000

/**
 * Ready → start the gateway's process → open the window and the tray; before quitting → drain it.
 */
export async function main(): Promise<void> {
  app.enableSandbox()
  keepCrashReports()
  app.setAppUserModelId(APP_ID)
  const argv = process.argv.slice(app.isPackaged ? 1 : 2)
  const userData = app.getPath('userData')
  const { folder, isNamed, isHidden, place, serve } = readArguments(argv, userData)
  if (!app.requestSingleInstanceLock()) return app.quit()
  // The gateway goes on serving devices while the window is closed; only Quit ends it.
  app.on('window-all-closed', () => undefined)
  let wanted = place
  let ready: Ready | undefined
  let fault = ''
  let ending: Promise<void> | undefined
  let isDrained = false
  takeLinks(open)
  await app.whenReady()

  const words = shellWords(app.getLocale())
  const ask = dialogs(words, () => window.current())
  const log = desktopLog(join(folder, 'logs', 'desktop.log'), Date.now)
  const origin = () => ready?.http

  const window = mainWindow({
    folder: userData,
    preload: join(here, 'preload.cjs'),
    platform: process.platform,
    origin,
    firstPage: async () =>
      ready?.rescue ? ready.link : ready && (await firstPage(folder, ready.http)),
    isEnding: () => ending !== undefined,
    onHidden: () => void ask.explainsClosing(),
    onSessionEnd: () => shutdown(),
  })
  const machine = await lockMachine(isNamed ? folder : APP_ID)
  if ('heldBy' in machine) {
    await ask.saysAlreadyRunning(machine.heldBy)
    return app.exit(0)
  }
  refuseWebviews()
  refusePermissions(origin)
  refuseRequests(origin)
  watchCrashes(log, Date.now)

  const command = [
    process.execPath,
    ...(app.isPackaged ? [] : [app.getAppPath()]),
    ...(isNamed ? ['--data', folder] : []),
  ]
  const autostart = openAutostart({ platform: process.platform, env: process.env, argv, command })
  const isQuiet = isHidden || autostart.startedIt()
  const keys = openKeyStore(folder, {
    onError: (error) => log('the key store refused', { error: String(error) }),
  })
  const awake = stayAwake()
  const openDataFolder = () => void shell.openPath(folder)

  const gateway = new GatewayProcess({
    entry: join(here, 'headless.js'),
    worker: join(here, 'native-worker.js'),
    args: [
      '--data',
      folder,
      '--rescue',
      '--data-key-from-parent',
      '--log-file',
      join(folder, 'logs', 'gateway.log'),
      ...serve,
    ],
    keys,
    isAlone: isQuiet,
    onReady(started) {
      const isFirst = !ready
      ready = started
      fault = ''
      log('the gateway is ready', { isRescue: started.rescue === true })
      if (started.rescue) awake.release()
      else awake.hold()
      void status.now()
      // Without the link of a rescue: whoever has it may put another database in the place of this
      // one.
      if (isFirst)
        process.stdout.write(`${JSON.stringify({ ready: true, ...started, link: undefined })}\n`)
      else void window.renew()
      if (started.rescue || (isFirst && !isQuiet) || wanted !== undefined) open()
    },
    onEnd({ exitCode, waitMs, fault: said, isSafe }) {
      awake.release()
      fault = said
      log('the gateway ended', { exitCode, waitMs, fault: said, isSafe })
      void status.now()
      if (waitMs === undefined) void startAgain(exitCode)
    },
  })
  const startAgain = async (exitCode: number) => {
    if (await ask.saysStartFailed(fault, exitCode)) gateway.start()
    else app.exit(exitCode || 1)
  }

  const tell = async (name: string): Promise<string> => {
    const { ok, output } = await askControl(folder, { command: name })
    if (!ok) throw new Error(output)
    return output
  }
  const updates = openUpdates({
    status: () => status.latest(),
    prepare: () => tell('prepare-update'),
    stop: () => end(),
  })
  const tray = openTray(join(here, '../renderer'), words, {
    open: () => open(),
    openDataFolder,
    installUpdate: () => void updates.install(),
    quit: () => void quit(),
  })
  const notifier = openNotifier({ words, open, clock: Date.now })
  const status = watchStatus(folder, (latest) => {
    if (ending) return
    tray.show({ status: latest, update: updates.state(), fault })
    notifier.tell(latest)
  })
  setMenu(words, { show: open, openDataFolder, quit: () => void quit() })
  answerPage(origin, pageAnswers({ gateway, autostart, keys, updates, openDataFolder }))

  /** Shows a place of the window; before there is something to show, once there is. */
  function open(to?: string): void {
    if (ending) return
    if (!ready) {
      wanted = to ?? wanted ?? '/'
      return
    }
    void window.show(to ?? wanted)
    wanted = undefined
  }
  app.on('second-instance', (_event, secondArgv) => open(placeIn(secondArgv)))
  app.on('activate', () => open())

  /** Drains and ends the gateway's process; nothing is shown or asked after that. */
  function end(timeoutMs?: number): Promise<void> {
    ending ??= gateway.stop(timeoutMs).then(() => {
      isDrained = true
      awake.release()
      status[Symbol.dispose]()
    })
    return ending
  }
  const quit = async () => {
    if (await ask.asksToQuit()) app.quit()
  }
  app.on('before-quit', (event) => {
    if (isDrained) return
    event.preventDefault()
    updates[Symbol.dispose]()
    void end().then(() => app.quit())
  })
  // The PC ends: what is under way is finished if there is time, and no update is begun.
  function shutdown(): void {
    updates[Symbol.dispose]()
    void end(SHUTDOWN_MS).then(() => app.exit(0))
  }
  watchSleep({
    away: () => void tell('lock').catch(() => undefined),
    back: () =>
      void status.now().then((latest) => {
        if (latest && !latest.isSafe && latest.tray === 'listener-down') gateway.restart()
      }),
    shutdown,
  })

  tray.show({ status: undefined, update: updates.state(), fault })
  if (process.platform === 'win32') window.prepare()
  gateway.start()
}

/**
 * The set-up page with its one-time link where there is no owner yet, else the window's front page.
 */
async function firstPage(folder: string, origin: string): Promise<string> {
  const link = await askControl(folder, {
    command: 'sign-in-link',
    options: { 'if-no-owner': true },
  }).catch(() => undefined)
  return link?.ok && link.output ? link.output : `${origin}/`
}

if (!process.env.VITEST) void main()
