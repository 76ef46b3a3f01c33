import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { z } from 'zod'
import { sendCommand } from '#server/modules/control/control.ts'
import type { GatewayAddresses } from './gateway-process.ts'
import { hasOrigin, openWindow } from './window.ts'
import { stateFile, WindowBoundsBySet } from './window-state.ts'

const ExplanationState = z.object({ isClosingExplained: z.boolean() })

interface Events {
  /** The window was closed for the first time; the program keeps running. */
  'first-hidden': []
  /** Windows is ending the session. */
  'session-end': []
}

/**
 * The main window. Closing it only hides it: the gateway keeps serving devices until the user quits
 * the app.
 */
export class MainWindow extends EventEmitter<Events> {
  /** The gateway's addresses, once it is ready. */
  ready: GatewayAddresses | undefined
  /** Whether the program is quitting, so that the window may close. */
  isEnding = false
  readonly #folder: string
  readonly #preload: string
  readonly #platform: NodeJS.Platform
  readonly #windowBounds: ReturnType<typeof stateFile<WindowBoundsBySet>>
  readonly #explanationState: ReturnType<typeof stateFile<z.infer<typeof ExplanationState>>>
  #window: BrowserWindow | undefined
  #isLoaded = false

  /** @param folder the data folder @param userData folder for the state of the window */
  constructor(folder: string, userData: string, preload: string, platform: NodeJS.Platform) {
    super()
    this.#folder = folder
    this.#preload = preload
    this.#platform = platform
    this.#windowBounds = stateFile(join(userData, 'window.json'), WindowBoundsBySet, [])
    this.#explanationState = stateFile(join(userData, 'told.json'), ExplanationState, {
      isClosingExplained: false,
    })
  }

  /** Origin of the gateway; undefined until it has started. */
  readonly origin = (): string | undefined => this.ready?.http

  current(): BrowserWindow | undefined {
    return this.#window && !this.#window.isDestroyed() ? this.#window : undefined
  }

  /**
   * Creates the window without showing it. Windows announces the end of a session only to windows.
   */
  prepare(): BrowserWindow {
    const current = this.current()
    if (current) return current
    this.#isLoaded = false
    const window = openWindow(this.#preload, this.origin, this.#windowBounds, this.#platform)
    window.on('close', (event) => {
      if (this.isEnding) return
      event.preventDefault()
      window.hide()
      if (this.#explanationState.read().isClosingExplained) return
      this.#explanationState.write({ isClosingExplained: true })
      this.emit('first-hidden')
    })
    window.on('session-end', () => this.emit('session-end'))
    // An unsaved form may prevent leaving its page, but must not prevent quitting, which Electron
    // would do without a message.
    window.webContents.on('will-prevent-unload', (event) => this.isEnding && event.preventDefault())
    this.#window = window
    return window
  }

  /** Shows the window, optionally at a page. */
  async show(pagePath?: string): Promise<void> {
    if (!this.ready) return
    const window = this.prepare()
    if (!this.#isLoaded || pagePath !== undefined) await this.#load(pagePath)
    if (window.isDestroyed()) return
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  /** Reloads the page after the gateway has restarted, possibly with a different first page. */
  async renew(): Promise<void> {
    const window = this.current()
    const origin = this.origin()
    if (!this.#isLoaded || !window || origin === undefined) return
    const page = await this.#firstPage()
    const url = window.webContents.getURL()
    if (window.isDestroyed() || page === undefined) return
    // The page keeps the location the user has navigated to.
    if (page === `${origin}/` && hasOrigin(origin, url) && new URL(url).pathname === '/')
      window.webContents.reload()
    else await window.loadURL(page).catch(() => undefined)
  }

  async #load(pagePath?: string): Promise<void> {
    const page = await this.#firstPage()
    const origin = this.origin()
    const window = this.current()
    if (page === undefined || origin === undefined || !window) return
    // A page that must come first, such as setup or rescue, is not skipped.
    const url = pagePath !== undefined && page === `${origin}/` ? `${origin}/#${pagePath}` : page
    this.#isLoaded = true
    // Rejects if the page is redirected while loading; a page that cannot be loaded shows its own
    // error.
    await window.loadURL(url).catch(() => undefined)
  }

  /**
   * The rescue page, the setup page with its one-time link if there is no owner yet, or the front
   * page. Undefined until the gateway has started.
   */
  async #firstPage(): Promise<string | undefined> {
    if (!this.ready || this.ready.rescue) return this.ready?.link
    const { http } = this.ready
    const link = await sendCommand(this.#folder, {
      command: 'sign-in-link',
      options: { 'if-no-owner': true },
    }).catch(() => undefined)
    return link?.ok && link.output ? link.output : `${http}/`
  }
}
