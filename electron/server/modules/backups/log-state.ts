import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE, LOG_STATE_FILE } from '#server/database/data-directory.ts'
import { writeKeyFile } from '#server/database/data-key.ts'
import { FRAME_BYTES, LOG_HEADER_BYTES } from '#server/database/write-ahead-log.ts'
import { json } from '#server/platform/text.ts'

const NATURAL_NUMBER = z.int().min(0)
/** In the header of the log: salt-1 and salt-2, which differ from one log to the next. */
const SALT_FIELD = { at: 16, bytes: 8 }
/** In the header of a frame: a checksum of everything of the log up to its end. */
const CHECKSUM_FIELD = { at: 16, bytes: 8 }
const CLOCK_STEP_MS = 10_000

/** How much of the log was copied. */
const LogState = z.object({
  /** The backup folder. */
  folder: z.string(),
  chain: z.string(),
  epoch: z.int().min(1),
  /** Frames of this epoch that were copied. */
  frames: NATURAL_NUMBER,
  /** Frames that the epoch before had. */
  previous: NATURAL_NUMBER,
  /** Salt of the log and checksum of the last copied frame; empty while no frame was copied. */
  salt: z.string(),
  checksum: z.string(),
  /** The database file when the log was emptied last; any later write changes it. */
  file: z.object({ bytes: NATURAL_NUMBER, modified: z.number() }),
  /** The newest row of `instances` whose file was named. */
  lastInstance: NATURAL_NUMBER,
  /** The newest backups from which the chain can be followed, oldest first, two at most. */
  bases: z.array(z.object({ backup: z.string(), epoch: z.int().min(1) })),
})
export type LogState = z.infer<typeof LogState>

const logFile = ({ folder }: Context) => join(folder, `${DATABASE_FILE}-wal`)

export function readLogState({ folder }: Context, read: (file: string) => string) {
  try {
    return LogState.safeParse(json(read(join(folder, LOG_STATE_FILE)))).data
  } catch {
    return undefined
  }
}

export const saveLogState = ({ folder }: Context, state: LogState): void =>
  writeKeyFile(folder, LOG_STATE_FILE, Buffer.from(JSON.stringify(state)))

export const removeLogState = ({ folder }: Context): void =>
  rmSync(join(folder, LOG_STATE_FILE), { force: true })

/** A new chain. The log must be empty. */
export const newLogState = (context: Context, folder: string, lastInstance: number): LogState => ({
  ...{ folder, chain: randomBytes(8).toString('hex'), epoch: 1, frames: 0, previous: 0 },
  ...{ salt: '', checksum: '', file: stampDatabaseFile(context), lastInstance, bases: [] },
})

/**
 * Whether the log and the database are those that were copied, and nothing was written in between
 * that is not in the log any more: by an older copy that was put back, or by a command without a
 * gateway.
 */
export function isContinued(context: Context, state: LogState): boolean {
  try {
    if (state.frames === 0) {
      const { size, mtimeMs } = statSync(join(context.folder, DATABASE_FILE))
      return size === state.file.bytes && mtimeMs === state.file.modified
    }
    return (
      context.database.writeAheadLog.frames >= state.frames &&
      saltOf(context) === state.salt &&
      checksumOf(context, state.frames) === state.checksum
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/**
 * Describes the database file after the log was emptied into it. Its modification time is set back,
 * since a write within the same tick of the file system's clock would not change it.
 */
export function stampDatabaseFile({ folder }: Context): LogState['file'] {
  const file = join(folder, DATABASE_FILE)
  const before = new Date(statSync(file).mtimeMs - CLOCK_STEP_MS)
  utimesSync(file, before, before)
  const { size, mtimeMs } = statSync(file)
  return { bytes: size, modified: mtimeMs }
}

/** Salt of the log, in hexadecimal. */
export const saltOf = (context: Context): string =>
  readLog(context, SALT_FIELD.at, SALT_FIELD.bytes).toString('hex')

/** Checksum of the log up to the end of the frame with this number, from 1; in hexadecimal. */
export const checksumOf = (context: Context, frame: number): string =>
  readLog(
    context,
    LOG_HEADER_BYTES + (frame - 1) * FRAME_BYTES + CHECKSUM_FIELD.at,
    CHECKSUM_FIELD.bytes,
  ).toString('hex')

/** Frames `first` to before `last` of the log; the first ones with its header. */
export function readFrames(context: Context, first: number, last: number): Buffer {
  const end = LOG_HEADER_BYTES + last * FRAME_BYTES
  const startOffset = first === 0 ? 0 : LOG_HEADER_BYTES + first * FRAME_BYTES
  return readLog(context, startOffset, end - startOffset)
}

function readLog(context: Context, at: number, bytes: number): Buffer {
  const handle = openSync(logFile(context), 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    if (readSync(handle, buffer, 0, bytes, at) !== bytes)
      throw new Error('The write-ahead log is shorter than SQLite says')
    return buffer
  } finally {
    closeSync(handle)
  }
}
