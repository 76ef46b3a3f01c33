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
 * The sealed database of a backup; the first version had it unsealed, under the name it has in the
 * data folder.
 */
export const SEALED_DATABASE_FILE = 'database.sealed'

/** What a backup says of itself. */
export interface BackupManifest {
  /**
   * 2: the database is sealed under a key that the data key gives. 1: it lies there as it is; what
   * that version did not write is empty, or 0.
   */
  readonly version: 1 | 2
  readonly madeAt: string
  readonly kind: BackupKind
  /** The version of the program that made it. */
  readonly program: string
  /** Of the database: how many migrations it has seen. */
  readonly schema: number
  /** Of the database, unsealed. */
  readonly plainBytes: number
  /** Of the database, unsealed, hex. */
  readonly sha256: string
  readonly hasRecoveryKey: boolean
  /** Rows of the tables that were compared with the database. */
  readonly rows: Readonly<Record<string, number>>
  /** Which data key it is sealed under, without saying it (`Seal.keyName`). */
  readonly keyName: string
  /** HMAC-SHA256 of all the rest under a key that the data key gives, hex. */
  readonly mac: string
}

// A name goes into SQL, and may come from a file that nobody vouches for.
const Rows = z.record(z.string().regex(/^[A-Za-z]\w{0,63}$/), z.int())
const First = z.object({
  version: z.literal(1),
  madeAt: z.iso.datetime(),
  bytes: z.int(),
  hasRecoveryKey: z.boolean(),
  rows: Rows,
})
const Second = z.object({
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

const NAME = /^isthmus-\d{4}-\d\d-\d\d-\d{6}Z$/
/** Where SQLite keeps `user_version` (its file format, 1.3). */
const SCHEMA_AT = 60

/**
 * The name of its folder, by when it was made: the seal is of that name, wherever the folder was
 * copied to and however it is called there.
 */
export const backupName = (madeAt: string): string =>
  `isthmus-${madeAt.slice(0, 10)}-${madeAt.slice(11, 19).replaceAll(':', '')}Z`

export const isBackupName = (name: string): boolean => NAME.test(name)

/** Whether the folder is one of a backup, and not one of several. */
export const isBackupHere = (folder: string): boolean => existsSync(join(folder, MANIFEST_FILE))

/** The key that the database of a backup is sealed under. */
export const backupKey = (seal: Seal, madeAt: string): Buffer =>
  seal.keyFor(`backup ${backupName(madeAt)}`)

/** The manifest with its `mac`. */
export function vouchedFor(
  seal: Seal,
  manifest: Omit<BackupManifest, 'mac' | 'keyName'>,
): BackupManifest {
  const whole = { ...manifest, keyName: seal.keyName }
  return { ...whole, mac: macOf(seal, whole) }
}

/**
 * Whether the manifest is as it was written under this data key. The first version had no such
 * proof.
 */
export const isVouchedFor = (seal: Seal, manifest: BackupManifest): boolean =>
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

/**
 * What the backup in the folder says of itself; undefined where there is none, or nothing that can
 * be read as one.
 */
export async function readManifest(folder: string): Promise<BackupManifest | undefined> {
  try {
    const given: unknown = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8'))
    const second = Second.safeParse(given)
    if (second.success) return second.data
    const first = First.safeParse(given)
    return first.success ? await ofFirst(folder, first.data) : undefined
  } catch {
    return undefined
  }
}

async function ofFirst(
  folder: string,
  { bytes, ...first }: z.infer<typeof First>,
): Promise<BackupManifest> {
  // Those were made by a button alone.
  return {
    ...{
      ...first,
      kind: 'by-hand',
      program: '',
      schema: await schemaOf(join(folder, DATABASE_FILE)),
    },
    ...{ plainBytes: bytes, sha256: '', keyName: '', mac: '' },
  }
}

async function schemaOf(file: string): Promise<number> {
  const handle = await open(file, 'r')
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, SCHEMA_AT)
    return buffer.readUInt32BE()
  } finally {
    await handle.close()
  }
}
