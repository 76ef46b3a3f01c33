import {
  chmodSync,
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { message, sentences } from '#shared/messages/message.ts'
import { syncFolder } from './data-directory.ts'
import { StoreError } from './store-error.ts'

export const KEY_FILE = 'data.key'
/**
 * The data key, encrypted with the key store of an account (`wrapped-key.ts`). If `data.key` exists
 * too, that file takes precedence.
 */
export const SEALED_KEY_FILE = 'data.key.sealed'
export const KEY_BYTES = 32

/**
 * Schema of `data.key.sealed`. It names the account whose key store can decrypt it and identifies
 * the data key without revealing it.
 */
export const SealedKey = z.object({
  version: z.literal(1),
  /** `NAME on COMPUTER`. */
  account: z.string().max(500),
  sealedAt: z.string(),
  ofKey: z.string(),
  wrapped: z.base64(),
})
export type SealedKey = z.infer<typeof SealedKey>

export interface DataKeyOptions {
  /** Whether a new key may be created, because nothing has been encrypted yet. */
  readonly mayCreate: boolean
  readonly dataKey?: Buffer | undefined
  readonly random: (bytes: number) => Buffer
}

/**
 * The data key of the folder: the contents of `data.key` if it exists, because it came with a
 * restore or was recovered after `dataKey` was provided; otherwise `dataKey`. @throws StoreError as
 * `readDataKey`
 */
export function dataKeyOf(folder: string, { dataKey, ...options }: DataKeyOptions): Buffer {
  if (!dataKey || existsSync(join(folder, KEY_FILE))) return readDataKey(folder, options)
  if (dataKey.length !== KEY_BYTES)
    throw new StoreError(
      'key-wrong',
      message('database.given-key-length', { bytes: dataKey.length, expected: KEY_BYTES }),
    )
  return dataKey
}

/**
 * Reads the data key of the folder: 32 random bytes in `data.key`, readable only by its owner.
 * Creates the file if it is missing and `mayCreate` is set.
 * @throws StoreError key-missing, key-sealed, key-wrong, bad-folder
 */
export function readDataKey(folder: string, options: Omit<DataKeyOptions, 'dataKey'>): Buffer {
  const file = join(folder, KEY_FILE)
  let key: Buffer
  try {
    key = readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new StoreError(
        'bad-folder',
        message('database.key-not-read', { file, reason: (error as Error).message }),
        error,
      )
    if (existsSync(join(folder, SEALED_KEY_FILE))) throw sealedElsewhereError(folder, error)
    if (!options.mayCreate)
      throw new StoreError('key-missing', message('database.key-missing', { file }), error)
    key = options.random(KEY_BYTES)
    writeKeyFile(folder, KEY_FILE, key)
    return key
  }
  if (key.length !== KEY_BYTES)
    throw new StoreError(
      'key-wrong',
      message('database.key-length', { file, bytes: key.length, expected: KEY_BYTES }),
    )
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return key
}

/** Reads `data.key.sealed`; undefined if it is missing or unreadable. */
export function readSealedKey(folder: string): SealedKey | undefined {
  try {
    return SealedKey.safeParse(JSON.parse(readFileSync(join(folder, SEALED_KEY_FILE), 'utf8'))).data
  } catch {
    return undefined
  }
}

function sealedElsewhereError(folder: string, cause: unknown): StoreError {
  const file = join(folder, SEALED_KEY_FILE)
  const sealed = readSealedKey(folder)
  const explanation = sealed
    ? message('database.key-in-store', { account: sealed.account, file })
    : message('database.key-in-store-damaged', { file })
  return new StoreError(
    'key-sealed',
    sentences(explanation, message('database.key-in-store-remedy')),
    cause,
  )
}

/**
 * Atomically writes a small file of the folder, readable only by its owner; durable on return.
 * @throws StoreError bad-folder
 */
export function writeKeyFile(folder: string, name: string, bytes: Buffer): void {
  const part = join(folder, `${name}.part`)
  try {
    const handle = openSync(part, 'w', 0o600)
    try {
      giveToOwner(folder, handle)
      writeSync(handle, bytes)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(part, join(folder, name))
    syncFolder(folder)
  } catch (error) {
    throw new StoreError(
      'bad-folder',
      message('database.key-not-written', {
        file: join(folder, name),
        reason: (error as Error).message,
      }),
      error,
    )
  }
}

/**
 * Makes the owner of the folder the owner of the file if this process runs as root, for example a
 * command on the console, so that the service's account can read it.
 */
export function giveToOwner(folder: string, handle: number): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  fchownSync(handle, uid, gid)
}
