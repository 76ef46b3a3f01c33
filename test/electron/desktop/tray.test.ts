import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { TRAY_SHAPES } from '#electron/desktop/texts.ts'
import { shellTexts } from '../../../electron/desktop/texts.ts'
import { openTray, shapeOf, type TrayState, trayMenu } from '../../../electron/desktop/tray.ts'
import type { ShellStatus, UpdateState } from '../../../shared/contract/shell.ts'
import * as fake from '../../support/electron.ts'

const IMAGES = join(import.meta.dirname, '../../../renderer/public')
const NO_UPDATE: UpdateState = { state: 'none', version: null, share: 0, sentence: null, notes: [] }
const READY: UpdateState = { state: 'ready', version: '1.2.0', share: 1, sentence: null, notes: [] }
const STATUS: ShellStatus = {
  version: '1.1.0',
  isSafe: false,
  tray: 'ok',
  lines: [],
  attention: [],
  openAssociations: 0,
  update: { isAutomatic: false, at: '03:00', timeZone: 'UTC' },
}
const situation = (more: Partial<TrayState> = {}): TrayState => ({
  status: STATUS,
  update: NO_UPDATE,
  fault: '',
  ...more,
})
const done: string[] = []
const ACTIONS = {
  open: () => void done.push('open'),
  openDataFolder: () => void done.push('folder'),
  installUpdate: () => void done.push('install'),
  quit: () => void done.push('quit'),
}
const labels = (of: TrayState, locale = 'en') =>
  trayMenu(of, shellTexts(locale), ACTIONS).map(({ label }) => label ?? '—')

beforeEach(() => {
  fake.forgetAll()
  done.length = 0
})

describe('the shape in the tray', () => {
  it.each([
    ['ok', situation()],
    ['update-ready', situation({ update: READY })],
    ['attention', situation({ status: { ...STATUS, tray: 'attention' }, update: READY })],
    ['partner-away', situation({ status: { ...STATUS, tray: 'partner-away' }, update: READY })],
    ['listener-down', situation({ status: { ...STATUS, tray: 'listener-down' } })],
    ['listener-down', situation({ status: undefined })],
  ])('is %s where that is the gravest', (shape, of) => {
    expect(shapeOf(of)).toBe(shape)
  })

  it('has a picture of its own in each size, in colour and for the menu bar of macOS', () => {
    const pictures = TRAY_SHAPES.flatMap((shape) => [`tray-${shape}`, `tray-${shape}Template`])
    for (const [end, side] of [
      ['.png', 16],
      ['@2x.png', 32],
    ] as const) {
      const bytes = pictures.map((name) => readFileSync(join(IMAGES, `${name}${end}`)))
      // PNG: the width and the height stand behind the first chunk's name.
      expect(bytes.map((png) => [png.readUInt32BE(16), png.readUInt32BE(20)])).toEqual(
        bytes.map(() => [side, side]),
      )
      expect(new Set(bytes.map((png) => png.toString('base64'))).size).toBe(bytes.length)
    }
    expect(existsSync(join(IMAGES, 'tray.png'))).toBe(false)
  })
})

describe('the menu of the tray', () => {
  it('opens, says how it is, opens the data folder and quits', () => {
    expect(labels(situation())).toEqual([
      ...['Open Isthmus', '—', 'Devices are being served', '—'],
      ...['Open the data folder', 'Quit Isthmus…'],
    ])
  })

  it('says what the gateway says, the last error, and that an update waits', () => {
    const lines = ['The partner does not respond.', 'x'.repeat(300), 'c', 'd', 'e', 'f']
    const shown = labels(
      situation({ status: { ...STATUS, lines }, update: READY, fault: 'It ended.' }),
    )
    expect(shown).toContain('The partner does not respond.')
    expect(shown).toContain(`${'x'.repeat(119)}…`)
    expect(shown).not.toContain('f')
    expect(shown).toContain('Last error: It ended.')
    expect(shown).toContain('Install version 1.2.0…')
  })

  it('says that the gateway starts, or is in safe mode', () => {
    expect(labels(situation({ status: undefined }))).toContain('The gateway is starting')
    expect(labels(situation({ status: { ...STATUS, isSafe: true } }))).toContain(
      'Safe mode: no device is served, nothing is sent',
    )
  })

  it('is in Spanish where the system is, without the gateway’s English', () => {
    const shown = labels(situation({ status: { ...STATUS, lines: ['English'] } }), 'es-MX')
    expect(shown).toContain('Los equipos están atendidos')
    expect(shown).not.toContain('English')
  })

  it('is set anew only when it reads otherwise, so that it stays open', () => {
    const tray = openTray('/images', shellTexts('en'), ACTIONS, 'win32')
    const [icon] = fake.trays
    expect(icon?.image.path).toMatch(/tray-listener-down\.png$/)
    tray.show(situation())
    const first = icon?.menu
    expect(icon?.image.path).toMatch(/tray-ok\.png$/)
    expect(icon?.toolTip).toBe('Isthmus: Devices are being served')
    tray.show(situation())
    expect(icon?.menu).toBe(first)
    tray.show(situation({ update: READY }))
    expect(icon?.menu).not.toBe(first)
    for (const label of [
      'Open Isthmus',
      'Open the data folder',
      'Install version 1.2.0…',
      'Quit Isthmus…',
    ])
      fake.press(icon?.menu, label)
    icon?.fire('click')
    expect(done).toEqual(['open', 'folder', 'install', 'quit', 'open'])
  })

  it('shows a template image on macOS, where a click opens the menu alone', () => {
    openTray('/images', shellTexts('en'), ACTIONS, 'darwin')
    expect(fake.trays[0]?.image.path).toMatch(/tray-listener-downTemplate\.png$/)
    fake.trays[0]?.fire('click')
    expect(done).toEqual([])
  })
})
