import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import type { Stored } from '#shared/pixels/stored.ts'

export type SegmentValues = ArrayLike<number>

/** Decoded frames of segmentations that are kept: 64 MB of 512 × 512 pixels. */
const MOST_FRAMES = 256

/** The frames of segmentations, decoded when they are first drawn. */
export interface SegmentFrames {
  /** Undefined while it is loading; its problem where it cannot be had. */
  values(
    sopInstanceUid: string,
    frame: number,
    pixel: ImagePixel,
  ): SegmentValues | Error | undefined
  /** Called when a frame has been decoded, or cannot be. @returns the way to stop */
  onChange(listener: () => void): () => void
}

export function openSegmentFrames(
  read: (sopInstanceUid: string, frame: number, pixel: ImagePixel) => Promise<Stored>,
): SegmentFrames {
  const frames = new Map<string, SegmentValues | Error | undefined>()
  const listeners = new Set<() => void>()
  return {
    values(sopInstanceUid, frame, pixel) {
      const key = `${sopInstanceUid} ${frame}`
      if (frames.has(key)) {
        const known = frames.get(key)
        // The least recently used frame goes first.
        frames.delete(key)
        frames.set(key, known)
        return known
      }
      frames.set(key, undefined)
      for (const oldest of frames.keys()) {
        if (frames.size <= MOST_FRAMES) break
        frames.delete(oldest)
      }
      read(sopInstanceUid, frame, pixel)
        .then(
          ({ samples }) => frames.set(key, samples),
          (error: unknown) =>
            frames.set(key, error instanceof Error ? error : new Error(String(error))),
        )
        .finally(() => {
          for (const listener of listeners) listener()
        })
      return undefined
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
