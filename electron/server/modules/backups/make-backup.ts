import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { checkSealedFile, sealFile } from '#server/database/encrypted-file.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { RECOVERY_FILE, recoveryKeyState } from '#server/database/recovery-key.ts'
import { fileFault, StoreError } from '#server/database/store-error.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { BackupKind } from '#shared/contract/dashboard-backups.ts'
import { message } from '#shared/messages/message.ts'
import { checkCopy } from './backup-check.ts'
import {
  type BackupManifest,
  backupKey,
  backupName,
  isBackupName,
  MANIFEST_FILE,
  readManifest,
  SEALED_DATABASE_FILE,
  signManifest,
} from './backup-manifest.ts'

import { BASE_POSITION_FILE, type LogBase, sealBase } from './log-segment.ts'

export type { BackupManifest } from './backup-manifest.ts'

/**
 * Folder in the data folder for copies of the database while they are checked and encrypted. It is
 * emptied when the gateway starts.
 */
export const BACKUP_SPOOL = 'spool-backup'
const PARTIAL_SUFFIX = '.part'
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

export interface StoredBackup extends BackupManifest {
  /** Name of its folder. */
  readonly name: string
  /** Total size of its files. */
  readonly bytes: number
}

type OnProgress = (progress: {
  readonly phase: 'copying' | 'checking' | 'encrypting' | 'comparing'
  /** Progress within the phase, from 0 to 1. */
  readonly share: number
}) => void

/**
 * Copies the database into `folder`, which must exist, while the gateway is running. The copy is
 * opened to check its integrity and row counts, encrypted with a key derived from the data key, and
 * read back. A backup is a folder with `database.sealed`, `backup.json` (its manifest) and, if
 * there is a recovery key, `recovery.key`. Images and `data.key` are not included. The folder's
 * name ends with `.part` until the backup is complete; if it fails, nothing is left.
 * @param version version of the gateway
 * @param base from where on the copied log continues the backup
 * @throws StoreError bad-folder, damaged
 */
export async function makeBackup(
  context: Context,
  folder: string,
  kind: BackupKind,
  version: string,
  onProgress: OnProgress = () => {},
  base?: LogBase,
): Promise<StoredBackup> {
  const now = context.clock()
  const madeAt = instantOf(now)
  const name = backupName(madeAt)
  const [part, spool] = [
    join(folder, `${name}${PARTIAL_SUFFIX}`),
    join(context.folder, BACKUP_SPOOL, name),
  ]
  try {
    if ((await readdir(folder)).includes(name))
      throw new StoreError('bad-folder', message('backups.same-second', { folder, name }))
    await removeAbandoned(folder, now)
    for (const each of [part, spool]) {
      await rm(each, { recursive: true, force: true })
      await mkdir(each, { recursive: true, mode: 0o700 })
    }
    const manifest = await copyInto(context, part, spool, madeAt, kind, version, onProgress)
    if (base) {
      const position = sealBase(context.database.seal, name, base)
      await writeFile(join(part, BASE_POSITION_FILE), position, { mode: 0o600 })
    }
    for (const file of await readdir(part)) await syncPath(join(part, file))
    await syncPath(part)
    await rename(part, join(folder, name))
    await syncPath(folder)
    return { ...manifest, name, bytes: await folderSize(join(folder, name)) }
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => undefined)
    throw fileFault('backups.not-written', { folder }, error)
  } finally {
    await rm(spool, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Writes the files of a backup to `part`. `spool` holds the unencrypted copy in the meantime. */
async function copyInto(
  context: Context,
  part: string,
  spool: string,
  madeAt: string,
  kind: BackupKind,
  version: string,
  onProgress: OnProgress,
): Promise<BackupManifest> {
  const copy = join(spool, DATABASE_FILE)
  const rows = await context.database
    .backup(copy, (share) => onProgress({ phase: 'copying', share }))
    .catch((error: unknown) => {
      throw fileFault('backups.not-copied', { folder: spool }, error)
    })
  onProgress({ phase: 'checking', share: 0 })
  const found = await checkCopy(copy, Object.keys(rows))
  const differingTable = Object.keys(rows).find((table) => rows[table] !== found.rows[table])
  if (differingTable !== undefined)
    throw new StoreError(
      'damaged',
      message('backups.rows-differ-from-database', {
        rows: found.rows[differingTable] ?? 0,
        table: differingTable,
        expected: rows[differingTable] ?? 0,
      }),
    )
  const sealed = join(part, SEALED_DATABASE_FILE)
  const key = backupKey(context.database.seal, madeAt)
  const { sha256 } = await sealFile(copy, sealed, key, (share) =>
    onProgress({ phase: 'encrypting', share }),
  )
  const readBack = await checkSealedFile(sealed, key, (share) =>
    onProgress({ phase: 'comparing', share }),
  )
  if (readBack.sha256 !== sha256)
    throw new StoreError('damaged', message('backups.read-back-differs'))
  const hasRecoveryKey = recoveryKeyState(context.folder, context.database.seal).state === 'ready'
  if (hasRecoveryKey) await copyFile(join(context.folder, RECOVERY_FILE), join(part, RECOVERY_FILE))
  const { size } = await stat(copy)
  const manifest = signManifest(context.database.seal, {
    ...{ version: 2, madeAt, kind, program: version, schema: found.schema, plainBytes: size },
    ...{ sha256, hasRecoveryKey, rows },
  })
  await writeFile(join(part, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
  })
  return manifest
}

/**
 * Lists the complete backups in the folder, newest first. Other files are ignored.
 * @throws StoreError bad-folder
 */
export async function listBackups(folder: string): Promise<StoredBackup[]> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    throw fileFault('backups.folder-not-read', { folder }, error)
  }
  const read = await Promise.all(
    names
      .filter(isBackupName)
      .sort()
      .reverse()
      .map((name) => readBackup(folder, name)),
  )
  return read.filter((made) => made !== undefined)
}

async function readBackup(folder: string, name: string): Promise<StoredBackup | undefined> {
  const manifest = await readManifest(join(folder, name))
  return manifest && { ...manifest, name, bytes: await folderSize(join(folder, name)) }
}

/**
 * Deletes a backup; returns false if there was none with this name.
 * @throws StoreError bad-folder
 */
export async function removeBackup(folder: string, name: string): Promise<boolean> {
  if (!isBackupName(name)) return false
  try {
    // Renamed first, so that an interrupted deletion does not leave something that looks complete.
    await rename(join(folder, name), join(folder, `${name}${PARTIAL_SUFFIX}`))
    await rm(join(folder, `${name}${PARTIAL_SUFFIX}`), { recursive: true, force: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw fileFault('backups.not-removed', { backup: join(folder, name) }, error)
  }
}

/**
 * Deletes copies that a terminated gateway left in the data folder; each is as large as the
 * database. The caller must hold the folder's lock.
 */
export const sweepBackupSpool = (folder: string): Promise<void> =>
  rm(join(folder, BACKUP_SPOOL), { recursive: true, force: true })

/**
 * Deletes incomplete backups that a terminated gateway left; each is as large as the database.
 * Recent ones are kept, because another gateway may be writing them.
 */
async function removeAbandoned(folder: string, now: number): Promise<void> {
  const latest = backupName(instantOf(now - ABANDONED_AFTER_MS))
  const abandoned = (await readdir(folder)).filter(
    (name) =>
      name.endsWith(PARTIAL_SUFFIX) &&
      isBackupName(name.slice(0, -PARTIAL_SUFFIX.length)) &&
      name.slice(0, -PARTIAL_SUFFIX.length) < latest,
  )
  for (const name of abandoned) await rm(join(folder, name), { recursive: true, force: true })
}

async function folderSize(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
