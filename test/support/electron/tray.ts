import type * as E from 'electron'
import { Hearing } from './hearing.ts'

export const trays: Tray[] = []
type TraySurface = Pick<E.Tray, 'setToolTip'>

export class Tray extends Hearing<E.Tray> implements TraySurface {
  image: FakeImage
  toolTip = ''
  menu: FakeMenu | null = null
  constructor(image: FakeImage) {
    super()
    this.image = image
    trays.push(this)
  }
  setImage(image: FakeImage): void {
    this.image = image
  }
  setToolTip(toolTip: string): void {
    this.toolTip = toolTip
  }
  setContextMenu(menu: FakeMenu | null): void {
    this.menu = menu
  }
}

interface FakeImage {
  readonly path: string
}
export const nativeImage = {
  createFromPath: (path: string): FakeImage => ({ path }),
} satisfies {
  createFromPath: (...given: Parameters<typeof E.nativeImage.createFromPath>) => FakeImage
}

interface FakeMenu {
  readonly template: readonly E.MenuItemConstructorOptions[]
}
export const menus: { ofApp?: FakeMenu | null } = {}
export const Menu = {
  buildFromTemplate: (template: readonly E.MenuItemConstructorOptions[]): FakeMenu => ({
    template,
  }),
  setApplicationMenu: (menu: FakeMenu | null): void => {
    menus.ofApp = menu
  },
} satisfies {
  buildFromTemplate: (template: E.MenuItemConstructorOptions[]) => FakeMenu
  setApplicationMenu: (menu: FakeMenu | null) => void
} & { [K in keyof Pick<typeof E.Menu, 'buildFromTemplate' | 'setApplicationMenu'>]: unknown }

/** Presses an item of a menu, found by its words. */
export function press(menu: FakeMenu | null | undefined, label: string | RegExp): void {
  const items = (menu?.template ?? []).flatMap((item) => [
    item,
    ...(Array.isArray(item.submenu) ? item.submenu : []),
  ])
  const item = items.find((one) =>
    typeof label === 'string' ? one.label === label : label.test(one.label ?? ''),
  )
  if (!item?.click) throw new Error(`no item “${label}” to press`)
  item.click({} as E.MenuItem, undefined, {} as E.KeyboardEvent)
}
