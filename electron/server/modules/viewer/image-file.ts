import {
  type ByteSource,
  type FrameBytes,
  readFrame,
  type ViewedFile,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import type { InstanceExtras } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
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
  { source, viewed }: { source: DiskSource; viewed: ViewedFile },
  number: number,
): Promise<Frame | undefined> {
  const header = spoken(() => viewed.header())
  if (!header) return undefined
  const { image, notImage, frames } = header.instance
  if (!image) throw new ApiError('refused', `It has no frames to show. ${notImage}`.trim())
  if (number < 1 || number > frames)
    throw new ApiError('not-found', `The image has ${frames} ${frames === 1 ? 'frame' : 'frames'}.`)
  const bytes = spoken(() => viewed.frame(number))
  if (!bytes) return undefined
  return { body: await fetchedFrame(source, bytes), transferSyntaxUid: viewed.transferSyntaxUid }
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

/** Of a file that is whole. @throws ApiError */
export function noFrame(): never {
  throw new ApiError('refused', 'The file has no such frame.')
}

/** @throws as `ImageFile.frame` */
export function extrasOf({ viewed }: OpenFile): InstanceExtras {
  const { palette, modalityLut, voiLuts, overlays } = spoken(() => {
    viewed.header()
    return viewed.extras()
  })
  const text = <T extends { readonly data: Buffer }>(one: T) => ({
    ...one,
    data: one.data.toString('base64'),
  })
  return {
    palette: palette && {
      red: text(palette.red),
      green: text(palette.green),
      blue: text(palette.blue),
    },
    modalityLut: modalityLut && text(modalityLut),
    voiLuts: voiLuts.map(text),
    overlays: overlays.map((overlay) => ({
      ...text(overlay),
      origin: [overlay.origin[0], overlay.origin[1]],
    })),
  }
}

/** What a file says of itself, its faults as the page is told them. */
export function spoken<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ViewedFileFault) throw new ApiError('refused', error.message)
    throw error
  }
}
