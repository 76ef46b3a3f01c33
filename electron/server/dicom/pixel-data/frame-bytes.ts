import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { readWhole } from '#server/dicom/data-set/byte-window.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** The location of a frame's bytes in a file. */
export interface FrameBytes {
  /** Concatenated in this order. */
  readonly spans: readonly { readonly at: number; readonly length: number }[]
  /**
   * Whether pairs of bytes must be swapped: pixels of 8 bits or 1 bit stored as big-endian 16-bit
   * words (PS3.5 §8.1.1).
   */
  readonly swapsPairs: boolean
  /**
   * Set if the frame does not fill its spans: bits to skip at the start, and length of the frame in
   * bits.
   */
  readonly bitRange: { readonly skipBits: number; readonly bits: number } | undefined
}

/** Whether the frame is a part of the file as it is. */
export const isPartOfFile = ({ spans, swapsPairs, bitRange }: FrameBytes): boolean =>
  spans.length === 1 && !swapsPairs && !bitRange

/** Length in bytes of the frame as returned by `readFrame`. */
export function lengthOfFrame(frame: FrameBytes): number {
  return frame.bitRange
    ? Math.ceil(frame.bitRange.bits / 8)
    : frame.spans.reduce((sum, { length }) => sum + length, 0)
}

/**
 * Reads a frame. Encapsulated: one compressed stream, including any byte of padding. Native: rows ×
 * columns × samples as stored, with 16, 32 and 64-bit numbers in the byte order of the transfer
 * syntax; 1-bit pixels start at the lowest bit of the first byte.
 * @throws {ViewedFileFault} if the file has become shorter
 */
export function readFrame(source: ByteSource, { spans, swapsPairs, bitRange }: FrameBytes): Buffer {
  const pieces = spans.map(({ at, length }) => readWhole(source, at, length))
  const [first] = pieces
  const joined = pieces.length === 1 && first ? first : Buffer.concat(pieces)
  const bytes = swapsPairs ? swapPairs(joined) : joined
  return bitRange ? cutBits(bytes, bitRange.skipBits, bitRange.bits) : bytes
}

const swapPairs = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  copy.subarray(0, copy.length - (copy.length % 2)).swap16()
  return copy
}

// PS3.5 §8.1.1: the first pixel is in the lowest bit.
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
  // The bits after the last pixel belong to the next frame.
  if (bits % 8 !== 0) frame[length - 1] = (frame[length - 1] ?? 0) & ((1 << (bits % 8)) - 1)
  return frame
}

/** The fault of a file that ends before its last frame. */
export const truncatedFile = (available: number, frames: number): Message =>
  message('viewed-file.cut-short', { there: available, frames })

/** The fault of a file that declares more frames than it contains. */
export const missingFrames = (available: number, frames: number): Message =>
  message('viewed-file.fewer-frames', { there: available, frames })
