import { hostname, userInfo } from 'node:os'
import { safeStorage } from 'electron'
import { keyKept, moveKeyInto, unwrapKey } from '#server/database/wrapped-key.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'

/**
 * The data key of a folder between its file and the key store of the account: DPAPI, Keychain,
 * GNOME Keyring or KWallet (Electron's `safeStorage`).
 */
export interface KeyStore {
  /** As it is now. */
  state(): KeyStoreState
  /**
   * The data key, for the gateway's process; undefined where the folder has it itself or has none
   * yet, and where the key store does not give it back.
   */
  read(): Buffer | undefined
  /**
   * Moves the key from its plain file into the key store, once a recovery key is in force; whether
   * it is in there alone.
   */
  seal(): boolean
}

// Electron's names of what Linux may have. With `basic_text` it wraps under a password in its
// own source code.
const BACKENDS = { basic_text: 'basic', unknown: 'none' } as const satisfies Record<
  string,
  KeyStoreState
>

/**
 * To be called once Electron is ready.
 * @param onError receives errors of the key store or the disk, which contain no key
 */
export function openKeyStore(
  folder: string,
  onError: (error: unknown) => void = () => {},
  platform = process.platform,
): KeyStore {
  const wrap = (key: Buffer) => safeStorage.encryptString(key.toString('base64'))
  const unwrap = (wrapped: Buffer) => Buffer.from(safeStorage.decryptString(wrapped), 'base64')

  /** Undefined: it protects what it is given. */
  function lack(): 'basic' | 'none' | undefined {
    if (!safeStorage.isEncryptionAvailable()) return 'none'
    const backend: string = platform === 'linux' ? safeStorage.getSelectedStorageBackend() : ''
    return Object.hasOwn(BACKENDS, backend) ? BACKENDS[backend as keyof typeof BACKENDS] : undefined
  }

  return {
    state: () => lack() ?? (keyKept(folder) === 'sealed' ? 'platform' : 'file'),
    read: () => (lack() === undefined ? unwrapKey(folder, { unwrap }) : undefined),
    seal() {
      if (lack() !== undefined) return false
      try {
        return moveKeyInto(folder, { wrap, unwrap, account: accountName() }, Date.now())
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
