import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { z } from 'zod'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE, readDataKey, writeKeyFile } from '#server/database/data-key.ts'
import { type Seal, sealWith } from '#server/database/encryption.ts'
import { openRecoveryFile, RECOVERY_FILE } from '#server/database/recovery-key.ts'
import { StoreError } from '#server/database/store-error.ts'
import { FRAME_BYTES, LOG_HEADER_BYTES } from '#server/database/write-ahead-log.ts'
import { StartError } from '#server/http/start-error.ts'
import { json } from '#server/platform/text.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import {
  LOG_FOLDER,
  type LogPosition,
  type LogSegment,
  listSegments,
  openSegment,
  readBase,
  readPosition,
  segmentMissingError,
  segmentName,
} from './log-segment.ts'
import { listBackups, type StoredBackup } from './make-backup.ts'
import { openBackup } from './open-backup.ts'

/** Exists in a data folder that follows another gateway: no gateway may open it. */
export const REPLICA_FILE = 'replica.json'
const BASE_STAGING_FOLDER = 'replica-base'

/** What of the log of the other gateway is in the database of the folder. */
const Replica = z.object({
  chain: z.string(),
  epoch: z.int().min(1),
  /** Frames of this epoch that are in the log of the folder. */
  frames: z.int().min(0),
  /** Name of the backup that was the base. */
  backup: z.string(),
  /** Everything up to this time is there (UTC). */
  upTo: z.string(),
})
export type Replica = z.infer<typeof Replica>

export function readReplica(data: string): Replica | undefined {
  try {
    return Replica.safeParse(json(readFileSync(join(data, REPLICA_FILE), 'utf8'))).data
  } catch {
    return undefined
  }
}

const save = (data: string, replica: Replica): void =>
  writeKeyFile(data, REPLICA_FILE, Buffer.from(JSON.stringify(replica)))

/**
 * Brings the database of the folder `data` up to what was copied to `from`, which has the folder
 * `backups`: first the newest backup that the log continues, then the segments of the log that are
 * new. The caller must hold the lock of `data`.
 * @param recoveryKey as the user typed it; needed once, until the folder has the data key
 * @throws StartError, StoreError; what was applied stays
 */
export async function followLog(
  data: string,
  from: string,
  recoveryKey?: string,
): Promise<Replica> {
  const backups = join(from, 'backups')
  let replica = readReplica(data)
  if (!replica && existsSync(join(data, DATABASE_FILE)))
    throw new StartError(
      verbatim(`${data} has a database of its own. Name an empty folder for the standby.`),
    )
  const position = await readPosition(backups)
  if (!replica || (position && position.chain !== replica.chain)) {
    const base = await findBase(backups, data, recoveryKey, position?.chain)
    if (base) replica = await openBase(backups, data, base)
    else if (!replica)
      throw new StartError(
        verbatim(
          `${backups} has no complete backup that a copied log continues. Switch “Every change within seconds” on, and wait for the copy.`,
        ),
      )
  }
  const seal = sealOf(data)
  const chain = join(backups, LOG_FOLDER, replica.chain)
  // What is beyond the position may be being copied.
  for (const segment of await listSegments(chain))
    if (isComplete(segment, replica.chain, position))
      replica = await applySegment(data, chain, seal, replica, segment)
  const isWhole =
    position?.chain === replica.chain &&
    (position.epoch < replica.epoch ||
      (position.epoch === replica.epoch && position.frames <= replica.frames))
  if (isWhole && replica.upTo !== position.at) replica = { ...replica, upTo: position.at }
  save(data, replica)
  return replica
}

/** A chain that another one followed is complete. */
const isComplete = (
  { epoch, last }: LogSegment,
  chain: string,
  position: LogPosition | undefined,
): boolean =>
  position !== undefined &&
  (position.chain !== chain ||
    epoch < position.epoch ||
    (epoch === position.epoch && last <= position.frames))

/**
 * Moves what was applied into the database file, so that it is a database like any other.
 * @throws StoreError damaged
 */
export function finishReplica(data: string, replica: Replica): void {
  const file = join(data, DATABASE_FILE)
  // SQLite deletes the log when all of it is in the database: an earlier run came to here.
  if (replica.frames === 0 || !existsSync(`${file}-wal`)) return
  const sqlite = new Sqlite(file, { fileMustExist: true })
  try {
    const [result] = sqlite.pragma('wal_checkpoint(passive)') as {
      log: number
      checkpointed: number
    }[]
    // SQLite verifies the checksums of all frames before it uses them.
    if (result?.log !== replica.frames || result.checkpointed !== replica.frames)
      throw segmentMissingError(data, `${replica.epoch}: ${result?.log} / ${replica.frames}`)
  } finally {
    sqlite.close()
  }
}

interface FoundBase {
  readonly backup: StoredBackup
  readonly dataKey: Buffer
  readonly chain: string
  readonly epoch: number
}

async function findBase(
  folder: string,
  data: string,
  recoveryKey: string | undefined,
  chain: string | undefined,
): Promise<FoundBase | undefined> {
  for (const backup of await listBackups(folder)) {
    const from = join(folder, backup.name)
    const dataKey = dataKeyFor(data, from, recoveryKey)
    // A backup of another gateway in the same folder has another key.
    if (backup.keyName !== sealWith(dataKey).keyName) continue
    const base = await readBase(sealWith(dataKey), from, backup.name)
    if (base && (chain === undefined || base.chain === chain)) return { backup, dataKey, ...base }
  }
  return undefined
}

/** The data key of the folder, where it has one. @throws StartError */
function dataKeyFor(data: string, from: string, recoveryKey: string | undefined): Buffer {
  if (existsSync(join(data, KEY_FILE))) return readKey(data)
  if (recoveryKey === undefined || !existsSync(join(from, RECOVERY_FILE)))
    throw new StartError(
      verbatim('The recovery key is needed the first time: add --recovery-key-stdin.'),
    )
  return openRecoveryFile(join(from, RECOVERY_FILE), recoveryKey).dataKey
}

const readKey = (data: string): Buffer =>
  readDataKey(data, { mayCreate: false, random: () => Buffer.alloc(0) })

const sealOf = (data: string): Seal => sealWith(readKey(data))

async function openBase(folder: string, data: string, base: FoundBase): Promise<Replica> {
  const { backup, dataKey, chain, epoch } = base
  const stagingFolder = join(data, BASE_STAGING_FOLDER)
  await rm(stagingFolder, { recursive: true, force: true })
  await openBackup(join(folder, backup.name), stagingFolder, { dataKey })
  const recovery = join(folder, backup.name, RECOVERY_FILE)
  if (existsSync(recovery)) writeKeyFile(data, RECOVERY_FILE, readFileSync(recovery))
  const replica = { chain, epoch, frames: 0, backup: backup.name, upTo: backup.madeAt }
  // A log of the database before must not be applied to the new one.
  for (const end of ['-wal', '-shm']) rmSync(join(data, `${DATABASE_FILE}${end}`), { force: true })
  writeKeyFile(data, KEY_FILE, dataKey)
  save(data, replica)
  await rename(join(stagingFolder, DATABASE_FILE), join(data, DATABASE_FILE))
  await rm(stagingFolder, { recursive: true, force: true })
  return replica
}

async function applySegment(
  data: string,
  chain: string,
  seal: Seal,
  before: Replica,
  segment: LogSegment,
): Promise<Replica> {
  const isApplied =
    segment.epoch < before.epoch ||
    (segment.epoch === before.epoch && segment.last <= before.frames)
  if (isApplied) return before
  const { previous, frames } = await openSegment(seal, chain, before.chain, segment)
  let replica = before
  if (segment.epoch === before.epoch + 1 && segment.first === 0 && previous === before.frames) {
    finishReplica(data, before)
    replica = { ...before, epoch: segment.epoch, frames: 0 }
    // Before its frames: after a crash in between, the log is written again.
    save(data, replica)
  }
  // A segment may begin with frames that are there, where the gateway ended before it noted them.
  const hasBegun = segment.first === 0 || existsSync(join(data, `${DATABASE_FILE}-wal`))
  if (segment.epoch !== replica.epoch || segment.first > replica.frames || !hasBegun)
    throw segmentMissingError(chain, segmentName(segment))
  await writeFrames(data, segment.first, frames)
  const applied = { ...replica, frames: segment.last }
  save(data, applied)
  return applied
}

async function writeFrames(data: string, first: number, frames: Buffer): Promise<void> {
  const at = first === 0 ? 0 : LOG_HEADER_BYTES + first * FRAME_BYTES
  const file = join(data, `${DATABASE_FILE}-wal`)
  const handle = await open(file, existsSync(file) ? 'r+' : 'w+', 0o600)
  try {
    await handle.write(frames, 0, frames.length, at)
    await handle.sync()
  } finally {
    await handle.close()
  }
  // An older log that was longer must not continue this one.
  if (statSync(file).size > at + frames.length) await truncate(file, at + frames.length)
}

/** The copy was written by a newer version, which must be installed first. */
export function refuseNewerReplica(data: string, known: number): void {
  const sqlite = new Sqlite(join(data, DATABASE_FILE), { readonly: true, fileMustExist: true })
  try {
    const schema = Number(sqlite.pragma('user_version', { simple: true }))
    if (schema > known)
      throw new StoreError(
        'newer-schema',
        message('database.newer-schema', { file: join(data, DATABASE_FILE), schema, known }),
      )
  } finally {
    sqlite.close()
  }
}
