import type * as E from 'electron'
import { app } from './app.ts'
import { event, Hearing } from './hearing.ts'

export const windows: BrowserWindow[] = []

type ContentsSurface = Pick<
  E.WebContents,
  'getURL' | 'isDestroyed' | 'reload' | 'setWindowOpenHandler'
>

export class Contents extends Hearing<E.WebContents> implements ContentsSurface {
  url = ''
  reloads = 0
  #windowOpen: Parameters<E.WebContents['setWindowOpenHandler']>[0] = () => ({ action: 'allow' })
  setWindowOpenHandler(handler: (details: E.HandlerDetails) => E.WindowOpenHandlerResponse): void {
    this.#windowOpen = handler
  }
  /** As `window.open(url)` of the page asks. */
  opens(url: string): E.WindowOpenHandlerResponse {
    return this.#windowOpen({
      url,
      frameName: '',
      features: '',
      disposition: 'new-window',
      referrer: { url: '', policy: 'default' },
    })
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
    this.bounds = {
      x: options.x ?? 100,
      y: options.y ?? 80,
      width: options.width ?? 800,
      height: options.height ?? 600,
    }
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
