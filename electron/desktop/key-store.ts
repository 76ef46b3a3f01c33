import { hostname, userInfo } from 'node:os'
import { safeStorage } from 'electron'
import { keyLocation, moveKeyToStore, unwrapKey } from '#server/database/wrapped-key.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'

/**
 * The data key of a folder, in its file or in the key store of the account: DPAPI, Keychain, GNOME
 * Keyring or KWallet (Electron's `safeStorage`).
 */
export interface KeyStore {
  /** The current state. */
  state(): KeyStoreState
  /**
   * The data key for the gateway process. Undefined if the folder has it in a file or does not have
   * one yet, and if the key store fails.
   */
  read(): Buffer | undefined
  /**
   * Moves the key from its plain file into the key store, if a recovery key exists. Returns whether
   * it is now only in the key store.
   */
  seal(): boolean
}

// Electron's names of the Linux backends. `basic_text` encrypts with a password from Electron's own
// source code.
const WEAK_BACKENDS = { basic_text: 'basic', unknown: 'none' } as const satisfies Record<
  string,
  KeyStoreState
>

/**
 * Must be called after Electron is ready.
 * @param onError receives errors of the key store or the disk, which do not contain the key
 */
export function openKeyStore(
  folder: string,
  onError: (error: unknown) => void = () => {},
  platform = process.platform,
): KeyStore {
  const wrap = (key: Buffer) => safeStorage.encryptString(key.toString('base64'))
  const unwrap = (wrapped: Buffer) => Buffer.from(safeStorage.decryptString(wrapped), 'base64')

  /** Why the key store gives no protection; undefined if it does. */
  function weakness(): 'basic' | 'none' | undefined {
    if (!safeStorage.isEncryptionAvailable()) return 'none'
    const backend: string = platform === 'linux' ? safeStorage.getSelectedStorageBackend() : ''
    return Object.hasOwn(WEAK_BACKENDS, backend)
      ? WEAK_BACKENDS[backend as keyof typeof WEAK_BACKENDS]
      : undefined
  }

  return {
    state: () => weakness() ?? (keyLocation(folder) === 'sealed' ? 'platform' : 'file'),
    read: () => (weakness() === undefined ? unwrapKey(folder, { unwrap }) : undefined),
    seal() {
      if (weakness() !== undefined) return false
      try {
        return moveKeyToStore(folder, { wrap, unwrap, account: accountName() }, Date.now())
      } catch (error) {
        onError(error)
        return false
      }
    },
  }
}

function accountName(): string {
  const computer = hostname()
  try {
    return `${userInfo().username} on ${computer}`
  } catch {
    return `an account on ${computer}`
  }
}
