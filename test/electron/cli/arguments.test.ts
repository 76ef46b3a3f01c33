import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hostAndPort, ownPackage, UsageError } from '#electron/cli/arguments.ts'
import { tempFolder } from '../../support/temp-store.ts'

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

it('is the package of the sources', () => {
  const { folder, version } = ownPackage()
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'isthmus',
    version,
  })
})

it('is found from a build, past packages of others', () => {
  using temp = tempFolder()
  const deep = join(temp.folder, 'dist', 'electron')
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(temp.folder, 'package.json'), '{"name":"isthmus","version":"9.8.7"}')
  writeFileSync(join(temp.folder, 'dist', 'package.json'), '{"type":"module"}')
  expect(ownPackage(deep)).toEqual({ folder: temp.folder, version: '9.8.7' })
})

it('says so where it is not', () => {
  using temp = tempFolder()
  expect(() => ownPackage(temp.folder)).toThrow('The package of Isthmus was not found')
})
