import type { ImagePixel, InstanceExtras } from '../contract/viewed-images.ts'
import { bytesOf } from './look-up.ts'
import { BIG_ENDIAN, decodeRleFrame, NATIVE_SYNTAXES, nativeFrame, RLE_SYNTAX } from './stored.ts'

/** The overlay plane of one frame (PS3.3 C.9.2): one bit per pixel, lowest bit first. */
export interface OverlayPlane {
  /** Of its attributes, such as 0x6000. */
  readonly group: number
  readonly rows: number
  readonly columns: number
  /** Row and column of its first pixel in the image, from 1. */
  readonly origin: readonly [number, number]
  readonly bits: Uint8Array
  /** The first bit that is of this frame. */
  readonly from: number
}

/**
 * The overlay planes of a frame, from 1. @param embedded reads the plane in a bit of the stored
 * values; undefined if it cannot @returns also the number of planes that cannot be read
 */
export function overlaysOfFrame(
  { overlays }: Pick<InstanceExtras, 'overlays'>,
  frame: number,
  embedded: (bit: number) => Uint8Array | undefined,
): { readonly planes: readonly OverlayPlane[]; readonly unread: number } {
  const planes: OverlayPlane[] = []
  let unread = 0
  for (const { group, rows, columns, origin, frames, bit, data } of overlays) {
    // PS3.3 C.9.3.1.1: the first frame of the image that the overlay is for.
    const at = frames ? frame - frames.first : 0
    if (at < 0 || (frames && at >= frames.count)) continue
    const bits = bit === null ? bytesOf(data) : embedded(bit)
    if (bits) planes.push({ group, rows, columns, origin, bits, from: at * rows * columns })
    else unread += 1
  }
  return { planes, unread }
}

/**
 * The overlay plane that older devices wrote into a bit beside the stored ones (PS3.5-2003 8.1.2).
 * Undefined if there is no such bit: the values of most compressed frames have only stored bits.
 */
export function embeddedPlane(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  transferSyntaxUid: string,
  bit: number,
): Uint8Array | undefined {
  const { bitsAllocated, bitsStored, highBit, samplesPerPixel } = pixel
  const isStored = bit <= highBit && bit > highBit - bitsStored
  if (samplesPerPixel !== 1 || isStored || bit >= bitsAllocated) return undefined
  const wholePixel: ImagePixel = {
    ...pixel,
    bitsStored: bitsAllocated,
    highBit: bitsAllocated - 1,
    pixelRepresentation: 0,
  }
  const stored = NATIVE_SYNTAXES.has(transferSyntaxUid)
    ? nativeFrame(bytes, wholePixel, transferSyntaxUid === BIG_ENDIAN)
    : transferSyntaxUid === RLE_SYNTAX
      ? decodeRleFrame(bytes, wholePixel)
      : undefined
  if (!stored) return undefined
  const { samples } = stored
  const plane = new Uint8Array(Math.ceil(samples.length / 8))
  for (let n = 0; n < samples.length; n += 1)
    if (((samples[n] as number) >>> bit) & 1)
      plane[n >> 3] = (plane[n >> 3] as number) | (1 << (n & 7))
  return plane
}

/** Whether the overlay covers its pixel `n`, in the order of rows. */
export const isCovered = ({ bits, from }: OverlayPlane, n: number): boolean =>
  (((bits[(from + n) >> 3] ?? 0) >> ((from + n) & 7)) & 1) === 1
