import type { MenuItemConstructorOptions } from 'electron'
import { expect, it } from 'vitest'
import { menuTemplate, setMenu } from '../../../electron/desktop/menu.ts'
import { shellTexts } from '../../../electron/desktop/texts.ts'
import * as fake from '../../support/electron.ts'

const done: string[] = []
const ACTIONS = {
  open: (place = '') => void done.push(place),
  openDataFolder: () => void done.push('folder'),
  installUpdate: () => {},
  quit: () => void done.push('quit'),
}
const itemsOf = (platform: NodeJS.Platform, isPackaged = true, locale = 'en') =>
  menuTemplate(shellTexts(locale), ACTIONS, platform, isPackaged).flatMap(
    ({ submenu }) => submenu as MenuItemConstructorOptions[],
  )
const roles = (items: MenuItemConstructorOptions[]) =>
  items.flatMap(({ role }) => (role ? [role] : []))

it('has what belongs to every window of the system', () => {
  for (const platform of ['win32', 'darwin', 'linux'] as const) {
    const found = roles(itemsOf(platform))
    for (const role of [
      'undo',
      'redo',
      'cut',
      'copy',
      'paste',
      'selectAll',
      'reload',
      'resetZoom',
      'zoomIn',
      'zoomOut',
      'about',
      'close',
    ])
      expect(found, platform).toContain(role)
    expect(found).not.toContain('toggleDevTools')
    expect(found).not.toContain('quit')
  }
  expect(roles(itemsOf('linux', false))).toContain('toggleDevTools')
})

it('quits by the key of the system, and asks before', () => {
  const quits = itemsOf('win32').filter(({ accelerator }) => accelerator === 'CmdOrCtrl+Q')
  expect(quits.map(({ label }) => label)).toEqual(['Quit Isthmus…'])
})

it('leads to the diagnostics, to Today and to the data folder', () => {
  setMenu(shellTexts('en'), ACTIONS)
  for (const label of ['Today', 'Open the data folder', 'Readiness and diagnostics'])
    fake.press(fake.menus.ofApp, label)
  expect(done).toEqual(['/', 'folder', '/settings/readiness'])
})

it('takes no key that the window has for itself', () => {
  const keys = itemsOf('win32').flatMap(({ accelerator }) => (accelerator ? [accelerator] : []))
  expect(keys).toEqual(['CmdOrCtrl+Shift+T', 'CmdOrCtrl+Q'])
})

it('is in Spanish where the system is', () => {
  const labels = itemsOf('win32', true, 'es').map(({ label }) => label)
  expect(labels).toContain('Deshacer')
  expect(labels).toContain('Salir de Isthmus…')
})
