import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readAnswer, type WebhookError } from '#server/webhooks/request.ts'
import { freePort } from '../../../support/free-port.ts'
import {
  openPartner,
  openTcpServer,
  openTestRequester,
  QUESTION,
  SECRET,
  sendJson,
} from './request-fixture.ts'

const EMPTY = { authorized: true, items: [] }
const MIB = 1024 * 1024
const fault = (name: string, more: object = {}) =>
  expect.objectContaining({ name: 'WebhookError', fault: name, ...more })
const readWorklist = {
  accept: (reply: { readonly body: Buffer }) =>
    readAnswer('modality_worklist.requested', reply.body).items,
}

describe('an answer of no use', () => {
  it.each([
    [500, 'it responded with 500'],
    [204 + 100, 'it responded with 304, a redirect; redirects are not followed'],
    [
      401,
      'it responded with 401; it may not accept the gateway’s signature, so compare the signing secret on both sides',
    ],
    [410, 'it responded with 410: this address is no longer used'],
  ])('with status %i is the fault status', async (httpStatus, detail) => {
    const partner = await openPartner((response) =>
      response.writeHead(httpStatus).end('{"authorized":true,"items":[]}'),
    )
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(
      fault('status', { detail, httpStatus }),
    )
  })

  it('that redirects is not followed', async () => {
    const elsewhere = await openPartner((response) => sendJson(response, EMPTY))
    const partner = await openPartner((response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    )
    const { ask } = openTestRequester(partner.url, {
      plaintextHosts: () => [`127.0.0.1:${partner.port}`, `127.0.0.1:${elsewhere.port}`],
    })
    await expect(ask()).rejects.toEqual(fault('status', { httpStatus: 307 }))
    expect(elsewhere.received).toEqual([])
  })

  it('that announces more than 20 MiB is not read', async () => {
    const partner = await openPartner((response) =>
      response.writeHead(200, { 'content-length': 20 * MIB + 1 }).write('{'),
    )
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(
      fault('oversize', { httpStatus: 200, bytes: 0 }),
    )
  })

  it('that goes on beyond its limit is cut off there', async () => {
    const partner = await openPartner((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' ')));
      }
      response.on('drain', more)
      more()
    })
    const { request } = openTestRequester(partner.url)
    const data = { clinicId: QUESTION.clinicId, studyInstanceUid: '1.2.3' }
    const error = await request('patient_study.enrichment_requested', data).catch(
      (reason: unknown) => reason,
    )
    expect(error).toEqual(fault('oversize', { detail: 'the response is larger than 2 MiB' }))
    expect((error as WebhookError).bytes).toBeLessThan(3 * MIB)
  })

  it('that grows beyond its limit when decompressed is cut off there', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB))
    expect(bomb.length).toBeLessThan(MIB)
    const partner = await openPartner((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(fault('oversize'))
  })

  it.each([
    ['cut short', gzipSync('{"authorized":true,"items":[]}').subarray(0, -12), 'gzip'],
    ['of another kind', Buffer.from('{"authorized":true,"items":[]}'), 'gzip'],
    ['in a way not offered', Buffer.from('x'), 'zstd'],
  ])('whose compression is %s is invalid', async (_what, body, encoding) => {
    const partner = await openPartner((response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    )
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(
      fault('invalid', { httpStatus: 200 }),
    )
  })

  it('that ends before its length is no answer', async () => {
    const server = await openTcpServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"authorized":true,"items":[]}'),
      )
    })
    await expect(openTestRequester(server.url).ask()).rejects.toEqual(
      fault('unreachable', { httpStatus: 200 }),
    )
    expect(server.sockets).toHaveLength(1)
  })

  it('that is not HTTP is invalid', async () => {
    const server = await openTcpServer((socket) =>
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
    )
    await expect(openTestRequester(server.url).ask()).rejects.toEqual(
      fault('invalid', { detail: 'the response is not HTTP' }),
    )
  })

  it('that accept refuses is a failure with the facts of the call', async () => {
    const partner = await openPartner((response) =>
      sendJson(response, { authorized: false, error: 'no worklist for this AE' }),
    )
    const { ask, outcomes } = openTestRequester(partner.url)
    await expect(ask(readWorklist)).rejects.toEqual(
      fault('refused', {
        detail: 'no worklist for this AE',
        httpStatus: 200,
        bytes: 54,
        webhookId: 'whe_00000000000000000000000000000001',
      }),
    )
    expect(outcomes).toMatchObject([
      { fault: 'refused', detail: 'no worklist for this AE', httpStatus: 200 },
    ])
  })

  it.each([
    ['refused', '{"authorized":false,"error":"Mrs Doe is not known"}'],
    ['invalid', '{"authorized":true,"items":[Mrs Doe]}'],
    ['invalid', '{"authorized":true,"items":"Mrs Doe"}'],
  ])('has no text of the partner in its error as logged: %s', async (name, body) => {
    const partner = await openPartner((response) => response.end(body))
    const error: unknown = await openTestRequester(partner.url)
      .ask(readWorklist)
      .catch((reason: unknown) => reason)
    expect(error).toEqual(fault(name))
    const { stack, message, cause } = error as WebhookError
    expect(inspect([stack, message, cause])).not.toContain('Doe')
  })

  it('has nothing of an answer that is not HTTP in its error', async () => {
    const server = await openTcpServer((socket) =>
      socket.once('data', () => socket.end('Mrs Doe is not HTTP\r\n')),
    )
    const error: unknown = await openTestRequester(server.url)
      .ask()
      .catch((reason: unknown) => reason)
    expect(inspect(error, { depth: null })).not.toContain('Doe')
  })
})

describe('a partner that cannot be had', () => {
  it('is unreachable where nobody listens', async () => {
    const { ask } = openTestRequester(`http://127.0.0.1:${await freePort()}/`)
    await expect(ask()).rejects.toEqual(
      fault('unreachable', { detail: 'the connection was refused', httpStatus: null }),
    )
  })

  it('is asked once more, at once, when the connection broke before an answer', async () => {
    const server = await openTcpServer((socket, number) => {
      if (number === 0) socket.resetAndDestroy()
      else socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'))
    })
    expect((await openTestRequester(server.url).ask()).body.toString()).toBe('{}')
    expect(server.sockets).toHaveLength(2)
  })

  it('is not asked a third time', async () => {
    const server = await openTcpServer((socket) => socket.resetAndDestroy())
    await expect(openTestRequester(server.url).ask()).rejects.toEqual(fault('unreachable'))
    expect(server.sockets).toHaveLength(2)
  })

  it('is asked for an enrichment only once', async () => {
    const server = await openTcpServer((socket) => socket.resetAndDestroy())
    const data = { clinicId: QUESTION.clinicId, studyInstanceUid: '1.2.3' }
    await expect(
      openTestRequester(server.url).request('patient_study.enrichment_requested', data),
    ).rejects.toEqual(fault('unreachable'))
    expect(server.sockets).toHaveLength(1)
  })

  it.each([
    ['nothing', ''],
    ['half a header', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"authorized"'],
  ])('is a timeout when its budget ends after %s', async (_what, bytes) => {
    const server = await openTcpServer((socket) => socket.once('data', () => socket.write(bytes)))
    await expect(openTestRequester(server.url).ask({ budgetMs: 200 })).rejects.toEqual(
      fault('timeout', { detail: 'no complete response was received within 0.2 s' }),
    )
  })

  it('is a timeout when its budget ends in the name server', async () => {
    const { ask } = openTestRequester('http://ris.example:8080/', {
      resolve: () => new Promise(() => undefined),
    })
    await expect(ask({ budgetMs: 100 })).rejects.toEqual(fault('timeout'))
  })

  it.each([
    ['no partner is configured', undefined, {}, 'no-endpoint'],
    [
      'its secret is unreadable',
      'http://127.0.0.1:9/',
      { endpoint: { secrets: ['whsec_?'] } },
      'no-endpoint',
    ],
    ['it has no secret', 'http://127.0.0.1:9/', { endpoint: { secrets: [] } }, 'no-endpoint'],
    [
      'http is not allowed to it',
      'http://127.0.0.1:9/',
      { plaintextHosts: () => [] },
      'forbidden-address',
    ],
    [
      'its name leads to metadata',
      'https://ris.example/',
      { resolve: async () => [{ address: '169.254.169.254', family: 4 }] },
      'forbidden-address',
    ],
  ] as const)('is not called when %s', async (_what, url, more, name) => {
    const { ask, outcomes } = openTestRequester(url, more)
    await expect(ask()).rejects.toEqual(fault(name, { httpStatus: null }))
    expect(outcomes).toMatchObject([{ fault: name }])
  })

  it('is not called by a connection kept from the time when it was allowed', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const listed = [`127.0.0.1:${partner.port}`]
    const { ask } = openTestRequester(partner.url, { plaintextHosts: () => listed })
    await ask()
    listed.pop()
    await expect(ask()).rejects.toEqual(fault('forbidden-address'))
    expect(partner.received).toHaveLength(1)
  })
})

describe('the circuit of an endpoint', () => {
  it('opens after five failures of one event, lets one call through after 15 s and closes when it is answered', async () => {
    let now = 0
    let isWell = false
    const partner = await openPartner((response) => sendJson(response, EMPTY, isWell ? 200 : 503))
    const { ask, request, outcomes } = openTestRequester(partner.url, { elapsed: () => now })
    for (let time = 0; time < 5; time++) await expect(ask()).rejects.toEqual(fault('status'))
    await expect(ask()).rejects.toEqual(
      fault('circuit-open', {
        detail:
          'not queried, because the last 5 requests failed (it responded with 503); the next attempt is in 15 s',
      }),
    )
    expect(partner.received).toHaveLength(5)
    expect(outcomes.at(-1)).toMatchObject({ fault: 'circuit-open' })

    isWell = true
    await request('ephemeral.access_requested', { retrievalId: 'r1' })
    expect(partner.received).toHaveLength(6)

    now = 15_000
    await ask()
    await ask()
    expect(partner.received).toHaveLength(8)
  })

  it('counts answers that are invalid, but not refusals', async () => {
    const partner = await openPartner((response, number) =>
      sendJson(response, number < 6 ? { authorized: false } : ['wrong']),
    )
    const { ask } = openTestRequester(partner.url)
    for (let time = 0; time < 6; time++)
      await expect(ask(readWorklist)).rejects.toEqual(fault('refused'))
    for (let time = 0; time < 5; time++)
      await expect(ask(readWorklist)).rejects.toEqual(fault('invalid'))
    await expect(ask(readWorklist)).rejects.toEqual(fault('circuit-open'))
  })

  it('does not count an error of our own while accepting', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const { ask, outcomes } = openTestRequester(partner.url)
    const accept = () => {
      throw new RangeError('disk full')
    }
    for (let time = 0; time < 6; time++) await expect(ask({ accept })).rejects.toThrow(RangeError)
    expect(partner.received).toHaveLength(6)
    expect(outcomes).toEqual([])
  })

  it('does not hold back a person who tests the connection', async () => {
    const partner = await openPartner((response, number) =>
      sendJson(response, EMPTY, number < 5 ? 500 : 200),
    )
    const { ask } = openTestRequester(partner.url)
    for (let time = 0; time < 5; time++) await expect(ask()).rejects.toEqual(fault('status'))
    expect((await ask({ ignoresOpenCircuit: true })).httpStatus).toBe(200)
    expect((await ask()).httpStatus).toBe(200)
  })

  it('is another one once the address is changed', async () => {
    const [dead, alive] = [
      await openPartner((response) => sendJson(response, {}, 500)),
      await openPartner((response) => sendJson(response, EMPTY)),
    ]
    let { url } = dead
    const { ask } = openTestRequester(url, {
      endpointFor: () => ({ endpointId: 'partner', url, secrets: [SECRET] }),
      plaintextHosts: () => [`127.0.0.1:${dead.port}`, `127.0.0.1:${alive.port}`],
    })
    for (let time = 0; time < 5; time++) await expect(ask()).rejects.toEqual(fault('status'))
    url = alive.url
    expect((await ask()).httpStatus).toBe(200)
  })
})
