import { open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Seal } from '#server/database/encryption.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { StoreError } from '#server/database/store-error.ts'
import { json } from '#server/platform/text.ts'
import { message } from '#shared/messages/message.ts'

/** Folder in the backup folder with the copied write-ahead log (decision 0065). */
export const LOG_FOLDER = 'isthmus-log'
/** In `LOG_FOLDER`: up to where the log was copied, and when that was all there was. */
export const LOG_POSITION_FILE = 'position.json'
/** In the folder of a backup: from where on the log continues it, encrypted. */
export const BASE_POSITION_FILE = 'log.position'

/**
 * A place in the log. A chain begins with a backup and continues as long as nothing of the log was
 * lost; an epoch ends with each checkpoint, when SQLite begins the log anew.
 */
const LogBaseSchema = z.object({ chain: z.string().regex(/^[0-9a-f]{16}$/), epoch: z.int().min(1) })
export type LogBase = z.infer<typeof LogBaseSchema>

/** Up to `frames` of the epoch the log was copied, and at `at` (UTC) there was nothing more. */
export const LogPosition = LogBaseSchema.extend({ frames: z.int().min(0), at: z.iso.datetime() })
export type LogPosition = z.infer<typeof LogPosition>

/** Frames `first` (from 0) to before `last` of the log of an epoch. */
export interface LogSegment {
  readonly epoch: number
  readonly first: number
  readonly last: number
}

const SEGMENT_NAME = /^(\d{8})-(\d{8})-(\d{8})\.wal$/
/** The same name with this extension: files of images that the database names from then on. */
export const IMAGES_EXTENSION = '.images'
const PREVIOUS_BYTES = 4

const zeroPadded = (number: number) => String(number).padStart(8, '0')

export const segmentName = ({ epoch, first, last }: LogSegment): string =>
  `${zeroPadded(epoch)}-${zeroPadded(first)}-${zeroPadded(last)}.wal`

/** The segments of a chain in their order; none if there is no such folder. */
export async function listSegments(folder: string): Promise<LogSegment[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .map((name) => SEGMENT_NAME.exec(name))
    .filter((found) => found !== null)
    .map(([, epoch, first, last]) => ({
      ...{ epoch: Number(epoch), first: Number(first), last: Number(last) },
    }))
    .sort((one, other) => one.epoch - other.epoch || one.first - other.first)
}

/**
 * Encrypts frames. The name is authenticated with them, and so is how many frames the epoch before
 * had, by which a lost segment at its end is found.
 */
export function sealSegment(
  seal: Seal,
  chain: string,
  segment: LogSegment,
  previous: number,
  frames: Buffer,
): Buffer {
  const head = Buffer.alloc(PREVIOUS_BYTES)
  head.writeUInt32BE(previous)
  return seal.seal(Buffer.concat([head, frames]), contextOf(chain, segment))
}

/** @throws StoreError seal-broken; bad-folder */
export async function openSegment(
  seal: Seal,
  folder: string,
  chain: string,
  segment: LogSegment,
): Promise<{ readonly previous: number; readonly frames: Buffer }> {
  const sealed = await readFile(join(folder, segmentName(segment)))
  const plain = seal.open(sealed, contextOf(chain, segment))
  return { previous: plain.readUInt32BE(), frames: plain.subarray(PREVIOUS_BYTES) }
}

const contextOf = (chain: string, segment: LogSegment) => `log ${chain} ${segmentName(segment)}`

/** Writes the place in the log that a backup was made at into the folder of the backup. */
export const sealBase = (seal: Seal, backup: string, base: LogBase): Buffer =>
  seal.seal(Buffer.from(JSON.stringify(base)), `log position of ${backup}`)

/**
 * From where on the log continues the backup in the folder; `undefined` if none was copied then.
 * @throws StoreError seal-broken
 */
export async function readBase(
  seal: Seal,
  folder: string,
  backup: string,
): Promise<LogBase | undefined> {
  const sealed = await readFile(join(folder, BASE_POSITION_FILE)).catch(() => undefined)
  if (!sealed) return undefined
  return LogBaseSchema.safeParse(json(seal.open(sealed, `log position of ${backup}`).toString()))
    .data
}

/** The position that the gateway wrote last; `undefined` if there is none. */
export async function readPosition(folder: string): Promise<LogPosition | undefined> {
  const text = await readFile(join(folder, LOG_FOLDER, LOG_POSITION_FILE), 'utf8').catch(() => '')
  return LogPosition.safeParse(json(text)).data
}

/** Writes a file as a whole; durable when it resolves. */
export async function writeDurably(folder: string, name: string, bytes: Buffer | string) {
  const part = join(folder, `${name}.part`)
  const handle = await open(part, 'w', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, join(folder, name))
  await syncPath(folder)
}

/** A segment is missing, or does not continue what is there. */
export const segmentMissingError = (folder: string, segment: string): StoreError =>
  new StoreError('damaged', message('backups.log-segment-missing', { folder, segment }))
