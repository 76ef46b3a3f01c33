import type { Segmentation } from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { SegmentFrameRead, SegmentValues } from './segment-values.ts'

/** Segmentations whose frames are all kept, as planes of a volume need them. */
const MAX_VOLUMES = 2
const MAX_VALUES = 400_000_000
/** Images of the panes come first. */
const MAX_CONCURRENT = 3

/** All frames of segmentations; another object when there are more. */
export interface SegmentVolumes {
  /**
   * Undefined while they are loading, which begins with this call; the problem where they cannot be
   * had.
   */
  values(
    sopInstanceUid: string,
    segmentation: Segmentation,
  ): readonly SegmentValues[] | Error | undefined
}

/** For `useSyncExternalStore`. */
export interface SegmentVolumeStore {
  state(): SegmentVolumes
  subscribe(listener: () => void): () => void
}

export function openSegmentVolumes(read: SegmentFrameRead): SegmentVolumeStore {
  const volumes = new Map<string, readonly SegmentValues[] | Error | undefined>()
  const listeners = new Set<() => void>()
  const values: SegmentVolumes['values'] = (sopInstanceUid, segmentation) => {
    if (volumes.has(sopInstanceUid)) return volumes.get(sopInstanceUid)
    volumes.set(sopInstanceUid, undefined)
    for (const oldest of volumes.keys()) {
      if (volumes.size <= MAX_VOLUMES) break
      volumes.delete(oldest)
    }
    void readAllFrames(read, sopInstanceUid, segmentation)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((result) => {
        if (volumes.has(sopInstanceUid)) volumes.set(sopInstanceUid, result)
        state = { values }
        for (const listener of listeners) listener()
      })
    return undefined
  }
  let state: SegmentVolumes = { values }
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** @throws ImageProblem where one cannot be had, or they are too large */
async function readAllFrames(
  read: SegmentFrameRead,
  sopInstanceUid: string,
  { pixel, frames }: Segmentation,
): Promise<readonly SegmentValues[]> {
  if (pixel.rows * pixel.columns * frames.length > MAX_VALUES)
    throw new ImageProblem(message('viewer.segmentation-too-large'))
  const values: SegmentValues[] = []
  const waiting = frames.keys()
  const work = async () => {
    for (const index of waiting)
      values[index] = (await read(sopInstanceUid, index + 1, pixel)).samples
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return values
}
