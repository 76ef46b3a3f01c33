import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { readWhole } from '#server/dicom/data-set/byte-window.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** Where the bytes of one frame are in a file. */
export interface FrameBytes {
  /** One after the other. */
  readonly spans: readonly { readonly at: number; readonly length: number }[]
  /**
   * Pairs of bytes change places first: pixels of a byte or a bit that are stored as 16-bit words
   * in big endian (PS3.5 §8.1.1).
   */
  readonly swapsPairs: boolean
  /** The frame does not fill its spans: it begins after so many bits, and has so many. */
  readonly cut: { readonly skipBits: number; readonly bits: number } | undefined
}

/** Bytes of the frame, as `readFrame` gives them. */
export function lengthOfFrame(frame: FrameBytes): number {
  return frame.cut
    ? Math.ceil(frame.cut.bits / 8)
    : frame.spans.reduce((sum, { length }) => sum + length, 0)
}

/**
 * The bytes of a frame. Encapsulated: one compressed stream, a byte of padding included. Native:
 * rows × columns × samples as they are stored, numbers of 16, 32 and 64 bits in the byte order of
 * the transfer syntax; pixels of one bit begin at the lowest bit of the first byte.
 * @throws {ViewedFileFault} where the file has become shorter
 */
export function readFrame(source: ByteSource, { spans, swapsPairs, cut }: FrameBytes): Buffer {
  const pieces = spans.map(({ at, length }) => readWhole(source, at, length))
  const [first] = pieces
  const whole = pieces.length === 1 && first ? first : Buffer.concat(pieces)
  const bytes = swapsPairs ? swapPairs(whole) : whole
  return cut ? cutBits(bytes, cut.skipBits, cut.bits) : bytes
}

const swapPairs = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  copy.subarray(0, copy.length - (copy.length % 2)).swap16()
  return copy
}

// PS3.5 §8.1.1: the first pixel is the lowest bit.
function cutBits(bytes: Buffer, skipBits: number, bits: number): Buffer {
  const start = skipBits >> 3
  const shift = skipBits & 7
  const length = Math.ceil(bits / 8)
  if (shift === 0 && bits % 8 === 0) return bytes.subarray(start, start + length)
  const frame = Buffer.alloc(length)
  for (let index = 0; index < length; index++) {
    const low = bytes[start + index] ?? 0
    const high = bytes[start + index + 1] ?? 0
    frame[index] = (low >> shift) | (high << (8 - shift))
  }
  // What follows the last pixel is of the next frame.
  if (bits % 8 !== 0) frame[length - 1] = (frame[length - 1] ?? 0) & ((1 << (bits % 8)) - 1)
  return frame
}

/** The file ends before its frames do. */
export const cutShort = (there: number, frames: number): Message =>
  message('viewed-file.cut-short', { there, frames })

/** The file says that it has more frames than it has. */
export const fewerFrames = (there: number, frames: number): Message =>
  message('viewed-file.fewer-frames', { there, frames })
