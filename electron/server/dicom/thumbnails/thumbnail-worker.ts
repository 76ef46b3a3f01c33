import { parentPort } from 'node:worker_threads'
import type { Rendering } from './rendering.ts'
import { renderedFrame } from './thumbnail.ts'

export interface ThumbnailRequest {
  readonly path: string
  readonly rendering: Rendering
}

// A thread of its own: decoding an image takes up to seconds, in which devices must not wait.

/** What came of one file: a PNG or JPEG file, null where there is no picture, or the disk's fault. */
export type ThumbnailAnswer = { readonly picture: Uint8Array | null } | { readonly fault: string }

parentPort?.on('message', async ({ path, rendering }: ThumbnailRequest) => {
  let answer: ThumbnailAnswer
  try {
    answer = { picture: await renderedFrame(path, rendering) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    answer = code === undefined ? { picture: null } : { fault: code }
  }
  parentPort?.postMessage(answer)
})
