import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownPackage } from '#electron/cli/own-package.ts'
import { tempFolder } from '../../support/temp-store.ts'

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
