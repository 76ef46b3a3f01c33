import fs from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { type SharedRuns, sharedRuns } from '#server/platform/concurrency.ts'

const fsync = promisify(fs.fsync)

/** Makes folders and the names in them durable. Windows has no such call and needs none. */
export interface FolderSync {
  /**
   * Makes the folder, and those above it below the root, once; resolves when their names are
   * durable.
   */
  make(folder: string): Promise<void>
  /** The folder is gone: `make` makes it anew. */
  forget(folder: string): void
  /**
   * Makes the names in the folder durable. Calls that come while it waits share one call to the
   * disk.
   */
  sync(folder: string): Promise<void>
}

/**
 * Below `root`, which is made too.
 * @param most folders whose making is remembered: those of the studies that are being received,
 *   and some
 */
export function openFolderSync(root: string, most = 1000): FolderSync {
  const made = new LRUCache<string, Promise<void>>({ max: most })
  const syncs = new Map<string, SharedRuns>()

  function sync(folder: string): Promise<void> {
    const runs = syncs.get(folder) ?? sharedRuns(() => syncNow(folder))
    syncs.set(folder, runs)
    // Stryker disable next-line BlockStatement: an entry that is kept costs memory, nothing else
    return runs.run().finally(() => {
      // Stryker disable next-line CallExpression: as above
      if (runs.last === undefined) syncs.delete(folder)
    })
  }

  function make(folder: string): Promise<void> {
    const known = made.get(folder)
    if (known) return known
    const making = (folder === root ? Promise.resolve() : make(dirname(folder))).then(() => {
      try {
        fs.mkdirSync(folder, { mode: 0o700 })
      } catch (error) {
        // What was there before a crash of this program alone need not be durable: its name is
        // synced all the same.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      return sync(dirname(folder))
    })
    making.catch(() => made.delete(folder))
    made.set(folder, making)
    return making
  }

  function forget(folder: string): void {
    for (let each = folder; each.length >= root.length; each = dirname(each)) made.delete(each)
  }

  return { make, forget, sync }
}

async function syncNow(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const fd = fs.openSync(folder, 'r')
  try {
    await fsync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Makes a file, or the names in a folder, durable, while others work on. */
export async function syncPath(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory()
  if (isFolder && process.platform === 'win32') return
  // Windows flushes only what is open for writing.
  const handle = await open(path, isFolder ? 'r' : 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
