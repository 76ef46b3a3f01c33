import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BrowserWindow, type Display, type Rectangle, screen } from 'electron'
import { z } from 'zod'

/** A small state file of the desktop app, such as the position of its window. */
export interface StateFile<T> {
  read(): T
  write(value: T): void
}

/**
 * Contents that do not match the schema, after a version change, manual edits or a power failure,
 * count as `empty`.
 */
export function stateFile<T>(path: string, schema: z.ZodType<T>, empty: T): StateFile<T> {
  return {
    read() {
      try {
        return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return empty
      }
    },
    write(value) {
      try {
        if (!existsSync(dirname(path))) mkdirSync(dirname(path), { mode: 0o700 })
        writeFileSync(`${path}.part`, JSON.stringify(value, undefined, 2), { mode: 0o600 })
        renameSync(`${path}.part`, path)
      } catch {
        // A full disk must not crash the app while it saves the window position.
      }
    },
  }
}

const BoundsSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  isMaximized: z.boolean(),
})
/** Bounds of a window, in device-independent pixels. */
export type WindowBounds = z.infer<typeof BoundsSchema>

/** Window bounds for each set of displays, the most recently used last. */
export const WindowBoundsBySet = z
  .array(z.object({ displays: z.string(), place: BoundsSchema }))
  .max(100)
export type WindowBoundsBySet = z.infer<typeof WindowBoundsBySet>

type Area = Pick<Display, 'bounds' | 'workArea' | 'scaleFactor'>

const MAX_DISPLAY_SETS = 20
const SAVE_DELAY_MS = 500
export const MIN_SIZE = { width: 900, height: 640 } as const
const DEFAULT_SIZE = { width: 1360, height: 860 } as const

/** Identifies a set of displays: a docked laptop has a different set from an undocked one. */
export function displaySetName(displays: readonly Area[]): string {
  const names = displays.map(
    ({ bounds: { x, y, width, height }, scaleFactor }) =>
      `${width}x${height}+${x}+${y}@${scaleFactor}`,
  )
  return names.sort().join(' ')
}

/**
 * The initial bounds of the window: the saved ones for these displays, moved completely onto them;
 * otherwise centered on the first display.
 */
export function initialBounds(
  displays: readonly Area[],
  kept: WindowBoundsBySet,
): Partial<WindowBounds> & Pick<WindowBounds, 'width' | 'height'> {
  const stored = kept.findLast((one) => one.displays === displaySetName(displays))?.place
  return stored ? { ...stored, ...fitToDisplays(stored, displays) } : DEFAULT_SIZE
}

/**
 * Unchanged if the displays show all of it; otherwise moved and shrunk to fit the display that
 * shows most of it.
 */
export function fitToDisplays(place: Rectangle, displays: readonly Area[]): Rectangle {
  const areas = displays.map(({ workArea }) => workArea)
  const shown = areas.map((area) => sharedArea(place, area))
  const best = areas[shown.indexOf(Math.max(...shown))]
  if (!best || sum(shown) === place.width * place.height) return place
  const width = Math.min(place.width, best.width)
  const height = Math.min(place.height, best.height)
  return {
    x: clamp(place.x, best.x, best.x + best.width - width),
    y: clamp(place.y, best.y, best.y + best.height - height),
    width,
    height,
  }
}

/** Saves the bounds of the window when they change, and moves it back if its display is removed. */
export function saveWindowBounds(window: BrowserWindow, file: StateFile<WindowBoundsBySet>): void {
  let timer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(timer)
    if (window.isDestroyed() || window.isMinimized() || window.isFullScreen()) return
    const displays = displaySetName(screen.getAllDisplays())
    const currentBounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized() }
    file.write(
      [
        ...file.read().filter((one) => one.displays !== displays),
        { displays, place: currentBounds },
      ].slice(-MAX_DISPLAY_SETS),
    )
  }
  const scheduleSave = () => {
    clearTimeout(timer)
    timer = setTimeout(save, SAVE_DELAY_MS)
  }
  const bringBack = () => {
    if (window.isDestroyed() || window.isMaximized() || window.isFullScreen()) return
    const bounds = window.getNormalBounds()
    const fittedBounds = fitToDisplays(bounds, screen.getAllDisplays())
    if (fittedBounds !== bounds) window.setBounds(fittedBounds)
  }
  window.on('resize', scheduleSave)
  window.on('move', scheduleSave)
  window.on('maximize', scheduleSave)
  window.on('unmaximize', scheduleSave)
  window.on('close', save)
  screen.on('display-removed', bringBack)
  screen.on('display-metrics-changed', bringBack)
  window.once('closed', () => {
    clearTimeout(timer)
    screen.off('display-removed', bringBack)
    screen.off('display-metrics-changed', bringBack)
  })
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(value, max))

/** Area that two rectangles share, in pixels. */
function sharedArea(one: Rectangle, other: Rectangle): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  return Math.max(0, width) * Math.max(0, height)
}
