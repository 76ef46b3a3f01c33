import fs, { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openFolderSync, syncPath } from '#server/database/folder-sync.ts'
import { needing } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

/** A root that is not there yet, in a folder of its own. */
function stage() {
  const temp = tempFolder()
  const root = join(temp.folder, 'images')
  return {
    ...{ folder: temp.folder, root, folders: openFolderSync(root) },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('the folders below a root', () => {
  it('are made with those above them, for their owner alone, also by many at once', async () => {
    using on = stage()
    const paths = ['a/b', 'a/c', 'a/b', 'a'].map((path) => join(on.root, path))
    await Promise.all(paths.map((path) => on.folders.make(path)))
    expect(paths.map((path) => statSync(path).isDirectory())).toEqual([true, true, true, true])
    if (process.platform !== 'win32')
      expect([on.root, ...paths].map((path) => statSync(path).mode & 0o777)).toEqual(
        Array(5).fill(0o700),
      )
  })

  it('that are there already are taken as they are', async () => {
    using on = stage()
    mkdirSync(join(on.root, 'a'), { recursive: true })
    writeFileSync(join(on.root, 'a', 'mine'), '')
    await on.folders.make(join(on.root, 'a'))
    expect(existsSync(join(on.root, 'a', 'mine'))).toBe(true)
  })

  it('are made once, and anew with those above them when they are said to be gone', async () => {
    using on = stage()
    const path = join(on.root, 'a', 'b')
    await on.folders.make(path)
    rmSync(on.root, { recursive: true })
    await on.folders.make(path)
    expect(existsSync(path)).toBe(false)
    on.folders.forget(path)
    await on.folders.make(path)
    expect(existsSync(path)).toBe(true)
  })

  it('that cannot be made are a fault, and are tried again', async () => {
    using on = stage()
    writeFileSync(on.root, 'a file where the folder should be')
    await expect(on.folders.make(join(on.root, 'a'))).rejects.toThrow('ENOTDIR')
    rmSync(on.root)
    on.folders.forget(on.root)
    await on.folders.make(join(on.root, 'a'))
    expect(existsSync(join(on.root, 'a'))).toBe(true)
  })

  it('are remembered up to a limit, the newest', async () => {
    using on = stage()
    const folders = openFolderSync(on.root, 3)
    const paths = ['0', '1', '2', '3'].map((name) => join(on.root, name))
    for (const path of paths) await folders.make(path)
    rmSync(on.root, { recursive: true })
    // The root was needed for the last one.
    await folders.make(on.root)
    expect(existsSync(on.root)).toBe(false)
    mkdirSync(on.root)
    // The newest first: making one that was forgotten pushes another out.
    for (const path of paths.toReversed().slice(0, 2)) await folders.make(path)
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, false, false])
    await folders.make(join(on.root, '0'))
    expect(existsSync(join(on.root, '0'))).toBe(true)
  })
})

describe('a sync', () => {
  it('of a folder or a file leaves nothing open, as often as it is asked for', async () => {
    using on = stage()
    await on.folders.make(on.root)
    writeFileSync(join(on.root, 'x'), 'x')
    await Promise.all([
      on.folders.sync(on.root),
      on.folders.sync(on.root),
      on.folders.sync(on.root),
    ])
    await on.folders.sync(on.root)
    await syncPath(on.root)
    await syncPath(join(on.root, 'x'))
    if (!hidesOpenFiles) expect(openFilesIn(on.folder)).toEqual([])
  })

  it('serves everybody who asked before it began', needing('posix'), async () => {
    using on = stage()
    await on.folders.make(on.root)
    using opened = vi.spyOn(fs, 'openSync')
    const first = on.folders.sync(on.root)
    const second = on.folders.sync(on.root)
    const shared = on.folders.sync(on.root)
    expect(opened).toHaveBeenCalledTimes(1)
    await first
    // The second is at work by now: those who ask during it share the third.
    expect(opened).toHaveBeenCalledTimes(2)
    await Promise.all([on.folders.sync(on.root), on.folders.sync(on.root), second, shared])
    expect(opened).toHaveBeenCalledTimes(3)
    await on.folders.sync(on.root)
    expect(opened).toHaveBeenCalledTimes(4)
  })

  it('of a folder asks nothing of Windows, which has no such call', async () => {
    using on = stage()
    mkdirSync(on.root)
    using opened = vi.spyOn(fs, 'openSync')
    using _ = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
    await on.folders.sync(on.root)
    expect(opened).not.toHaveBeenCalled()
    if (!hidesOpenFiles) await expect(syncPath('/proc/self')).resolves.toBeUndefined()
  })

  it('of what is not there is a fault, until it is there', async () => {
    using on = stage()
    await expect(syncPath(on.root)).rejects.toThrow('ENOENT')
    if (process.platform === 'win32') return
    await expect(on.folders.sync(on.root)).rejects.toThrow('ENOENT')
    mkdirSync(on.root)
    await on.folders.sync(on.root)
  })

  // The file systems of /proc and /dev refuse a sync, as a failing disk does.
  it('that the disk refuses is a fault', needing('linux'), async () => {
    await expect(openFolderSync('/proc').sync('/proc/self')).rejects.toThrow('EINVAL')
    await expect(syncPath('/proc/self')).rejects.toThrow('EINVAL')
    await expect(syncPath('/dev/null')).rejects.toThrow('EINVAL')
  })
})
