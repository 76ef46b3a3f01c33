import {
  type ByteSource,
  type FrameBytes,
  readFrame,
} from '#server/dicom/pixel-data/viewed-file.ts'
import type { DiskSource } from './disk-source.ts'

/** The bytes of a frame, fetched from the disk without holding up the event loop. */
export async function fetchedFrame(source: DiskSource, frame: FrameBytes): Promise<Buffer> {
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
