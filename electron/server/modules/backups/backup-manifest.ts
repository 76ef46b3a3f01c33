import { createHmac, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import type { Seal } from '#server/database/encryption.ts'
import { BACKUP_KINDS, type BackupKind } from '#shared/contract/dashboard-backups.ts'

export const MANIFEST_FILE = 'backup.json'
/**
 * The encrypted database of a backup. Version 1 stored it unencrypted, under the name that it has
 * in the data folder.
 */
export const SEALED_DATABASE_FILE = 'database.sealed'

/** Metadata of a backup (`backup.json`). */
export interface BackupManifest {
  /**
   * 2: the database is encrypted with a key that is derived from the data key. 1: it is
   * unencrypted; fields that version 1 lacks are empty or 0.
   */
  readonly version: 1 | 2
  readonly madeAt: string
  readonly kind: BackupKind
  /** Version of the gateway that made the backup. */
  readonly program: string
  /** Number of migrations that were applied to the database. */
  readonly schema: number
  /** Size of the unencrypted database. */
  readonly plainBytes: number
  /** SHA-256 of the unencrypted database, in hexadecimal. */
  readonly sha256: string
  readonly hasRecoveryKey: boolean
  /** Row counts that were compared with the database when the backup was made. */
  readonly rows: Readonly<Record<string, number>>
  /** Identifies the data key without revealing it (`Seal.keyName`). */
  readonly keyName: string
  /** HMAC-SHA256 of all other fields, in hexadecimal, with a key derived from the data key. */
  readonly mac: string
}

// Table names become part of SQL and may come from an untrusted file.
const Rows = z.record(z.string().regex(/^[A-Za-z]\w{0,63}$/), z.int())
const ManifestV1 = z.object({
  version: z.literal(1),
  madeAt: z.iso.datetime(),
  bytes: z.int(),
  hasRecoveryKey: z.boolean(),
  rows: Rows,
})
const ManifestV2 = z.object({
  version: z.literal(2),
  madeAt: z.iso.datetime(),
  kind: z.enum(BACKUP_KINDS),
  program: z.string().max(100),
  schema: z.int(),
  plainBytes: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  hasRecoveryKey: z.boolean(),
  rows: Rows,
  keyName: z.string().max(100),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
})

const NAME_PATTERN = /^isthmus-\d{4}-\d\d-\d\d-\d{6}Z$/
/** Offset of `user_version` in the SQLite database header (SQLite file format, section 1.3). */
const USER_VERSION_OFFSET = 60

/**
 * Name of the backup's folder. The encryption key is derived from this name, so a backup can be
 * opened after its folder was copied or renamed.
 */
export const backupName = (madeAt: string): string =>
  `isthmus-${madeAt.slice(0, 10)}-${madeAt.slice(11, 19).replaceAll(':', '')}Z`

export const isBackupName = (name: string): boolean => NAME_PATTERN.test(name)

/** Whether the folder is a backup, as opposed to a folder that contains backups. */
export const isBackupFolder = (folder: string): boolean => existsSync(join(folder, MANIFEST_FILE))

/** The key with which the database of a backup is encrypted. */
export const backupKey = (seal: Seal, madeAt: string): Buffer =>
  seal.keyFor(`backup ${backupName(madeAt)}`)

/** Adds the key name and the `mac` to a manifest. */
export function signManifest(
  seal: Seal,
  manifest: Omit<BackupManifest, 'mac' | 'keyName'>,
): BackupManifest {
  const whole = { ...manifest, keyName: seal.keyName }
  return { ...whole, mac: macOf(seal, whole) }
}

/**
 * Whether the manifest is unchanged since it was written with this data key. Version 1 has no `mac`
 * and is always accepted.
 */
export const isManifestAuthentic = (seal: Seal, manifest: BackupManifest): boolean =>
  manifest.version === 1 ||
  timingSafeEqual(Buffer.from(manifest.mac, 'hex'), Buffer.from(macOf(seal, manifest), 'hex'))

function macOf(seal: Seal, manifest: Omit<BackupManifest, 'mac'>): string {
  const {
    version,
    madeAt,
    kind,
    program,
    schema,
    plainBytes,
    sha256,
    hasRecoveryKey,
    rows,
    keyName,
  } = manifest
  const sorted = Object.entries(rows).sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([
    version,
    madeAt,
    kind,
    program,
    schema,
    plainBytes,
    sha256,
    hasRecoveryKey,
    sorted,
    keyName,
  ])
  return createHmac('sha256', seal.keyFor('backup manifest')).update(text).digest('hex')
}

/** Reads the manifest of a backup; `undefined` if the folder has none or it is invalid. */
export async function readManifest(folder: string): Promise<BackupManifest | undefined> {
  try {
    const given: unknown = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8'))
    const v2 = ManifestV2.safeParse(given)
    if (v2.success) return v2.data
    const v1 = ManifestV1.safeParse(given)
    return v1.success ? await fromV1(folder, v1.data) : undefined
  } catch {
    return undefined
  }
}

async function fromV1(
  folder: string,
  { bytes, ...v1 }: z.infer<typeof ManifestV1>,
): Promise<BackupManifest> {
  // Version 1 backups could only be made manually.
  return {
    ...{
      ...v1,
      kind: 'by-hand',
      program: '',
      schema: await readUserVersion(join(folder, DATABASE_FILE)),
    },
    ...{ plainBytes: bytes, sha256: '', keyName: '', mac: '' },
  }
}

async function readUserVersion(file: string): Promise<number> {
  const handle = await open(file, 'r')
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, USER_VERSION_OFFSET)
    return buffer.readUInt32BE()
  } finally {
    await handle.close()
  }
}
