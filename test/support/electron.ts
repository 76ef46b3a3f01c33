// The part of Electron that electron/main.ts and electron/shell use, for tests in plain Node: it records what it was asked to do.
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'

export const windows: BrowserWindow[] = []
export const processes: FakeProcess[] = []
export const handlers = new Map<string, (event: unknown) => unknown>()

interface WindowOpen {
  action: string
  overrideBrowserWindowOptions?: { webPreferences: Record<string, unknown> }
}

class Contents extends EventEmitter {
  windowOpen: ((details: { url: string }) => WindowOpen) | undefined
  reloads = 0
  setWindowOpenHandler(handler: (details: { url: string }) => WindowOpen): void {
    this.windowOpen = handler
  }
  reload(): void {
    this.reloads++
  }
}

export class BrowserWindow extends EventEmitter {
  url = ''
  readonly webContents = new Contents()
  readonly options: { webPreferences: Record<string, unknown> }
  constructor(options: { webPreferences: Record<string, unknown> }) {
    super()
    this.options = options
    windows.push(this)
  }
  loadURL(url: string): Promise<void> {
    this.url = url
    return Promise.resolve()
  }
  show(): void {}
  focus(): void {}
  setMenuBarVisibility(): void {}
  isDestroyed(): boolean {
    return false
  }
}

export class FakeProcess extends EventEmitter {
  readonly stdout = new PassThrough()
  readonly messages: unknown[] = []
  readonly path: string
  readonly args: readonly string[]
  constructor(path: string, args: readonly string[]) {
    super()
    this.path = path
    this.args = args
  }
  postMessage(message: unknown): void {
    this.messages.push(message)
    if (message === 'stop') setImmediate(() => this.emit('exit', 0))
  }
  kill(): boolean {
    this.emit('exit', 1)
    return true
  }
}

class App extends EventEmitter {
  isPackaged = false
  sandboxed = false
  exitCode: number | undefined
  quits = 0
  enableSandbox = (): void => {
    this.sandboxed = true
  }
  requestSingleInstanceLock = (): boolean => true
  whenReady = (): Promise<void> => Promise.resolve()
  quit = (): void => {
    this.quits++
  }
  exit = (code: number): void => {
    this.exitCode = code
  }
  getVersion = (): string => '0.0.0'
  getPath = (name: string): string => `/fake/${name}`
}
export const app = new App()
export const ipcMain = { handle: (channel: string, handler: (event: unknown) => unknown): void => void handlers.set(channel, handler) }
export const shell = { openPath: (): Promise<string> => Promise.resolve('') }
export class Tray {
  setToolTip(): void {}
  setContextMenu(): void {}
}
export const Menu = { buildFromTemplate: (template: unknown): unknown => template }
export const nativeImage = { createFromPath: (path: string): unknown => ({ path }) }
export const permissions: {
  request?: (contents: unknown, permission: string, answer: (allowed: boolean) => void, details: { requestingUrl: string }) => void
  check?: (contents: unknown, permission: string, requestingOrigin: string) => boolean
} = {}
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: NonNullable<typeof permissions.request>): void => {
      permissions.request = handler
    },
    setPermissionCheckHandler: (handler: NonNullable<typeof permissions.check>): void => {
      permissions.check = handler
    },
  },
}
export const utilityProcess = {
  fork: (path: string, args: readonly string[]): FakeProcess => {
    const child = new FakeProcess(path, args)
    processes.push(child)
    return child
  },
}
