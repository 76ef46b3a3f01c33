import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib'
import { message } from '#shared/messages/message.ts'
import { ByteWindow, MissingBytesError, ViewedFileFault } from './byte-window.ts'
import { fileMeta } from './file-meta.ts'
import { type FileStart, readFileStart } from './file-start.ts'
import { TRANSFER_SYNTAX } from './uids.ts'

/** More than preamble and file meta information need. */
const MAX_START_BYTES = 256 << 10

/**
 * Streams the deflated Part 10 file `from` into `to` as Explicit VR Little Endian (PS3.5 A.5).
 * `limits.bytes` limits its data set. A truncated stream results in a truncated file, which is
 * reported when that file is read.
 * @throws {ViewedFileFault} if it is not such a file, cannot be inflated, or exceeds the limit;
 * `to` is then deleted
 */
export async function inflatedFile(
  from: string,
  to: string,
  limits: { readonly bytes: number },
): Promise<void> {
  const start = await deflatedStart(from)
  const { dataSetOffset } = start
  const meta = metaOf(start)
  try {
    await pipeline(
      createReadStream(from, { start: dataSetOffset }),
      createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH }),
      prependAndLimit(meta, limits.bytes),
      createWriteStream(to, { mode: 0o600 }),
    )
  } catch (error) {
    await rm(to, { force: true })
    const isZlibError = (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true
    throw isZlibError ? new ViewedFileFault(message('viewed-file.not-inflatable')) : error
  }
}

/** As `inflatedFile`, in memory. @throws {ViewedFileFault} */
export async function inflatedBytes(from: string, most: number): Promise<Buffer> {
  const start = await deflatedStart(from)
  const deflated = (await readFile(from)).subarray(start.dataSetOffset)
  try {
    const dataSet = inflateRawSync(deflated, {
      maxOutputLength: most,
      finishFlush: constants.Z_SYNC_FLUSH,
    })
    return Buffer.concat([metaOf(start), dataSet])
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new ViewedFileFault(
      message(isTooLarge ? 'viewed-file.inflated-too-large' : 'viewed-file.not-inflatable'),
    )
  }
}

const metaOf = ({ sopClassUid, sopInstanceUid }: FileStart): Buffer =>
  fileMeta({
    sopClassUid,
    sopInstanceUid,
    transferSyntaxUid: TRANSFER_SYNTAX.explicitLittleEndian,
    sourceAeTitle: '',
  })

async function deflatedStart(path: string): Promise<FileStart> {
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_START_BYTES)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    const read = (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length))
    const start = readFileStart(
      new ByteWindow({ length: bytesRead, isWhole: true, read }),
      bytesRead,
    )
    if (!start.coding.deflated) throw new ViewedFileFault(message('viewed-file.not-deflated'))
    return start
  } catch (error) {
    throw error instanceof MissingBytesError
      ? new ViewedFileFault(message('viewed-file.ends-before-data-set'))
      : error
  } finally {
    await file.close()
  }
}

/**
 * Prepends `start` and passes at most `maxBytes` bytes on, because a few kilobytes can inflate to
 * terabytes.
 */
function prependAndLimit(start: Buffer, maxBytes: number): Transform {
  let remaining = maxBytes
  return new Transform({
    construct(callback) {
      this.push(start)
      callback()
    },
    transform(chunk: Buffer, _encoding, callback) {
      remaining -= chunk.length
      if (remaining < 0) callback(new ViewedFileFault(message('viewed-file.inflated-too-large')))
      else callback(null, chunk)
    },
  })
}
