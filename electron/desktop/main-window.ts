import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { z } from 'zod'
import { sendCommand } from '#server/modules/control/control.ts'
import type { Ready } from './gateway-process.ts'
import { isOf, openWindow } from './window.ts'
import { keptFile, WindowPlaces } from './window-state.ts'

const Explained = z.object({ isClosingExplained: z.boolean() })

interface Events {
  /** The window was closed for the first time, and the program goes on. */
  'first-hidden': []
  /** Windows ends the session. */
  'session-end': []
}

/**
 * The window of the app. Closing it hides it: the gateway goes on serving devices, and only Quit
 * ends that.
 */
export class MainWindow extends EventEmitter<Events> {
  /** Where the gateway serves, once it does. */
  ready: Ready | undefined
  /** The program ends: then the window may close. */
  isEnding = false
  readonly #folder: string
  readonly #preload: string
  readonly #platform: NodeJS.Platform
  readonly #places: ReturnType<typeof keptFile<WindowPlaces>>
  readonly #explained: ReturnType<typeof keptFile<z.infer<typeof Explained>>>
  #window: BrowserWindow | undefined
  #isLoaded = false

  /**
   * @param folder the data folder
   * @param userData folder for what the app remembers of its window
   */
  constructor(folder: string, userData: string, preload: string, platform: NodeJS.Platform) {
    super()
    this.#folder = folder
    this.#preload = preload
    this.#platform = platform
    this.#places = keptFile(join(userData, 'window.json'), WindowPlaces, [])
    this.#explained = keptFile(join(userData, 'told.json'), Explained, {
      isClosingExplained: false,
    })
  }

  /** Origin of the gateway; undefined until it has started. */
  readonly origin = (): string | undefined => this.ready?.http

  current(): BrowserWindow | undefined {
    return this.#window && !this.#window.isDestroyed() ? this.#window : undefined
  }

  /** Makes it without showing it: Windows announces the end of a session to windows alone. */
  prepare(): BrowserWindow {
    const current = this.current()
    if (current) return current
    this.#isLoaded = false
    const window = openWindow(this.#preload, this.origin, this.#places, this.#platform)
    window.on('close', (event) => {
      if (this.isEnding) return
      event.preventDefault()
      window.hide()
      if (this.#explained.read().isClosingExplained) return
      this.#explained.write({ isClosingExplained: true })
      this.emit('first-hidden')
    })
    window.on('session-end', () => this.emit('session-end'))
    // A form that is not saved keeps its page from being left, but must not keep the program from
    // ending, which Electron would do silently.
    window.webContents.on('will-prevent-unload', (event) => this.isEnding && event.preventDefault())
    this.#window = window
    return window
  }

  /** Shows it, at a place of the page where one is named. */
  async show(place?: string): Promise<void> {
    if (!this.ready) return
    const window = this.prepare()
    if (!this.#isLoaded || place !== undefined) await this.#load(place)
    if (window.isDestroyed()) return
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  /** The gateway started again, perhaps with another first page: loads what was loaded again. */
  async renew(): Promise<void> {
    const window = this.current()
    const origin = this.origin()
    if (!this.#isLoaded || !window || origin === undefined) return
    const page = await this.#firstPage()
    const url = window.webContents.getURL()
    if (window.isDestroyed() || page === undefined) return
    // The same page stays where a person has led it.
    if (page === `${origin}/` && isOf(origin, url) && new URL(url).pathname === '/')
      window.webContents.reload()
    else await window.loadURL(page).catch(() => undefined)
  }

  async #load(place?: string): Promise<void> {
    const page = await this.#firstPage()
    const origin = this.origin()
    const window = this.current()
    if (page === undefined || origin === undefined || !window) return
    // A page that must come first, such as that of the setup or of a rescue, is not passed by.
    const url = place !== undefined && page === `${origin}/` ? `${origin}/#${place}` : page
    this.#isLoaded = true
    // A page that is led on while it loads rejects; what cannot be loaded at all shows as such.
    await window.loadURL(url).catch(() => undefined)
  }

  /**
   * The page of a rescue, the setup page with its one-time link where there is no owner yet, else
   * the window's front page; undefined until the gateway has started.
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
