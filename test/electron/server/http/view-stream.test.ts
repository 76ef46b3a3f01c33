import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { OpenView } from '#server/http/callers.ts'
import type { HttpServer } from '#server/http/server.ts'
import { VIEW_COOKIE } from '#server/http/view-authentication.ts'
import {
  frameBytes,
  type LineStreamOptions,
  mediaBytes,
  serveViewBytes,
  serveViewLines,
} from '#server/http/view-stream.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const cookie = `${VIEW_COOKIE}=token`
const VIEW = { viewId: 'v1' } as OpenView
let server: HttpServer | undefined
let isLive = true
const faults: unknown[] = []
afterEach(async () => {
  await server?.[Symbol.asyncDispose]()
  server = undefined
  isLive = true
  faults.length = 0
})

type Lines = (signal: AbortSignal) => AsyncIterable<unknown>
type Bytes = Parameters<typeof serveViewBytes>[3]
async function open(
  lines: Lines,
  rule: LineStreamOptions = {},
  bytes: Bytes = async () => frameBytes(Buffer.alloc(0), '1'),
): Promise<string> {
  server = await openTestServer({
    log: { error: (fields) => void faults.push(fields) },
    views: {
      viewOf: (viewId, token) =>
        isLive && viewId === 'v1' && token === 'token' ? VIEW : undefined,
    },
    register(app) {
      serveViewLines(app, '/viewer/:viewId/images', (_view, signal) => lines(signal), rule)
      serveViewBytes(
        app,
        '/viewer/:viewId/bytes/:number',
        z.object({ number: z.coerce.number().int() }),
        bytes,
      )
    },
  })
  return server.url
}

/** What comes until the connection ends; whether it ended as it should. */
function stream(url: string, heard: (text: string) => void = () => {}) {
  const asked = request(url, { headers: { cookie }, agent: false })
  const over = new Promise<{ readonly text: string; readonly isWhole: boolean }>((settle) => {
    let text = ''
    asked.on('response', (answer) => {
      answer.on('data', (chunk) => {
        text += chunk
        heard(text)
      })
      answer.on('close', () => settle({ text, isWhole: answer.complete }))
      answer.on('error', () => {})
    })
    asked.on('error', () => settle({ text, isWhole: false }))
  })
  asked.end()
  return { over, leave: () => asked.destroy() }
}

const forever: Lines = async function* (signal) {
  yield { line: 1 }
  await new Promise((settle) => signal.addEventListener('abort', settle))
  throw signal.reason
}

describe('the lines of a view', () => {
  it('come as they are made, one JSON value each, and end', async () => {
    const url = await open(async function* () {
      yield { line: 'study', text: 'one\ntwo' }
      await wait(1)
      yield { line: 'done' }
    })
    const answer = await httpCall(`${url}/viewer/v1/images`, { headers: { cookie } })
    expect(answer.text).toBe('{"line":"study","text":"one\\ntwo"}\n{"line":"done"}\n')
    expect(answer.headers).toMatchObject({
      ...{
        'content-type': 'application/x-ndjson; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  })

  it('are for the cookie of that view, and for a page of ours', async () => {
    const url = await open(forever)
    expect((await httpCall(`${url}/viewer/v1/images`)).status).toBe(401)
    expect((await httpCall(`${url}/viewer/v2/images`, { headers: { cookie } })).status).toBe(401)
    expect(
      (
        await httpCall(`${url}/viewer/v1/images`, {
          headers: { cookie, 'sec-fetch-site': 'cross-site' },
        })
      ).status,
    ).toBe(403)
  })

  it('stop when the client leaves', async () => {
    let signal: AbortSignal | undefined
    const url = await open((given) => {
      signal = given
      return forever(given)
    })
    const { leave } = stream(`${url}/viewer/v1/images`, () => leave())
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
    expect(faults).toEqual([])
  })

  it('end when the server closes, and when the view has ended, which a heartbeat finds out', async () => {
    const url = await open(forever, { heartbeatMs: 10 })
    const ended = await new Promise<{ text: string; isWhole: boolean }>((settle) => {
      const { over } = stream(`${url}/viewer/v1/images`, (text) => {
        if (text.endsWith('\n\n')) isLive = false
      })
      void over.then(settle)
    })
    expect(ended).toEqual({ text: expect.stringMatching(/^\{"line":1\}\n\n+$/), isWhole: true })
    isLive = true
    const closing = stream(`${url}/viewer/v1/images`, () => void server?.[Symbol.asyncDispose]())
    expect(await closing.over).toMatchObject({ isWhole: true })
    expect(faults).toEqual([])
  })

  it('are made no faster than they are taken', async () => {
    let made = 0
    const url = await open(async function* () {
      for (made = 0; made < 2000; made++) yield 'x'.repeat(100_000)
    })
    const asked = request(
      `${url}/viewer/v1/images`,
      { headers: { cookie }, agent: false },
      (answer) => answer.pause(),
    )
    asked.on('error', () => {})
    asked.end()
    await vi.waitFor(() => expect(made).toBeGreaterThan(0))
    await wait(200)
    const before = made
    await wait(200)
    expect([made, made < 1000]).toEqual([before, true])
    asked.destroy()
  })

  it('are a problem where they fail before the first, and break off later', async () => {
    const url = await open(async function* () {
      yield await Promise.reject(new ApiError('not-found', verbatim('There is nothing.')))
    })
    const refused = await httpCall(`${url}/viewer/v1/images`, { headers: { cookie } })
    expect([refused.status, Problem.parse(refused.json).code]).toEqual([404, 'not-found'])
    await server?.[Symbol.asyncDispose]()

    const other = await open(async function* () {
      yield 1
      await wait(50)
      throw new Error('Novak^Ana')
    })
    expect(await stream(`${other}/viewer/v1/images`).over).toEqual({ text: '1\n', isWhole: false })
    expect(faults).toMatchObject([{ error: 'Error', route: 'GET /viewer/:viewId/images' }])
    expect(JSON.stringify(faults)).not.toContain('Novak')
  })

  it('are of so many streams at once', async () => {
    const url = await open(forever, { maxStreams: 1 })
    await new Promise<void>((settle) => void stream(`${url}/viewer/v1/images`, () => settle()))
    expect((await httpCall(`${url}/viewer/v1/images`, { headers: { cookie } })).status).toBe(429)
  })

  it('are of fewer streams of one view, and of others when those have ended', async () => {
    const url = await open(forever, { maxStreamsPerView: 1 })
    let first: ReturnType<typeof stream> | undefined
    await new Promise<void>((settle) => {
      first = stream(`${url}/viewer/v1/images`, () => settle())
    })
    expect((await httpCall(`${url}/viewer/v1/images`, { headers: { cookie } })).status).toBe(429)
    first?.leave()
    await expect
      .poll(() => new Promise((settle) => void stream(`${url}/viewer/v1/images`, settle)))
      .toContain('line')
  })
})

describe('bytes of a view', () => {
  const get = (url: string, more: Record<string, string> = {}) =>
    fetch(`${url}/viewer/v1/bytes/7`, { headers: { cookie, ...more } })

  it('are refused where a file names a transfer syntax that no header can carry', async () => {
    const url = await open(forever, {}, async () => frameBytes(Buffer.alloc(1), '1.2\r\nx: é'))
    expect((await get(url)).status).toBe(422)
    expect(faults).toEqual([])
  })

  it('are one frame as it is stored, with its transfer syntax', async () => {
    const url = await open(forever, {}, async ({ params, view }) => {
      expect([params, view]).toEqual([{ number: 7 }, VIEW])
      return frameBytes(Buffer.from([0, 255]), '1.2.840.10008.1.2.4.90')
    })
    const answer = await get(url)
    expect(answer.headers.get('content-type')).toBe(
      'application/octet-stream; transfer-syntax=1.2.840.10008.1.2.4.90',
    )
    expect([
      answer.headers.get('cache-control'),
      answer.headers.get('x-content-type-options'),
    ]).toEqual(['private, no-store', 'nosniff'])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from([0, 255]))
    expect((await fetch(`${url}/viewer/v1/bytes/x`, { headers: { cookie } })).status).toBe(400)
    expect((await fetch(`${url}/viewer/v1/bytes/7`)).status).toBe(401)
  })

  it('are refused as a problem', async () => {
    const url = await open(forever, {}, async () => {
      throw new ApiError('refused', verbatim('The file is cut off.'))
    })
    const answer = await get(url)
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
      ...[422, 'application/problem+json; charset=utf-8'],
      expect.objectContaining({ message: 'The file is cut off.' }),
    ])
  })

  it('are not waited for when the client has left', async () => {
    let signal: AbortSignal | undefined
    const url = await open(forever, {}, async (call) => {
      signal = call.signal
      return await new Promise((_, fail) =>
        call.signal.addEventListener('abort', () => fail(call.signal.reason)),
      )
    })
    const { leave } = stream(`${url}/viewer/v1/bytes/7`)
    await vi.waitFor(() => expect(signal).toBeDefined())
    leave()
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
    expect(faults).toEqual([])
  })

  it.each([
    ['application/pdf', 'application/pdf', 'inline'],
    ['video/mp4', 'video/mp4', 'inline'],
    ['text/html', 'application/octet-stream', 'attachment'],
    ['image/svg+xml', 'application/octet-stream', 'attachment'],
  ])('are media of a partner: %s', async (mimeType, type, disposition) => {
    const url = await open(forever, {}, async ({ range }) => {
      expect(range).toBe('bytes=0-1')
      const headers = { 'content-range': 'bytes 0-1/9', 'content-length': '2', 'set-cookie': 'a=b' }
      return mediaBytes({
        status: 206,
        headers,
        body: Readable.from([Buffer.from('ab')]),
        mimeType,
        fileName: 'Müller.x',
      })
    })
    const answer = await get(url, { range: 'bytes=0-1' })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      206,
      'ab',
      'bytes 0-1/9',
    ])
    expect([
      answer.headers.get('content-type'),
      answer.headers.get('content-disposition')?.split(';')[0],
    ]).toEqual([type, disposition])
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
  })
})
