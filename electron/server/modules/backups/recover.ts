import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { takeLock } from '#server/database/lock.ts'
import { StartError } from '#server/http/start-error.ts'
import { recoverDataKey } from './recovery-key.ts'

/**
 * Puts `data.key` back into a data folder that lost it, or whose key is in the key store of another
 * account. No gateway can run on such a folder.
 * @returns one sentence that says what was done
 * @throws StartError, StoreError: nothing was changed
 */
export function recoverFolder(folder: string, recoveryKey: string): string {
  using lock = takeLock(folder)
  if (!lock)
    throw new StartError(
      `A gateway runs on ${folder}: it has the data key. End it first if you mean another folder.`,
    )
  return recoverDataKey(folder, DATABASE_FILE, recoveryKey)
    ? 'data.key is back, and opens the database.'
    : 'data.key was there already, and is the right one: nothing was changed.'
}
