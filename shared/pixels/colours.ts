import type { ImagePixel, InstanceExtras } from '../contract/viewed-images.ts'
import { message } from '../messages/message.ts'
import { ImageProblem } from './image-problem.ts'
import { numbersOf } from './look-up.ts'
import type { Samples, StoredPixels } from './stored.ts'

export const isColour = ({ photometricInterpretation, samplesPerPixel }: ImagePixel): boolean =>
  photometricInterpretation === 'PALETTE COLOR' || samplesPerPixel > 1

/**
 * Converts to interleaved 8-bit RGB. @throws ImageProblem for an unknown photometric interpretation
 */
export function rgbOf(
  stored: StoredPixels,
  pixel: ImagePixel,
  extras: InstanceExtras | undefined,
): Uint8Array {
  const pixels = pixel.rows * pixel.columns
  if (pixel.photometricInterpretation === 'PALETTE COLOR')
    return paletteRgb(stored.samples, pixels, extras?.palette ?? null)
  const fullSamples = stored.isSubsampled
    ? upsampled422(stored.samples, pixels)
    : interleave(stored, pixels)
  const rgb = toEightBits(fullSamples, pixel)
  switch (pixel.photometricInterpretation) {
    case 'RGB':
    // Their decoders return RGB.
    case 'YBR_RCT':
    case 'YBR_ICT':
      return rgb
    case 'YBR_FULL':
    case 'YBR_FULL_422':
      return convertYbrToRgb(rgb, 1, 0)
    case 'YBR_PARTIAL_422':
    case 'YBR_PARTIAL_420':
      return convertYbrToRgb(rgb, 255 / 219, 16)
    default:
      throw new ImageProblem(
        message('viewer.unknown-colours', {
          photometricInterpretation: pixel.photometricInterpretation.slice(0, 16),
        }),
      )
  }
}

function interleave({ samples, isPlanar }: StoredPixels, pixels: number): Samples {
  if (!isPlanar) return samples
  const out = samples.slice()
  for (let plane = 0; plane < 3; plane += 1)
    for (let n = 0; n < pixels; n += 1) out[n * 3 + plane] = samples[plane * pixels + n] as number
  return out
}

/** Two pixels are stored as Y Y Cb Cr. */
function upsampled422(samples: Samples, pixels: number): Uint8Array {
  const out = new Uint8Array(pixels * 3)
  for (let n = 0; n < pixels; n += 1) {
    const pair = (n >> 1) * 4
    out[n * 3] = samples[pair + (n & 1)] as number
    out[n * 3 + 1] = samples[pair + 2] as number
    out[n * 3 + 2] = samples[pair + 3] as number
  }
  return out
}

function toEightBits(samples: Samples, { bitsStored }: ImagePixel): Uint8Array {
  if (samples instanceof Uint8Array) return samples
  const out = new Uint8Array(samples.length)
  const divisor = 2 ** Math.max(0, bitsStored - 8)
  for (let n = 0; n < samples.length; n += 1) out[n] = (samples[n] as number) / divisor
  return out
}

/** PS3.3 C.7.6.3.1.2, in place. */
function convertYbrToRgb(rgb: Uint8Array, scale: number, black: number): Uint8Array {
  const out = new Uint8ClampedArray(rgb.buffer, rgb.byteOffset, rgb.length)
  const chroma = scale === 1 ? 1 : 255 / 224
  for (let at = 0; at < out.length; at += 3) {
    const y = ((out[at] as number) - black) * scale
    const cb = ((out[at + 1] as number) - 128) * chroma
    const cr = ((out[at + 2] as number) - 128) * chroma
    out[at] = y + 1.402 * cr
    out[at + 1] = y - 0.344136 * cb - 0.714136 * cr
    out[at + 2] = y + 1.772 * cb
  }
  return rgb
}

type Palette = NonNullable<InstanceExtras['palette']>

function paletteRgb(
  samples: Samples,
  pixels: number,
  palette: InstanceExtras['palette'],
): Uint8Array {
  if (!palette) throw new ImageProblem(message('viewer.no-palette'))
  const out = new Uint8Array(pixels * 3)
  for (const [channel, levelOf] of levelsOf(palette).entries())
    for (let n = 0; n < pixels; n += 1) out[n * 3 + channel] = levelOf(samples[n] as number)
  return out
}

/** Red, green and blue (0 to 255) of a stored value. */
const levelsOf = (palette: Palette) =>
  [palette.red, palette.green, palette.blue].map((table) => {
    const numbers = numbersOf(table)
    // Some devices write 8-bit entries and declare 16 bits.
    const shift = table.bits > 8 && numbers.some((number) => number > 255) ? 8 : 0
    const last = numbers.length - 1
    return (stored: number): number => {
      const index = stored - table.firstValue
      return (numbers[index < 0 ? 0 : index > last ? last : index] ?? 0) >> shift
    }
  })

/**
 * RGBA of the pixels of a grayscale image that its supplemental palette colours (PS3.3 C.7.6.19);
 * the others are transparent.
 */
export function supplementalColours(
  samples: Samples,
  supplement: NonNullable<InstanceExtras['supplement']>,
): Uint8ClampedArray<ArrayBuffer> {
  const out = new Uint8ClampedArray(samples.length * 4)
  const levels = levelsOf(supplement)
  for (let n = 0; n < samples.length; n += 1) {
    const stored = samples[n] as number
    if (stored < supplement.threshold) continue
    for (const [channel, levelOf] of levels.entries()) out[n * 4 + channel] = levelOf(stored)
    out[n * 4 + 3] = 255
  }
  return out
}
