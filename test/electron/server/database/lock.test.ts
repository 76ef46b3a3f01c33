import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acquireLock } from '#server/database/lock.ts'
import { tempFolder } from '../../../support/temp-store.ts'

describe('the lock of a data folder', () => {
  it('is had by one, and free again when it is given back', () => {
    using temp = tempFolder()
    const first = acquireLock(temp.folder)
    expect(first).toBeDefined()
    expect(acquireLock(temp.folder)).toBeUndefined()
    expect(acquireLock(temp.folder)).toBeUndefined()
    first?.[Symbol.dispose]()
    using second = acquireLock(temp.folder)
    expect(second).toBeDefined()
  })

  it('makes the folder', () => {
    using temp = tempFolder()
    using lock = acquireLock(join(temp.folder, 'a', 'b'))
    expect(lock).toBeDefined()
    expect(existsSync(join(temp.folder, 'a', 'b'))).toBe(true)
  })

  it('says when the folder cannot be one', () => {
    using temp = tempFolder()
    const file = join(temp.folder, 'file')
    writeFileSync(file, '')
    expect(() => acquireLock(file)).toThrow(/The folder .*file cannot be used/)
  })

  it('stays with whoever took it, though nobody refers to it', () => {
    using temp = tempFolder()
    acquireLock(temp.folder)
    for (let round = 0; round < 20; round++) new Array(100_000).fill(round).map(String)
    expect(acquireLock(temp.folder)).toBeUndefined()
  })

  it('is kept from another process, and free when that process is killed', async () => {
    using temp = tempFolder()
    const writer = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../support/store-writer.ts'), temp.folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await once(writer.stdout, 'data')
    expect(acquireLock(temp.folder)).toBeUndefined()
    writer.kill('SIGKILL')
    await once(writer, 'close')
    using lock = acquireLock(temp.folder)
    expect(lock).toBeDefined()
  })
})
