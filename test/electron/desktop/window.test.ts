import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refusePermissions, refuseRequests } from '../../../electron/desktop/permissions.ts'
import {
  isOpenable,
  openExternally,
  openWindow,
  refuseWebviews,
} from '../../../electron/desktop/window.ts'
import { stateFile, WindowBoundsBySet } from '../../../electron/desktop/window-state.ts'
import * as fake from '../../support/electron.ts'

const ORIGIN = 'http://127.0.0.1:8042'
const VIEW = `${ORIGIN}/viewer#0b0f6f0e-6f0e-4c43-9a52-5f1b7a7f2d11`

let folder: string
beforeEach(() => {
  fake.forgetAll()
  folder = mkdtempSync(join(tmpdir(), 'isthmus-window-'))
  const places = stateFile(join(folder, 'window.json'), WindowBoundsBySet, [])
  openWindow('/preload.cjs', () => ORIGIN, places, 'win32')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const contents = () => {
  const [window] = fake.windows
  if (!window) throw new Error('no window')
  return window.webContents
}

/** Whether a window's contents let themselves be led there. */
function goes(to: string, of = contents()): boolean {
  const event = fake.event()
  of.fire('will-navigate', event, to)
  return !event.defaultPrevented
}

describe('the window', () => {
  it('opens images in a window of their own, as safe as itself and with nothing native in it', () => {
    const answer = contents().opens(VIEW)
    expect(answer.action).toBe('allow')
    expect(answer).toMatchObject({
      overrideBrowserWindowOptions: {
        webPreferences: {
          contextIsolation: true,
          sandbox: true,
          nodeIntegration: false,
          webSecurity: true,
        },
      },
    })
    expect(answer).not.toHaveProperty('overrideBrowserWindowOptions.webPreferences.preload')
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
    expect(contents().opens(url)).toEqual({ action: 'deny' })
    expect(fake.opened).toEqual([])
  })

  it('has a page of the standard opened by the system', () => {
    expect(contents().opens('https://dicom.nema.org/medical/dicom/current/')).toEqual({
      action: 'deny',
    })
    expect(goes('https://dicom.nema.org/')).toBe(false)
    expect(fake.opened).toEqual([
      'https://dicom.nema.org/medical/dicom/current/',
      'https://dicom.nema.org/',
    ])
  })

  it('stays at the gateway, and keeps the frame with the images there, too', () => {
    expect(
      [`${ORIGIN}/#/devices`, 'https://evil.test/', 'file:///etc/passwd'].map((url) => goes(url)),
    ).toEqual([true, false, false])
    const led = (url: string) => {
      const event = fake.event({ url })
      contents().fire('will-frame-navigate', event)
      return !event.defaultPrevented
    }
    expect([VIEW, 'https://evil.test/'].map(led)).toEqual([true, false])
    const redirected = fake.event()
    contents().fire('will-redirect', redirected, 'https://evil.test/')
    expect(redirected.defaultPrevented).toBe(true)
  })

  it('holds nothing that shows another page', () => {
    const attached = fake.event()
    contents().fire('will-attach-webview', attached)
    expect(attached.defaultPrevented).toBe(true)
    refuseWebviews()
    const other = new fake.Contents()
    fake.app.fire('web-contents-created', fake.event(), other)
    const again = fake.event()
    other.fire('will-attach-webview', again)
    expect(again.defaultPrevented).toBe(true)
  })

  it('fetches no dictionary', () => {
    expect(fake.windows[0]?.options.webPreferences?.spellcheck).toBe(false)
  })
})

describe('a window for signing in', () => {
  const START = `${ORIGIN}/oidc/start?state=x`
  const open = () => {
    const window = new fake.BrowserWindow({ webPreferences: {} })
    contents().fire('did-create-window', window, { url: START })
    return window.webContents
  }

  it('is opened by the path of the gateway that leads to the provider alone', () => {
    const answer = contents().opens(START)
    expect(answer).toMatchObject({
      action: 'allow',
      overrideBrowserWindowOptions: { webPreferences: { sandbox: true, contextIsolation: true } },
    })
    expect(answer).not.toHaveProperty('overrideBrowserWindowOptions.webPreferences.preload')
    for (const url of ['https://evil.test/oidc/start', `${ORIGIN}/oidc/callback?state=x`])
      expect(contents().opens(url)).toEqual({ action: 'deny' })
  })

  it('goes to the pages of the provider by TLS, and back, and opens nothing', () => {
    const window = open()
    const urls = {
      'https://id.clinic.example/auth': true,
      'http://127.0.0.1:9000/auth': true,
      [`${ORIGIN}/oidc/callback?code=x`]: true,
      'http://id.clinic.example/auth': false,
      'http://127.evil.test/auth': false,
      'file:///etc/passwd': false,
    }
    for (const [url, isPermitted] of Object.entries(urls)) {
      expect(goes(url, window), url).toBe(isPermitted)
      const framed = fake.event({ url })
      window.fire('will-frame-navigate', framed)
      expect(framed.defaultPrevented, url).toBe(!isPermitted)
    }
    expect(window.opens(START)).toEqual({ action: 'deny' })
  })

  it('alone loads from the provider', () => {
    refuseRequests(() => ORIGIN)
    const window = open()
    const url = 'https://id.clinic.example/style.css'
    expect(fake.goesOut(url, window)).toBe(true)
    expect(fake.goesOut('http://id.clinic.example/', window)).toBe(false)
    expect(fake.goesOut(url, contents())).toBe(false)
    expect(fake.goesOut(url)).toBe(false)
  })
})

describe('a window with images', () => {
  const open = () => {
    const images = new fake.BrowserWindow({ webPreferences: {} })
    contents().fire('did-create-window', images, { url: VIEW })
    return images.webContents
  }

  it('goes to other images and nowhere else', () => {
    const images = open()
    expect(goes(VIEW, images)).toBe(true)
    expect(
      [`${ORIGIN}/`, `${ORIGIN}/#/people`, 'https://evil.test/viewer'].map((url) =>
        goes(url, images),
      ),
    ).toEqual([false, false, false])
  })

  it('opens further windows with images, for other screens, and no others', () => {
    const images = open()
    expect(images.opens(VIEW)).toMatchObject({ action: 'allow' })
    expect([`${ORIGIN}/`, 'https://evil.test/viewer'].map((url) => images.opens(url))).toEqual([
      { action: 'deny' },
      { action: 'deny' },
    ])
    const second = new fake.BrowserWindow({ webPreferences: {} })
    images.fire('did-create-window', second, { url: VIEW })
    expect(goes(VIEW, second.webContents)).toBe(true)
    expect(goes(`${ORIGIN}/`, second.webContents)).toBe(false)
    expect(second.webContents.opens(`${ORIGIN}/`)).toEqual({ action: 'deny' })
  })
})

describe('a window with the documentation', () => {
  const PAGE = `${ORIGIN}/help/staff.html#quarantine`

  it('is opened by the window and by windows with images, and stays at its pages', () => {
    const images = new fake.BrowserWindow({ webPreferences: {} })
    contents().fire('did-create-window', images, { url: VIEW })
    for (const opener of [contents(), images.webContents]) {
      const answer = opener.opens(PAGE)
      expect(answer).toMatchObject({
        action: 'allow',
        overrideBrowserWindowOptions: { webPreferences: { sandbox: true, contextIsolation: true } },
      })
      expect(answer).not.toHaveProperty('overrideBrowserWindowOptions.webPreferences.preload')
      for (const url of [`${ORIGIN}/helpers`, 'https://evil.test/help/'])
        expect(opener.opens(url)).toEqual({ action: 'deny' })
      const help = new fake.BrowserWindow({ webPreferences: {} })
      opener.fire('did-create-window', help, { url: PAGE })
      expect(
        [`${ORIGIN}/help`, `${ORIGIN}/help/viewer.html`, `${ORIGIN}/`, VIEW].map((url) =>
          goes(url, help.webContents),
        ),
      ).toEqual([true, true, false, false])
      expect(help.webContents.opens(PAGE)).toEqual({ action: 'deny' })
    }
  })
})

describe('permissions', () => {
  it('are to copy and to know the screens, for the gateway’s own page alone', () => {
    refusePermissions(() => ORIGIN)
    expect(fake.asked('window-management', `${ORIGIN}/`)).toBe(true)
    expect(fake.asked('clipboard-sanitized-write', VIEW)).toBe(true)
    expect(fake.asked('window-management', 'https://evil.test/')).toBe(false)
    const others = [
      'geolocation',
      'media',
      'midi',
      'hid',
      'notifications',
      'clipboard-read',
      'openExternal',
    ]
    expect(others.map((one) => fake.asked(one, `${ORIGIN}/`))).toEqual(others.map(() => false))
    const checked = (origin: string) =>
      fake.permissions.check?.(null, 'window-management', origin, { isMainFrame: true })
    expect([ORIGIN, 'https://evil.test'].map(checked)).toEqual([true, false])
    expect(fake.permissions.device?.({ deviceType: 'usb', origin: ORIGIN } as never)).toBe(false)
  })

  it('include the microphone on the page of a report, and never the camera', () => {
    refusePermissions(() => ORIGIN)
    const report = `${ORIGIN}/#/reading/stu_00000000000000000000000000000001`
    const audio = { mediaTypes: ['audio'] }
    expect(fake.asked('media', report, audio)).toBe(true)
    const elsewhere = [`${ORIGIN}/`, `${ORIGIN}/#/reading`, `${ORIGIN}/#/reading/criticals`, VIEW]
    expect(elsewhere.map((url) => fake.asked('media', url, audio))).toEqual(
      elsewhere.map(() => false),
    )
    expect(fake.asked('media', report.replace(ORIGIN, 'https://evil.test'), audio)).toBe(false)
    expect(fake.asked('media', report, { mediaTypes: ['audio', 'video'] })).toBe(false)
    expect(fake.asked('media', report, { mediaTypes: [] })).toBe(false)
    expect(fake.asked('media', report, { ...audio, isMainFrame: false })).toBe(false)
    const checked = (mediaType: 'audio' | 'video', url: string) =>
      fake.permissions.check?.({ getURL: () => url } as never, 'media', ORIGIN, {
        ...{ mediaType, isMainFrame: true },
      })
    expect(checked('audio', report)).toBe(true)
    expect(checked('video', report)).toBe(false)
    expect(checked('audio', `${ORIGIN}/`)).toBe(false)
  })

  it('are none before the gateway has started', () => {
    refusePermissions(() => undefined)
    expect(fake.asked('clipboard-sanitized-write', `${ORIGIN}/`)).toBe(false)
  })
})

describe('requests', () => {
  it('go to the gateway alone', () => {
    refuseRequests(() => ORIGIN)
    const out = [
      `${ORIGIN}/dashboard/session`,
      `blob:${ORIGIN}/1`,
      'data:image/png;base64,',
      'devtools://devtools/bundled/x.html',
    ]
    expect(out.map((url) => fake.goesOut(url))).toEqual(out.map(() => true))
    const kept = [
      'https://evil.test/',
      'http://127.0.0.1:8043/',
      'ws://127.0.0.1:8042/',
      'file:///etc/passwd',
      'blob:https://evil.test/1',
    ]
    expect(kept.map((url) => fake.goesOut(url))).toEqual(kept.map(() => false))
  })
})

describe('outside the app', () => {
  it.each([
    'https://dicom.nema.org',
    'https://dicom.nema.org/medical/dicom/current/output/chtml/part04/chapter_K.html#sect_K.6',
    'https://www.dicomstandard.org/current?x=1',
    'mailto:support@clinic.example',
    'mailto:support@clinic.example?subject=Isthmus%200.1',
  ])('%s may be opened', (url) => {
    expect(isOpenable(url)).toBe(true)
    openExternally(url)
    expect(fake.opened).toEqual([url])
  })

  it.each([
    ['a file', 'file:///etc/passwd'],
    ['a share', '\\\\evil.test\\share'],
    ['a share written as a URL', 'file://evil.test/share'],
    ['a share of Samba', 'smb://evil.test/share'],
    ['a diagnostics tool of Windows', 'ms-msdt:/id PCWDiagnostic'],
    ['a search of Windows', 'search-ms:query=x&crumb=location:\\\\evil.test'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['another page', 'https://evil.test/'],
    ['a page without encryption', 'http://dicom.nema.org/'],
    ['a name before the host', 'https://user@dicom.nema.org/'],
    ['the host as a name', 'https://dicom.nema.org@evil.test/'],
    ['the host before another', 'https://dicom.nema.org.evil.test/'],
    ['another port', 'https://dicom.nema.org:8443/'],
    ['a host with foreign letters', 'https://dicom.nemа.org/'],
    ['a host in Punycode', 'https://xn--dicom-nema.org/'],
    ['a backslash', 'https://dicom.nema.org\\@evil.test/'],
    ['a line break', 'https://dicom.nema.org/\nx'],
    ['a space', ' https://dicom.nema.org/'],
    ['capitals', 'HTTPS://dicom.nema.org/'],
    ['slashes that lack', 'https:dicom.nema.org/'],
    ['a mail with a file', 'mailto:a@b.test?attach=/etc/passwd'],
    ['a mail to many', 'mailto:a@b.test,c@d.test'],
    ['a mail with a text', 'mailto:a@b.test?subject=x&body=y'],
    ['a link of our own', 'isthmus://today'],
    ['a long address', `https://dicom.nema.org/${'x'.repeat(2_000)}`],
    ['nothing', ''],
  ])('%s may not be opened', (_, url) => {
    expect(isOpenable(url)).toBe(false)
    openExternally(url)
    expect(fake.opened).toEqual([])
  })
})
