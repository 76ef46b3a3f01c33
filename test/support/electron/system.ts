import type * as E from 'electron'
import { Hearing } from './hearing.ts'

/** What was opened outside the app. */
export const opened: string[] = []
export const shell = {
  openPath: (path: string): Promise<string> => {
    opened.push(path)
    return Promise.resolve('')
  },
  openExternal: (url: string): Promise<void> => {
    opened.push(url)
    return Promise.resolve()
  },
} satisfies Pick<E.Shell, 'openPath' | 'openExternal'>

export const powerMonitor = new Hearing<E.PowerMonitor>()

/** Blockers of sleep that are held, by id. */
export const blockers = new Map<number, string>()
export const powerSaveBlocker = {
  start: (type: 'prevent-app-suspension' | 'prevent-display-sleep'): number => {
    const id = blockers.size + 1
    blockers.set(id, type)
    return id
  },
  stop: (id: number): boolean => blockers.delete(id),
  isStarted: (id: number): boolean => blockers.has(id),
} satisfies E.PowerSaveBlocker

export const crashes: { options?: E.CrashReporterStartOptions } = {}
export const crashReporter = {
  start: (options: E.CrashReporterStartOptions): void => {
    crashes.options = options
  },
} satisfies Pick<E.CrashReporter, 'start'>

/** The account's key store: what is wrapped by one account does not open for another. */
export const keyStore = {
  isThere: true,
  backend: 'gnome_libsecret' as ReturnType<E.SafeStorage['getSelectedStorageBackend']>,
  account: 'one',
}
export const safeStorage = {
  isEncryptionAvailable: (): boolean => keyStore.isThere,
  getSelectedStorageBackend: () => keyStore.backend,
  encryptString: (plainText: string): Buffer => {
    if (!keyStore.isThere)
      throw new Error('Error while encrypting the text provided to safeStorage.encryptString.')
    return Buffer.from(`v10${keyStore.account}:${Buffer.from(plainText).toString('hex')}`)
  },
  decryptString: (encrypted: Buffer): string => {
    const [account, hex] = encrypted.toString('utf8').slice(3).split(':')
    if (!keyStore.isThere || account !== keyStore.account || hex === undefined)
      throw new Error(
        'Error while decrypting the ciphertext provided to safeStorage.decryptString.',
      )
    return Buffer.from(hex, 'hex').toString('utf8')
  },
} satisfies Pick<
  E.SafeStorage,
  'isEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptString' | 'decryptString'
>
