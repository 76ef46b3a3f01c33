import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { viewPaths } from '#shared/view-paths.ts'
import { fetchOnce, requestFirst } from '../../../renderer/src/viewer/first-requests.ts'

const VIEW = '2745a362-7c91-4b01-84e8-e4c6829d58a5'
const LIST = viewPaths.images(VIEW)
const LINES = [
  { line: 'study', study: { studyInstanceUid: '1.2' } },
  { line: 'instances', instances: [{ sopInstanceUid: '1.2.3.1' }, { sopInstanceUid: '1.2.3.2' }] },
]
const TEXT = LINES.map((line) => `${JSON.stringify(line)}\n`).join('')

/** A gateway that answers each path with a new response. */
function answering(answer: (path: string, signal: AbortSignal) => Response | Promise<Response>) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string, { signal }: { signal: AbortSignal }) => {
    asked.push(path)
    return answer(path, signal)
  })
  return asked
}
afterEach(() => vi.unstubAllGlobals())

describe('the first requests of a view', () => {
  it('are for its list and the first frame, each of which is taken over once', async () => {
    const asked = answering((path) => new Response(path === LIST ? TEXT : `bytes of ${path}`))
    await requestFirst(VIEW)
    const frame = viewPaths.frame(VIEW, '1.2.3.1', 1)
    expect(asked).toEqual([LIST, frame])
    const { signal } = new AbortController()
    expect(await (await fetchOnce(LIST, { signal })).text()).toBe(TEXT)
    expect(await (await fetchOnce(frame, { signal })).text()).toBe(`bytes of ${frame}`)
    expect(asked).toEqual([LIST, frame])
    await fetchOnce(LIST, { signal })
    await fetchOnce(frame, { signal })
    expect(asked).toEqual([LIST, frame, LIST, frame])
  })

  it('read the list in whatever parts it arrives', async () => {
    const asked = answering((path) =>
      path === LIST
        ? new Response(
            new ReadableStream({
              start(controller) {
                for (const part of TEXT.match(/.{1,7}/gs) ?? [])
                  controller.enqueue(new TextEncoder().encode(part))
                controller.close()
              },
            }),
          )
        : new Response(''),
    )
    await requestFirst(VIEW)
    expect(asked).toHaveLength(2)
    expect(await (await fetchOnce(LIST, {})).text()).toBe(TEXT)
    await fetchOnce(viewPaths.frame(VIEW, '1.2.3.1', 1), {})
  })

  it('are the list alone where it is refused or has no instance', async () => {
    for (const response of [
      () => new Response('{"message":"1.2.3"}', { status: 404 }),
      () => new Response(`${JSON.stringify(LINES[0])}\n`),
    ]) {
      const asked = answering(response)
      await requestFirst(VIEW)
      expect(asked).toEqual([LIST])
      expect((await fetchOnce(LIST, {})).status).toBe(response().status)
    }
  })

  it('end when whoever took them over aborts, and hand over their failure', async () => {
    const aborted = Promise.withResolvers<void>()
    answering((_path, signal) => {
      signal.addEventListener('abort', () => aborted.resolve())
      return new Response(TEXT)
    })
    await requestFirst(VIEW)
    const control = new AbortController()
    await fetchOnce(LIST, { signal: control.signal })
    control.abort()
    await aborted.promise
    answering(() => Promise.reject(new TypeError('failed')))
    await requestFirst(VIEW)
    await expect(fetchOnce(LIST, {})).rejects.toThrow('failed')
  })

  it('are aborted when nobody takes them over', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const aborted: string[] = []
    const asked = answering((path, signal) => {
      signal.addEventListener('abort', () => aborted.push(path))
      return new Response(TEXT)
    })
    await requestFirst(VIEW)
    await fetchOnce(LIST, {})
    vi.advanceTimersByTime(10_000)
    expect(aborted).toEqual([viewPaths.frame(VIEW, '1.2.3.1', 1)])
    const { signal } = new AbortController()
    await fetchOnce(viewPaths.frame(VIEW, '1.2.3.1', 1), { signal })
    expect(asked).toHaveLength(3)
  })
})
