import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  displaySetName,
  fitToDisplays,
  initialBounds,
  saveWindowBounds,
  stateFile,
  WindowBoundsBySet,
} from '../../../electron/desktop/window-state.ts'
import * as fake from '../../support/electron.ts'

const LAPTOP = fake.display(0, 0, 1440, 900, 2)
const LEFT = fake.display(-1920, 0, 1920, 1080)
const PLACE = { x: 200, y: 100, width: 1200, height: 700 }

describe('where the window goes', () => {
  it('is where it was on the same set of displays', () => {
    const kept: WindowBoundsBySet = [
      { displays: displaySetName([LAPTOP]), place: { ...PLACE, isMaximized: false } },
      {
        displays: displaySetName([LAPTOP, LEFT]),
        place: { x: -1800, y: 50, width: 1500, height: 900, isMaximized: true },
      },
    ]
    expect(initialBounds([LAPTOP], kept)).toEqual({ ...PLACE, isMaximized: false })
    expect(initialBounds([LEFT, LAPTOP], kept)).toEqual({
      x: -1800,
      y: 50,
      width: 1500,
      height: 900,
      isMaximized: true,
    })
    expect(initialBounds([LEFT], kept)).toEqual({ width: 1360, height: 860 })
  })

  it('is never off the screen, however the file reads', () => {
    expect(fitToDisplays({ ...PLACE, x: 5000, y: -4000 }, [LAPTOP])).toEqual({
      x: 240,
      y: 0,
      width: 1200,
      height: 700,
    })
    expect(fitToDisplays({ ...PLACE, x: -1900, y: 990 }, [LAPTOP, LEFT])).toEqual({
      x: -1900,
      y: 340,
      width: 1200,
      height: 700,
    })
    expect(fitToDisplays({ x: -50, y: -50, width: 9000, height: 9000 }, [LAPTOP])).toEqual({
      x: 0,
      y: 0,
      width: 1440,
      height: 860,
    })
  })

  it('may be on two displays at once', () => {
    const across = { x: -600, y: 0, width: 1200, height: 700 }
    expect(fitToDisplays(across, [LAPTOP, LEFT])).toBe(across)
  })

  it('is left as it is where no display is known', () => {
    expect(fitToDisplays(PLACE, [])).toBe(PLACE)
  })
})

describe('the place of a window', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    fake.forgetAll()
    vi.useFakeTimers()
    folder = mkdtempSync(join(tmpdir(), 'isthmus-place-'))
    file = join(folder, 'app', 'window.json')
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true, force: true })
  })
  const kept = () => stateFile(file, WindowBoundsBySet, [])
  const shown = () => {
    const window = new fake.BrowserWindow(PLACE)
    saveWindowBounds(window as unknown as BrowserWindow, kept())
    return window
  }

  it('is kept when it has come to rest, once for each set of displays', () => {
    const window = shown()
    for (let x = 0; x < 50; x++) {
      window.bounds = { ...PLACE, x }
      window.fire('move')
    }
    expect(kept().read()).toEqual([])
    vi.advanceTimersByTime(500)
    window.maximize()
    vi.advanceTimersByTime(500)
    expect(kept().read()).toEqual([
      {
        displays: displaySetName(fake.screen.displays),
        place: { ...PLACE, x: 49, isMaximized: true },
      },
    ])
    fake.screen.displays = [fake.display(0, 0, 1440, 900)]
    window.fire('resize')
    window.close()
    expect(kept().read()).toHaveLength(2)
  })

  it('is brought back when its display is gone', () => {
    const window = shown()
    window.bounds = { x: 2000, y: 100, width: 1000, height: 700 }
    fake.screen.fire('display-removed', fake.event(), fake.display(1920, 0, 1920, 1080))
    expect(window.bounds).toEqual({ x: 920, y: 100, width: 1000, height: 700 })
    window.close()
    expect(fake.screen.listenerCount('display-removed')).toBe(0)
  })

  it.each([
    ['cut short by a power cut', '[{"displays":"1440'],
    ['of another version', '{"x":1}'],
    [
      'with a size that is none',
      '[{"displays":"a","place":{"x":0,"y":0,"width":-5,"height":1e9,"isMaximized":false}}]',
    ],
    [
      'with no number',
      '[{"displays":"a","place":{"x":"0","y":0,"width":5,"height":5,"isMaximized":false}}]',
    ],
  ])('is not known where its file is %s', (_, text) => {
    file = join(folder, 'window.json')
    writeFileSync(file, text)
    expect(kept().read()).toEqual([])
    kept().write([])
    expect(readFileSync(file, 'utf8')).toBe('[]')
  })

  it('is no reason to end where it cannot be kept', () => {
    expect(() =>
      stateFile(join(folder, 'nowhere', 'at all', 'window.json'), WindowBoundsBySet, []).write([]),
    ).not.toThrow()
  })
})
