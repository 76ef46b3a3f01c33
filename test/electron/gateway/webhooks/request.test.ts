import { createServer as createTlsServer } from 'node:https'
import { inspect } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type PartnerEndpoint, readAnswer, type WebhookError } from '#gateway/webhooks/request.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { selfSignedCertificate } from '../../../support/certificate.ts'
import { freePort } from '../../../support/free-port.ts'
import { openPartner, openTcpServer, openTestRequester, QUESTION, SECRET, sendJson } from './request-fixture.ts'

const EMPTY = { authorized: true, items: [] }
const MIB = 1024 * 1024
const fault = (name: string, more: object = {}) => expect.objectContaining({ name: 'WebhookError', fault: name, ...more })
const readWorklist = { accept: (reply: { readonly body: Buffer }) => readAnswer('modality_worklist.requested', reply.body).items }

describe('a request', () => {
  it('is the envelope of the interface, exactly, and signed over the bytes sent', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const { ask } = openTestRequester(`${partner.url}?tenant=7`)
    await ask()
    const [request] = partner.received
    expect(request?.method).toBe('POST')
    expect(request?.path).toBe('/webhooks?tenant=7')
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.headers['webhook-id']).toBe('whe_00000000000000000000000000000001')
    const envelope = new Webhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>)
    expect(envelope).toEqual({ id: 'whe_00000000000000000000000000000001', type: 'modality_worklist.requested', data: QUESTION })
  })

  it('gives the body as it came, with the facts of the call', async () => {
    const partner = await openPartner((response) => response.end('{"authorized": true,\n "items":[]}'))
    const { ask, outcomes } = openTestRequester(partner.url, { clock: () => 1_795_000_000_000 })
    const reply = await ask()
    expect(reply.body.toString()).toBe('{"authorized": true,\n "items":[]}')
    expect(reply).toMatchObject({
      httpStatus: 200,
      bytes: 33,
      webhookId: 'whe_00000000000000000000000000000001',
      answeredAt: 1_795_000_000_000,
    })
    expect(reply.tookMs).toBeGreaterThan(0)
    expect(outcomes).toEqual([
      {
        type: 'modality_worklist.requested',
        endpointId: 'partner',
        fault: null,
        detail: '',
        httpStatus: 200,
        tookMs: reply.tookMs,
        bytes: 33,
        webhookId: 'whe_00000000000000000000000000000001',
        at: 1_795_000_000_000,
        apiKeyId: null,
        about: { subject: 'CT1', studyInstanceUid: null },
        request: partner.received[0]?.body,
        response: reply.body,
        notes: [],
      },
    ])
  })

  it('resolves to what accept makes of the reply', async () => {
    const partner = await openPartner((response) => sendJson(response, { authorized: true, items: [{ PatientID: 'P1' }] }))
    expect(await openTestRequester(partner.url).ask(readWorklist)).toEqual([{ PatientID: 'P1' }])
  })

  it('keeps its id when it is sent again, with a fresh timestamp', async () => {
    const partner = await openPartner((response) => sendJson(response, { success: true }))
    let now = 1_795_000_000_000
    const { ask } = openTestRequester(partner.url, { clock: () => now })
    const id = 'whe_ffffffffffffffffffffffffffffffff' as WebhookEventId
    await ask({ id })
    now += 300_000
    await ask({ id })
    expect(partner.received.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']])).toEqual([
      [id, '1795000000'],
      [id, '1795000300'],
    ])
  })

  it('goes to the endpoint of its key', async () => {
    const [clinic, key] = [
      await openPartner((response) => sendJson(response, EMPTY)),
      await openPartner((response) => sendJson(response, EMPTY)),
    ]
    const { ask } = openTestRequester(clinic.url, {
      endpointFor: (_type, apiKeyId) => ({ endpointId: apiKeyId ?? 'clinic', url: apiKeyId ? key.url : clinic.url, secrets: [SECRET] }),
      plaintextHosts: () => [`127.0.0.1:${clinic.port}`, `127.0.0.1:${key.port}`],
    })
    await ask({ apiKeyId: 'key-1' })
    await ask()
    expect([clinic.received.length, key.received.length]).toEqual([1, 1])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('reads an answer in %s', async (encoding, compress) => {
    const partner = await openPartner((response, _number, { headers }) => {
      expect(headers['accept-encoding']).toContain(encoding)
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(JSON.stringify(EMPTY)))
    })
    const reply = await openTestRequester(partner.url).ask()
    expect(reply.body.toString()).toBe(JSON.stringify(EMPTY))
    expect(reply.bytes).toBe(compress(JSON.stringify(EMPTY)).length)
  })
})

describe('an answer of no use', () => {
  it.each([
    [500, 'it answered 500'],
    [204 + 100, 'it answered 304, a redirect; redirects are not followed'],
    [401, 'it answered 401; it may not accept our signature, so compare the secret'],
    [410, 'it answered 410: this address is no longer used'],
  ])('with status %i is the fault status', async (httpStatus, detail) => {
    const partner = await openPartner((response) => response.writeHead(httpStatus).end('{"authorized":true,"items":[]}'))
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(fault('status', { detail, httpStatus }))
  })

  it('that redirects is not followed', async () => {
    const elsewhere = await openPartner((response) => sendJson(response, EMPTY))
    const partner = await openPartner((response) => response.writeHead(307, { location: elsewhere.url }).end())
    const { ask } = openTestRequester(partner.url, { plaintextHosts: () => [`127.0.0.1:${partner.port}`, `127.0.0.1:${elsewhere.port}`] })
    await expect(ask()).rejects.toEqual(fault('status', { httpStatus: 307 }))
    expect(elsewhere.received).toEqual([])
  })

  it('that announces more than 20 MiB is not read', async () => {
    const partner = await openPartner((response) => response.writeHead(200, { 'content-length': 20 * MIB + 1 }).write('{'))
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(fault('oversize', { httpStatus: 200, bytes: 0 }))
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
    const error = await request('patient_study.enrichment_requested', data).catch((reason: unknown) => reason)
    expect(error).toEqual(fault('oversize', { detail: 'the answer is larger than 2 MiB' }))
    expect((error as WebhookError).bytes).toBeLessThan(3 * MIB)
  })

  it('that grows beyond its limit when decompressed is cut off there', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB))
    expect(bomb.length).toBeLessThan(MIB)
    const partner = await openPartner((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(fault('oversize'))
  })

  it.each([
    ['cut short', gzipSync('{"authorized":true,"items":[]}').subarray(0, -12), 'gzip'],
    ['of another kind', Buffer.from('{"authorized":true,"items":[]}'), 'gzip'],
    ['in a way not offered', Buffer.from('x'), 'zstd'],
  ])('whose compression is %s is invalid', async (_what, body, encoding) => {
    const partner = await openPartner((response) => response.writeHead(200, { 'content-encoding': encoding }).end(body))
    await expect(openTestRequester(partner.url).ask()).rejects.toEqual(fault('invalid', { httpStatus: 200 }))
  })

  it('that ends before its length is no answer', async () => {
    const server = await openTcpServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"authorized":true,"items":[]}'))
    })
    await expect(openTestRequester(server.url).ask()).rejects.toEqual(fault('unreachable', { httpStatus: 200 }))
    expect(server.sockets).toHaveLength(1)
  })

  it('that is not HTTP is invalid', async () => {
    const server = await openTcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')))
    await expect(openTestRequester(server.url).ask()).rejects.toEqual(fault('invalid', { detail: 'the answer is not HTTP' }))
  })

  it('that accept refuses is a failure with the facts of the call', async () => {
    const partner = await openPartner((response) => sendJson(response, { authorized: false, error: 'no worklist for this AE' }))
    const { ask, outcomes } = openTestRequester(partner.url)
    await expect(ask(readWorklist)).rejects.toEqual(
      fault('refused', {
        detail: 'no worklist for this AE',
        httpStatus: 200,
        bytes: 54,
        webhookId: 'whe_00000000000000000000000000000001',
      }),
    )
    expect(outcomes).toMatchObject([{ fault: 'refused', detail: 'no worklist for this AE', httpStatus: 200 }])
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
    const server = await openTcpServer((socket) => socket.once('data', () => socket.end('Mrs Doe is not HTTP\r\n')))
    const error: unknown = await openTestRequester(server.url)
      .ask()
      .catch((reason: unknown) => reason)
    expect(inspect(error, { depth: null })).not.toContain('Doe')
  })
})

describe('a partner that cannot be had', () => {
  it('is unreachable where nobody listens', async () => {
    const { ask } = openTestRequester(`http://127.0.0.1:${await freePort()}/`)
    await expect(ask()).rejects.toEqual(fault('unreachable', { detail: 'the connection was refused', httpStatus: null }))
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
    await expect(openTestRequester(server.url).request('patient_study.enrichment_requested', data)).rejects.toEqual(fault('unreachable'))
    expect(server.sockets).toHaveLength(1)
  })

  it.each([
    ['nothing', ''],
    ['half a header', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"authorized"'],
  ])('is a timeout when its budget ends after %s', async (_what, bytes) => {
    const server = await openTcpServer((socket) => socket.once('data', () => socket.write(bytes)))
    await expect(openTestRequester(server.url).ask({ budgetMs: 200 })).rejects.toEqual(
      fault('timeout', { detail: 'no complete answer within 0.2 s' }),
    )
  })

  it('is a timeout when its budget ends in the name server', async () => {
    const { ask } = openTestRequester('http://ris.example:8080/', { resolve: () => new Promise(() => undefined) })
    await expect(ask({ budgetMs: 100 })).rejects.toEqual(fault('timeout'))
  })

  it.each([
    ['no partner is set up', undefined, {}, 'no-endpoint'],
    ['its secret is unreadable', 'http://127.0.0.1:9/', { endpoint: { secrets: ['whsec_?'] } }, 'no-endpoint'],
    ['it has no secret', 'http://127.0.0.1:9/', { endpoint: { secrets: [] } }, 'no-endpoint'],
    ['http is not allowed to it', 'http://127.0.0.1:9/', { plaintextHosts: () => [] }, 'forbidden-address'],
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

describe('a host name', () => {
  it('is called at the address that was judged, under its name', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const asked: string[] = []
    const { ask } = openTestRequester(`http://ris.clinic.example:${partner.port}/`, {
      resolve: async (hostname) => {
        asked.push(hostname)
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    await ask()
    await ask()
    expect(new Set(asked)).toEqual(new Set(['ris.clinic.example']))
    expect(partner.received.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`ris.clinic.example:${partner.port}`))
  })

  it('is called by https with a certificate of a trusted authority for that name only', async () => {
    const certificate = selfSignedCertificate(['ris.clinic.example'])
    const partner = await openPartner((response) => sendJson(response, EMPTY), ((listener: () => void) =>
      createTlsServer(certificate, listener)) as never)
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const requester = (host: string, authorities?: readonly string[]) =>
      openTestRequester(`https://${host}:${partner.port}/`, { resolve, ...(authorities && { authorities }) })

    expect((await requester('ris.clinic.example', [certificate.cert]).ask()).httpStatus).toBe(200)
    await expect(requester('ris.clinic.example').ask()).rejects.toEqual(
      fault('unreachable', { detail: 'its certificate is not signed by an authority this PC trusts' }),
    )
    await expect(requester('other.example', [certificate.cert]).ask()).rejects.toEqual(
      fault('unreachable', { detail: 'its certificate is for another host name' }),
    )
    expect(partner.received).toHaveLength(1)
  })

  it('is not called by https where plain HTTP answers', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const { ask } = openTestRequester(`https://127.0.0.1:${partner.port}/`)
    await expect(ask()).rejects.toEqual(fault('unreachable', { detail: 'no secure connection could be agreed' }))
  })
})

describe('the budget of a call', () => {
  const silent = async (budgets: NonNullable<PartnerEndpoint['budgets']>) => {
    const partner = await openPartner(() => undefined)
    return openTestRequester(partner.url, { endpoint: { budgets } })
  }

  it('is that of the endpoint for the event, where it has one', async () => {
    const { ask, request } = await silent({ 'modality_worklist.requested': 600, 'report.delivered': 700 })
    await expect(ask()).rejects.toEqual(fault('timeout', { detail: 'no complete answer within 0.6 s' }))
    await expect(request('ephemeral.access_requested', { retrievalId: 'r1' }, { budgetMs: 500 })).rejects.toEqual(
      fault('timeout', { detail: 'no complete answer within 0.5 s' }),
    )
  })

  it('is never longer than the caller can wait', async () => {
    const { ask } = await silent({ 'modality_worklist.requested': 60_000 })
    await expect(ask({ budgetMs: 500 })).rejects.toEqual(fault('timeout', { detail: 'no complete answer within 0.5 s' }))
  })
})

describe('a call to a given endpoint', () => {
  it('goes there, and is told as a test', async () => {
    const [usual, given] = [
      await openPartner((response) => sendJson(response, EMPTY)),
      await openPartner((response) => sendJson(response, EMPTY)),
    ]
    const { ask, outcomes } = openTestRequester(usual.url, { plaintextHosts: () => [`127.0.0.1:${given.port}`] })
    const about = { subject: 'test', studyInstanceUid: null, isTest: true }
    const told: unknown[] = []
    await ask({ endpoint: { endpointId: 'given', url: given.url, secrets: [SECRET] }, about, onOutcome: (one: unknown) => told.push(one) })
    expect([usual.received.length, given.received.length]).toEqual([0, 1])
    expect(outcomes).toMatchObject([{ endpointId: 'given', about }])
    expect(told).toEqual(outcomes)
  })
})

describe('an abort by the caller', () => {
  it('rejects with its reason, ends the connection and counts as nothing', async () => {
    const server = await openTcpServer((socket) => socket.once('data', () => controller.abort('cancel')))
    const controller = new AbortController()
    const { ask, outcomes } = openTestRequester(server.url)
    await expect(ask({ signal: controller.signal })).rejects.toBe('cancel')
    await expect.poll(() => server.sockets[0]?.readableEnded || server.sockets[0]?.destroyed).toBe(true)
    expect(outcomes).toEqual([])
  })

  it('before the call sends nothing', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    await expect(openTestRequester(partner.url).ask({ signal: AbortSignal.abort('cancel') })).rejects.toBe('cancel')
    expect(partner.received).toEqual([])
  })

  it('leaves the circuit as it is', async () => {
    const partner = await openPartner((_response, number) => controllers[number]?.abort('cancel'))
    const controllers = Array.from({ length: 8 }, () => new AbortController())
    const { ask } = openTestRequester(partner.url)
    for (const { signal } of controllers) await expect(ask({ signal })).rejects.toBe('cancel')
    expect(partner.received).toHaveLength(8)
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
      fault('circuit-open', { detail: 'not asked, as the last 5 calls failed (it answered 503); next try in 15 s' }),
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
    const partner = await openPartner((response, number) => sendJson(response, number < 6 ? { authorized: false } : ['wrong']))
    const { ask } = openTestRequester(partner.url)
    for (let time = 0; time < 6; time++) await expect(ask(readWorklist)).rejects.toEqual(fault('refused'))
    for (let time = 0; time < 5; time++) await expect(ask(readWorklist)).rejects.toEqual(fault('invalid'))
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
    const partner = await openPartner((response, number) => sendJson(response, EMPTY, number < 5 ? 500 : 200))
    const { ask } = openTestRequester(partner.url)
    for (let time = 0; time < 5; time++) await expect(ask()).rejects.toEqual(fault('status'))
    expect((await ask({ evenIfOpen: true })).httpStatus).toBe(200)
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
