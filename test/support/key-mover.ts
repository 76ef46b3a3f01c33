import { rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_FILE, SEALED_KEY_FILE, writeKeyFile } from '#server/database/data-key.ts'
import { moveKeyToStore, unwrapKey } from '#server/database/wrapped-key.ts'
import { fakeKeyStore } from './fake-key-store.ts'

/**
 * Moves the data key of a folder into a key store and back, for ever; run as its own process, ended
 * by SIGKILL.
 */
const [folder = ''] = process.argv.slice(2)
const by = fakeKeyStore('reception on PC-1')
writeSync(1, 'begins\n')
for (;;) {
  if (!moveKeyToStore(folder, by, Date.now())) throw new Error('The key was not moved')
  const key = unwrapKey(folder, by)
  if (!key) throw new Error('The key store did not give the key back')
  writeKeyFile(folder, KEY_FILE, key)
  if (Math.random() < 0.5) rmSync(join(folder, SEALED_KEY_FILE))
}
