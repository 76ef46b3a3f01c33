import { BrowserWindow, type BrowserWindowConstructorOptions, session, type WebContents } from 'electron'

export interface WindowOptions {
  readonly preload: string
  readonly origin: string
}

/** Sandboxed and isolated (Electron security checklist 2-4). */
const SAFE = { contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true } as const
const GROUND = '#10161d'

/** Images in a window of their own: nothing native is there, so no preload. */
const IMAGES: BrowserWindowConstructorOptions = {
  backgroundColor: '#06090b',
  title: 'Isthmus',
  autoHideMenuBar: true,
  webPreferences: SAFE,
}

/** The one window: it never leaves the gateway's own origin, and opens only windows with images (Electron security checklist 5, 12-14). */
export function openWindow({ preload, origin }: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...{ width: 1360, height: 860, minWidth: 900, minHeight: 640 },
    show: false,
    backgroundColor: GROUND,
    title: 'Isthmus',
    webPreferences: { ...SAFE, preload },
  })
  window.once('ready-to-show', () => window.show())
  window.setMenuBarVisibility(false)
  keepTo(origin, window.webContents, isOf)
  window.webContents.setWindowOpenHandler(({ url }) =>
    isViewer(origin, url) ? { action: 'allow', overrideBrowserWindowOptions: IMAGES } : { action: 'deny' },
  )
  window.webContents.on('did-create-window', (images) => {
    images.setMenuBarVisibility(false)
    keepTo(origin, images.webContents, isViewer)
    images.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
  return window
}

/** A page stays where it may be, and its frames at the gateway. */
function keepTo(origin: string, contents: WebContents, isAllowed: (origin: string, url: string) => boolean): void {
  contents.on('will-navigate', (event, url) => isAllowed(origin, url) || event.preventDefault())
  contents.on('will-redirect', (event, url) => isAllowed(origin, url) || event.preventDefault())
  contents.on('will-frame-navigate', (event) => isOf(origin, event.url) || event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
}

/** What the gateway's own page may ask for: to copy, and to know of a second screen for the images. */
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write', 'window-management']

/** Refuses every other permission, and every other page. @param origin of the gateway; undefined until it has started */
export function refusePermissions(origin: () => string | undefined): void {
  const isAllowed = (permission: string, url: string) => {
    const own = origin()
    return own !== undefined && PERMISSIONS.includes(permission) && isOf(own, url)
  }
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  )
  session.defaultSession.setPermissionCheckHandler((_contents, permission, requestingOrigin) => isAllowed(permission, requestingOrigin))
}

/** Whether a URL belongs to the gateway's origin. */
export function isOf(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin
}

/** Whether it is the viewer's page there. */
export function isViewer(origin: string, url: string): boolean {
  return isOf(origin, url) && new URL(url).pathname === '/viewer'
}
