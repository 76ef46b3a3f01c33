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
 * Makes the data folder, for its owner only. One that others' files are in keeps its mode: our
 * files close themselves. @throws StoreError bad-folder
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
 * `mkdir -p`. Node's own never returns where a file system without such folders says ENOENT, as
 * /proc does.
 */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another command was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    // All that is durable in a folder is lost with the folder's own name.
    syncFolder(dirname(folder))
  } catch (error) {
    // Who may make a folder there may not always read there, which a sync needs.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

/** Makes the names in a folder durable; Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** In the data folder, beside the database: where its backups are (`rescue-hint.ts`). */
export const RESCUE_HINT_FILE = 'rescue.json'

export const DATABASE_FILE = 'gateway.sqlite'

/** How far the audit trail had come, which a copy of an older database lacks. */
export const ANCHOR_FILE = 'audit-anchor.json'
