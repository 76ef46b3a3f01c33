import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storeSecret } from '#server/configuration/secret-queries.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
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
  storeSecret(store, 'mail.password', 'seven calm otters')
  if (has === 'recovery key') {
    storeRecoveryProof(store)
    keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, clock()))
  }
  store[Symbol.dispose]()
  return {
    ...temp,
    recoveryKey,
    key: readFileSync(join(folder, 'data.key')),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}
