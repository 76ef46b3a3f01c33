import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openSpareFiles } from '#gateway/store/spare-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

function stage() {
  const temp = tempFolder()
  const folder = join(temp.folder, 'spare')
  const spares = openSpareFiles(folder, randomUUID, 2)
  return { spares, folder, names: () => readdirSync(folder), [Symbol.dispose]: () => temp[Symbol.dispose]() }
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
