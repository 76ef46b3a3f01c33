// The part of Electron that electron/main.ts, preload.ts and shell/ use, for tests in plain Node: it records what it was asked to do, and a test has it
// do what the system would. Every member is declared by Electron's own types, so that what is not Electron's does not compile.
import { EventEmitter } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type * as E from 'electron'

/** The name of an event of Electron's object, or never. */
// biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own
type EventOf<Target, N extends string> = Target extends { on(event: N, listener: (...args: any[]) => void): unknown } ? N : never

/** Hears what its model hears. */
class Hearing<Target> extends EventEmitter {
  /** Emits an event that Electron's object has; a test that names another one does not compile. */
  fire<const N extends string>(event: N & EventOf<Target, N>, ...args: readonly unknown[]): boolean {
    return this.emit(event, ...args)
  }
}

/** Electron's event, which says whether it was prevented. */
export function event<T extends object>(more?: T): E.Event & T {
  const fresh = {
    defaultPrevented: false,
    preventDefault() {
      fresh.defaultPrevented = true
    },
    ...more,
  }
  return fresh as E.Event & T
}

// ── app ──

type AppSurface = Pick<
  E.App,
  | 'enableSandbox'
  | 'exit'
  | 'getAppPath'
  | 'getLocale'
  | 'getLoginItemSettings'
  | 'getPath'
  | 'getVersion'
  | 'isPackaged'
  | 'quit'
  | 'relaunch'
  | 'requestSingleInstanceLock'
  | 'setAboutPanelOptions'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'setLoginItemSettings'
  | 'whenReady'
>

class App extends Hearing<E.App> implements AppSurface {
  isPackaged = false
  sandboxed = false
  isReady = false
  exitCode: number | undefined
  quits = 0
  locale = 'en-GB'
  isFirst = true
  readonly protocols: string[] = []
  loginItem: E.Settings = {}
  readonly #folder = mkdtempSync(join(tmpdir(), 'isthmus-app-'))
  enableSandbox = (): void => {
    if (this.isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.sandboxed = true
  }
  requestSingleInstanceLock = (): boolean => this.isFirst
  whenReady = (): Promise<void> => {
    this.isReady = true
    return Promise.resolve()
  }
  quit = (): void => {
    this.quits++
  }
  exit = (code?: number): void => {
    this.exitCode = code ?? 0
  }
  relaunch = (): void => undefined
  getVersion = (): string => '0.0.0'
  getLocale = (): string => this.locale
  getAppPath = (): string => '/app'
  getPath = (name: string): string => join(this.#folder, name)
  setAboutPanelOptions = (_options: E.AboutPanelOptionsOptions): void => undefined
  setAppUserModelId = (_id: string): void => undefined
  setAsDefaultProtocolClient = (protocol: string): boolean => this.protocols.push(protocol) > 0
  setLoginItemSettings = (settings: E.Settings): void => {
    this.loginItem = settings
  }
  getLoginItemSettings = (options?: E.LoginItemSettingsOptions): E.LoginItemSettings => ({
    openAtLogin: this.loginItem.openAtLogin === true && JSON.stringify(options?.args ?? []) === JSON.stringify(this.loginItem.args ?? []),
    wasOpenedAtLogin: false,
    status: 'enabled',
    executableWillLaunchAtLogin: this.loginItem.openAtLogin === true,
    launchItems: [],
  })
}
export const app = new App()

// ── windows ──

export const windows: BrowserWindow[] = []

type ContentsSurface = Pick<E.WebContents, 'getURL' | 'isDestroyed' | 'reload' | 'setWindowOpenHandler'>

export class Contents extends Hearing<E.WebContents> implements ContentsSurface {
  url = ''
  reloads = 0
  #windowOpen: Parameters<E.WebContents['setWindowOpenHandler']>[0] = () => ({ action: 'allow' })
  setWindowOpenHandler(handler: (details: E.HandlerDetails) => E.WindowOpenHandlerResponse): void {
    this.#windowOpen = handler
  }
  /** As `window.open(url)` of the page asks. */
  opens(url: string): E.WindowOpenHandlerResponse {
    return this.#windowOpen({ url, frameName: '', features: '', disposition: 'new-window', referrer: { url: '', policy: 'default' } })
  }
  getURL(): string {
    return this.url
  }
  isDestroyed(): boolean {
    return false
  }
  reload(): void {
    this.reloads++
  }
}

type WindowSurface = Pick<
  E.BrowserWindow,
  | 'focus'
  | 'getNormalBounds'
  | 'hide'
  | 'isDestroyed'
  | 'isFullScreen'
  | 'isMaximized'
  | 'isMinimized'
  | 'loadURL'
  | 'maximize'
  | 'restore'
  | 'setBounds'
  | 'show'
>

export class BrowserWindow extends Hearing<E.BrowserWindow> implements WindowSurface {
  readonly webContents = new Contents()
  readonly options: E.BrowserWindowConstructorOptions
  readonly loaded: string[] = []
  bounds: E.Rectangle
  isVisible = false
  isMax = false
  isMin = false
  isGone = false
  constructor(options: E.BrowserWindowConstructorOptions = {}) {
    super()
    this.options = options
    this.bounds = { x: options.x ?? 100, y: options.y ?? 80, width: options.width ?? 800, height: options.height ?? 600 }
    this.isVisible = options.show !== false
    windows.push(this)
    app.fire('browser-window-created', event(), this)
  }
  get url(): string {
    return this.webContents.url
  }
  loadURL(url: string): Promise<void> {
    this.loaded.push(url)
    this.webContents.url = url
    return Promise.resolve()
  }
  show(): void {
    this.isVisible = true
    this.fire('show')
  }
  hide(): void {
    this.isVisible = false
  }
  focus(): void {}
  maximize(): void {
    this.isMax = true
    this.fire('maximize')
  }
  restore(): void {
    this.isMin = false
  }
  isMaximized(): boolean {
    return this.isMax
  }
  isMinimized(): boolean {
    return this.isMin
  }
  isFullScreen(): boolean {
    return false
  }
  isDestroyed(): boolean {
    return this.isGone
  }
  getNormalBounds(): E.Rectangle {
    return this.bounds
  }
  setBounds(bounds: Partial<E.Rectangle>): void {
    this.bounds = { ...this.bounds, ...bounds }
  }
  /** As a person closes it; whether it went. */
  close(): boolean {
    const closing = event()
    this.fire('close', closing)
    if (closing.defaultPrevented) return false
    this.isGone = true
    this.fire('closed')
    return true
  }
}

class Screen extends Hearing<E.Screen> {
  displays: Pick<E.Display, 'id' | 'bounds' | 'workArea' | 'scaleFactor'>[] = [display(0, 0, 1920, 1080)]
  getAllDisplays(): Pick<E.Display, 'id' | 'bounds' | 'workArea' | 'scaleFactor'>[] {
    return this.displays
  }
}

/** One with a task bar of 40 pixels at its foot. */
export function display(x: number, y: number, width: number, height: number, scaleFactor = 1) {
  return { id: x * 10_000 + y, bounds: { x, y, width, height }, workArea: { x, y, width, height: height - 40 }, scaleFactor }
}
export const screen = new Screen()

// ── messages of pages ──

type Listener = Parameters<E.IpcMain['handle']>[1]
export const handlers = new Map<string, Listener>()
export const ipcMain = {
  handle: (channel: string, listener: Listener): void => {
    // As Electron does.
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    handlers.set(channel, listener)
  },
} satisfies Pick<E.IpcMain, 'handle'>

/** As a frame of a page sends it: what it is answered, or the error. */
export function sent(
  channel: string,
  frame: { readonly url: string; readonly parent?: object | null } | null,
  ...args: unknown[]
): unknown {
  const listener = handlers.get(channel)
  if (!listener) throw new Error(`No handler registered for '${channel}'`)
  return listener({ senderFrame: frame && { parent: null, ...frame } } as unknown as E.IpcMainInvokeEvent, ...args)
}

/** What the preload script gives the page, by name. */
export const exposed = new Map<string, unknown>()
export const contextBridge = {
  exposeInMainWorld: (key: string, api: unknown): void => void exposed.set(key, api),
} satisfies Pick<E.ContextBridge, 'exposeInMainWorld'>
/** What the preload script sent. */
export const invoked: (readonly unknown[])[] = []
export const ipcRenderer = {
  invoke: (channel: string, ...args: unknown[]): Promise<unknown> => {
    invoked.push([channel, ...args])
    return Promise.resolve()
  },
} satisfies Pick<E.IpcRenderer, 'invoke'>

// ── permissions and requests ──

type Answering<K extends keyof E.Session> = E.Session[K] extends (handler: infer H) => void ? NonNullable<H> : never
export const permissions: {
  request?: Answering<'setPermissionRequestHandler'>
  check?: Answering<'setPermissionCheckHandler'>
  device?: Answering<'setDevicePermissionHandler'>
} = {}
type RequestListener = (details: E.OnBeforeRequestListenerDetails, callback: (response: E.CallbackResponse) => void) => void
export const requests: { before?: RequestListener } = {}

export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: Answering<'setPermissionRequestHandler'> | null): void => {
      if (handler) permissions.request = handler
    },
    setPermissionCheckHandler: (handler: Answering<'setPermissionCheckHandler'> | null): void => {
      if (handler) permissions.check = handler
    },
    setDevicePermissionHandler: (handler: Answering<'setDevicePermissionHandler'> | null): void => {
      if (handler) permissions.device = handler
    },
    webRequest: {
      onBeforeRequest: (first: E.WebRequestFilter | RequestListener | null, second?: RequestListener | null): void => {
        const listener = typeof first === 'function' ? first : second
        if (listener) requests.before = listener
      },
    },
  },
} satisfies {
  defaultSession: Pick<E.Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'> & {
    webRequest: Pick<E.WebRequest, 'onBeforeRequest'>
  }
}

/** Whether a page of that address may. */
export function asked(permission: string, requestingUrl: string): boolean | undefined {
  let answer: boolean | undefined
  const contents = new Contents() as unknown as E.WebContents
  permissions.request?.(contents, permission as never, (isAllowed) => (answer = isAllowed), { requestingUrl, isMainFrame: true })
  return answer
}

/** Whether a request goes out. */
export function goesOut(url: string): boolean | undefined {
  let isCancelled: boolean | undefined
  requests.before?.({ url } as E.OnBeforeRequestListenerDetails, ({ cancel }) => (isCancelled = cancel === true))
  return isCancelled === undefined ? undefined : !isCancelled
}

// ── processes ──

export const processes: FakeProcess[] = []

type ProcessSurface = Pick<E.UtilityProcess, 'kill' | 'postMessage' | 'stderr' | 'stdout'>

export class FakeProcess extends Hearing<E.UtilityProcess> implements ProcessSurface {
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly messages: unknown[] = []
  readonly path: string
  readonly args: readonly string[]
  readonly options: E.ForkOptions
  constructor(path: string, args: readonly string[], options: E.ForkOptions) {
    super()
    this.path = path
    this.args = args
    this.options = options
  }
  postMessage(message: unknown): void {
    this.messages.push(structuredClone(message))
    if (message === 'stop') setImmediate(() => this.exit(0))
  }
  kill(): boolean {
    this.exit(1)
    return true
  }
  /** Prints a line of JSON. */
  prints(line: unknown): void {
    this.stdout.write(`${JSON.stringify(line)}\n`)
  }
  /** Ends, its streams with it. */
  exit(code: number): void {
    this.stdout.end()
    this.stderr.end()
    this.fire('exit', code)
  }
}

export const utilityProcess = {
  fork: (path: string, args: string[] = [], options: E.ForkOptions = {}): FakeProcess => {
    const child = new FakeProcess(path, args, options)
    processes.push(child)
    return child
  },
} satisfies { fork: (...given: Parameters<typeof E.utilityProcess.fork>) => ProcessSurface }

// ── tray, menus, dialogs, notifications ──

export const trays: Tray[] = []
type TraySurface = Pick<E.Tray, 'setToolTip'>

export class Tray extends Hearing<E.Tray> implements TraySurface {
  image: FakeImage
  toolTip = ''
  menu: FakeMenu | null = null
  constructor(image: FakeImage) {
    super()
    this.image = image
    trays.push(this)
  }
  setImage(image: FakeImage): void {
    this.image = image
  }
  setToolTip(toolTip: string): void {
    this.toolTip = toolTip
  }
  setContextMenu(menu: FakeMenu | null): void {
    this.menu = menu
  }
}

interface FakeImage {
  readonly path: string
}
export const nativeImage = {
  createFromPath: (path: string): FakeImage => ({ path }),
} satisfies { createFromPath: (...given: Parameters<typeof E.nativeImage.createFromPath>) => FakeImage }

interface FakeMenu {
  readonly template: readonly E.MenuItemConstructorOptions[]
}
export const menus: { ofApp?: FakeMenu | null } = {}
export const Menu = {
  buildFromTemplate: (template: readonly E.MenuItemConstructorOptions[]): FakeMenu => ({ template }),
  setApplicationMenu: (menu: FakeMenu | null): void => {
    menus.ofApp = menu
  },
} satisfies {
  buildFromTemplate: (template: E.MenuItemConstructorOptions[]) => FakeMenu
  setApplicationMenu: (menu: FakeMenu | null) => void
} & { [K in keyof Pick<typeof E.Menu, 'buildFromTemplate' | 'setApplicationMenu'>]: unknown }

/** Presses an item of a menu, found by its words. */
export function press(menu: FakeMenu | null | undefined, label: string | RegExp): void {
  const items = (menu?.template ?? []).flatMap((item) => [item, ...(Array.isArray(item.submenu) ? item.submenu : [])])
  const item = items.find((one) => (typeof label === 'string' ? one.label === label : label.test(one.label ?? '')))
  if (!item?.click) throw new Error(`no item “${label}” to press`)
  item.click({} as E.MenuItem, undefined, {} as E.KeyboardEvent)
}

/** Dialogs that were shown, and the button that is pressed in the next ones. */
export const boxes: E.MessageBoxOptions[] = []
export const presses: { button: number } = { button: 0 }
export const dialog = {
  showMessageBox: (first: unknown, second?: E.MessageBoxOptions): Promise<E.MessageBoxReturnValue> => {
    boxes.push(second ?? (first as E.MessageBoxOptions))
    return Promise.resolve({ response: presses.button, checkboxChecked: false })
  },
} satisfies Pick<E.Dialog, 'showMessageBox'>

export const notifications: Notification[] = []
type NotificationSurface = Pick<E.Notification, 'close' | 'show'>

export class Notification extends Hearing<E.Notification> implements NotificationSurface {
  static isSupported = (): boolean => true
  readonly options: E.NotificationConstructorOptions
  constructor(options: E.NotificationConstructorOptions = {}) {
    super()
    this.options = options
  }
  show(): void {
    notifications.push(this)
  }
  close(): void {
    this.fire('close')
  }
}
export type NotificationIsFaithful = typeof Notification extends Pick<typeof E.Notification, 'isSupported'> ? true : never

// ── the system ──

/** What was opened outside the app. */
export const opened: string[] = []
export const shell = {
  openPath: (path: string): Promise<string> => {
    opened.push(path)
    return Promise.resolve('')
  },
  openExternal: (url: string): Promise<void> => {
    opened.push(url)
    return Promise.resolve()
  },
} satisfies Pick<E.Shell, 'openPath' | 'openExternal'>

export const powerMonitor = new Hearing<E.PowerMonitor>()

/** Blockers of sleep that are held, by id. */
export const blockers = new Map<number, string>()
export const powerSaveBlocker = {
  start: (type: 'prevent-app-suspension' | 'prevent-display-sleep'): number => {
    const id = blockers.size + 1
    blockers.set(id, type)
    return id
  },
  stop: (id: number): boolean => blockers.delete(id),
  isStarted: (id: number): boolean => blockers.has(id),
} satisfies E.PowerSaveBlocker

export const crashes: { options?: E.CrashReporterStartOptions } = {}
export const crashReporter = {
  start: (options: E.CrashReporterStartOptions): void => {
    crashes.options = options
  },
} satisfies Pick<E.CrashReporter, 'start'>

/** The account's key store: what is wrapped by one account does not open for another. */
export const keyStore = {
  isThere: true,
  backend: 'gnome_libsecret' as ReturnType<E.SafeStorage['getSelectedStorageBackend']>,
  account: 'one',
}
export const safeStorage = {
  isEncryptionAvailable: (): boolean => keyStore.isThere,
  getSelectedStorageBackend: () => keyStore.backend,
  encryptString: (plainText: string): Buffer => {
    if (!keyStore.isThere) throw new Error('Error while encrypting the text provided to safeStorage.encryptString.')
    return Buffer.from(`v10${keyStore.account}:${Buffer.from(plainText).toString('hex')}`)
  },
  decryptString: (encrypted: Buffer): string => {
    const [account, hex] = encrypted.toString('utf8').slice(3).split(':')
    if (!keyStore.isThere || account !== keyStore.account || hex === undefined)
      throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.')
    return Buffer.from(hex, 'hex').toString('utf8')
  },
} satisfies Pick<E.SafeStorage, 'isEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptString' | 'decryptString'>

/** What a test leaves behind: the next one begins without it. */
export function forgetAll(): void {
  for (const list of [windows, processes, trays, boxes, notifications, opened, invoked]) list.length = 0
  for (const map of [handlers, exposed, blockers]) map.clear()
  app.removeAllListeners()
  powerMonitor.removeAllListeners()
  screen.removeAllListeners()
  screen.displays = [display(0, 0, 1920, 1080)]
  presses.button = 0
  Object.assign(app, { isPackaged: false, isReady: false, isFirst: true, exitCode: undefined, quits: 0, locale: 'en-GB', loginItem: {} })
  Object.assign(keyStore, { isThere: true, backend: 'gnome_libsecret', account: 'one' })
}
