import { expect, it } from 'vitest'
import { hostAndPort, UsageError } from '#electron/cli/words.ts'

it.each([
  ['127.0.0.1:8042', { host: '127.0.0.1', port: 8042 }],
  ['gateway.clinic.example:0', { host: 'gateway.clinic.example', port: 0 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
  [':104', { host: undefined, port: 104 }],
])('reads %s', (text, place) => {
  expect(hostAndPort(text, '--http')).toEqual(place)
})

it.each([
  '',
  '8042',
  'host',
  'host:',
  'host:65536',
  '::1:80',
  '[::1]',
  'a b:1:2',
  '127.0.0.1:8042 ',
  'host:-1',
  'host:0x10',
])('refuses “%s”, and says the form', (text) => {
  expect(() => hostAndPort(text, '--dimse')).toThrow(
    new UsageError(
      `--dimse takes HOST:PORT, such as 127.0.0.1:8042; “${text}” is not of that form.`,
    ),
  )
})
