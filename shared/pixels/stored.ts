import type { ImagePixel } from '../contract/viewed-images.ts'
import { message } from '../messages/message.ts'
import { ImageProblem } from './image-problem.ts'

export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array

/** Stored values of a frame, before palette, colour conversion and rescale. */
export interface StoredPixels {
  /**
   * rows × columns × samples: pixel by pixel, or plane by plane where `isPlanar`; of YBR_FULL_422
   * see `isSubsampled`.
   */
  readonly samples: Samples
  readonly isPlanar: boolean
  /** Y Y Cb Cr for two pixels (PS3.3 C.7.6.3.1.2). */
  readonly isSubsampled: boolean
}

export const BIG_ENDIAN = '1.2.840.10008.1.2.2'
export const RLE_SYNTAX = '1.2.840.10008.1.2.5'
/** Implicit, explicit, deflated (which the gateway has inflated), big endian. */
export const NATIVE_SYNTAXES: ReadonlySet<string> = new Set([
  '1.2.840.10008.1.2',
  '1.2.840.10008.1.2.1',
  '1.2.840.10008.1.2.1.99',
  '1.2.840.10008.1.2.1.98',
  BIG_ENDIAN,
])

/**
 * Reads the stored values of an uncompressed frame. Grey ones share the memory of the bytes where
 * they are the same, because a mammogram has 40 MB; colours are converted in place. @throws
 * ImageProblem
 */
export function nativeFrame(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
  isBigEndian: boolean,
): StoredPixels {
  const pixels = pixel.rows * pixel.columns
  const size = pixel.bitsAllocated
  const is422 =
    /_422$/.test(pixel.photometricInterpretation) && size === 8 && bytes.length < pixels * 3
  const count = is422 ? pixels * 2 : pixels * pixel.samplesPerPixel
  const needed = Math.ceil((count * size) / 8)
  if (bytes.length < needed)
    throw new ImageProblem(
      message('viewer.pixels-cut-short', { percent: percentOf(bytes.length, needed) }),
    )
  if (size === 1) return { samples: unpackBits(bytes, count), isPlanar: false, isSubsampled: false }
  const isSwapped = isBigEndian && size > 8
  const isShared = pixel.samplesPerPixel === 1 && !isSwapped && bytes.buffer.byteLength === needed
  const own = isShared ? bytes : bytes.slice(0, needed)
  if (isSwapped) swapBytes(own, size / 8)
  const samples = valuesOf(own.buffer, pixel)
  const isPlanar = pixel.samplesPerPixel > 1 && pixel.planarConfiguration === 1 && !is422
  return { samples: withStoredBits(samples, pixel), isPlanar, isSubsampled: is422 }
}

/** Decodes RLE (PS3.5 annex G). @throws ImageProblem */
export function decodeRleFrame(bytes: Uint8Array<ArrayBuffer>, pixel: ImagePixel): StoredPixels {
  const pixels = pixel.rows * pixel.columns
  const isSingleBit = pixel.bitsAllocated === 1
  const width = isSingleBit ? 1 : pixel.bitsAllocated / 8
  const planeBytes = isSingleBit ? Math.ceil(pixels / 8) : pixels
  if (bytes.length < 64 || !Number.isInteger(width))
    throw new ImageProblem(message('viewer.no-rle-header'))
  const header = new DataView(bytes.buffer, bytes.byteOffset, 64)
  const segments = header.getUint32(0, true)
  if (segments !== pixel.samplesPerPixel * width)
    throw new ImageProblem(
      message('viewer.rle-segments', { segments, needed: pixel.samplesPerPixel * width }),
    )
  const out = new Uint8Array(planeBytes * segments)
  for (let segment = 0; segment < segments; segment += 1) {
    const from = header.getUint32(4 + segment * 4, true)
    const to = segment + 1 < segments ? header.getUint32(8 + segment * 4, true) : bytes.length
    // Bytes of a sample come most significant first; the values here are little endian.
    const byte = width - 1 - (segment % width)
    const plane = Math.floor(segment / width)
    unpackRle(
      bytes.subarray(from, Math.min(to, bytes.length)),
      out,
      plane * planeBytes * width + byte,
      width,
      planeBytes,
    )
  }
  if (isSingleBit)
    return {
      samples: unpackBits(out, pixels * pixel.samplesPerPixel),
      isPlanar: true,
      isSubsampled: false,
    }
  return {
    samples: withStoredBits(valuesOf(out.buffer, pixel), pixel),
    isPlanar: pixel.samplesPerPixel > 1,
    isSubsampled: false,
  }
}

/** Decodes a segment into every `step`-th byte of `out`. */
function unpackRle(
  segment: Uint8Array,
  out: Uint8Array,
  start: number,
  step: number,
  count: number,
): void {
  let done = 0
  let at = 0
  while (at < segment.length && done < count) {
    const control = segment[at++] as number
    if (control === 128) continue
    const isRun = control > 128
    const run = Math.min(isRun ? 257 - control : control + 1, count - done)
    for (let n = 0; n < run; n += 1)
      out[start + (done + n) * step] = segment[isRun ? at : at + n] ?? 0
    if (at + (isRun ? 1 : run) > segment.length) break
    done += run
    at += isRun ? 1 : control + 1
  }
  if (done < count)
    throw new ImageProblem(
      message('viewer.rle-segment-cut-short', { percent: percentOf(done, count) }),
    )
}

const percentOf = (available: number, needed: number) => Math.floor((available / needed) * 100)

/** Unpacks one value per bit, lowest bit first (PS3.5 8.1.1). */
function unpackBits(bytes: Uint8Array, count: number): Uint8Array {
  const out = new Uint8Array(count)
  for (let n = 0; n < count; n += 1) out[n] = ((bytes[n >> 3] as number) >> (n & 7)) & 1
  return out
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let at = 0; at + width <= bytes.length; at += width) bytes.subarray(at, at + width).reverse()
}

function valuesOf(
  buffer: ArrayBuffer,
  { bitsAllocated, pixelRepresentation, float }: ImagePixel,
): Samples {
  if (float === 'float') return new Float32Array(buffer)
  if (float === 'double') return new Float64Array(buffer)
  const isSigned = pixelRepresentation === 1
  switch (bitsAllocated) {
    case 8:
      return isSigned ? new Int8Array(buffer) : new Uint8Array(buffer)
    case 16:
      return isSigned ? new Int16Array(buffer) : new Uint16Array(buffer)
    case 32:
      return isSigned ? new Int32Array(buffer) : new Uint32Array(buffer)
    default:
      throw new ImageProblem(message('viewer.pixels-of-bits', { bits: bitsAllocated }))
  }
}

/**
 * Removes the bits outside the stored ones, which are not part of the value: older overlays, or
 * garbage (PS3.5 8.1.1). Returns the same samples where there are none.
 */
function withStoredBits(
  samples: Samples,
  { bitsAllocated, bitsStored, highBit, pixelRepresentation, float }: ImagePixel,
): Samples {
  if (float !== '' || (bitsStored === bitsAllocated && highBit === bitsStored - 1)) return samples
  const left = 31 - highBit
  const right = 32 - bitsStored
  if (left < 0 || right < 0 || right < left) return samples
  const isSigned = pixelRepresentation === 1
  if (isWithinStoredBits(samples, left, right, isSigned)) return samples
  const own = samples.slice()
  if (isSigned) {
    for (let n = 0; n < own.length; n += 1) own[n] = ((own[n] as number) << left) >> right
    return own
  }
  const mask = 0xffffffff >>> right
  const beside = right - left
  for (let n = 0; n < own.length; n += 1) own[n] = ((own[n] as number) >>> beside) & mask
  return own
}

function isWithinStoredBits(
  samples: Samples,
  left: number,
  right: number,
  isSigned: boolean,
): boolean {
  if (left !== right) return false
  if (isSigned) {
    for (let n = 0; n < samples.length; n += 1)
      if (((samples[n] as number) << left) >> right !== samples[n]) return false
    return true
  }
  const outside = ~(0xffffffff >>> right)
  for (let n = 0; n < samples.length; n += 1)
    if (((samples[n] as number) & outside) !== 0) return false
  return true
}

/** Converts decoder output to stored values with the declared sign. */
export function withSign(
  samples: Samples,
  { pixelRepresentation, bitsStored, bitsAllocated }: ImagePixel,
): Samples {
  if (pixelRepresentation === 0) {
    // A codestream may be signed where the header is not; the header takes precedence.
    if (!(samples instanceof Int16Array || samples instanceof Int8Array)) return samples
    const mask = 2 ** bitsStored - 1
    return Uint16Array.from(samples, (value) => value & mask)
  }
  const shift = 32 - bitsStored
  const out =
    bitsAllocated <= 8
      ? new Int8Array(samples.length)
      : bitsAllocated <= 16
        ? new Int16Array(samples.length)
        : new Int32Array(samples.length)
  for (let n = 0; n < samples.length; n += 1) out[n] = ((samples[n] as number) << shift) >> shift
  return out
}
