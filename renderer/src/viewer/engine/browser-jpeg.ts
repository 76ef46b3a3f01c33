import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { withColourTransform } from '#shared/pixels/jpeg-markers.ts'
import { rgbOfCanvas } from './rgb.ts'

/** RGB of a baseline JPEG of three components, by the browser. @throws ImageProblem */
export async function decodeJpegInBrowser(
  bytes: Uint8Array<ArrayBuffer>,
  pixel: ImagePixel,
): Promise<Uint8Array> {
  const { rows, columns } = pixel
  let bitmap: ImageBitmap
  try {
    // The image's header says what its components are; EXIF and colour profiles are for
    // photographs.
    const blob = new Blob([withColourTransform(bytes, pixel.photometricInterpretation)], {
      type: 'image/jpeg',
    })
    bitmap = await createImageBitmap(blob, {
      imageOrientation: 'none',
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
    })
  } catch {
    throw new ImageProblem(message('viewer.data-damaged', { codec: 'JPEG' }))
  }
  try {
    if (bitmap.width !== columns || bitmap.height !== rows)
      throw new ImageProblem(message('viewer.jpeg-other-size'))
    const context = new OffscreenCanvas(columns, rows).getContext('2d', {
      willReadFrequently: true,
    })
    if (!context) throw new ImageProblem(message('viewer.browser-out-of-memory'), true)
    context.drawImage(bitmap, 0, 0)
    return rgbOfCanvas(context, columns, rows)
  } finally {
    bitmap.close()
  }
}
