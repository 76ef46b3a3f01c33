import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openWindow, refusePermissions } from '../../../electron/shell/window.ts'
import * as fake from '../../support/electron.ts'

const ORIGIN = 'http://127.0.0.1:8042'
const VIEW = `${ORIGIN}/viewer#0b0f6f0e-6f0e-4c43-9a52-5f1b7a7f2d11`

beforeEach(() => {
  fake.windows.length = 0
  openWindow({ preload: '/preload.cjs', origin: ORIGIN })
})
const contents = () => {
  const [window] = fake.windows
  if (!window) throw new Error('no window')
  return window.webContents
}

/** Whether a window's contents let themselves be led there. */
function goes(to: string, of = contents()): boolean {
  const event = { preventDefault: vi.fn() }
  of.emit('will-navigate', event, to)
  return event.preventDefault.mock.calls.length === 0
}

describe('the window', () => {
  it('opens images in a window of their own, as safe as itself and with nothing native in it', () => {
    const answer = contents().windowOpen?.({ url: VIEW })
    expect(answer?.action).toBe('allow')
    expect(answer?.overrideBrowserWindowOptions?.webPreferences).toEqual({
      ...{ contextIsolation: true, sandbox: true },
      ...{ nodeIntegration: false, webSecurity: true },
    })
  })

  it.each([
    ['another screen of the gateway', `${ORIGIN}/#/audit`],
    ['a page below the viewer', `${ORIGIN}/viewer/sessions`],
    ['a link with a token', `${ORIGIN}/token/landing?token=x`],
    ['the viewer of another gateway', 'http://127.0.0.1:9000/viewer'],
    ['a host that only begins the same', 'http://127.0.0.1:8042.evil.test/viewer'],
    ['an empty page', 'about:blank'],
    ['a script', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['no address', ''],
  ])('opens no window at %s', (_, url) => {
    expect(contents().windowOpen?.({ url })).toEqual({ action: 'deny' })
  })

  it('keeps the frame with the images at the gateway, too', () => {
    const led = (url: string) => {
      const event = { url, preventDefault: vi.fn() }
      contents().emit('will-frame-navigate', event)
      return event.preventDefault.mock.calls.length === 0
    }
    expect([VIEW, 'https://evil.test/'].map(led)).toEqual([true, false])
  })
})

describe('a window with images', () => {
  const open = () => {
    const images = new fake.BrowserWindow({ webPreferences: {} })
    contents().emit('did-create-window', images)
    return images.webContents
  }

  it('goes to other images and nowhere else', () => {
    const images = open()
    expect(goes(VIEW, images)).toBe(true)
    expect([`${ORIGIN}/`, `${ORIGIN}/#/people`, 'https://evil.test/viewer'].map((url) => goes(url, images))).toEqual([false, false, false])
  })

  it('opens no further window', () => {
    expect(open().windowOpen?.({ url: VIEW })).toEqual({ action: 'deny' })
  })
})

describe('permissions', () => {
  const asked = (permission: string, requestingUrl: string) => {
    let answer: boolean | undefined
    fake.permissions.request?.({}, permission, (isAllowed) => (answer = isAllowed), { requestingUrl })
    return answer
  }

  it('are to copy and to know the screens, for the gateway’s own page alone', () => {
    refusePermissions(() => ORIGIN)
    expect(asked('window-management', `${ORIGIN}/`)).toBe(true)
    expect(asked('clipboard-sanitized-write', VIEW)).toBe(true)
    expect(asked('window-management', 'https://evil.test/')).toBe(false)
    expect(['geolocation', 'media', 'clipboard-read', 'openExternal'].map((one) => asked(one, `${ORIGIN}/`))).toEqual(Array(4).fill(false))
    expect(fake.permissions.check?.({}, 'window-management', ORIGIN)).toBe(true)
    expect(fake.permissions.check?.({}, 'window-management', 'https://evil.test')).toBe(false)
  })

  it('are none before the gateway has started', () => {
    refusePermissions(() => undefined)
    expect(asked('clipboard-sanitized-write', `${ORIGIN}/`)).toBe(false)
  })
})
