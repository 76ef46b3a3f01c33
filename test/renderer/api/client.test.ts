import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { CONTRACT_VERSION, CONTRACT_VERSION_HEADER } from '#shared/contract-version.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  addressOf,
  faultsByField,
  openClient,
  ProblemError,
} from '../../../renderer/src/api/client.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

let seen: Seen[] = []
let answer: (response: ServerResponse) => void = () => undefined
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  seen.push({
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body,
  })
  answer(response)
})
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, {
        'content-type': 'application/json',
        [CONTRACT_VERSION_HEADER]: CONTRACT_VERSION,
        ...headers,
      })
      .end(JSON.stringify(body))
const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const call: ReturnType<typeof openClient> = (operation, input, signal) =>
  openClient({ fetch, origin: origin() })(operation, input, signal)

beforeEach(async () => {
  seen = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const failure = async (made: Promise<unknown>): Promise<ProblemError> => {
  const error = await made.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError))
    throw new Error(`expected a ProblemError, got ${String(error)}`)
  return error
}

describe('the typed client', () => {
  it('sends the body as JSON with the header that a foreign form cannot send, and gives the reply', async () => {
    answer = json(200, {
      isOn: true,
      since: null,
      until: null,
      reason: 'line down',
      userName: 'A',
    })
    const reply = await call(dashboard.startDowntime, { body: { reason: 'line down' } })
    expect(reply).toEqual({
      isOn: true,
      since: null,
      until: null,
      reason: 'line down',
      userName: 'A',
    })
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/dashboard/downtime',
      body: '{"reason":"line down"}',
    })
    expect(seen[0]?.headers).toMatchObject({
      'x-isthmus-csrf': '1',
      'content-type': 'application/json',
    })
  })

  it('lets a call outlive its page, where its body is not too long for that', async () => {
    const given: (RequestInit | undefined)[] = []
    const fetched: typeof fetch = (_, init) => {
      given.push(init)
      return Promise.resolve(
        new Response('{"isOn":true,"since":null,"until":null,"reason":"","userName":""}', {
          headers: { [CONTRACT_VERSION_HEADER]: CONTRACT_VERSION },
        }),
      )
    }
    const client = openClient({ fetch: fetched, origin: '' })
    await client(dashboard.startDowntime, { body: { reason: 'line down' } })
    await client(dashboard.startDowntime, { body: { reason: 'line down' } }, undefined, {
      outlivesPage: true,
    })
    await client(dashboard.startDowntime, { body: { reason: 'ä'.repeat(40_000) } }, undefined, {
      outlivesPage: true,
    })
    expect(given.map((init) => init?.keepalive)).toEqual([undefined, true, undefined])
  })

  it('sends no content type with a call that has no body', async () => {
    answer = json(200, { success: true })
    await call(dashboard.signOut, {})
    expect(seen[0]?.method).toBe('DELETE')
    expect(seen[0]?.headers['content-type']).toBeUndefined()
    expect(seen[0]?.body).toBe('')
  })

  it('turns problem+json into a ProblemError with its code, message, faults and request id', async () => {
    const explanation = verbatim('must give a reason')
    const errors = [{ path: 'body.reason', message: 'must give a reason', explanation }]
    answer = json(
      400,
      {
        type: 'about:blank',
        title: 'Malformed',
        status: 400,
        detail: 'd',
        instance: '/',
        message: 'Say why.',
        explanation: verbatim('Say why.'),
        code: 'malformed',
        errors,
      },
      { 'x-request-id': 'r-17' },
    )
    const error = await failure(call(dashboard.startDowntime, { body: { reason: '' } }))
    expect(error).toMatchObject({
      code: 'malformed',
      status: 400,
      message: 'Say why.',
      errors,
      requestId: 'r-17',
    })
    expect(faultsByField(error)).toEqual({ reason: 'must give a reason' })
  })

  it('says so when a failure carries no explanation', async () => {
    answer = (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    const error = await failure(call(dashboard.signOut, {}))
    expect(error.code).toBe('unreadable')
    expect(error.message).toBe('The gateway responded with HTTP status 502 and no explanation.')
  })

  it('refuses the reply of a gateway with another contract, rather than show half of it', async () => {
    answer = json(200, { isOn: false }, { [CONTRACT_VERSION_HEADER]: 'another' })
    const error = await failure(call(dashboard.endDowntime, {}))
    expect(error).toMatchObject({ code: 'unreadable', status: 200 })
  })

  it('takes the reply of a gateway that runs from its sources', async () => {
    answer = json(200, { success: true }, { [CONTRACT_VERSION_HEADER]: 'unbuilt' })
    expect(await call(dashboard.signOut, {})).toEqual({ success: true })
  })

  it('refuses the reply of a program that is not a gateway', async () => {
    answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<h1>Sign in to the network</h1>')
    const error = await failure(call(dashboard.endDowntime, {}))
    expect(error).toMatchObject({ code: 'unreadable', status: 200 })
  })

  it('calls a gateway that does not answer unreachable', async () => {
    answer = (response) => response.destroy()
    const error = await failure(call(dashboard.signOut, {}))
    expect(error).toMatchObject({ code: 'unreachable', status: 0 })
  })

  it('gives the reason of the signal when the caller aborted', async () => {
    answer = () => undefined
    const abort = new AbortController()
    const made = call(dashboard.session, {}, abort.signal)
    abort.abort(new Error('left the screen'))
    await expect(made).rejects.toThrow('left the screen')
  })
})

describe('the address of a call', () => {
  it('fills path parameters, escaped', () => {
    expect(addressOf('/dashboard/devices/:deviceId', { params: { deviceId: 'a/b c' } })).toBe(
      '/dashboard/devices/a%2Fb%20c',
    )
  })

  it('leaves out absent query values and repeats lists', () => {
    expect(
      addressOf('/x', {
        query: { limit: 50, cursor: undefined, aeTitle: 'CT&1', status: ['a', 'b'], none: null },
      }),
    ).toBe('/x?limit=50&aeTitle=CT%261&status=a&status=b')
    expect(addressOf('/x', { query: { cursor: undefined } })).toBe('/x')
  })
})

describe('faults by field', () => {
  it('keeps the first fault of a field and the whole path of one outside the form', () => {
    const errors = [
      { path: 'body.email', explanation: verbatim('first') },
      { path: 'body.email', explanation: verbatim('second') },
      { path: 'query.limit', explanation: verbatim('must be a number') },
    ]
    expect(faultsByField(new ProblemError('malformed', verbatim('m'), { errors }))).toEqual({
      email: 'first',
      'query.limit': 'must be a number',
    })
  })
})
