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

/** The key store of an account, as this floor asks it. Each may throw. */
export interface KeyWrap {
  readonly wrap: (key: Buffer) => Buffer
  readonly unwrap: (wrapped: Buffer) => Buffer
  /** Whose it is, as `NAME on COMPUTER`: told where it cannot be opened. */
  readonly account: string
}

/**
 * How a folder keeps its data key: in a plain file, which counts where both are there; in the key
 * store alone; not at all yet.
 */
export type KeyKept = 'plain' | 'sealed' | 'none'

export function keyKept(folder: string): KeyKept {
  if (existsSync(join(folder, KEY_FILE))) return 'plain'
  return existsSync(join(folder, SEALED_KEY_FILE)) ? 'sealed' : 'none'
}

/**
 * The data key out of `data.key.sealed`; undefined where a plain `data.key` counts, where there is
 * none, and where the key store does not give it back: whoever opens the folder then says so.
 */
export function unwrapKey(folder: string, by: Pick<KeyWrap, 'unwrap'>): Buffer | undefined {
  if (keyKept(folder) !== 'sealed') return undefined
  const sealed = readSealedKey(folder)
  return sealed && opened(sealed, by)
}

/**
 * Moves the data key from `data.key` into the key store: `data.key.sealed` is written, read back
 * and opened before the plain file goes, and that only where a recovery key is in force, since key
 * stores are lost with their account. A crash at any point leaves a folder that opens.
 * @returns whether the key is in the key store alone
 * @throws StoreError bad-folder; whatever the key store throws: the plain file stays
 */
export function moveKeyInto(folder: string, by: KeyWrap, now: number): boolean {
  const kept = keyKept(folder)
  if (kept !== 'plain') return kept === 'sealed'
  const file = join(folder, KEY_FILE)
  const key = readFileSync(file)
  if (key.length !== KEY_BYTES) return false
  const keyName = keyNameOf(key)
  if (recoveryKeyState(folder, { keyName }).state !== 'ready') return false
  const isThere = () => {
    const sealed = readSealedKey(folder)
    return sealed !== undefined && opened(sealed, by)?.equals(key) === true
  }
  if (!isThere()) {
    const sealed: SealedKey = {
      ...{ version: 1, account: by.account, sealedAt: instantOf(now), ofKey: keyName },
      wrapped: by.wrap(key).toString('base64'),
    }
    writeKeyFile(folder, SEALED_KEY_FILE, Buffer.from(`${JSON.stringify(sealed, null, 2)}\n`))
    if (!isThere()) return false
  }
  rmSync(file)
  syncFolder(folder)
  return true
}

function opened(
  { wrapped, ofKey }: SealedKey,
  { unwrap }: Pick<KeyWrap, 'unwrap'>,
): Buffer | undefined {
  try {
    const key = unwrap(Buffer.from(wrapped, 'base64'))
    return key.length === KEY_BYTES && keyNameOf(key) === ofKey ? key : undefined
  } catch {
    return undefined
  }
}
