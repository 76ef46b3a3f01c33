import { cache, imageLoader, type Types } from '@cornerstonejs/core'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'

/**
 * Gives Cornerstone the images that it asks for itself, as the slices of a volume.
 * @returns the way to stop
 */
export function provideImages(
  load: (imageId: string, signal: AbortSignal) => Promise<Types.IImage>,
): () => void {
  imageLoader.registerImageLoader('isthmus', (imageId, options) => {
    const control = new AbortController()
    const promise = load(imageId, control.signal).then((image) =>
      withVolumeKey(
        withValueType(
          image,
          (options?.targetBuffer as { readonly type?: string } | undefined)?.type,
        ),
        options,
      ),
    )
    return {
      promise: promise as Promise<Types.IImage & Record<string, unknown>>,
      cancelFn: () => control.abort(),
    }
  })
  return () => imageLoader.unregisterAllImageLoaders()
}

/**
 * Cornerstone keeps the slices that are there when a volume is made, and would drop those that come
 * later for other images.
 */
function withVolumeKey(
  image: Types.IImage,
  options: { readonly additionalDetails?: unknown } | undefined,
): Types.IImage {
  const { volumeId } = (options?.additionalDetails ?? {}) as { readonly volumeId?: string }
  return volumeId !== undefined && cache.getVolumeLoadObject(volumeId)
    ? Object.assign(image, { sharedCacheKey: volumeId })
    : image
}

/** A volume has one type of number for all of its slices. */
function withValueType(image: Types.IImage, type: string | undefined): Types.IImage {
  const values = image.getPixelData()
  if (type === undefined || values.constructor.name === type || image.color) return image
  const { minPixelValue: least, maxPixelValue: greatest } = image
  const converted =
    type === 'Float32Array'
      ? Float32Array.from(values)
      : type === 'Int16Array' && least >= -32768 && greatest <= 32767
        ? Int16Array.from(values)
        : type === 'Uint16Array' && least >= 0
          ? Uint16Array.from(values)
          : undefined
  if (!converted) throw new ImageProblem(message('viewer.values-do-not-fit'))
  const voxels = image.voxelManager as
    | { setScalarData?: (data: ArrayLike<number>) => void }
    | undefined
  voxels?.setScalarData?.(converted)
  return Object.assign(image, {
    dataType: type,
    sizeInBytes: converted.byteLength,
    getPixelData: () => converted,
  })
}
