import {
  app,
  BrowserWindow,
  type BrowserWindowConstructorOptions,
  screen,
  shell,
  type WebContents,
} from 'electron'
import { type KeptFile, keepPlace, placeOn, SMALLEST, type WindowPlaces } from './window-state.ts'

/** Whether a URL belongs to the gateway's origin. */
export function isOf(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(origin).origin
}

/** Whether it is the viewer's page there. */
function isViewer(origin: string, url: string): boolean {
  return isOf(origin, url) && new URL(url).pathname === '/viewer'
}

/**
 * What may be opened outside: pages of the standard the screens cite. No place of a partner or a
 * clinic is here: a link is no way out for data.
 */
const HOSTS: readonly string[] = ['dicom.nema.org', 'www.dicomstandard.org']
const MOST_LENGTH = 2_000
const MAIL = /^mailto:[\w.+-]{1,64}@[a-z\d-]+(\.[a-z\d-]+)+(\?subject=[\w.%~-]*)?$/i

/**
 * Whether an address may go to the system's browser or mail program (Electron security checklist
 * 15).
 */
export function isOpenable(url: string): boolean {
  // Written as we read it: what another parser could read otherwise (spaces, backslashes, control
  // and foreign characters) is refused.
  if (url.length > MOST_LENGTH || !/^[\w:/?#[\]@!$&'()*+,;=.~%-]+$/.test(url)) return false
  if (MAIL.test(url)) return true
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  return (
    protocol === 'https:' &&
    HOSTS.includes(host) &&
    new RegExp(`^https://${host.replaceAll('.', '\\.')}([/?#]|$)`).test(url)
  )
}

/** Opens an address of the list in the system's program, and nothing else. */
export function openOutside(url: string): void {
  if (isOpenable(url)) shell.openExternal(url).catch(() => undefined)
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
 * @param origin of the gateway; undefined until it has started
 */
export function openWindow(
  preload: string,
  origin: () => string | undefined,
  places: KeptFile<WindowPlaces>,
  platform: NodeJS.Platform,
): BrowserWindow {
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
