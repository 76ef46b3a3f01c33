import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { ShellTexts } from './texts.ts'

/** Commands of the app for menus and pages. */
export interface Actions {
  /** Shows the window, optionally at a page. */
  open(pagePath?: string): void
  openDataFolder(): void
  installUpdate(): void
  /** Asks for confirmation first. */
  quit(): void
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' }

/**
 * The application menu: the app's commands and the standard items of the platform. It defines no
 * shortcuts that the page uses.
 */
export function menuTemplate(
  words: ShellTexts,
  actions: Actions,
  platform: NodeJS.Platform,
  isPackaged: boolean,
): MenuItemConstructorOptions[] {
  const { menu } = words
  const isMac = platform === 'darwin'
  const quit: MenuItemConstructorOptions = {
    label: words.quit,
    accelerator: 'CmdOrCtrl+Q',
    click: () => actions.quit(),
  }
  const about: MenuItemConstructorOptions = { label: menu.about, role: 'about' }
  return [
    ...(isMac ? [macMenu(about, quit)] : []),
    {
      label: menu.file,
      submenu: [
        { label: menu.today, accelerator: 'CmdOrCtrl+Shift+T', click: () => actions.open('/') },
        { label: words.dataFolder, click: () => actions.openDataFolder() },
        SEPARATOR,
        { label: menu.close, role: 'close' },
        ...(isMac ? [] : [quit]),
      ],
    },
    editMenu(menu),
    viewMenu(menu, isPackaged),
    {
      label: menu.help,
      submenu: [
        { label: menu.diagnostics, click: () => actions.open('/settings/readiness') },
        ...(isMac ? [] : [SEPARATOR, about]),
      ],
    },
  ]
}

const macMenu = (
  about: MenuItemConstructorOptions,
  quit: MenuItemConstructorOptions,
): MenuItemConstructorOptions => ({
  label: 'Isthmus',
  submenu: [
    about,
    SEPARATOR,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    SEPARATOR,
    quit,
  ],
})

const editMenu = (menu: ShellTexts['menu']): MenuItemConstructorOptions => ({
  label: menu.edit,
  submenu: [
    { label: menu.undo, role: 'undo' },
    { label: menu.redo, role: 'redo' },
    SEPARATOR,
    { label: menu.cut, role: 'cut' },
    { label: menu.copy, role: 'copy' },
    { label: menu.paste, role: 'paste' },
    { label: menu.selectAll, role: 'selectAll' },
  ],
})

const viewMenu = (menu: ShellTexts['menu'], isPackaged: boolean): MenuItemConstructorOptions => ({
  label: menu.view,
  submenu: [
    { label: menu.reload, role: 'reload' },
    SEPARATOR,
    { label: menu.actualSize, role: 'resetZoom' },
    { label: menu.larger, role: 'zoomIn' },
    { label: menu.smaller, role: 'zoomOut' },
    { label: menu.fullScreen, role: 'togglefullscreen' },
    ...(isPackaged ? [] : [SEPARATOR, { role: 'toggleDevTools' } as const]),
  ],
})

export function setMenu(words: ShellTexts, actions: Actions): void {
  app.setAboutPanelOptions({
    applicationName: 'Isthmus',
    applicationVersion: app.getVersion(),
    version: '',
  })
  const template = menuTemplate(words, actions, process.platform, app.isPackaged)
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
