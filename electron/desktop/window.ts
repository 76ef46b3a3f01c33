import {
  app,
  BrowserWindow,
  type BrowserWindowConstructorOptions,
  screen,
  shell,
  type WebContents,
} from 'electron'
import { PROVIDER_START_PATH } from '#shared/contract/identity-provider.ts'
import {
  initialBounds,
  MIN_SIZE,
  type StateFile,
  saveWindowBounds,
  type WindowBoundsBySet,
} from './window-state.ts'

/** Whether a URL belongs to the gateway's origin. */
export function hasOrigin(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(origin).origin
}

/** Whether a URL is that of the viewer page. */
function isViewerUrl(origin: string, url: string): boolean {
  return hasOrigin(origin, url) && new URL(url).pathname === '/viewer'
}

/** Whether a URL is a page of the documentation site. */
const isHelpUrl = (origin: string, url: string): boolean =>
  hasOrigin(origin, url) && /^\/help(\/|$)/.test(new URL(url).pathname)

/** Whether a URL leads to the identity provider of the clinic, by the gateway's own redirect. */
const isSignInUrl = (origin: string, url: string): boolean =>
  hasOrigin(origin, url) && new URL(url).pathname === PROVIDER_START_PATH

/**
 * Sites that may be opened externally: the DICOM standard that screens cite. Sites of partners or
 * clinics are excluded, so that links cannot leak data.
 */
const EXTERNAL_HOSTS: readonly string[] = ['dicom.nema.org', 'www.dicomstandard.org']
const MAX_URL_LENGTH = 2_000
const MAILTO_URL = /^mailto:[\w.+-]{1,64}@[a-z\d-]+(\.[a-z\d-]+)+(\?subject=[\w.%~-]*)?$/i

/**
 * Whether a URL may be opened in the system's browser or mail program (Electron security checklist
 * 15).
 */
export function isOpenable(url: string): boolean {
  // Rejects anything that another URL parser might read differently: spaces, backslashes, control
  // characters and non-ASCII characters.
  if (url.length > MAX_URL_LENGTH || !/^[\w:/?#[\]@!$&'()*+,;=.~%-]+$/.test(url)) return false
  if (MAILTO_URL.test(url)) return true
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  return (
    protocol === 'https:' &&
    EXTERNAL_HOSTS.includes(host) &&
    new RegExp(`^https://${host.replaceAll('.', '\\.')}([/?#]|$)`).test(url)
  )
}

/** Opens an allowed URL in the system's program; ignores all others. */
export function openExternally(url: string): void {
  if (isOpenable(url)) shell.openExternal(url).catch(() => undefined)
}

/** Sandboxed and isolated (Electron security checklist 2-4). */
const SAFE_PREFERENCES = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
} as const
const BACKGROUND_COLOR = '#10161d'

/**
 * Options of separate image windows, which need no preload script because they use no native
 * features.
 */
const IMAGE_WINDOW_OPTIONS: BrowserWindowConstructorOptions = {
  backgroundColor: '#06090b',
  title: 'Isthmus',
  autoHideMenuBar: true,
  webPreferences: SAFE_PREFERENCES,
}

/** Options of the window for signing in at the identity provider, which has nothing native either. */
const SIGN_IN_WINDOW_OPTIONS: BrowserWindowConstructorOptions = {
  ...{ width: 520, height: 720, backgroundColor: BACKGROUND_COLOR },
  title: 'Isthmus',
  autoHideMenuBar: true,
  webPreferences: SAFE_PREFERENCES,
}
/** Options of the window with the documentation, which has nothing native either. */
const HELP_WINDOW_OPTIONS: BrowserWindowConstructorOptions = {
  ...{ width: 1280, height: 860, backgroundColor: BACKGROUND_COLOR },
  title: 'Isthmus',
  autoHideMenuBar: true,
  webPreferences: SAFE_PREFERENCES,
}
const signInWindows = new WeakSet<WebContents>()

/** Whether these are the contents of a window for signing in, which alone leave the gateway. */
export const isSignInWindow = (contents: WebContents | undefined): boolean =>
  contents !== undefined && signInWindows.has(contents)

/**
 * Creates the main window without showing it. It never leaves the gateway's origin and can only
 * open image windows, the documentation and the window for signing in (Electron security checklist 12-14).
 * @param origin origin of the gateway; undefined until it has started
 */
export function openWindow(
  preload: string,
  origin: () => string | undefined,
  places: StateFile<WindowBoundsBySet>,
  platform: NodeJS.Platform,
): BrowserWindow {
  const { isMaximized, ...place } = initialBounds(screen.getAllDisplays(), places.read())
  const window = new BrowserWindow({
    ...place,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    backgroundColor: BACKGROUND_COLOR,
    title: 'Isthmus',
    autoHideMenuBar: true,
    // On other platforms Chromium would download dictionaries from Google.
    webPreferences: { ...SAFE_PREFERENCES, preload, spellcheck: platform === 'darwin' },
  })
  if (isMaximized) window.once('show', () => window.maximize())
  saveWindowBounds(window, places)
  restrictNavigation(origin, window.webContents, hasOrigin)
  window.webContents.setWindowOpenHandler(({ url }) => {
    const ownOrigin = origin()
    if (ownOrigin !== undefined && isViewerUrl(ownOrigin, url))
      return { action: 'allow', overrideBrowserWindowOptions: IMAGE_WINDOW_OPTIONS }
    if (ownOrigin !== undefined && isSignInUrl(ownOrigin, url))
      return { action: 'allow', overrideBrowserWindowOptions: SIGN_IN_WINDOW_OPTIONS }
    if (ownOrigin !== undefined && isHelpUrl(ownOrigin, url))
      return { action: 'allow', overrideBrowserWindowOptions: HELP_WINDOW_OPTIONS }
    openExternally(url)
    return { action: 'deny' }
  })
  window.webContents.on('did-create-window', ({ webContents }, { url }) => {
    const ownOrigin = origin()
    if (ownOrigin !== undefined && isSignInUrl(ownOrigin, url)) restrictSignIn(origin, webContents)
    else if (ownOrigin !== undefined && isHelpUrl(ownOrigin, url)) restrictHelp(origin, webContents)
    else restrictImages(origin, webContents)
  })
  return window
}

/**
 * The pages of an identity provider may be at any number of hosts, which only the provider knows.
 * They are reached by TLS, unless the provider is on this PC, and open nothing.
 */
function restrictSignIn(origin: () => string | undefined, contents: WebContents): void {
  signInWindows.add(contents)
  restrictNavigation(
    origin,
    contents,
    (ownOrigin, url) => hasOrigin(ownOrigin, url) || isProviderPage(url),
  )
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL may be loaded in a window for signing in. */
export function isProviderPage(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname))
}

/**
 * An image window opens further image windows, for other screens, and the documentation, and
 * nothing else.
 */
function restrictImages(origin: () => string | undefined, contents: WebContents): void {
  restrictNavigation(origin, contents, isViewerUrl)
  contents.setWindowOpenHandler(({ url }) => {
    const ownOrigin = origin()
    if (ownOrigin !== undefined && isViewerUrl(ownOrigin, url))
      return { action: 'allow', overrideBrowserWindowOptions: IMAGE_WINDOW_OPTIONS }
    if (ownOrigin !== undefined && isHelpUrl(ownOrigin, url))
      return { action: 'allow', overrideBrowserWindowOptions: HELP_WINDOW_OPTIONS }
    return { action: 'deny' }
  })
  contents.on('did-create-window', (created, { url }) => {
    const ownOrigin = origin()
    if (ownOrigin !== undefined && isHelpUrl(ownOrigin, url))
      restrictHelp(origin, created.webContents)
    else restrictImages(origin, created.webContents)
  })
}

/** The documentation stays on its pages; links to the DICOM standard open in the system's browser. */
function restrictHelp(origin: () => string | undefined, contents: WebContents): void {
  restrictNavigation(origin, contents, isHelpUrl)
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Prevents pages from embedding other pages with webview tags. */
export function refuseWebviews(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/** Restricts navigation: a page to permitted URLs, and its frames to the gateway. */
function restrictNavigation(
  origin: () => string | undefined,
  contents: WebContents,
  isAllowed: (origin: string, url: string) => boolean,
): void {
  const isPermitted = (url: string, check = isAllowed) => {
    const ownOrigin = origin()
    return ownOrigin !== undefined && check(ownOrigin, url)
  }
  contents.on('will-navigate', (event, url) => {
    if (isPermitted(url)) return
    event.preventDefault()
    openExternally(url)
  })
  contents.on('will-redirect', (event, url) => isPermitted(url) || event.preventDefault())
  contents.on(
    'will-frame-navigate',
    (event) =>
      isPermitted(event.url, isSignInWindow(contents) ? isAllowed : hasOrigin) ||
      event.preventDefault(),
  )
  contents.on('will-attach-webview', (event) => event.preventDefault())
}
