import { extrasInBase64 } from '#server/dicom/pixel-data/header-extras.ts'
import {
  type ByteSource,
  type FrameBytes,
  isPartOfFile,
  readFrame,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import { readReferencingObject } from '#server/dicom/referencing-objects/referencing-object.ts'
import type { ByteStream } from '#server/http/view-stream.ts'
import type { ReferencingObject } from '#shared/contract/referencing-objects.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message, sentences } from '#shared/messages/message.ts'
import type { DiskSource, FileSpan, OpenFile } from './open-files.ts'

/** A frame of an image or a segmentation in its stored encoding. */
export interface Frame {
  /** Large frames are read while they are sent. */
  readonly body: Buffer | ByteStream
  readonly transferSyntaxUid: string
}

/** A frame that has been read. */
export interface ReadFrame extends Frame {
  readonly body: Buffer
}

/** An instance of a view, from any source. */
export interface ImageFile {
  /**
   * Returns a frame once it is available.
   * @param number from 1
   * @throws ApiError not-found: there is no such frame; refused: the file is faulty; the abort
   *   reason of `signal`
   */
  frame(number: number, signal: AbortSignal): Promise<Frame>
  /** Returns lookup tables and overlays, under the same conditions as `frame`. */
  extras(signal: AbortSignal): Promise<InstanceExtras>
  /** Runs `work` on the complete file, under the same conditions as `frame`. */
  use<T>(signal: AbortSignal, work: (file: OpenFile) => Promise<T>): Promise<T>
}

/**
 * Reads a frame; undefined if its bytes have not been received yet.
 * @throws the errors of `ImageFile.frame`
 */
export async function frameOf(
  { source, viewed }: OpenFile,
  number: number,
): Promise<ReadFrame | undefined> {
  const bytes = locateFrame(viewed, number)
  if (!bytes) return undefined
  return { body: await readFrameAsync(source, bytes), transferSyntaxUid: viewed.transferSyntaxUid }
}

/**
 * Where a frame is in the file; undefined if its bytes have not been received yet.
 * @throws the errors of `ImageFile.frame`
 */
export function locateFrame(viewed: OpenFile['viewed'], number: number): FrameBytes | undefined {
  const header = withApiErrors(() => viewed.header())
  if (!header) return undefined
  const { notImage } = header.instance
  const { frames } = viewed
  if (frames === 0)
    throw new ApiError(
      'refused',
      sentences(message('viewer.no-frames-to-show'), notImage ?? undefined),
    )
  if (number < 1 || number > frames)
    throw new ApiError('not-found', message('viewer.image-frames', { frames }))
  return withApiErrors(() => viewed.frame(number))
}

/** Frames of at least this size are sent in pieces. */
const MIN_LARGE_BYTES = 4 << 20

/** Where the bytes of a large frame are, if they can be sent as they are. */
export function largeSpanOf(frame: FrameBytes | undefined): FileSpan | undefined {
  const [span] = frame && isPartOfFile(frame) ? frame.spans : []
  return span && span.length >= MIN_LARGE_BYTES ? span : undefined
}

/** Like `frameOf`, for a complete file. */
export async function wholeFrameOf(file: OpenFile, number: number): Promise<ReadFrame> {
  const frame = await frameOf(file, number)
  if (!frame) throw new ApiError('refused', message('viewer.no-such-frame'))
  return frame
}

/** Reads the bytes of a frame asynchronously. */
async function readFrameAsync(source: DiskSource, frame: FrameBytes): Promise<Buffer> {
  const parts = await Promise.all(
    frame.spans.map(async ({ at, length }) => ({ at, bytes: await source.fetch(at, length) })),
  )
  const fetched: ByteSource = {
    length: source.length,
    isWhole: source.isWhole,
    read(at, length) {
      const part = parts.find((each) => at >= each.at && at + length <= each.at + each.bytes.length)
      return part
        ? part.bytes.subarray(at - part.at, at - part.at + length)
        : source.read(at, length)
    },
  }
  return readFrame(fetched, frame)
}

/**
 * Reads lookup tables and overlays.
 * @throws the errors of `ImageFile.frame`
 */
export function extrasOf({ viewed }: OpenFile): InstanceExtras {
  return extrasInBase64(
    withApiErrors(() => {
      viewed.header()
      return viewed.extras()
    }),
  )
}

/**
 * Reads an object that refers to images, from a complete file.
 * @throws the errors of `ImageFile.frame`
 */
export async function referencingObjectOf({ source }: OpenFile): Promise<ReferencingObject> {
  try {
    return await readReferencingObject(source)
  } catch (error) {
    return withApiErrors(() => {
      throw error
    })
  }
}

/**
 * Runs `work` and converts file errors to API errors.
 * @throws ApiError refused: what is wrong with the file
 */
export function withApiErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ViewedFileFault) throw new ApiError('refused', error.explanation)
    throw error
  }
}
