import { randomUUID } from 'node:crypto'
import fs, { closeSync, mkdirSync, readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openSpareFiles } from '#server/database/spare-files.ts'
import { needing } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

function stage() {
  const temp = tempFolder()
  const folder = join(temp.folder, 'spare')
  const spares = openSpareFiles(folder, randomUUID, 2)
  return {
    spares,
    folder,
    names: () => readdirSync(folder),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

it('has none before the first was asked for, then so many, new ones for those that were taken', async () => {
  using on = stage()
  on.spares.sweep()
  expect(on.names()).toEqual([])
  expect(on.spares.take()).toBeUndefined()
  await vi.waitFor(() => expect(on.names()).toHaveLength(2))
  const taken = await vi.waitFor(() => on.spares.take() ?? expect.fail('none yet'))
  writeSync(taken.fd, 'x')
  closeSync(taken.fd)
  await vi.waitFor(() => expect(on.names()).toHaveLength(3))
  // One that is still being made goes when it is there.
  on.spares.close()
  await vi.waitFor(() => expect(on.names()).toHaveLength(1))
})

it('deletes what an earlier run left, and is of no harm where its folder cannot be had', async () => {
  using on = stage()
  mkdirSync(on.folder)
  writeFileSync(join(on.folder, 'old'), '')
  on.spares.sweep()
  expect(on.names()).toEqual([])
  const nowhere = openSpareFiles(join(on.folder, 'missing'), randomUUID)
  expect(nowhere.take()).toBeUndefined()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(nowhere.take()).toBeUndefined()
  nowhere.close()
})

it('deletes a file that is made while it closes, and makes none after that', async () => {
  using on = stage()
  on.spares.sweep()
  using closed = vi.spyOn(fs, 'closeSync')
  on.spares.take()
  on.spares.close()
  expect(on.spares.take()).toBeUndefined()
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2), { timeout: 5000 })
  expect(on.names()).toEqual([])
  if (!hidesOpenFiles) expect(openFilesIn(on.folder)).toEqual([])
})

it('keeps its folder for its owner alone', needing('posix'), () => {
  using on = stage()
  on.spares.sweep()
  expect(statSync(on.folder).mode & 0o777).toBe(0o700)
})

it('starts also where a file that it is about to delete is gone already', () => {
  using on = stage()
  on.spares.sweep()
  using _ = vi.spyOn(fs, 'readdirSync').mockReturnValueOnce(['gone'] as never)
  expect(() => on.spares.sweep()).not.toThrow()
})
