import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { message } from '#shared/messages/message.ts'
import { makeFolder } from './data-directory.ts'
import { StoreError } from './store-error.ts'

export const LOCK_FILE = 'gateway.lock'

/**
 * Keeps connections referenced, because garbage collection would close them and release the lock.
 */
const HELD_LOCKS = new Set<Sqlite.Database>()

/**
 * Locks a data folder, which is created if it is missing, for this process. The lock is held until
 * it is disposed of or the process ends, even by a crash. `undefined` if another process holds it.
 * @throws StoreError bad-folder
 */
export function takeLock(folder: string): Disposable | undefined {
  makeFolder(folder)
  const file = join(folder, LOCK_FILE)
  let sqlite: Sqlite.Database | undefined
  try {
    // SQLite's exclusive transaction is an operating system lock, which is released if the process
    // dies.
    sqlite = new Sqlite(file, { timeout: 0 })
    sqlite.exec('begin exclusive')
  } catch (error) {
    sqlite?.close()
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY'))
      return undefined
    throw new StoreError(
      'bad-folder',
      message('database.folder-not-locked', { folder, reason: (error as Error).message }),
      error,
    )
  }
  const held = sqlite
  HELD_LOCKS.add(held)
  return {
    [Symbol.dispose]() {
      HELD_LOCKS.delete(held)
      held.close()
    },
  }
}
