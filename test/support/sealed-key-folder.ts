import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  keepRecoveryKey,
  keepRecoveryProof,
  newRecoveryKey,
  wrapDataKey,
} from '#server/modules/backups/recovery-key.ts'
import { fakeKeyStore } from './fake-key-store.ts'
import { tempStore } from './temp-store.ts'

export const reception = fakeKeyStore('reception on PC-1')

/**
 * A folder with a secret in its database, its store closed; with a recovery key unless it has none
 * yet.
 */
export function folderOf(has: 'recovery key' | 'no recovery key') {
  const temp = tempStore()
  const { store, folder, clock } = temp
  const recoveryKey = newRecoveryKey()
  store.secrets.set('mail.password', 'seven calm otters')
  if (has === 'recovery key') {
    keepRecoveryProof(store.secrets)
    keepRecoveryKey(folder, wrapDataKey(store.seal, recoveryKey, clock()))
  }
  store[Symbol.dispose]()
  return {
    ...temp,
    recoveryKey,
    key: readFileSync(join(folder, 'data.key')),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}
