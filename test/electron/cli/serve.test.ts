import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readArguments } from '#electron/cli/serve.ts'
import { tempFolder } from '../../support/temp-store.ts'

const SECRET = `whsec_${'A'.repeat(43)}=`
const PARTNER = ['--partner-url', 'https://partner.example/hook']

it('takes the settings of the machine where nothing is given', () => {
  expect(readArguments(['--data', 'd'])).toEqual({
    folder: 'd',
    pageFolder: expect.stringMatching(/dist.renderer$/),
    overrides: {},
    logLevel: 'info',
    isRescue: false,
  })
  expect(readArguments(['--data', 'd', '--rescue']).isRescue).toBe(true)
})

it('lets its options stand before the settings', () => {
  const args = [
    '--data',
    'd',
    '--http',
    ':0',
    '--dimse',
    '[::1]:104',
    '--ae-title',
    ' GATE ',
    '--allow-unknown-devices',
    '--log-level',
    'warn',
  ]
  expect(readArguments([...args, ...PARTNER, '--partner-secret', SECRET])).toMatchObject({
    overrides: {
      'http.port': 0,
      'dimse.host': '::1',
      'dimse.port': 104,
      'dimse.aeTitle': 'GATE',
      'dimse.allowUnknownDevices': true,
    },
    partner: { url: 'https://partner.example/hook', secret: SECRET },
    logLevel: 'warn',
    isSecretInArguments: true,
  })
})

it('takes where the log goes, and safe mode', () => {
  expect(
    readArguments(['--data', 'd', '--safe-mode', '--log-file', 'd/logs/gateway.log']),
  ).toMatchObject({
    isSafe: true,
    logFile: 'd/logs/gateway.log',
  })
})

it('reads the secret from a file, without its end of line', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'secret')
  writeFileSync(file, `${SECRET}\n`)
  expect(
    readArguments(['--data', 'd', ...PARTNER, '--partner-secret-file', file]).partner?.secret,
  ).toBe(SECRET)
  expect(readArguments(['--data', 'd', ...PARTNER]).partner).toEqual({
    url: 'https://partner.example/hook',
  })
})

it.each([
  [[], 'serve needs --data DIR'],
  [['--data', ''], 'serve needs --data DIR'],
  [['--data', 'd', 'more'], 'Unexpected argument'],
  [
    ['--data', 'd', '--http', 'local host:1'],
    '--http: “local host” must be a host name or an address.',
  ],
  [['--data', 'd', '--ae-title', ''], '--ae-title: “” must be 1 to 16 ASCII characters'],
  [['--data', 'd', '--partner-secret', SECRET], '--partner-secret goes with --partner-url URL.'],
  [
    ['--data', 'd', ...PARTNER, '--partner-secret', SECRET, '--partner-secret-file', 'f'],
    'not both',
  ],
  [
    ['--data', 'd', '--log-level', 'loud'],
    '--log-level is fatal, error, warn, info, debug or trace.',
  ],
])('refuses %j', (args, words) => {
  expect(() => readArguments(args)).toThrow(words)
})
