import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { message } from '#shared/messages/message.ts'
import { makeFolder } from './data-directory.ts'
import { StoreError } from './store-error.ts'

export const LOCK_FILE = 'gateway.lock'

/** A connection that nobody refers to is collected, and its lock with it. */
const HELD = new Set<Sqlite.Database>()

/**
 * The right to be the one process of a data folder, which is made when it is not there, until it is
 * disposed of or the process ends in whatever way; `undefined` where another one has it. @throws
 * StoreError bad-folder
 */
export function takeLock(folder: string): Disposable | undefined {
  makeFolder(folder)
  const file = join(folder, LOCK_FILE)
  let sqlite: Sqlite.Database | undefined
  try {
    // An open exclusive transaction of SQLite is a lock of the operating system: nothing of it is
    // left when the process dies.
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
  HELD.add(held)
  return {
    [Symbol.dispose]() {
      HELD.delete(held)
      held.close()
    },
  }
}
