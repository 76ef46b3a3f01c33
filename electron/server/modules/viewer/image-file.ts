import { extrasInBase64 } from '#server/dicom/pixel-data/header-extras.ts'
import {
  type ByteSource,
  type FrameBytes,
  readFrame,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message, sentences } from '#shared/messages/message.ts'
import type { DiskSource, OpenFile } from './open-files.ts'

/** A frame as it is stored. */
export interface Frame {
  readonly body: Buffer
  readonly transferSyntaxUid: string
}

/** An instance of a view, wherever its file comes from. */
export interface ImageFile {
  /**
   * Waits for it. @param number from 1
   * @throws ApiError not-found: it has no such frame; refused: it is faulty, and how; the reason
   *   of `signal`
   */
  frame(number: number, signal: AbortSignal): Promise<Frame>
  /** As `frame`. */
  extras(signal: AbortSignal): Promise<InstanceExtras>
  /** The file itself, whole; as `frame`. */
  use<T>(signal: AbortSignal, work: (file: OpenFile) => Promise<T>): Promise<T>
}

/** Undefined while its bytes have not come. @throws as `ImageFile.frame` */
export async function frameOf(
  { source, viewed }: OpenFile,
  number: number,
): Promise<Frame | undefined> {
  const header = withApiErrors(() => viewed.header())
  if (!header) return undefined
  const { image, notImage, frames } = header.instance
  if (!image)
    throw new ApiError(
      'refused',
      sentences(message('viewer.no-frames-to-show'), notImage ?? undefined),
    )
  if (number < 1 || number > frames)
    throw new ApiError('not-found', message('viewer.image-frames', { frames }))
  const bytes = withApiErrors(() => viewed.frame(number))
  if (!bytes) return undefined
  return { body: await fetchedFrame(source, bytes), transferSyntaxUid: viewed.transferSyntaxUid }
}

/** As `frameOf`, of a file that is whole. */
export async function wholeFrameOf(file: OpenFile, number: number): Promise<Frame> {
  const frame = await frameOf(file, number)
  if (!frame) throw new ApiError('refused', message('viewer.no-such-frame'))
  return frame
}

/** The bytes of a frame, fetched from the disk without holding up the event loop. */
async function fetchedFrame(source: DiskSource, frame: FrameBytes): Promise<Buffer> {
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

/** @throws as `ImageFile.frame` */
export function extrasOf({ viewed }: OpenFile): InstanceExtras {
  return extrasInBase64(
    withApiErrors(() => {
      viewed.header()
      return viewed.extras()
    }),
  )
}

/** Runs `work` on a file. @throws ApiError refused: what is wrong with the file */
export function withApiErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ViewedFileFault) throw new ApiError('refused', error.explanation)
    throw error
  }
}
