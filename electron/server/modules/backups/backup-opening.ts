import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { APPLICATION_ID } from '#server/database/database-file.ts'
import { openSealedFile } from '#server/database/encrypted-file.ts'
import { type Seal, sealWith } from '#server/database/encryption.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { fitsKey, PROOF } from '#server/database/key-proof.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { StoreError } from '#server/database/store-error.ts'
import { fileFault } from '#server/platform/file-fault.ts'
import { checkCopy } from './backup-check.ts'
import {
  type BackupManifest,
  backupKey,
  isVouchedFor,
  MANIFEST_FILE,
  readManifest,
  SEALED_DATABASE_FILE,
} from './backup-manifest.ts'
import { openRecoveryFile, RECOVERY_FILE } from './recovery-key.ts'

/**
 * What a back-up is opened with: the data key it was made under, or the recovery key as somebody
 * typed it.
 */
export type BackupKey = { readonly dataKey: Buffer } | { readonly recoveryKey: string }

export type RestoreProgress = (progress: {
  readonly phase: 'decrypting' | 'checking'
  readonly share: number
}) => void

export interface OpenOptions {
  /** The folder of the back-up. */
  readonly from: string
  /** An empty folder, or none yet. */
  readonly to: string
  readonly key: BackupKey
  readonly onProgress: RestoreProgress
}

export interface BackupPreview {
  readonly manifest: BackupManifest
  /**
   * own: with the data key that was given; recovery-key: that has to be typed, or was; no: neither
   * can.
   */
  readonly opensWith: 'own' | 'recovery-key' | 'no'
  /** One sentence where it cannot be put back, or not with what was typed. */
  readonly fault: string
}

/**
 * Leaves the database of a back-up as a plain `gateway.sqlite` in `to`, durable, and proven: it is
 * what was copied, bit by bit; it is whole; it has the rows that were counted; the data key opens
 * what is sealed in it. A failure leaves nothing there. The back-up itself is only read.
 * @throws StoreError bad-folder, damaged, seal-broken, key-missing, key-wrong, newer-schema,
 *   foreign-database
 */
export async function openBackup({
  from,
  to,
  key,
  onProgress,
}: OpenOptions): Promise<{ manifest: BackupManifest; dataKey: Buffer }> {
  const manifest = await manifestOf(from)
  refuseNewer(from, manifest.schema)
  const dataKey = dataKeyFor(from, manifest, key)
  const seal = sealWith(dataKey)
  if (!isVouchedFor(seal, manifest)) throw notVouchedFor(from, manifest, seal)
  const file = join(to, DATABASE_FILE)
  try {
    await mkdir(to, { recursive: true, mode: 0o700 })
    if ((await readdir(to)).length > 0)
      throw new StoreError(
        'bad-folder',
        `${to} is not empty: a back-up is opened in a folder of its own.`,
      )
  } catch (error) {
    throw fileFault(`${to} cannot be used`, error)
  }
  try {
    await (manifest.version === 1 ? copyPlain : openSealed)(from, file, {
      manifest,
      seal,
      onProgress,
    })
    onProgress({ phase: 'checking', share: 0 })
    await prove(from, file, manifest, seal)
    onProgress({ phase: 'checking', share: 1 })
    await syncPath(file)
    return { manifest, dataKey }
  } catch (error) {
    for (const name of await readdir(to).catch(() => []))
      await rm(join(to, name), { force: true }).catch(() => undefined)
    throw fileFault(`The back-up ${from} could not be opened in ${to}`, error)
  }
}

/**
 * What a back-up holds, and what opens it; nothing is changed. Whether its database is whole shows
 * when it is opened.
 * @throws StoreError damaged: this is no back-up, or it does not say what it holds
 */
export async function previewBackup(from: string, key: BackupKey): Promise<BackupPreview> {
  const manifest = await manifestOf(from)
  const told = (opensWith: BackupPreview['opensWith'], fault = ''): BackupPreview => ({
    manifest,
    opensWith,
    fault,
  })
  const isSealed = await isThere(
    join(from, manifest.version === 1 ? DATABASE_FILE : SEALED_DATABASE_FILE),
  )
  if (!isSealed) return told('no', `The back-up ${from} has no database: it was not copied whole.`)
  const hasRecoveryKey = await isThere(join(from, RECOVERY_FILE))
  try {
    refuseNewer(from, manifest.schema)
    const seal = sealWith(dataKeyFor(from, manifest, key))
    if (!isVouchedFor(seal, manifest) || !fits(join(from, DATABASE_FILE), manifest, seal))
      throw notVouchedFor(from, manifest, seal)
    return told('dataKey' in key ? 'own' : 'recovery-key')
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // Another key is no fault where the right one can still be typed.
    const canBeTyped = hasRecoveryKey && error.fault === 'key-wrong' && 'dataKey' in key
    if (canBeTyped) return told('recovery-key')
    const isKey = error.fault === 'key-wrong' || error.fault === 'key-missing'
    return told(
      isKey && !hasRecoveryKey ? 'no' : 'recoveryKey' in key ? 'recovery-key' : 'own',
      error.message,
    )
  }
}

async function manifestOf(from: string): Promise<BackupManifest> {
  const manifest = await readManifest(from)
  if (manifest) return manifest
  throw new StoreError(
    'damaged',
    `${from} is not a back-up of Isthmus, or its ${MANIFEST_FILE} is missing or damaged.`,
  )
}

function refuseNewer(from: string, schema: number): void {
  if (schema > MIGRATIONS.length)
    throw new StoreError(
      'newer-schema',
      `The back-up ${basename(from)} was made by a newer version of Isthmus (schema ${schema}, this one knows ${MIGRATIONS.length}): put it back with that version.`,
    )
}

function dataKeyFor(from: string, { hasRecoveryKey }: BackupManifest, key: BackupKey): Buffer {
  if ('dataKey' in key) return key.dataKey
  if (!hasRecoveryKey)
    throw new StoreError(
      'key-missing',
      `The back-up ${basename(from)} was made before there was a recovery key: it opens with the data key of the PC that made it alone.`,
    )
  return openRecoveryFile(join(from, RECOVERY_FILE), key.recoveryKey).dataKey
}

function notVouchedFor(from: string, manifest: BackupManifest, seal: Seal): StoreError {
  if (manifest.keyName === seal.keyName)
    return new StoreError(
      'damaged',
      `${join(from, MANIFEST_FILE)} was changed after the back-up was made: use another back-up.`,
    )
  const remedy = manifest.hasRecoveryKey
    ? 'give the recovery key that was made for it'
    : 'there was no recovery key then, so that only the data.key of that PC opens it'
  return new StoreError(
    'key-wrong',
    `The back-up ${basename(from)} was made under another data key than this one: ${remedy}.`,
  )
}

/**
 * The first version had no manifest that the key vouches for: its database says itself whose it is.
 */
const fits = (file: string, { version }: BackupManifest, seal: Seal): boolean =>
  version === 2 || keyFits(file, seal)

function keyFits(file: string, seal: Seal): boolean {
  let sqlite: Sqlite.Database | undefined
  try {
    const opened = new Sqlite(file, { readonly: true, fileMustExist: true })
    sqlite = opened
    return fitsKey((sql) => opened.prepare(sql).get(), seal) !== false
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(
      'damaged',
      `The database in the back-up cannot be read (${(error as Error).message}): use another back-up.`,
      error,
    )
  } finally {
    sqlite?.close()
  }
}

/**
 * Keeps in an opened database what the data key is proven by, where it is from before there was a
 * recovery key (`keepRecoveryProof`).
 */
export function keepProofIn(file: string, seal: Seal, at: string): void {
  const sqlite = new Sqlite(file, { fileMustExist: true })
  try {
    const sealed = seal.seal(Buffer.from(PROOF), `secret ${PROOF}`)
    const hasTable = sqlite
      .prepare("select 1 from sqlite_schema where type = 'table' and name = 'secrets'")
      .get()
    if (hasTable)
      sqlite
        .prepare('insert or ignore into secrets (name, sealed, updatedAt) values (?, ?, ?)')
        .run(PROOF, sealed, at)
  } finally {
    sqlite.close()
  }
}

interface Opening {
  readonly manifest: BackupManifest
  readonly seal: Seal
  readonly onProgress: RestoreProgress
}

async function openSealed(
  from: string,
  file: string,
  { manifest, seal, onProgress }: Opening,
): Promise<void> {
  const key = backupKey(seal, manifest.madeAt)
  const { sha256 } = await openSealedFile(join(from, SEALED_DATABASE_FILE), file, key, (share) =>
    onProgress({ phase: 'decrypting', share }),
  )
  if (sha256 !== manifest.sha256)
    throw new StoreError(
      'damaged',
      `The database in the back-up ${basename(from)} is another than its ${MANIFEST_FILE} tells of.`,
    )
}

async function copyPlain(from: string, file: string, { onProgress }: Opening): Promise<void> {
  onProgress({ phase: 'decrypting', share: 0 })
  await copyFile(join(from, DATABASE_FILE), file)
}

async function prove(
  from: string,
  file: string,
  manifest: BackupManifest,
  seal: Seal,
): Promise<void> {
  const { application, schema, rows } = await checkCopy(file, Object.keys(manifest.rows))
  if (application !== APPLICATION_ID)
    throw new StoreError(
      'foreign-database',
      `The database in the back-up ${basename(from)} belongs to another program.`,
    )
  refuseNewer(from, schema)
  const differs = Object.keys(manifest.rows).find((table) => rows[table] !== manifest.rows[table])
  if (differs !== undefined)
    throw new StoreError(
      'damaged',
      `The back-up ${basename(from)} has ${rows[differs]} rows of ${differs} and tells of ${manifest.rows[differs]}: use another back-up.`,
    )
  if (!keyFits(file, seal))
    throw new StoreError(
      'key-wrong',
      `The key does not open what is sealed in the database of the back-up ${basename(from)}.`,
    )
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
