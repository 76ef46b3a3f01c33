import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { HeaderPixels } from './header-pixels.ts'
import { bitsOfFrame, framesWithin } from './native-frames.ts'
import { TAG } from './viewed-tags.ts'

/** The pixel attributes of an image, or the reason it cannot be displayed. */
export type PixelsOrReason =
  | { readonly image: HeaderPixels; readonly reason: null }
  | { readonly image: null; readonly reason: Message }

const FLOAT_FORMATS: Readonly<Record<number, HeaderPixels['float']>> = {
  2145386504: 'float',
  2145386505: 'double',
}
const ALLOWED_BITS: Readonly<Record<HeaderPixels['float'], readonly number[]>> = {
  '': [1, 8, 16, 32, 64],
  float: [32],
  double: [64],
}

const undisplayable = (reason: Message): PixelsOrReason => ({ image: null, reason })

/**
 * Reads the Image Pixel module (PS3.3 C.7.6.3), tolerating missing attributes with an evident
 * value.
 */
export function imagePixels(
  values: AttributeValues,
  pixels: ElementSearchResult['pixels'],
  isEncapsulated: boolean,
): PixelsOrReason {
  const rows = toCount(values.number(TAG.Rows))
  const columns = toCount(values.number(TAG.Columns))
  if (!pixels)
    return undisplayable(
      message(
        rows > 0 && columns > 0 ? 'viewed-file.is-without-pixels' : 'viewed-file.is-without-image',
      ),
    )
  if (rows === 0 || columns === 0) return undisplayable(message('viewed-file.is-without-size'))
  const float = FLOAT_FORMATS[pixels.tag] ?? ''
  const bitsAllocated =
    toCount(values.number(TAG.BitsAllocated)) ||
    (float === 'double' ? 64 : float === 'float' ? 32 : 0)
  if (!ALLOWED_BITS[float].includes(bitsAllocated))
    return undisplayable(message('viewed-file.is-of-bits', { bits: bitsAllocated }))
  const bitsStored = Math.min(
    toCount(values.number(TAG.BitsStored)) || bitsAllocated,
    bitsAllocated,
  )
  const highBit = values.number(TAG.HighBit)
  const photometric = values.text(TAG.PhotometricInterpretation).toUpperCase()
  const samplesPerPixel =
    toCount(values.number(TAG.SamplesPerPixel)) ||
    (/^(?:RGB|YBR|HSV|ARGB|CMYK)/.test(photometric) ? 3 : 1)
  if (samplesPerPixel > 4)
    return undisplayable(message('viewed-file.is-of-samples', { samples: samplesPerPixel }))
  const smallest = values.number(TAG.SmallestImagePixelValue)
  const padding = values.number(TAG.PixelPaddingValue)
  const image: HeaderPixels = {
    rows,
    columns,
    bitsAllocated,
    bitsStored,
    highBit:
      highBit !== null && highBit >= bitsStored - 1 && highBit < bitsAllocated
        ? highBit
        : bitsStored - 1,
    pixelRepresentation: values.number(TAG.PixelRepresentation) === 1 ? 1 : 0,
    samplesPerPixel,
    photometricInterpretation: photometric || (samplesPerPixel >= 3 ? 'RGB' : 'MONOCHROME2'),
    ...shapeOf(values),
    planarConfiguration: values.number(TAG.PlanarConfiguration) === 1 ? 1 : 0,
    ...aspectOf(values),
    float,
    padding: padding === null ? null : [padding, values.number(TAG.PixelPaddingRangeLimit)],
    smallest,
    largest: values.number(TAG.LargestImagePixelValue),
  }
  return {
    image: isEncapsulated
      ? image
      : {
          ...image,
          photometricInterpretation: storedPhotometricInterpretation(
            image,
            pixels.length,
            frameCount(values),
          ),
        },
    reason: null,
  }
}

/** Other values are of retired presentation LUTs. */
function shapeOf(values: AttributeValues): Pick<HeaderPixels, 'presentationLutShape'> {
  const shape = values.text(TAG.PresentationLUTShape).toUpperCase()
  return shape === 'IDENTITY' || shape === 'INVERSE' ? { presentationLutShape: shape } : {}
}

/** PS3.3 C.7.6.3.1.7: vertical and horizontal size. */
function aspectOf(values: AttributeValues): Pick<HeaderPixels, 'aspect'> {
  const [height = 0, width = 0] = values.vector(TAG.PixelAspectRatio, 2) ?? []
  const aspect = height / width
  return aspect > 0.01 && aspect < 100 && aspect !== 1 ? { aspect } : {}
}

/** Some writers declare YBR_FULL_422 for pixels that are not subsampled; the length reveals it. */
function storedPhotometricInterpretation(
  image: HeaderPixels,
  length: number,
  frames: number,
): string {
  const unsubsampled = { ...image, photometricInterpretation: 'YBR_FULL' }
  const isFull =
    /_422$/.test(image.photometricInterpretation) &&
    framesWithin(length, bitsOfFrame(unsubsampled)) >= frames
  return isFull ? unsubsampled.photometricInterpretation : image.photometricInterpretation
}

/** More frames than an hour of fluoroscopy has. */
export const MAX_FRAMES = 100_000

/** Number of Frames; 1 if it is missing. */
export function frameCount(values: AttributeValues): number {
  return Math.max(1, toCount(values.number(TAG.NumberOfFrames)))
}

const toCount = (value: number | null): number =>
  value !== null && value > 0 && Number.isSafeInteger(value) ? value : 0
