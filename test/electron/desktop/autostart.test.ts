import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { desktopEntry, openAutostart } from '../../../electron/desktop/autostart.ts'
import * as fake from '../../support/electron.ts'

let home: string
beforeEach(() => {
  fake.forgetAll()
  home = mkdtempSync(join(tmpdir(), 'isthmus-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('starting when somebody signs in, on Linux', () => {
  const open = (env: Record<string, string> = {}, argv: string[] = []) =>
    openAutostart('linux', { HOME: home, XDG_CONFIG_DIRS: join(home, 'etc'), ...env }, argv, [
      '/opt/Isthmus/isthmus',
      ...['--data', '/srv/dicom data'],
    ])
  const file = () => join(home, '.config', 'autostart', 'isthmus.desktop')

  it('is an XDG autostart file, which comes and goes', () => {
    const autostart = open()
    expect(autostart.isOn()).toBe(false)
    autostart.set(true)
    expect(autostart.isOn()).toBe(true)
    expect(readFileSync(file(), 'utf8')).toContain(
      '\nExec="/opt/Isthmus/isthmus" "--data" "/srv/dicom data" "--hidden"\n',
    )
    autostart.set(false)
    expect(autostart.isOn()).toBe(false)
    autostart.set(false)
  })

  it('is off where the settings of the desktop say so', () => {
    const autostart = open()
    for (const line of ['Hidden=true', 'X-GNOME-Autostart-enabled=false']) {
      autostart.set(true)
      writeFileSync(file(), `${readFileSync(file(), 'utf8')}${line}\n`)
      expect(autostart.isOn()).toBe(false)
    }
    autostart.set(true)
    expect(autostart.isOn()).toBe(true)
  })

  it('is switched off for one where the system has it for all', () => {
    mkdirSync(join(home, 'etc', 'autostart'), { recursive: true })
    writeFileSync(
      join(home, 'etc', 'autostart', 'isthmus.desktop'),
      '[Desktop Entry]\nExec=isthmus --hidden\n',
    )
    const autostart = open()
    expect(autostart.isOn()).toBe(true)
    autostart.set(false)
    expect(autostart.isOn()).toBe(false)
    autostart.set(true)
    expect(autostart.isOn()).toBe(true)
  })

  it('starts an AppImage by its own file, in the folder XDG_CONFIG_HOME names', () => {
    open({ XDG_CONFIG_HOME: join(home, 'xdg'), APPIMAGE: '/home/clinic/Isthmus.AppImage' }).set(
      true,
    )
    expect(readFileSync(join(home, 'xdg', 'autostart', 'isthmus.desktop'), 'utf8')).toContain(
      'Exec="/home/clinic/Isthmus.AppImage" "--hidden"\n',
    )
  })

  it('writes a path as the specification quotes it, in one line', () => {
    expect(desktopEntry(['/a "b" $c `d` %e \\f'])).toContain(
      'Exec="/a \\\\"b\\\\" \\\\$c \\\\`d\\\\` %%e \\\\\\\\f" "--hidden"\n',
    )
  })

  it('knows that it was started so', () => {
    expect(open({}, ['--hidden']).startedIt()).toBe(true)
    expect(open().startedIt()).toBe(false)
  })
})

describe.each(['win32', 'darwin'] as const)(
  'starting when somebody signs in, on %s',
  (platform) => {
    it('is an item of the system’s own list', () => {
      const autostart = openAutostart(platform, {}, [], ['C:\\Isthmus\\Isthmus.exe'])
      expect(autostart.isOn()).toBe(false)
      autostart.set(true)
      expect(fake.app.loginItem).toEqual({
        openAtLogin: true,
        path: 'C:\\Isthmus\\Isthmus.exe',
        args: ['--hidden'],
      })
      expect(autostart.isOn()).toBe(true)
      autostart.set(false)
      expect(autostart.isOn()).toBe(false)
      expect(autostart.startedIt()).toBe(false)
    })
  },
)
