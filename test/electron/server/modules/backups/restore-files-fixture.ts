import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { storeSecret } from '#server/configuration/secret-queries.ts'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import type { BackupKey } from '#server/modules/backups/open-backup.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import { applyStagedRestore, stageRestore } from '#server/modules/backups/restore-files.ts'
import { tempFolder, tempStore } from '../../../../support/temp-store.ts'

export const NOW = Date.parse('2026-03-11T08:00:00.000Z')

export const ASIDE = 'replaced-2026-03-11-080000Z'

/**
 * A data folder with a recovery key and a backup of it; `later` was written after the backup. The
 * store is closed.
 */
export async function stage({ hasRecoveryKey = true, later = true } = {}) {
  const temp = tempStore()
  const target = tempFolder()
  const { store, folder, clock, uuid } = temp
  const recoveryKey = newRecoveryKey()
  if (hasRecoveryKey) {
    storeRecoveryProof(store)
    keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, clock()))
  }
  storeSecret(store, 'mail.password', 'seven calm otters')
  note(store, 'before')
  const made = await makeBackup(store, target.folder, 'scheduled', '1.2.3')
  if (later) note(store, 'after')
  const dataKey = store.database.seal.exportKey()
  store[Symbol.dispose]()
  return {
    ...{
      folder,
      clock,
      uuid,
      recoveryKey,
      dataKey,
      target: target.folder,
      from: join(target.folder, made.name),
      made,
    },
    own: { dataKey } satisfies BackupKey,
    reopen: (data = folder) => openContext({ folder: data, clock, uuid }),
    [Symbol.dispose]() {
      temp[Symbol.dispose]()
      target[Symbol.dispose]()
    },
  }
}

export const note = (store: Context, action: string) =>
  store.audit.append({ actor: 'gateway', action, target: 'x', detail: { text: 'x'.repeat(9000) } })

export const actions = (store: Context) =>
  store.audit.list({ limit: 10 }).items.map(({ action }) => action)

export const sha256 = (file: string) =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

export const restoreInto = async (data: string, from: string, key: BackupKey) => {
  await stageRestore(data, from, key, 'user:usr_1', NOW)
  return applyStagedRestore(data, NOW)
}

/** A backup as the first version made them, of a closed data folder. */
export function firstVersion(
  { folder, clock }: { readonly folder: string; readonly clock: () => number },
  to: string,
): void {
  mkdirSync(to)
  for (const name of [DATABASE_FILE, 'recovery.key']) cpSync(join(folder, name), join(to, name))
  const sqlite = new Sqlite(join(to, DATABASE_FILE))
  sqlite.pragma('journal_mode = delete')
  const entries = sqlite.prepare('select count(*) from auditEntries').pluck().get()
  sqlite.close()
  const bytes = statSync(join(to, DATABASE_FILE)).size
  const manifest = {
    version: 1,
    madeAt: new Date(clock()).toISOString(),
    bytes,
    hasRecoveryKey: true,
    rows: { auditEntries: entries },
  }
  writeFileSync(join(to, 'backup.json'), JSON.stringify(manifest))
}
