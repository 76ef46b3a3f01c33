import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type { ShellWords } from './words.ts'

export interface MenuActions {
  readonly show: (place: string) => void
  readonly openDataFolder: () => void
  readonly quit: () => void
}

/**
 * The menu of the app: what it does by keys, and what belongs to every window of the system. The
 * window's own keys stay its own.
 */
export function menuTemplate(
  words: ShellWords,
  actions: MenuActions,
  { platform, isPackaged }: { readonly platform: NodeJS.Platform; readonly isPackaged: boolean },
): MenuItemConstructorOptions[] {
  const { menu } = words
  const isMac = platform === 'darwin'
  const quit: MenuItemConstructorOptions = {
    label: words.quit,
    accelerator: 'CmdOrCtrl+Q',
    click: actions.quit,
  }
  const about: MenuItemConstructorOptions = { label: menu.about, role: 'about' }
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const ofApp: MenuItemConstructorOptions = {
    label: 'Isthmus',
    submenu: [
      about,
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      quit,
    ],
  }
  return [
    ...(isMac ? [ofApp] : []),
    {
      label: menu.file,
      submenu: [
        { label: menu.today, accelerator: 'CmdOrCtrl+Shift+T', click: () => actions.show('/') },
        { label: words.dataFolder, click: actions.openDataFolder },
        separator,
        { label: menu.close, role: 'close' },
        ...(isMac ? [] : [quit]),
      ],
    },
    {
      label: menu.edit,
      submenu: [
        { label: menu.undo, role: 'undo' },
        { label: menu.redo, role: 'redo' },
        separator,
        { label: menu.cut, role: 'cut' },
        { label: menu.copy, role: 'copy' },
        { label: menu.paste, role: 'paste' },
        { label: menu.selectAll, role: 'selectAll' },
      ],
    },
    {
      label: menu.view,
      submenu: [
        { label: menu.reload, role: 'reload' },
        separator,
        { label: menu.actualSize, role: 'resetZoom' },
        { label: menu.larger, role: 'zoomIn' },
        { label: menu.smaller, role: 'zoomOut' },
        { label: menu.fullScreen, role: 'togglefullscreen' },
        ...(isPackaged ? [] : [separator, { role: 'toggleDevTools' } as const]),
      ],
    },
    {
      label: menu.help,
      submenu: [
        { label: menu.diagnostics, click: () => actions.show('/settings/readiness') },
        ...(isMac ? [] : [separator, about]),
      ],
    },
  ]
}

export function setMenu(words: ShellWords, actions: MenuActions): void {
  app.setAboutPanelOptions({
    applicationName: 'Isthmus',
    applicationVersion: app.getVersion(),
    version: '',
  })
  const about = { platform: process.platform, isPackaged: app.isPackaged }
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(words, actions, about)))
}
