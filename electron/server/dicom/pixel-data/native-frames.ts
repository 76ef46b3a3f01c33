import type { FrameBytes } from './frame-bytes.ts'
import type { HeaderPixels } from './header-pixels.ts'

/** Pixel data that stands frame after frame, without compression (PS3.5 §8.1.1, A.1 to A.3). */
export interface NativePixels {
  /** Of the value. */
  readonly at: number
  readonly length: number
  /** Of one frame. */
  readonly frameBits: number
  /** Pixels of a bit or a byte, as 16-bit words in big endian. */
  readonly swapsPairs: boolean
}

/**
 * Bits of a frame as it is stored: YBR_FULL_422 has two samples for each pixel (PS3.3 C.7.6.3.1.2).
 */
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

/** Frames that a value of `length` bytes has room for. */
export const framesWithin = (length: number, frameBits: number): number =>
  Math.floor((length * 8) / frameBits)

/**
 * Where frame `number` (from 1) is. Frames of one bit a pixel follow each other without a gap, so
 * that they may begin within a byte.
 */
export function nativeFrame(
  { at, frameBits, swapsPairs }: NativePixels,
  number: number,
): FrameBytes {
  const firstBit = (number - 1) * frameBits
  const grain = swapsPairs ? 16 : 8
  const firstByte = Math.floor(firstBit / grain) * (grain / 8)
  const endByte = Math.ceil((firstBit + frameBits) / grain) * (grain / 8)
  const skipBits = firstBit - firstByte * 8
  const isCut = skipBits > 0 || (endByte - firstByte) * 8 !== frameBits
  return {
    spans: [{ at: at + firstByte, length: endByte - firstByte }],
    swapsPairs,
    cut: isCut ? { skipBits, bits: frameBits } : undefined,
  }
}
