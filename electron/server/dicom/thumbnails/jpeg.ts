import type { SmallPicture } from '#shared/pixels/small-picture.ts'
import { encodedJpeg } from './image-codecs.ts'
import { isGrey } from './png.ts'

/**
 * A JPEG file (ISO/IEC 10918-1, baseline) of the picture: of grey levels, or of colours where it has
 * any.
 * @param quality from 1 to 100
 */
export async function jpegOf(
  { width, height, rgba }: SmallPicture,
  quality: number,
): Promise<Uint8Array> {
  const componentCount = isGrey(rgba) ? 1 : 3
  const samples = new Uint8Array(width * height * componentCount)
  for (let pixel = 0; pixel < width * height; pixel += 1)
    for (let component = 0; component < componentCount; component += 1)
      samples[pixel * componentCount + component] = rgba[pixel * 4 + component] as number
  return encodedJpeg(samples, { width, height, componentCount }, quality)
}
