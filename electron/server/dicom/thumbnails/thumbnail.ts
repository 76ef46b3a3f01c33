import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import { inflatedBytes } from '#server/dicom/data-set/inflated-file.ts'
import { extrasInBase64 } from '#server/dicom/pixel-data/header-extras.ts'
import {
  isDeflated,
  readFrame,
  ViewedFile,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import { isColour } from '#shared/pixels/colours.ts'
import { curvesOf } from '#shared/pixels/curves.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { isNegative } from '#shared/pixels/negative.ts'
import { voiFunctionOf } from '#shared/pixels/opening-window.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { shownValues } from '#shared/pixels/shown-values.ts'
import { type SmallPicture, smallPicture } from '#shared/pixels/small-picture.ts'
import { decodedFrame } from './image-codecs.ts'
import { jpegOf } from './jpeg.ts'
import { pngOf } from './png.ts'
import { type Rendering, THUMBNAIL_RENDERING } from './rendering.ts'

/** The largest mammograms have 30 million; decoding takes some twelve bytes for each. */
const MAX_SAMPLES = 40_000_000
const MAX_INFLATED_BYTES = 128 << 20

/**
 * A frame of a DICOM file as a PNG or JPEG file; null where it is no image, has no such frame, or
 * cannot be decoded. Holds up its thread until it is done.
 * @throws the disk's errors
 */
export async function renderedFrame(
  path: string,
  rendering: Rendering,
): Promise<Uint8Array | null> {
  const picture = await pictureOf(path, rendering)
  if (!picture) return null
  return rendering.format === 'png' ? pngOf(picture) : jpegOf(picture, rendering.quality)
}

/** As `renderedFrame`, not yet encoded. */
export async function pictureOf(
  path: string,
  rendering: Rendering = THUMBNAIL_RENDERING,
): Promise<SmallPicture | null> {
  const file = openSync(path, 'r')
  try {
    const source = sourceOf(file)
    return await renderPicture(
      isDeflated(source) ? sourceOfBytes(await inflatedBytes(path, MAX_INFLATED_BYTES)) : source,
      rendering,
    )
  } catch (error) {
    if (error instanceof ViewedFileFault || error instanceof ImageProblem) return null
    throw error
  } finally {
    closeSync(file)
  }
}

async function renderPicture(
  source: ByteSource,
  { frame: wanted, width, height, window: given }: Rendering,
): Promise<SmallPicture | null> {
  const viewed = new ViewedFile(source)
  const header = viewed.header()
  const pixel = header?.instance.image
  if (!header || !pixel) return null
  const { rows, columns, samplesPerPixel } = pixel
  if (rows * columns * samplesPerPixel > MAX_SAMPLES) return null
  const { instance, series } = header
  // Counted from 1, as frames are.
  const number = wanted === 'middle' ? (instance.frames >> 1) + 1 : wanted
  const frame = viewed.frame(number)
  if (!frame) return null
  const bytes = new Uint8Array(readFrame(source, frame))
  const extras = instance.hasExtras ? extrasInBase64(viewed.extras()) : undefined
  const of = { instance, attributes: instance.perFrame?.[number - 1] ?? instance.attributes }
  const stored = await decodedFrame(bytes, pixel, instance.transferSyntaxUid)
  const { values, window } = shownValues(stored, pixel, of, series.modality, extras)
  return smallPicture(
    {
      ...{ rows, columns, values, window: given ?? window },
      shape: shapeOf(of),
      isColour: isColour(pixel),
      voiLutFunction: given?.voiLutFunction ?? voiFunctionOf(of, values),
      curve: given ? undefined : curvesOf(extras)[0],
      isInverted: isNegative(pixel),
    },
    { width, height },
  )
}

function sourceOf(file: number): ByteSource {
  return {
    length: fstatSync(file).size,
    isWhole: true,
    read(at, length) {
      const bytes = Buffer.allocUnsafe(length)
      const count = readSync(file, bytes, 0, length, at)
      return bytes.subarray(0, count)
    },
  }
}

const sourceOfBytes = (bytes: Buffer): ByteSource => ({
  length: bytes.length,
  isWhole: true,
  read: (at, length) => Buffer.from(bytes.subarray(at, at + length)),
})
