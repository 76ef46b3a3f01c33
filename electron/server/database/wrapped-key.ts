import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { instantOf } from '#server/platform/clock.ts'
import { syncFolder } from './data-directory.ts'
import {
  KEY_BYTES,
  KEY_FILE,
  readSealedKey,
  SEALED_KEY_FILE,
  type SealedKey,
  writeKeyFile,
} from './data-key.ts'
import { keyNameOf } from './encryption.ts'
import { recoveryKeyState } from './recovery-key.ts'

/** The key store of an account. Each function may throw. */
export interface AccountKeyStore {
  readonly wrap: (key: Buffer) => Buffer
  readonly unwrap: (wrapped: Buffer) => Buffer
  /** The account, as `NAME on COMPUTER`; shown if the key cannot be decrypted. */
  readonly account: string
}

/**
 * How a folder stores its data key: plain, a plain file, which takes precedence if both exist;
 * sealed, only in the key store; none, not yet.
 */
export type KeyLocation = 'plain' | 'sealed' | 'none'

export function keyLocation(folder: string): KeyLocation {
  if (existsSync(join(folder, KEY_FILE))) return 'plain'
  return existsSync(join(folder, SEALED_KEY_FILE)) ? 'sealed' : 'none'
}

/**
 * Decrypts the data key in `data.key.sealed`. Undefined if a plain `data.key` exists, if there is
 * no such file, or if the key store fails; the code that opens the folder then reports the error.
 */
export function unwrapKey(
  folder: string,
  keyStore: Pick<AccountKeyStore, 'unwrap'>,
): Buffer | undefined {
  if (keyLocation(folder) !== 'sealed') return undefined
  const sealed = readSealedKey(folder)
  return sealed && decryptWrapped(sealed, keyStore)
}

/**
 * Moves the data key from `data.key` into the key store. `data.key.sealed` is written, read back
 * and decrypted before the plain file is deleted, and only if a recovery key exists, since a key
 * store is lost with its account. A crash at any point leaves a folder that can be opened.
 * @returns whether the key is now only in the key store
 * @throws StoreError bad-folder, or the error of the key store; the plain file is then kept
 */
export function moveKeyToStore(folder: string, keyStore: AccountKeyStore, now: number): boolean {
  const location = keyLocation(folder)
  if (location !== 'plain') return location === 'sealed'
  const file = join(folder, KEY_FILE)
  const key = readFileSync(file)
  if (key.length !== KEY_BYTES) return false
  const keyName = keyNameOf(key)
  if (recoveryKeyState(folder, { keyName }).state !== 'ready') return false
  const hasKeyFile = () => {
    const sealed = readSealedKey(folder)
    return sealed !== undefined && decryptWrapped(sealed, keyStore)?.equals(key) === true
  }
  if (!hasKeyFile()) {
    const sealed: SealedKey = {
      ...{ version: 1, account: keyStore.account, sealedAt: instantOf(now), ofKey: keyName },
      wrapped: keyStore.wrap(key).toString('base64'),
    }
    writeKeyFile(folder, SEALED_KEY_FILE, Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`))
    if (!hasKeyFile()) return false
  }
  rmSync(file)
  syncFolder(folder)
  return true
}

function decryptWrapped(
  { wrapped, ofKey }: SealedKey,
  { unwrap }: Pick<AccountKeyStore, 'unwrap'>,
): Buffer | undefined {
  try {
    const key = unwrap(Buffer.from(wrapped, 'base64'))
    return key.length === KEY_BYTES && keyNameOf(key) === ofKey ? key : undefined
  } catch {
    return undefined
  }
}
