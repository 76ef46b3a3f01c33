import { describe, expect, it } from 'vitest'
import { verbatim } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { openPrefetch, prefetchOrder } from '../../../renderer/src/viewer/engine/prefetch.ts'

const soon = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('loading ahead of the scroll', () => {
  it('wants what is ahead, with one behind for three ahead, and all in the end', () => {
    expect(prefetchOrder(100, 50, 1, 8)).toEqual([51, 52, 53, 49, 54, 55, 56, 48])
    expect(prefetchOrder(100, 50, -1, 4)).toEqual([49, 48, 47, 51])
    expect(prefetchOrder(6, 0, 1, 100)).toEqual([1, 2, 3, 4, 5])
    expect(prefetchOrder(6, 5, 1, 100)).toEqual([4, 3, 2, 1, 0])
    expect(prefetchOrder(1, 0, 1, 100)).toEqual([])
  })

  it('loads a few at once, goes on as they come, and leaves what the scroll has left', async () => {
    const asked: { imageId: string; done: () => void; signal: AbortSignal | undefined }[] = []
    const load = (imageId: string, _wish: string, signal?: AbortSignal) =>
      new Promise<never>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new ImageProblem(verbatim('Left.'), true)))
        asked.push({ imageId, signal, done: () => resolve(undefined as never) })
      })
    const prefetch = openPrefetch(
      { load, cached: () => undefined, problem: (id) => (id === '2' ? verbatim('Broken.') : null) },
      () => 200,
    )
    const ids = Array.from({ length: 200 }, (_, n) => String(n))
    prefetch.follow(ids, 0, 1)
    expect(asked.map(({ imageId }) => imageId)).toEqual(['1', '3', '4', '5'])
    asked[0]?.done()
    await soon()
    expect(asked.at(-1)?.imageId).toBe('6')
    prefetch.follow(ids, 150, 1)
    expect(asked.slice(1, 5).every(({ signal }) => signal?.aborted)).toBe(true)
    expect(asked.slice(5).map(({ imageId }) => imageId)).toEqual(['151', '152', '153', '149'])
    prefetch.stop()
    await soon()
    expect(asked).toHaveLength(9)
  })
})
