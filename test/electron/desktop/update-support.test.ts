import { describe, expect, it } from 'vitest'
import { englishText } from '#shared/messages/english.ts'
import type { Message } from '#shared/messages/message.ts'
import {
  type Disk,
  type Program,
  updateErrorMessage,
  updateObstacle,
} from '../../../electron/desktop/update-support.ts'

const APPIMAGE: Program = {
  isPackaged: true,
  platform: 'linux',
  env: { APPIMAGE: '/home/clinic/Isthmus.AppImage' },
  resources: '/app/resources',
  executable: '/app/isthmus',
}
const WINDOWS: Program = {
  ...APPIMAGE,
  platform: 'win32',
  env: {},
  executable: '/programs/Isthmus/Isthmus.exe',
}
const BUILT_IN = '/app/resources/app-update.yml'
const SOMEWHERE = 'provider: generic\nurl: https://updates.clinic.test/isthmus\n'
const NOWHERE = 'provider: generic\nurl: https://updates.invalid/\n'
const disk = (files: Readonly<Record<string, string>>): Disk => ({
  exists: (path) => path in files,
  read: (path) => files[path],
})
const why = (program: Program, files: Readonly<Record<string, string>>): string =>
  englishText(updateObstacle(program, disk(files)) as Message)
const UNINSTALLER = '/programs/Isthmus/Uninstall Isthmus.exe'
const POLICY = '/app/resources/update-policy.json'
const ALLOWED = { [POLICY]: '{"allowUpdateUrl": true}' }
const told = (url: string): Program => ({
  ...APPIMAGE,
  env: { ...APPIMAGE.env, ISTHMUS_UPDATE_URL: url },
})

describe('a program is updated by itself', () => {
  it.each([
    ['an AppImage with a place for updates built in', APPIMAGE, { [BUILT_IN]: SOMEWHERE }],
    [
      'an AppImage that is told a place',
      told('https://updates.clinic.test/'),
      { ...ALLOWED, [BUILT_IN]: NOWHERE },
    ],
    ['an NSIS installation', WINDOWS, { [BUILT_IN]: SOMEWHERE, [UNINSTALLER]: '' }],
    [
      'an app of macOS',
      { ...APPIMAGE, platform: 'darwin', env: {} } satisfies Program,
      { [BUILT_IN]: SOMEWHERE },
    ],
  ])('where it is %s', (_, program, files) => {
    expect(updateObstacle(program, disk(files))).toBeUndefined()
  })

  it.each([
    [
      'it was not installed',
      { ...APPIMAGE, isPackaged: false },
      SOMEWHERE,
      /not an installed version/,
    ],
    ['it is a deb', { ...APPIMAGE, env: {} }, SOMEWHERE, /package manager of the system/],
    ['it is an MSI', WINDOWS, SOMEWHERE, /MSI/],
    ['no place was said', APPIMAGE, NOWHERE, /No update server is configured/],
    ['the place is not safe', told('http://updates.test'), SOMEWHERE, /https/],
    ['the place is no address', told('updates'), SOMEWHERE, /https/],
  ])('not where %s, and says so', (_, program, builtIn, sentence) => {
    expect(why(program, { ...ALLOWED, [BUILT_IN]: builtIn })).toMatch(sentence)
  })

  it.each([[undefined], ['{}'], ['{"allowUpdateUrl": "true"}'], ['null'], ['allowUpdateUrl']])(
    'not from a place that the environment names where the policy is %s',
    (policy) => {
      const files = { [BUILT_IN]: SOMEWHERE, ...(policy !== undefined && { [POLICY]: policy }) }
      expect(why(told('https://updates.clinic.test/'), files)).toMatch(/update-policy\.json/)
    },
  )

  it('not where what was built in is gone: nobody could tell who signs its updates', () => {
    expect(why(told('https://updates.clinic.test/'), ALLOWED)).toMatch(
      /No update server is configured/,
    )
  })
})

describe('what went wrong with an update', () => {
  const failure = (message: string, code?: string) =>
    Object.assign(new Error(message), code === undefined ? {} : { code })

  it.each([
    [
      failure(
        'New version 2.0.0 is not signed by the application owner',
        'ERR_UPDATER_INVALID_SIGNATURE',
      ),
      /not signed/,
    ],
    [failure('sha512 checksum mismatch, expected a, got b', 'ERR_CHECKSUM_MISMATCH'), /damaged/],
    [failure('ENOSPC: no space left on device, write', 'ENOSPC'), /disk is full/],
    [failure('net::ERR_CERT_AUTHORITY_INVALID'), /certificate/],
    [
      failure('Cannot find channel "latest.yml" update info', 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND'),
      /no update for this system/,
    ],
    [failure('net::ERR_INTERNET_DISCONNECTED'), /could not be reached/],
    [failure('getaddrinfo ENOTFOUND updates.clinic.test', 'ENOTFOUND'), /could not be reached/],
    [failure('something <html> else'), /^The update could not be downloaded\.$/],
  ])('%s', (error, sentence) => {
    expect(englishText(updateErrorMessage(error))).toMatch(sentence)
  })
})
