import { BrowserWindow, session } from 'electron'

export interface WindowOptions {
  readonly preload: string
  readonly origin: string
}

/** The one window: sandboxed, isolated, and it never leaves the gateway's own origin (Electron security checklist 2-4, 5, 12-14). */
export function openWindow({ preload, origin }: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    width: 1360,
    height: 860,
    minWidth: 900,
    minHeight: 640,
    show: false,
    backgroundColor: '#10161d',
    title: 'Isthmus',
    webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
  })
  window.once('ready-to-show', () => window.show())
  window.setMenuBarVisibility(false)
  const stay = (event: { preventDefault(): void }, url: string) => {
    if (!isOf(origin, url)) event.preventDefault()
  }
  window.webContents.on('will-navigate', (event, url) => stay(event, url))
  window.webContents.on('will-redirect', (event, url) => stay(event, url))
  window.webContents.on('will-attach-webview', (event) => event.preventDefault())
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  return window
}

/** Refuses every permission a page could ask for; the window needs none. */
export function refusePermissions(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer) => answer(permission === 'clipboard-sanitized-write'))
  session.defaultSession.setPermissionCheckHandler((_contents, permission) => permission === 'clipboard-sanitized-write')
}

/** Whether a URL belongs to the gateway's origin. */
export function isOf(origin: string, url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin
}
