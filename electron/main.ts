import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { app, type BrowserWindow, ipcMain, Menu, nativeImage, shell, Tray } from 'electron'
import { askControl } from '#gateway/control.ts'
import { GatewayProcess, type Ready } from './shell/gateway-process.ts'
import { isOf, openWindow, refusePermissions } from './shell/window.ts'

const here = import.meta.dirname

/** `--data DIR` chooses the data folder; what stands behind it goes to `serve` as it is. */
export function readArguments(argv: readonly string[], userData: string): { folder: string; serve: string[] } {
  const { values, tokens } = parseArgs({ args: [...argv], options: { data: { type: 'string' } }, strict: false, tokens: true })
  const serve = argv.filter(
    (_, index) =>
      !tokens.some(
        (token) =>
          token.kind === 'option' && token.name === 'data' && (token.index === index || (!token.inlineValue && token.index === index - 1)),
      ),
  )
  return {
    folder: typeof values.data === 'string' ? values.data : userData,
    serve: serve.filter((argument) => argument !== '--no-sandbox' && argument !== '.'),
  }
}

/** Ready → start the gateway's process → open the window and the tray; before quitting → drain it. */
export async function main(): Promise<void> {
  app.enableSandbox()
  if (!app.requestSingleInstanceLock()) return app.quit()
  await app.whenReady()
  let ready: Ready | undefined
  refusePermissions(() => ready?.http)
  const { folder, serve } = readArguments(process.argv.slice(app.isPackaged ? 1 : 2), app.getPath('userData'))
  let window: BrowserWindow | undefined

  const show = async () => {
    if (!ready) return
    if (window && !window.isDestroyed()) {
      window.show()
      return window.focus()
    }
    window = openWindow({ preload: join(here, 'preload.cjs'), origin: ready.http })
    await window.loadURL(await firstPage(folder, ready.http))
  }

  const gateway = new GatewayProcess({
    entry: join(here, 'headless.js'),
    worker: join(here, 'native-worker.js'),
    args: ['--data', folder, ...serve],
    onReady(started) {
      const isFirst = !ready
      ready = started
      if (isFirst) process.stdout.write(`${JSON.stringify({ ready: true, ...started })}\n`)
      else if (window && !window.isDestroyed()) window.webContents.reload()
      void show()
    },
    onEnd(exitCode, waitMs) {
      if (waitMs === undefined) app.exit(exitCode || 1)
    },
  })

  answer('version', () => app.getVersion())
  answer('open-data-folder', async () => void (await shell.openPath(folder)))
  answer('restart-gateway', () => gateway.restart())

  const tray = new Tray(nativeImage.createFromPath(join(here, '../renderer/tray.png')))
  tray.setToolTip('Isthmus')
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Open Isthmus', click: () => void show() },
      { type: 'separator' },
      { label: 'Quit (devices get no worklist)', click: () => app.quit() },
    ]),
  )
  app.on('second-instance', () => void show())
  // The gateway goes on serving devices while the window is closed; only Quit ends it.
  app.on('window-all-closed', () => undefined)
  let drained = false
  app.on('before-quit', (event) => {
    if (drained) return
    event.preventDefault()
    void gateway.stop().then(() => {
      drained = true
      app.quit()
    })
  })
  gateway.start()

  /** Answers a message of our own page only (Electron security checklist 17). */
  function answer(channel: string, reply: () => unknown): void {
    ipcMain.handle(channel, (event) => {
      const frame = event.senderFrame
      if (!ready || !frame || frame.parent || !isOf(ready.http, frame.url)) throw new Error('not for this page')
      return reply()
    })
  }
}

/** The set-up page with its one-time link where there is no owner yet, else the window's front page. */
async function firstPage(folder: string, origin: string): Promise<string> {
  const link = await askControl(folder, { command: 'sign-in-link', options: { 'if-no-owner': true } }).catch(() => undefined)
  return link?.ok && link.output ? link.output : `${origin}/`
}

if (!process.env.VITEST) void main()
