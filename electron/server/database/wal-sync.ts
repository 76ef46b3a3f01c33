import fs from 'node:fs'
import { promisify } from 'node:util'
import { sharedRuns } from '#server/platform/concurrency.ts'

const open = promisify(fs.open)
const fdatasync = promisify(fs.fdatasync)

/** Makes the write-ahead log of a database durable, on a thread. */
export interface WalSync {
  /**
   * Resolves when all that was committed before the call is on the disk. Calls that come while one
   * is at work share the next.
   */
  sync(): Promise<void>
  /** The same at once, on the calling thread; false where it failed, or there is no log. */
  syncNow(): boolean
  /**
   * A sync failed: what the system could not write it takes for written from then on, so that
   * another sync proves nothing.
   */
  readonly hasFailed: boolean
  close(): void
}

/** Of the database at `file`; its log has to be there at the first sync. */
export function openWalSync(file: string): WalSync {
  let log: Promise<number> | undefined
  let hasFailed = false

  async function syncNow(): Promise<void> {
    try {
      // Windows flushes only what is open for writing.
      log ??= open(`${file}-wal`, 'r+')
      await fdatasync(await log)
    } catch (error) {
      hasFailed = true
      throw error
    }
  }

  const syncs = sharedRuns(syncNow)

  return {
    sync: syncs.run,
    syncNow() {
      if (hasFailed) return false
      try {
        const handle = fs.openSync(`${file}-wal`, 'r+')
        try {
          fs.fdatasyncSync(handle)
        } finally {
          fs.closeSync(handle)
        }
        return true
      } catch (error) {
        hasFailed = (error as NodeJS.ErrnoException).code !== 'ENOENT'
        return false
      }
    },
    get hasFailed() {
      return hasFailed
    },
    close() {
      const over = syncs.last ?? Promise.resolve()
      // A number that is closed while a thread works with it may be that of another file by then.
      const end = async () => log && fs.closeSync(await log)
      void over.then(end, end).catch(() => undefined)
    },
  }
}
