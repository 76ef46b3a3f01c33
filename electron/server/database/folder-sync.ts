import fs from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { type Coalesced, coalesce } from '#server/platform/concurrency.ts'

const fsync = promisify(fs.fsync)

/** Creates folders and makes their entries durable. Windows has no such call and needs none. */
export interface FolderSync {
  /**
   * Creates the folder and its parents below the root, once; resolves when their entries are
   * durable.
   */
  make(folder: string): Promise<void>
  /** Forgets a folder that was deleted, so that `make` creates it again. */
  forget(folder: string): void
  /** Makes the entries of the folder durable. Calls that wait at the same time share one fsync. */
  sync(folder: string): Promise<void>
}

/**
 * Opens folder syncing below `root`, which is created too.
 * @param maxRemembered number of created folders that are remembered; more than the studies being received
 * at one time
 */
export function openFolderSync(root: string, maxRemembered = 1000): FolderSync {
  const created = new LRUCache<string, Promise<void>>({ max: maxRemembered })
  const syncs = new Map<string, Coalesced>()

  function sync(folder: string): Promise<void> {
    const folderRuns = syncs.get(folder) ?? coalesce(() => syncNow(folder))
    syncs.set(folder, folderRuns)
    // Stryker disable next-line BlockStatement: an entry that is kept costs memory, nothing else
    return folderRuns.run().finally(() => {
      // Stryker disable next-line CallExpression: as above
      if (folderRuns.last === undefined) syncs.delete(folder)
    })
  }

  function make(folder: string): Promise<void> {
    const known = created.get(folder)
    if (known) return known
    const creating = (folder === root ? Promise.resolve() : make(dirname(folder))).then(() => {
      try {
        fs.mkdirSync(folder, { mode: 0o700 })
      } catch (error) {
        // The folder may exist from before a crash without its entry being durable, so the entry is
        // synced anyway.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      return sync(dirname(folder))
    })
    creating.catch(() => created.delete(folder))
    created.set(folder, creating)
    return creating
  }

  function forget(folder: string): void {
    for (let each = folder; each.length >= root.length; each = dirname(each)) created.delete(each)
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

/** Makes a file, or the entries of a folder, durable on a thread. */
export async function syncPath(path: string): Promise<void> {
  const isFolder = (await stat(path)).isDirectory()
  if (isFolder && process.platform === 'win32') return
  // Windows can only flush a file that is open for writing.
  const handle = await open(path, isFolder ? 'r' : 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
