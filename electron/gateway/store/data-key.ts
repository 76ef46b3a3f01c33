import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from './folder.ts'
import { StoreError } from './store-error.ts'

export const KEY_FILE = 'data.key'
export const KEY_BYTES = 32

/**
 * The data key of the folder: 32 random bytes in `data.key`, readable by its owner only. It is made where there is none and
 * `mayCreate` says that nothing has been sealed yet.
 * @throws StoreError key-missing, key-wrong, bad-folder
 */
export function readDataKey(folder: string, options: { readonly mayCreate: boolean; readonly random: (bytes: number) => Buffer }): Buffer {
  const file = join(folder, KEY_FILE)
  let key: Buffer
  try {
    key = readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new StoreError('bad-folder', `The data key ${file} cannot be read: ${(error as Error).message}.`, error)
    if (!options.mayCreate)
      throw new StoreError(
        'key-missing',
        `${file} is missing. The database beside it cannot be read without that key and a new one would not open it: put the file back from the backup.`,
        error,
      )
    return makeDataKey(file, folder, options.random(KEY_BYTES))
  }
  if (key.length !== KEY_BYTES)
    throw new StoreError('key-wrong', `${file} has ${key.length} bytes instead of ${KEY_BYTES}: put the file back from the backup.`)
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return key
}

function makeDataKey(file: string, folder: string, key: Buffer): Buffer {
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      writeSync(handle, key)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    syncFolder(folder)
  } catch (error) {
    throw new StoreError('bad-folder', `The data key ${file} cannot be written: ${(error as Error).message}.`, error)
  }
  return key
}
