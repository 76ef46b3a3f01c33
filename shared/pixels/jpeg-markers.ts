import type { Samples } from './stored.ts'

const APP0 = 0xe0
const APP14 = 0xee
const START_OF_SCAN = 0xda
const BASELINE_FRAME = 0xc0
const EXTENDED_FRAME = 0xc1
/** Bytes of an Adobe marker segment that has a transform, with its length. */
const ADOBE_SIZE = 14

/**
 * Without a marker, a decoder guesses whether components are RGB or YCbCr. The photometric
 * interpretation is therefore written into an Adobe marker (ITU-T T.872 6.5.3), unless the file has
 * a valid one.
 */
export function withColourTransform(
  bytes: Uint8Array<ArrayBuffer>,
  photometricInterpretation: string,
): Uint8Array<ArrayBuffer> {
  if (photometricInterpretation !== 'RGB' || bytes[0] !== 0xff || bytes[1] !== 0xd8) return bytes
  for (const { marker, at, size } of segmentsOf(bytes)) {
    if (marker === APP0) return bytes
    // A marker too short to contain a transform is ignored.
    if (marker === APP14 && size >= ADOBE_SIZE) return withKnownTransform(bytes, at + 15)
    // Subsampled components are luminance and chrominance, whatever the header says: green is never
    // subsampled.
    if (marker >= BASELINE_FRAME && marker <= EXTENDED_FRAME && isSubsampled(bytes, at))
      return bytes
  }
  const adobeSegment = [
    0xff,
    APP14,
    0,
    14,
    ...[...'Adobe'].map((letter) => letter.charCodeAt(0)),
    0,
    100,
    0,
    0,
    0,
    0,
    0,
  ]
  const out = new Uint8Array(bytes.length + adobeSegment.length)
  out.set(bytes.subarray(0, 2))
  out.set(adobeSegment, 2)
  out.set(bytes.subarray(2), 2 + adobeSegment.length)
  return out
}

/** Whether the components of a frame header (ITU-T T.81 B.2.2) differ in their sampling. */
function isSubsampled(bytes: Uint8Array, at: number): boolean {
  const factors = Array.from(
    { length: bytes[at + 9] ?? 0 },
    (_, component) => bytes[at + 11 + 3 * component],
  )
  return factors.some((factor) => factor !== factors[0])
}

/** The transforms 0 (none), 1 (YCbCr) and 2 (YCCK) are valid; any other is ignored. */
function withKnownTransform(bytes: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  if ((bytes[at] ?? 0) <= 2) return bytes
  const out = bytes.slice()
  out[at] = 0
  return out
}

/**
 * Marker segments up to the first scan; `at` is the offset of the marker, `size` the length that it
 * declares, without the marker.
 */
function* segmentsOf(
  bytes: Uint8Array,
): Generator<{ readonly marker: number; readonly at: number; readonly size: number }> {
  for (let at = 2; at + 4 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number
    if (marker === START_OF_SCAN) return
    const size = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)
    yield { marker, at, size }
    at += 2 + size
  }
}

/**
 * The decoder for extended JPEG (`dicom-image-loader/codecs/jpeg.js` 5.14) scales its rounding
 * along with its level shift, and so gives every value of 12 bits as 15 more than it is, but for
 * the greatest, which it cuts off. Corrects that in place.
 */
export function withoutBias(bytes: Uint8Array, samples: Samples): Samples {
  const frame = [...segmentsOf(bytes)].find(({ marker }) => marker === EXTENDED_FRAME)
  if (!frame || bytes[frame.at + 4] !== 12) return samples
  for (let n = 0; n < samples.length; n += 1) {
    const value = samples[n] as number
    if (value < 4095) samples[n] = Math.max(0, value - 15)
  }
  return samples
}
