import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { APPLICATION_ID } from '#server/database/database-file.ts'
import { openSealedFile } from '#server/database/encrypted-file.ts'
import { type Seal, sealWith } from '#server/database/encryption.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { matchesKey, PROOF_SECRET } from '#server/database/key-proof.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { openRecoveryFile, RECOVERY_FILE } from '#server/database/recovery-key.ts'
import { fileFault, StoreError } from '#server/database/store-error.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { checkCopy } from './backup-check.ts'
import {
  type BackupManifest,
  backupKey,
  isManifestAuthentic,
  MANIFEST_FILE,
  readManifest,
  SEALED_DATABASE_FILE,
} from './backup-manifest.ts'

/**
 * The key for a backup: the data key with which it was made, or the recovery key as the user typed
 * it.
 */
export type BackupKey = { readonly dataKey: Buffer } | { readonly recoveryKey: string }

export type RestoreProgress = (progress: {
  readonly phase: 'decrypting' | 'checking'
  readonly share: number
}) => void

export interface BackupPreview {
  readonly manifest: BackupManifest
  /**
   * own: the given data key opens it. recovery-key: the recovery key is required, or was given. no:
   * neither opens it.
   */
  readonly opensWith: 'own' | 'recovery-key' | 'no'
  /** Why it cannot be restored with the given key; `null` if it can. */
  readonly fault: Message | null
}

/**
 * Opens the backup in the folder `from` and writes its database, decrypted, to `gateway.sqlite` in
 * `to`, which must be empty or absent. When it resolves, the file is durable and verified: it has
 * the SHA-256 that was recorded, passes SQLite's integrity check, has the recorded row counts, and
 * the data key decrypts its contents. If it fails, nothing is left in `to`. The backup is only
 * read.
 * @throws StoreError bad-folder, damaged, seal-broken, key-missing, key-wrong, newer-schema,
 *   foreign-database
 */
export async function openBackup(
  from: string,
  to: string,
  key: BackupKey,
  onProgress: RestoreProgress = () => {},
): Promise<{ manifest: BackupManifest; dataKey: Buffer }> {
  const manifest = await requireManifest(from)
  refuseNewerSchema(from, manifest.schema)
  const dataKey = dataKeyFor(from, manifest, key)
  const seal = sealWith(dataKey)
  if (!isManifestAuthentic(seal, manifest)) throw authenticationError(from, manifest, seal)
  const file = join(to, DATABASE_FILE)
  try {
    await mkdir(to, { recursive: true, mode: 0o700 })
    if ((await readdir(to)).length > 0)
      throw new StoreError('bad-folder', message('backups.folder-not-empty', { folder: to }))
  } catch (error) {
    throw fileFault('backups.folder-not-usable', { folder: to }, error)
  }
  try {
    if (manifest.version === 1) {
      onProgress({ phase: 'decrypting', share: 0 })
      await copyFile(join(from, DATABASE_FILE), file)
    } else await openSealed(from, file, manifest, seal, onProgress)
    onProgress({ phase: 'checking', share: 0 })
    await verifyDatabase(from, file, manifest, seal)
    onProgress({ phase: 'checking', share: 1 })
    await syncPath(file)
    return { manifest, dataKey }
  } catch (error) {
    for (const name of await readdir(to).catch(() => []))
      await rm(join(to, name), { force: true }).catch(() => undefined)
    throw fileFault('backups.not-opened', { backup: from, folder: to }, error)
  }
}

/**
 * Reads what a backup contains and which key opens it, without changing anything. The database is
 * not verified before it is opened.
 * @throws StoreError damaged if this is not a backup or its manifest is invalid
 */
export async function previewBackup(from: string, key: BackupKey): Promise<BackupPreview> {
  const manifest = await requireManifest(from)
  const preview = (
    opensWith: BackupPreview['opensWith'],
    fault: Message | null = null,
  ): BackupPreview => ({
    manifest,
    opensWith,
    fault,
  })
  const hasDatabaseFile = await exists(
    join(from, manifest.version === 1 ? DATABASE_FILE : SEALED_DATABASE_FILE),
  )
  if (!hasDatabaseFile) return preview('no', message('backups.no-database', { backup: from }))
  const hasRecoveryKey = await exists(join(from, RECOVERY_FILE))
  try {
    refuseNewerSchema(from, manifest.schema)
    const seal = sealWith(dataKeyFor(from, manifest, key))
    if (
      !isManifestAuthentic(seal, manifest) ||
      !isKeyAccepted(join(from, DATABASE_FILE), manifest, seal)
    )
      throw authenticationError(from, manifest, seal)
    return preview('dataKey' in key ? 'own' : 'recovery-key')
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // A wrong data key is not reported as a fault if the user can still type the recovery key.
    const canTypeKey = hasRecoveryKey && error.fault === 'key-wrong' && 'dataKey' in key
    if (canTypeKey) return preview('recovery-key')
    const isKeyFault = error.fault === 'key-wrong' || error.fault === 'key-missing'
    return preview(
      isKeyFault && !hasRecoveryKey ? 'no' : 'recoveryKey' in key ? 'recovery-key' : 'own',
      error.explanation,
    )
  }
}

async function requireManifest(from: string): Promise<BackupManifest> {
  const manifest = await readManifest(from)
  if (manifest) return manifest
  throw new StoreError(
    'damaged',
    message('backups.no-backup-of-ours', { folder: from, file: MANIFEST_FILE }),
  )
}

function refuseNewerSchema(from: string, schema: number): void {
  if (schema > MIGRATIONS.length)
    throw new StoreError(
      'newer-schema',
      message('backups.newer-schema', { backup: basename(from), schema, known: MIGRATIONS.length }),
    )
}

function dataKeyFor(from: string, { hasRecoveryKey }: BackupManifest, key: BackupKey): Buffer {
  if ('dataKey' in key) return key.dataKey
  if (!hasRecoveryKey)
    throw new StoreError(
      'key-missing',
      message('backups.before-recovery-key', { backup: basename(from) }),
    )
  return openRecoveryFile(join(from, RECOVERY_FILE), key.recoveryKey).dataKey
}

function authenticationError(from: string, manifest: BackupManifest, seal: Seal): StoreError {
  if (manifest.keyName === seal.keyName)
    return new StoreError(
      'damaged',
      message('backups.manifest-changed', { file: join(from, MANIFEST_FILE) }),
    )
  const code = manifest.hasRecoveryKey ? 'backups.other-key' : 'backups.other-key-lost'
  return new StoreError('key-wrong', message(code, { backup: basename(from) }))
}

/** Version 1 has no `mac`, so the key is checked against the database itself. */
const isKeyAccepted = (file: string, { version }: BackupManifest, seal: Seal): boolean =>
  version === 2 || isKeyOfDatabase(file, seal)

function isKeyOfDatabase(file: string, seal: Seal): boolean {
  let sqlite: Sqlite.Database | undefined
  try {
    const opened = new Sqlite(file, { readonly: true, fileMustExist: true })
    sqlite = opened
    return matchesKey((sql) => opened.prepare(sql).get(), seal) !== false
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(
      'damaged',
      message('backups.database-not-read', { reason: (error as Error).message }),
      error,
    )
  } finally {
    sqlite?.close()
  }
}

/**
 * Stores the proof of the data key in a database that was backed up before the recovery key existed
 * (see `storeRecoveryProof`).
 */
export function storeRecoveryProofIn(file: string, seal: Seal, at: string): void {
  const sqlite = new Sqlite(file, { fileMustExist: true })
  try {
    const sealed = seal.seal(Buffer.from(PROOF_SECRET), `secret ${PROOF_SECRET}`)
    const hasTable = sqlite
      .prepare("select 1 from sqlite_schema where type = 'table' and name = 'secrets'")
      .get()
    if (hasTable)
      sqlite
        .prepare('insert or ignore into secrets (name, sealed, updatedAt) values (?, ?, ?)')
        .run(PROOF_SECRET, sealed, at)
  } finally {
    sqlite.close()
  }
}

async function openSealed(
  from: string,
  file: string,
  manifest: BackupManifest,
  seal: Seal,
  onProgress: RestoreProgress,
): Promise<void> {
  const key = backupKey(seal, manifest.madeAt)
  const { sha256 } = await openSealedFile(join(from, SEALED_DATABASE_FILE), file, key, (share) =>
    onProgress({ phase: 'decrypting', share }),
  )
  if (sha256 !== manifest.sha256)
    throw new StoreError(
      'damaged',
      message('backups.other-database', { backup: basename(from), file: MANIFEST_FILE }),
    )
}

async function verifyDatabase(
  from: string,
  file: string,
  manifest: BackupManifest,
  seal: Seal,
): Promise<void> {
  const { application, schema, rows } = await checkCopy(file, Object.keys(manifest.rows))
  if (application !== APPLICATION_ID)
    throw new StoreError(
      'foreign-database',
      message('backups.foreign-database', { backup: basename(from) }),
    )
  refuseNewerSchema(from, schema)
  const differingTable = Object.keys(manifest.rows).find(
    (table) => rows[table] !== manifest.rows[table],
  )
  if (differingTable !== undefined)
    throw new StoreError(
      'damaged',
      message('backups.rows-differ', {
        backup: basename(from),
        rows: rows[differingTable] ?? 0,
        table: differingTable,
        told: manifest.rows[differingTable] ?? 0,
      }),
    )
  if (!isKeyOfDatabase(file, seal))
    throw new StoreError(
      'key-wrong',
      message('backups.key-not-fitting', { backup: basename(from) }),
    )
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
