import fs from 'node:fs'
import { promisify } from 'node:util'
import { coalesce } from '#server/platform/concurrency.ts'

const open = promisify(fs.open)
const fdatasync = promisify(fs.fdatasync)

/** Syncs the write-ahead log of a database to disk on a thread. */
export interface WalSync {
  /**
   * Resolves when everything committed before the call is durable. Calls made during a sync share
   * the next one.
   */
  sync(): Promise<void>
  /** The same, synchronously; false if it failed or there is no log. */
  syncNow(): boolean
  /**
   * Whether a sync has failed. The kernel then marks the lost pages as clean, so a later success
   * proves nothing.
   */
  readonly hasFailed: boolean
  close(): void
}

/** For the database at `file`. Its write-ahead log must exist at the first sync. */
export function openWalSync(file: string): WalSync {
  let log: Promise<number> | undefined
  let hasFailed = false

  async function syncNow(): Promise<void> {
    try {
      // Windows can only flush a file that is open for writing.
      log ??= open(`${file}-wal`, 'r+')
      await fdatasync(await log)
    } catch (error) {
      hasFailed = true
      throw error
    }
  }

  const syncs = coalesce(syncNow)

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
      // Closed only after the last sync, because a closed descriptor's number may be reused for
      // another file while a thread still uses it.
      const end = async () => log && fs.closeSync(await log)
      void over.then(end, end).catch(() => undefined)
    },
  }
}
