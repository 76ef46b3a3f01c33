import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { message } from '#shared/messages/message.ts'
import { StoreError } from './store-error.ts'

/**
 * Creates the data folder with access for its owner only. An existing folder that also contains
 * files of others keeps its mode, because the gateway's own files are already restricted. @throws
 * StoreError bad-folder
 */
export function makeFolder(folder: string): void {
  try {
    makeFolders(resolve(folder))
    if (readdirSync(folder).length === 0) chmodSync(folder, 0o700)
  } catch (error) {
    throw new StoreError(
      'bad-folder',
      message('database.folder-not-usable', { folder, reason: (error as Error).message }),
      error,
    )
  }
}

/**
 * `mkdir -p`. Node's recursive mkdir never returns on a file system that reports ENOENT for mkdir,
 * as /proc does.
 */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process created the folder first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    // A folder's contents are durable only if its entry in the parent folder is.
    syncFolder(dirname(folder))
  } catch (error) {
    // An account that may create a folder may still lack read access, which fsync needs.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

/** Makes the entries of a folder durable. Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Written beside the database; records where its backups are (`rescue-hint.ts`). */
export const RESCUE_HINT_FILE = 'rescue.json'

export const DATABASE_FILE = 'gateway.sqlite'

/** Marks the data folder of a sandbox, which has test data only (decision 0075). */
export const SANDBOX_FILE = 'sandbox.txt'

/**
 * Records the end of the audit log outside the database, to detect an older copy of the database.
 */
export const ANCHOR_FILE = 'audit-anchor.json'

/**
 * Exists while the write-ahead log is copied for a standby (`backups/log-shipping.ts`): records how
 * much of it was copied.
 */
export const LOG_STATE_FILE = 'log-shipping.json'
