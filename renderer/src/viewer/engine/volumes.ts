import {
  cache,
  Enums,
  eventTarget,
  getShouldUseCPURendering,
  type StreamingImageVolume,
  triggerEvent,
  volumeLoader,
} from '@cornerstonejs/core'
import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { Frames } from './frames.ts'
import type { SeriesState } from './stack.ts'
import { volumeIdOf } from './volume-id.ts'
import { releaseTexture } from './volume-texture.ts'

/** Volumes for planes, made of the same images that the stacks show. */
export interface Volumes {
  /** Why there can be none of it; null where there can. */
  whyNot(series: SeriesState): Message | null
  /** @throws ImageProblem where its first images cannot be had */
  open(series: SeriesState): Promise<StreamingImageVolume>
  /** Closes those that nobody shows any more. */
  closeBut(used: ReadonlySet<string>): void
  progress(seriesKey: string): { readonly read: number; readonly of: number } | null
}

/** A volume may take this share of the images' memory. */
const SHARE = 0.75

/** Why a volume of so many bytes a value takes too much memory; null where it does not. */
function tooLarge({ stack }: SeriesState, bytesPerValue: number): Message | null {
  const { rows = 0, columns = 0 } = stack[0]?.instance.image ?? {}
  const bytes = rows * columns * stack.length * bytesPerValue
  return bytes > cache.getMaxCacheSize() * SHARE
    ? message('viewer.volume-too-large', { megabytes: Math.round(bytes / 2 ** 20) })
    : null
}

/**
 * Whether whole values need more than 16 bits is known only once slices are decoded: headers often
 * declare 16 bits where 12 are used.
 */
function whyNoVolume(series: SeriesState): Message | null {
  if (!series.isVolume) return series.whyNoVolume
  if (getShouldUseCPURendering()) return message('viewer.no-webgl-for-planes')
  const { slope, intercept } = series.stack[0]?.attributes ?? {}
  const isWhole = Number.isInteger(slope ?? 1) && Number.isInteger(intercept ?? 0)
  return tooLarge(series, isWhole ? 2 : 4)
}

/** Begins to load a volume. @throws ImageProblem it takes too much memory */
async function startVolume(frames: Frames, series: SeriesState): Promise<StreamingImageVolume> {
  const imageIds = series.stack.map(({ imageId }) => imageId)
  // Cornerstone takes the type of the numbers from the first, the middle and the last slice, where
  // they are there.
  const ends = [0, Math.floor(imageIds.length / 2), imageIds.length - 1].map(
    (index) => imageIds[index] as string,
  )
  await Promise.all(ends.map((imageId) => frames.load(imageId, 'near')))
  const bytesPerValue = Math.max(
    ...ends.map((id) => frames.cached(id)?.getPixelData().BYTES_PER_ELEMENT ?? 0),
  )
  const why = tooLarge(series, bytesPerValue)
  if (why) throw new ImageProblem(why)
  const volume = (await volumeLoader.createAndCacheVolume(volumeIdOf(series), {
    imageIds,
  })) as StreamingImageVolume
  volume.load(() => undefined)
  return volume
}

function releaseVolume(volume: StreamingImageVolume): void {
  volume.cancelLoading()
  if (cache.getVolumeLoadObject(volume.volumeId)) cache.removeVolumeLoadObject(volume.volumeId)
  releaseTexture(volume)
  // It listens for each slice until that is put in memory, and would stay itself for those that
  // were there or never came.
  for (const imageId of volume.imageIds)
    triggerEvent(eventTarget, Enums.Events.IMAGE_CACHE_IMAGE_ADDED, { image: { imageId } })
}

export function openVolumes(frames: Frames): Volumes {
  const opened = new Map<
    string,
    { readonly promise: Promise<StreamingImageVolume>; readonly series: SeriesState }
  >()
  const close = (seriesKey: string) => {
    const entry = opened.get(seriesKey)
    opened.delete(seriesKey)
    void entry?.promise.then(releaseVolume).catch(() => undefined)
  }
  return {
    whyNot: whyNoVolume,
    open(series) {
      const known = opened.get(series.key)
      if (known?.series.stack.length === series.stack.length) return known.promise
      if (known) close(series.key)
      const promise = startVolume(frames, series)
      const entry = { promise, series }
      opened.set(series.key, entry)
      promise.catch(() => {
        if (opened.get(series.key) === entry) opened.delete(series.key)
      })
      return promise
    },
    closeBut(used) {
      for (const seriesKey of [...opened.keys()]) if (!used.has(seriesKey)) close(seriesKey)
    },
    progress(seriesKey) {
      const entry = opened.get(seriesKey)
      if (!entry) return null
      const { stack } = entry.series
      return {
        read: stack.filter(({ imageId }) => frames.loaded.has(imageId)).length,
        of: stack.length,
      }
    },
  }
}
