import {
  app,
  BrowserWindow,
  type BrowserWindowConstructorOptions,
  screen,
  type WebContents,
} from 'electron'
import { openOutside } from './external.ts'
import type { KeptFile } from './kept-file.ts'
import { isOf, isViewer } from './origin.ts'
import { keepPlace, placeOn, SMALLEST, type WindowPlaces } from './window-state.ts'

export interface WindowOptions {
  readonly preload: string
  /** Of the gateway, now. */
  readonly origin: () => string | undefined
  readonly places: KeptFile<WindowPlaces>
  readonly platform: NodeJS.Platform
}

/** Sandboxed and isolated (Electron security checklist 2-4). */
const SAFE = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
} as const
const GROUND = '#10161d'

/** Images in a window of their own: nothing native is there, so no preload. */
const IMAGES: BrowserWindowConstructorOptions = {
  backgroundColor: '#06090b',
  title: 'Isthmus',
  autoHideMenuBar: true,
  webPreferences: SAFE,
}

/**
 * The one window, not shown yet: it never leaves the gateway's own origin, and opens only windows
 * with images (Electron security checklist 12-14).
 */
export function openWindow({ preload, origin, places, platform }: WindowOptions): BrowserWindow {
  const { isMaximized, ...place } = placeOn(screen.getAllDisplays(), places.read())
  const window = new BrowserWindow({
    ...place,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    backgroundColor: GROUND,
    title: 'Isthmus',
    autoHideMenuBar: true,
    // Elsewhere Chromium would fetch its dictionaries from Google.
    webPreferences: { ...SAFE, preload, spellcheck: platform === 'darwin' },
  })
  if (isMaximized) window.once('show', () => window.maximize())
  keepPlace(window, places)
  keepTo(origin, window.webContents, isOf)
  window.webContents.setWindowOpenHandler(({ url }) => {
    const own = origin()
    if (own !== undefined && isViewer(own, url))
      return { action: 'allow', overrideBrowserWindowOptions: IMAGES }
    openOutside(url)
    return { action: 'deny' }
  })
  window.webContents.on('did-create-window', (images) => {
    keepTo(origin, images.webContents, isViewer)
    images.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
  return window
}

/** Whatever else shows a page holds nothing that shows another. */
export function refuseWebviews(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/** A page stays where it may be, and its frames at the gateway. */
function keepTo(
  origin: () => string | undefined,
  contents: WebContents,
  isAllowed: (origin: string, url: string) => boolean,
): void {
  const isIn = (url: string, check = isAllowed) => {
    const own = origin()
    return own !== undefined && check(own, url)
  }
  contents.on('will-navigate', (event, url) => {
    if (isIn(url)) return
    event.preventDefault()
    openOutside(url)
  })
  contents.on('will-redirect', (event, url) => isIn(url) || event.preventDefault())
  contents.on('will-frame-navigate', (event) => isIn(event.url, isOf) || event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
}
