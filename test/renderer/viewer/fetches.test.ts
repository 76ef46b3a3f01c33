import { describe, expect, it } from 'vitest'
import { verbatim } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { Fetches } from '../../../renderer/src/viewer/engine/fetches.ts'

const frame = (text = 'x') =>
  new Response(text, {
    headers: { 'content-type': 'application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1' },
  })
const headersOf = (length: number) => ({
  'content-type': 'application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1',
  'content-length': String(length),
})
const soon = () => new Promise((resolve) => setTimeout(resolve, 0))

/** A gateway whose answers are given by hand. */
function gateway() {
  const asked: {
    path: string
    signal: AbortSignal
    answer: (response: Response) => void
    fail: () => void
  }[] = []
  const fetch = ((path: string, { signal }: { signal: AbortSignal }) =>
    new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      asked.push({ path, signal, answer: resolve, fail: () => reject(new TypeError('failed')) })
    })) as unknown as typeof globalThis.fetch
  return { asked, fetch, paths: () => asked.map(({ path }) => path) }
}
const never = () => new AbortController().signal

describe('fetching frames', () => {
  it('asks for a few at once, the most urgent first', async () => {
    const { asked, fetch, paths } = gateway()
    const fetches = new Fetches({ fetch }, 2)
    for (const path of ['a', 'b', 'c'])
      fetches.get(path, 'prefetch', never()).catch(() => undefined)
    fetches.get('t', 'thumbnail', never()).catch(() => undefined)
    fetches.get('n', 'near', never()).catch(() => undefined)
    expect(paths()).toEqual(['a', 'b'])
    asked[0]?.answer(frame())
    await soon()
    await soon()
    expect(paths()).toEqual(['a', 'b', 'n'])
    expect(fetches.paths).toEqual(['n', 'b', 'c', 't'])
  })

  it('keeps what was fetched ahead for the first who asks for it', async () => {
    const { asked, fetch, paths } = gateway()
    const fetches = new Fetches({ fetch })
    fetches.fetchAhead('a')
    fetches.fetchAhead('a')
    asked[0]?.answer(frame('early'))
    await soon()
    await soon()
    const { bytes } = await fetches.get('a', 'shown', never())
    expect(new TextDecoder().decode(bytes)).toBe('early')
    expect(paths()).toEqual(['a'])
    fetches.get('a', 'shown', never()).catch(() => undefined)
    expect(paths()).toEqual(['a', 'a'])
  })

  it('asks again for what could not be fetched ahead', async () => {
    const { asked, fetch } = gateway()
    const fetches = new Fetches({ fetch })
    fetches.fetchAhead('a')
    asked[0]?.answer(new Response('', { status: 404 }))
    await soon()
    await soon()
    const again = fetches.get('a', 'shown', never())
    await soon()
    asked[1]?.answer(frame('there'))
    expect(new TextDecoder().decode((await again).bytes)).toBe('there')
  })

  it('puts a waiting path before others once it is wanted more urgently', async () => {
    const { asked, fetch, paths } = gateway()
    const fetches = new Fetches({ fetch }, 1)
    for (const path of ['a', 'b', 'c'])
      fetches.get(path, 'prefetch', never()).catch(() => undefined)
    fetches.raise('c', 'near')
    asked[0]?.answer(frame())
    await soon()
    await soon()
    expect(paths()).toEqual(['a', 'c'])
    fetches.raise('unknown', 'shown')
    expect(paths()).toEqual(['a', 'c'])
  })

  it('lets what is shown take the place of a prefetch, which is asked for again', async () => {
    const { asked, fetch, paths } = gateway()
    const fetches = new Fetches({ fetch }, 2)
    fetches.get('a', 'prefetch', never()).catch(() => undefined)
    const left = fetches.get('b', 'prefetch', never())
    const shown = fetches.get('s', 'shown', never())
    expect(paths()).toEqual(['a', 'b', 's'])
    expect(asked[1]?.signal.aborted).toBe(true)
    asked[2]?.answer(frame('shown'))
    expect(new TextDecoder().decode((await shown).bytes)).toBe('shown')
    await soon()
    expect(paths()).toEqual(['a', 'b', 's', 'b'])
    asked[3]?.answer(frame('again'))
    expect((await left).transferSyntaxUid).toBe('1.2.840.10008.1.2.1')
  })

  it('does not push one shown image aside for another', () => {
    const { fetch, paths } = gateway()
    const fetches = new Fetches({ fetch }, 1)
    fetches.get('a', 'shown', never()).catch(() => undefined)
    fetches.get('b', 'shown', never()).catch(() => undefined)
    expect(paths()).toEqual(['a'])
  })

  it('shares one request, and ends it when the last one has left', async () => {
    const { asked, fetch, paths } = gateway()
    const fetches = new Fetches({ fetch })
    const [one, two] = [new AbortController(), new AbortController()]
    const first = fetches.get('a', 'prefetch', one.signal)
    const second = fetches.get('a', 'shown', two.signal)
    expect(paths()).toEqual(['a'])
    one.abort()
    await expect(first).rejects.toMatchObject({ isTransient: true })
    expect(asked[0]?.signal.aborted).toBe(false)
    two.abort()
    await expect(second).rejects.toBeInstanceOf(ImageProblem)
    expect(asked[0]?.signal.aborted).toBe(true)
    expect(fetches.paths).toEqual([])
  })

  it('tries again where the network or the gateway failed, and not for ever', async () => {
    const { asked, fetch } = gateway()
    const fetches = new Fetches({ fetch, wait: soon as never })
    const got = fetches.get('a', 'shown', never())
    asked[0]?.fail()
    await soon()
    await soon()
    asked[1]?.answer(new Response('', { status: 503 }))
    await soon()
    await soon()
    asked[2]?.answer(frame())
    expect((await got).bytes).toHaveLength(1)
    const lost = fetches.get('b', 'shown', never())
    lost.catch(() => undefined)
    for (let n = 3; n < 8; n += 1) {
      asked[n]?.fail()
      await soon()
      await soon()
    }
    await expect(lost).rejects.toMatchObject({
      isTransient: true,
      explanation:
        'The gateway does not respond. It may be restarting; the image is requested again when it is shown.',
    })
  })

  it('receives a large frame into memory of its size, and asks again where it is not as long as that', async () => {
    const { asked, fetch } = gateway()
    const fetches = new Fetches({ fetch, wait: soon as never })
    const got = fetches.get('a', 'shown', never())
    const size = 5 << 20
    const content = Uint8Array.from({ length: size }, (_, n) => n % 251)
    for (const length of [size - 1, size + 1, size]) {
      asked.at(-1)?.answer(new Response(content, { headers: headersOf(length) }))
      if (length !== size) await expect.poll(() => asked).toHaveLength(length > size ? 3 : 2)
    }
    const { bytes } = await got
    expect(Buffer.compare(bytes, content)).toBe(0)
    expect(bytes.buffer.byteLength).toBe(size)
  })

  it('receives a large frame in a browser without streams of bytes', async () => {
    const { asked, fetch } = gateway()
    const got = new Fetches({ fetch }).get('a', 'shown', never())
    const response = new Response(new Uint8Array(5 << 20).fill(7), { headers: headersOf(5 << 20) })
    const { body } = response
    if (!body) throw new Error('The response has no body.')
    const getReader = body.getReader.bind(body)
    body.getReader = ((options?: ReadableStreamGetReaderOptions) => {
      if (options?.mode) throw new TypeError('The stream has no bytes.')
      return getReader()
    }) as typeof body.getReader
    asked[0]?.answer(response)
    expect((await got).bytes).toHaveLength(5 << 20)
  })

  it("gives the gateway's sentence for a refusal, at once", async () => {
    const { asked, fetch } = gateway()
    const fetches = new Fetches({ fetch })
    const got = fetches.get('a', 'shown', never())
    const problem = {
      type: 't',
      title: 't',
      status: 404,
      detail: 'd',
      instance: 'i',
      message: 'Its file never came.',
      explanation: verbatim('Its file never came.'),
      code: 'not-found',
      errors: [],
    }
    asked[0]?.answer(Response.json(problem, { status: 404 }))
    await expect(got).rejects.toMatchObject({
      explanation: 'Its file never came.',
      isTransient: false,
    })
    const bare = fetches.get('b', 'shown', never())
    asked[1]?.answer(new Response('<html>', { status: 404 }))
    await expect(bare).rejects.toMatchObject({
      explanation: 'The gateway responded with HTTP status 404 and no explanation.',
    })
    const untyped = fetches.get('c', 'shown', never())
    asked[2]?.answer(new Response('x'))
    await expect(untyped).rejects.toMatchObject({
      explanation: 'The gateway sent the image without its transfer syntax.',
    })
  })
})
