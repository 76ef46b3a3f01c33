import { createServer as createTlsServer } from 'node:https'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type PartnerEndpoint, readAnswer } from '#server/webhooks/request.ts'
import type { WebhookEventId } from '#shared/ids.ts'
import { selfSignedCertificate } from '../../../support/certificate.ts'
import {
  openPartner,
  openTcpServer,
  openTestRequester,
  QUESTION,
  SECRET,
  sendJson,
} from './request-fixture.ts'

const EMPTY = { authorized: true, items: [] }
const fault = (name: string, more: object = {}) =>
  expect.objectContaining({ name: 'WebhookError', fault: name, ...more })
const readWorklist = {
  accept: (reply: { readonly body: Buffer }) =>
    readAnswer('modality_worklist.requested', reply.body).items,
}

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
    const envelope = new Webhook(SECRET).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    )
    expect(envelope).toEqual({
      id: 'whe_00000000000000000000000000000001',
      type: 'modality_worklist.requested',
      data: QUESTION,
    })
  })

  it('gives the body as it came, with the facts of the call', async () => {
    const partner = await openPartner((response) =>
      response.end('{"authorized": true,\n "items":[]}'),
    )
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
        detail: null,
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
    const partner = await openPartner((response) =>
      sendJson(response, { authorized: true, items: [{ PatientID: 'P1' }] }),
    )
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
    expect(
      partner.received.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']]),
    ).toEqual([
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
      endpointFor: (_type, apiKeyId) => ({
        endpointId: apiKeyId ?? 'clinic',
        url: apiKeyId ? key.url : clinic.url,
        secrets: [SECRET],
      }),
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
    expect(partner.received.map(({ headers }) => headers.host)).toEqual(
      Array(2).fill(`ris.clinic.example:${partner.port}`),
    )
  })

  it('is called by https with a certificate of a trusted authority for that name only', async () => {
    const certificate = selfSignedCertificate(['ris.clinic.example'])
    const partner = await openPartner((response) => sendJson(response, EMPTY), ((
      listener: () => void,
    ) => createTlsServer(certificate, listener)) as never)
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const requester = (host: string, authorities?: readonly string[]) =>
      openTestRequester(`https://${host}:${partner.port}/`, {
        resolve,
        ...(authorities && { authorities }),
      })

    expect((await requester('ris.clinic.example', [certificate.cert]).ask()).httpStatus).toBe(200)
    await expect(requester('ris.clinic.example').ask()).rejects.toEqual(
      fault('unreachable', {
        detail: 'its certificate is not signed by an authority that this PC trusts',
      }),
    )
    await expect(requester('other.example', [certificate.cert]).ask()).rejects.toEqual(
      fault('unreachable', { detail: 'its certificate is for another host name' }),
    )
    expect(partner.received).toHaveLength(1)
  })

  it('is not called by https where plain HTTP answers', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    const { ask } = openTestRequester(`https://127.0.0.1:${partner.port}/`)
    await expect(ask()).rejects.toEqual(
      fault('unreachable', { detail: 'no secure connection could be negotiated' }),
    )
  })
})

describe('the budget of a call', () => {
  const silent = async (budgets: NonNullable<PartnerEndpoint['budgets']>) => {
    const partner = await openPartner(() => undefined)
    return openTestRequester(partner.url, { endpoint: { budgets } })
  }

  it('is that of the endpoint for the event, where it has one', async () => {
    const { ask, request } = await silent({
      'modality_worklist.requested': 600,
      'report.delivered': 700,
    })
    await expect(ask()).rejects.toEqual(
      fault('timeout', { detail: 'no complete response was received within 0.6 s' }),
    )
    await expect(
      request('ephemeral.access_requested', { retrievalId: 'r1' }, { budgetMs: 500 }),
    ).rejects.toEqual(
      fault('timeout', { detail: 'no complete response was received within 0.5 s' }),
    )
  })

  it('is never longer than the caller can wait', async () => {
    const { ask } = await silent({ 'modality_worklist.requested': 60_000 })
    await expect(ask({ budgetMs: 500 })).rejects.toEqual(
      fault('timeout', { detail: 'no complete response was received within 0.5 s' }),
    )
  })
})

describe('a call to a given endpoint', () => {
  it('goes there, and is told as a test', async () => {
    const [usual, given] = [
      await openPartner((response) => sendJson(response, EMPTY)),
      await openPartner((response) => sendJson(response, EMPTY)),
    ]
    const { ask, outcomes } = openTestRequester(usual.url, {
      plaintextHosts: () => [`127.0.0.1:${given.port}`],
    })
    const about = { subject: 'test', studyInstanceUid: null, isTest: true }
    const told: unknown[] = []
    await ask({
      endpoint: { endpointId: 'given', url: given.url, secrets: [SECRET] },
      about,
      onOutcome: (one: unknown) => told.push(one),
    })
    expect([usual.received.length, given.received.length]).toEqual([0, 1])
    expect(outcomes).toMatchObject([{ endpointId: 'given', about }])
    expect(told).toEqual(outcomes)
  })
})

describe('an abort by the caller', () => {
  it('rejects with its reason, ends the connection and counts as nothing', async () => {
    const server = await openTcpServer((socket) =>
      socket.once('data', () => controller.abort('cancel')),
    )
    const controller = new AbortController()
    const { ask, outcomes } = openTestRequester(server.url)
    await expect(ask({ signal: controller.signal })).rejects.toBe('cancel')
    await expect
      .poll(() => server.sockets[0]?.readableEnded || server.sockets[0]?.destroyed)
      .toBe(true)
    expect(outcomes).toEqual([])
  })

  it('before the call sends nothing', async () => {
    const partner = await openPartner((response) => sendJson(response, EMPTY))
    await expect(
      openTestRequester(partner.url).ask({ signal: AbortSignal.abort('cancel') }),
    ).rejects.toBe('cancel')
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
