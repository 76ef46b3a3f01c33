import { parentPort } from 'node:worker_threads'
import { thumbnailOf } from './thumbnail.ts'

// A thread of its own: decoding an image takes up to seconds, in which devices must not wait.

/** What came of one file: a PNG file, null where there is no picture, or the disk's fault. */
export type ThumbnailAnswer = { readonly picture: Uint8Array | null } | { readonly fault: string }

parentPort?.on('message', async (path: string) => {
  let answer: ThumbnailAnswer
  try {
    answer = { picture: await thumbnailOf(path) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    answer = code === undefined ? { picture: null } : { fault: code }
  }
  parentPort?.postMessage(answer)
})
