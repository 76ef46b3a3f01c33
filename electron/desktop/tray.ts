import { join } from 'node:path'
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron'
import type { ShellStatus, UpdateState } from '#shared/contract/shell.ts'
import type { Actions } from './menu.ts'
import type { ShellTexts, TrayShape } from './texts.ts'

export interface TrayState {
  /** Undefined while the gateway does not answer. */
  readonly status: ShellStatus | undefined
  readonly update: UpdateState
  /** The last sentence printed by a gateway that has exited; empty while it runs. */
  readonly fault: string
}

const MAX_LINES = 5
const MAX_LINE_LENGTH = 120

/** The icon of the most severe state; an available update is the least severe. */
export function shapeOf({ status, update }: TrayState): TrayShape {
  if (!status) return 'listener-down'
  if (status.tray !== 'ok') return status.tray
  return update.state === 'ready' ? 'update-ready' : 'ok'
}

/** The tray menu. Sentences that come from the gateway are in English. */
export function trayMenu(
  situation: TrayState,
  words: ShellTexts,
  actions: Actions,
): MenuItemConstructorOptions[] {
  const { status, update, fault } = situation
  const line = (label: string): MenuItemConstructorOptions => ({
    label: truncate(label),
    enabled: false,
  })
  return [
    { label: words.open, click: () => actions.open() },
    { type: 'separator' },
    line(
      status ? (status.isSafe ? words.safeMode : words.shapes[shapeOf(situation)]) : words.starting,
    ),
    ...(words.language === 'en' ? (status?.lines ?? []) : []).slice(0, MAX_LINES).map(line),
    ...(fault === '' ? [] : [line(words.lastError(fault))]),
    { type: 'separator' },
    ...(update.state === 'ready'
      ? [{ label: words.updateReady(update.version ?? ''), click: () => actions.installUpdate() }]
      : []),
    { label: words.dataFolder, click: () => actions.openDataFolder() },
    { label: words.quit, click: () => actions.quit() },
  ]
}

/** Opens the tray icon. `images` is the folder of its images. */
export function openTray(
  images: string,
  words: ShellTexts,
  actions: Actions,
  platform: NodeJS.Platform = process.platform,
): { show(situation: TrayState): void } {
  // macOS colors a template image to match the menu bar.
  const imageOf = (shape: TrayShape) =>
    nativeImage.createFromPath(
      join(images, `tray-${shape}${platform === 'darwin' ? 'Template' : ''}.png`),
    )
  const tray = new Tray(imageOf('listener-down'))
  tray.on('click', () => platform === 'win32' && actions.open())
  let lastContent = ''
  return {
    show(situation) {
      const shape = shapeOf(situation)
      const menu = trayMenu(situation, words, actions)
      // Setting the menu closes it if it is open, so this is done only after a change.
      const content = JSON.stringify([shape, menu])
      if (content === lastContent) return
      lastContent = content
      tray.setImage(imageOf(shape))
      tray.setToolTip(`Isthmus: ${situation.status?.isSafe ? words.safeMode : words.shapes[shape]}`)
      tray.setContextMenu(Menu.buildFromTemplate(menu))
    },
  }
}

const truncate = (text: string) =>
  text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text
