import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { z } from 'zod'
import { keptFile } from './kept-file.ts'
import { isOf } from './origin.ts'
import { openWindow, type WindowOptions } from './window.ts'
import { WindowPlaces } from './window-state.ts'

export interface MainWindowOptions extends Omit<WindowOptions, 'places'> {
  /** Folder for what the app remembers of its window. */
  readonly folder: string
  /** URL of the page that is shown first; undefined while there is none. */
  readonly firstPage: () => Promise<string | undefined>
  /** Whether the program ends: then the window may close. */
  readonly isEnding: () => boolean
  /** The window went for the first time, and the program did not. */
  readonly onHidden: () => void
  /** Windows ends the session. */
  readonly onSessionEnd: () => void
}

export interface MainWindow {
  /** Makes it without showing it: the end of a Windows session is told to windows alone. */
  prepare(): void
  /** Shows it, at a place of the page where one is named. */
  show(place?: string): Promise<void>
  /** Its page is another one, or the gateway started anew: loads it where something is loaded. */
  renew(): Promise<void>
  current(): BrowserWindow | undefined
}

const Told = z.object({ isClosingExplained: z.boolean() })

/**
 * The window of the app. Closing it hides it: the gateway goes on serving devices, and only Quit
 * ends that.
 */
export function mainWindow(options: MainWindowOptions): MainWindow {
  const { folder, firstPage, origin, isEnding, onHidden, onSessionEnd } = options
  const places = keptFile(join(folder, 'window.json'), WindowPlaces, [])
  const told = keptFile(join(folder, 'told.json'), Told, { isClosingExplained: false })
  let window: BrowserWindow | undefined
  let isLoaded = false

  const current = () => (window && !window.isDestroyed() ? window : undefined)

  function prepare(): BrowserWindow {
    const there = current()
    if (there) return there
    isLoaded = false
    const made = openWindow({ ...options, places })
    made.on('close', (event) => {
      if (isEnding()) return
      event.preventDefault()
      made.hide()
      if (told.read().isClosingExplained) return
      told.write({ isClosingExplained: true })
      onHidden()
    })
    made.on('session-end', onSessionEnd)
    // A form that is not saved keeps its page from going, but not the program from ending: Electron
    // would end nothing, and say nothing.
    made.webContents.on('will-prevent-unload', (event) => isEnding() && event.preventDefault())
    window = made
    return made
  }

  async function load(place?: string): Promise<void> {
    const page = await firstPage()
    const own = origin()
    const to = current()
    if (page === undefined || own === undefined || !to) return
    // A page that must come first, such as the set-up's or the rescue's, is not passed by.
    const url = place !== undefined && page === `${own}/` ? `${own}/#${place}` : page
    isLoaded = true
    // A page that is led on while it loads rejects; what cannot be loaded at all shows as such.
    await to.loadURL(url).catch(() => undefined)
  }

  return {
    prepare: () => void prepare(),
    async show(place) {
      if (origin() === undefined) return
      const shown = prepare()
      if (!isLoaded || place !== undefined) await load(place)
      if (shown.isDestroyed()) return
      if (shown.isMinimized()) shown.restore()
      shown.show()
      shown.focus()
    },
    async renew() {
      const to = current()
      const own = origin()
      if (!isLoaded || !to || own === undefined) return
      const page = await firstPage()
      const url = to.webContents.getURL()
      if (to.isDestroyed() || page === undefined) return
      // The same page stays where a person has led it.
      if (page === `${own}/` && isOf(own, url) && new URL(url).pathname === '/')
        to.webContents.reload()
      else await to.loadURL(page).catch(() => undefined)
    },
    current,
  }
}
