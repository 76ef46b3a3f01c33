import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import type { StoredPixels } from '#shared/pixels/stored.ts'

export type SegmentValues = ArrayLike<number>

/** Decoded frames of segmentations that are kept: 64 MB of 512 × 512 pixels. */
const MAX_FRAMES = 256

/** The frames of segmentations that are decoded; another object when there are more. */
export interface SegmentFrames {
  /**
   * Undefined while it is loading, which begins with this call; its problem where it cannot be had.
   */
  values(
    sopInstanceUid: string,
    frame: number,
    pixel: ImagePixel,
  ): SegmentValues | Error | undefined
}

/** For `useSyncExternalStore`. */
export interface SegmentFrameStore {
  state(): SegmentFrames
  subscribe(listener: () => void): () => void
}

/** Reads a frame, from 1. @throws ImageProblem */
export type SegmentFrameRead = (
  sopInstanceUid: string,
  frame: number,
  pixel: ImagePixel,
) => Promise<StoredPixels>

export function openSegmentFrames(read: SegmentFrameRead): SegmentFrameStore {
  const frames = new Map<string, SegmentValues | Error | undefined>()
  const listeners = new Set<() => void>()
  const values: SegmentFrames['values'] = (sopInstanceUid, frame, pixel) => {
    const key = `${sopInstanceUid} ${frame}`
    const known = frames.get(key)
    const isKnown = frames.delete(key)
    // Moved to the end: the least recently used frame is forgotten first.
    frames.set(key, known)
    if (isKnown) return known
    for (const oldest of frames.keys()) {
      if (frames.size <= MAX_FRAMES) break
      frames.delete(oldest)
    }
    const keep = (result: SegmentValues | Error) => {
      if (frames.has(key)) frames.set(key, result)
      state = { values }
      for (const listener of listeners) listener()
    }
    read(sopInstanceUid, frame, pixel).then(
      ({ samples }) => keep(samples),
      (error: unknown) => keep(error instanceof Error ? error : new Error(String(error))),
    )
    return undefined
  }
  let state: SegmentFrames = { values }
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
