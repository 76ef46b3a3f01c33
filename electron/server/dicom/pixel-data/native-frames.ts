import type { FrameBytes } from './frame-bytes.ts'
import type { HeaderPixels } from './header-pixels.ts'

/** Uncompressed pixel data, one frame after another (PS3.5 §8.1.1, A.1 to A.3). */
export interface NativePixels {
  /** Offset of the value. */
  readonly at: number
  readonly length: number
  /** Bits per frame. */
  readonly frameBits: number
  /** Pixels of 8 bits or 1 bit stored as big-endian 16-bit words. */
  readonly swapsPairs: boolean
}

/** Bits of a stored frame; YBR_FULL_422 has two samples per pixel (PS3.3 C.7.6.3.1.2). */
export function bitsOfFrame(
  pixels: Pick<
    HeaderPixels,
    'rows' | 'columns' | 'samplesPerPixel' | 'bitsAllocated' | 'photometricInterpretation'
  >,
): number {
  const samples =
    /_422$/.test(pixels.photometricInterpretation) && pixels.samplesPerPixel === 3
      ? 2
      : pixels.samplesPerPixel
  return pixels.rows * pixels.columns * samples * pixels.bitsAllocated
}

/** Number of frames that fit into a value of `length` bytes. */
export const framesWithin = (length: number, frameBits: number): number =>
  Math.floor((length * 8) / frameBits)

/**
 * Locates frame `number`, starting at 1. Frames of 1-bit pixels are stored without gaps and may
 * start within a byte.
 */
export function nativeFrame(
  { at, frameBits, swapsPairs }: NativePixels,
  number: number,
): FrameBytes {
  const firstBit = (number - 1) * frameBits
  const unitBits = swapsPairs ? 16 : 8
  const firstByte = Math.floor(firstBit / unitBits) * (unitBits / 8)
  const endByte = Math.ceil((firstBit + frameBits) / unitBits) * (unitBits / 8)
  const skipBits = firstBit - firstByte * 8
  const isCut = skipBits > 0 || (endByte - firstByte) * 8 !== frameBits
  return {
    spans: [{ at: at + firstByte, length: endByte - firstByte }],
    swapsPairs,
    bitRange: isCut ? { skipBits, bits: frameBits } : undefined,
  }
}
