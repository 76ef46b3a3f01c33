import { type Enums, type Types, utilities } from '@cornerstonejs/core'
import type { ImagePixel, InstanceExtras } from '#shared/contract/viewed-images.ts'
import { message } from '#shared/messages/message.ts'
import { isColour } from '#shared/pixels/colours.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { isNegative } from '#shared/pixels/negative.ts'
import { voiFunctionOf } from '#shared/pixels/opening-window.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { type ShownValues, shownValues } from '#shared/pixels/shown-values.ts'
import {
  BIG_ENDIAN,
  decodeRleFrame,
  NATIVE_SYNTAXES,
  nativeFrame,
  RLE_SYNTAX,
  type StoredPixels,
} from '#shared/pixels/stored.ts'
import { decodeEncapsulatedFrame } from './codecs.ts'
import type { FetchedFrame } from './fetches.ts'
import { keepLayers } from './layers.ts'
import type { StackImage } from './stack.ts'
import { steepenedWindow } from './steep-window.ts'

/** Samples of a frame; more would take the memory of a hundred images. */
const MAX_SAMPLES = 300_000_000

/**
 * An image of Cornerstone, its values after the modality transformation or RGB.
 * @throws ImageProblem
 */
export async function imageOf(
  of: StackImage,
  modality: string,
  frame: FetchedFrame,
  extras: InstanceExtras | undefined,
): Promise<Types.IImage> {
  const pixel = of.instance.image
  if (!pixel) throw new ImageProblem(of.instance.notImage ?? message('viewer.no-image'))
  if (pixel.rows * pixel.columns * pixel.samplesPerPixel > MAX_SAMPLES)
    throw new ImageProblem(
      message('viewer.image-too-large', { columns: pixel.columns, rows: pixel.rows }),
    )
  try {
    const image = await decoded(of, modality, pixel, frame, extras)
    if (extras) extrasOfImages.set(image, extras)
    return image
  } catch (error) {
    if (error instanceof ImageProblem) throw error
    throw new ImageProblem(message('viewer.image-not-decoded'))
  }
}

async function decoded(
  of: StackImage,
  modality: string,
  pixel: ImagePixel,
  frame: FetchedFrame,
  extras: InstanceExtras | undefined,
): Promise<Types.IImage> {
  const stored = await decodeStoredFrame(frame, pixel)
  const image = cornerstoneImage(of, pixel, shownValues(stored, pixel, of, modality, extras))
  keepLayers(image, pixel, of.frame, frame, stored, extras)
  return image
}

/** Decodes a frame. @throws ImageProblem */
export async function decodeStoredFrame(
  { bytes, transferSyntaxUid }: FetchedFrame,
  pixel: ImagePixel,
): Promise<StoredPixels> {
  if (NATIVE_SYNTAXES.has(transferSyntaxUid))
    return nativeFrame(bytes, pixel, transferSyntaxUid === BIG_ENDIAN)
  if (transferSyntaxUid === RLE_SYNTAX) return decodeRleFrame(bytes, pixel)
  return await decodeEncapsulatedFrame(bytes, pixel, transferSyntaxUid)
}

const extrasOfImages = new WeakMap<Types.IImage, InstanceExtras>()
/** Look-up tables of a decoded image, for as long as it is in memory. */
export const extrasOf = (image: Types.IImage | undefined): InstanceExtras | undefined =>
  image && extrasOfImages.get(image)

function cornerstoneImage(
  of: StackImage,
  pixel: ImagePixel,
  { values, least, greatest, window }: ShownValues,
): Types.IImage {
  const { rows, columns, photometricInterpretation } = pixel
  const { center, width } = steepenedWindow(window)
  const color = isColour(pixel)
  const numberOfComponents = color ? 3 : 1
  const spacing = shapeOf(of)
  return {
    imageId: of.imageId,
    dataType: values.constructor.name as Types.PixelDataTypedArrayString,
    rows,
    columns,
    height: rows,
    width: columns,
    color,
    rgba: false,
    numberOfComponents,
    // Values are rescaled already.
    slope: 1,
    intercept: 0,
    // Of a PET image Cornerstone looks for factors of SUV, and fails without a place for them.
    preScale: { enabled: true, scaled: true, scalingParameters: {} } as NonNullable<
      Types.IImage['preScale']
    >,
    isPreScaled: true,
    minPixelValue: least,
    maxPixelValue: greatest,
    windowCenter: center,
    windowWidth: width,
    voiLUTFunction: voiFunctionOf(of, values) as Enums.VOILUTFunctionType,
    invert: isNegative(pixel),
    photometricInterpretation,
    // Cornerstone's mark for images without one.
    columnPixelSpacing: spacing?.[1] ?? (null as unknown as number),
    rowPixelSpacing: spacing?.[0] ?? (null as unknown as number),
    ...(of.attributes.sliceThickness !== null && { sliceThickness: of.attributes.sliceThickness }),
    sizeInBytes: values.byteLength,
    FrameOfReferenceUID: of.instance.frameOfReferenceUid,
    voxelManager: utilities.VoxelManager.createImageVoxelManager({
      scalarData: values as Types.PixelDataTypedArray,
      width: columns,
      height: rows,
      numberOfComponents,
    }),
    getPixelData: () => values,
    getCanvas: () => canvasOf(values, rows, columns),
  }
}

/** Without WebGL, Cornerstone draws colour images by a canvas. */
function canvasOf(
  values: Types.PixelDataTypedArray,
  rows: number,
  columns: number,
): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d')
  const picture = context?.createImageData(columns, rows)
  if (!context || !picture) return canvas
  for (let from = 0, to = 0; from < values.length; from += 3, to += 4) {
    picture.data[to] = values[from] as number
    picture.data[to + 1] = values[from + 1] as number
    picture.data[to + 2] = values[from + 2] as number
    picture.data[to + 3] = 255
  }
  context.putImageData(picture, 0, 0)
  return canvas
}
