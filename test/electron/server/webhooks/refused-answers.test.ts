import { createServer as createTlsServer } from 'node:https'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ownListeners } from '#server/webhooks/address.ts'
import { CALL_LIMITS } from '#server/webhooks/exchange.ts'
import { acceptAnswer, type PartnerOutcome } from '#server/webhooks/request.ts'
import { testEventData } from '#server/webhooks/test-event.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { selfSignedCertificate } from '../../../support/certificate.ts'
import { freePort } from '../../../support/free-port.ts'
import {
  openPartner,
  openTcpServer,
  openTestRequester,
  sendJson,
  type TestRequester,
} from './request-fixture.ts'

const MIB = 1024 * 1024
const HOST = 'ris.clinic.example'
/** Of the cases that are about time; the others have a machine's worth of it. */
const BUDGET_MS = 300
const PLENTY_MS = 20_000
const BOMB = gzipSync(Buffer.alloc(32 * MIB, ' '))
const here = async () => [{ address: '127.0.0.1', family: 4 }]

/** What the partner of a case is called by, and how the gateway is set up. */
interface Case {
  readonly fault: PartnerOutcome['fault']
  readonly sentence: string
  readonly open: () => Promise<{
    readonly url: string
    readonly more?: TestRequester
  }>
  /** Where only some events tell it from a good answer. */
  readonly types?: readonly EventType[]
}

const answering =
  (...how: Parameters<typeof openPartner>) =>
  async () => ({ url: (await openPartner(...how)).url })
const raw =
  (text: string, then: 'ends' | 'hangs' = 'hangs') =>
  async () => ({
    url: (
      await openTcpServer((socket) => {
        socket.once('data', () => (then === 'ends' ? socket.end(text) : socket.write(text)))
      })
    ).url,
  })
async function openSecure(
  certificate: { readonly key: string; readonly cert: string },
  host = HOST,
  isTrusted = true,
) {
  const partner = await openPartner((response) => sendJson(response, {}), ((listener: () => void) =>
    createTlsServer(certificate, listener)) as never)
  return {
    url: `https://${host}:${partner.port}/`,
    more: { resolve: here, ...(isTrusted && { authorities: [certificate.cert] }) },
  }
}
const SYNCHRONOUS = EVENT_TYPES.filter((type) => EVENTS[type].kind === 'synchronous')
const SOFT_LIMIT = EVENT_TYPES.filter((type) => CALL_LIMITS[type].answerBytes === 2 * MIB)
const LARGE_LIMIT = EVENT_TYPES.filter((type) => CALL_LIMITS[type].answerBytes === 20 * MIB)

/** Ways of a partner to answer badly; each has a sentence of its own. */
const CASES: Readonly<Record<string, Case>> = {
  'no connection': {
    fault: 'unreachable',
    sentence: 'the connection was refused',
    open: async () => ({ url: `http://127.0.0.1:${await freePort()}/` }),
  },
  'a name that is not known': {
    fault: 'unreachable',
    sentence: 'the host name is not known',
    open: async () => ({
      url: 'https://nowhere.example/',
      more: {
        resolve: () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })),
      },
    }),
  },
  'an answer that never begins': {
    fault: 'timeout',
    sentence: 'no complete response was received within 0.3 s',
    open: answering(() => undefined),
  },
  'headers, and then nothing': {
    fault: 'timeout',
    sentence: 'no complete response was received within 0.3 s',
    open: raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n'),
  },
  'headers that never end': {
    fault: 'timeout',
    sentence: 'no complete response was received within 0.3 s',
    open: raw('HTTP/1.1 200 OK\r\nx: '),
  },
  'a byte now and then': {
    fault: 'timeout',
    sentence: 'no complete response was received within 0.3 s',
    open: answering((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 100)
      response.once('close', () => clearInterval(timer))
    }),
  },
  'half a body': {
    fault: 'unreachable',
    sentence: 'the connection was closed before the response was complete',
    open: raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"authorized":true', 'ends'),
  },
  'no HTTP': {
    fault: 'invalid',
    sentence: 'the response is not HTTP',
    open: raw('220 mail.clinic.example ESMTP\r\n', 'ends'),
  },
  'an empty body': {
    fault: 'invalid',
    sentence: 'the response is empty',
    open: answering((response) => response.end()),
  },
  'a page of HTML': {
    fault: 'invalid',
    sentence: 'the response is not JSON in UTF-8',
    open: answering((response) =>
      response.end('<html><body>Service temporarily unavailable</body></html>'),
    ),
  },
  'JSON in Latin-1': {
    fault: 'invalid',
    sentence: 'the response is not JSON in UTF-8',
    open: answering((response) => response.end(Buffer.from('{"error":"K\xf6ln"}', 'latin1'))),
  },
  'a list for an object': {
    fault: 'invalid',
    sentence: 'the response does not have the agreed form',
    open: answering((response) => sendJson(response, [])),
  },
  'an answer without what it must have': {
    fault: 'invalid',
    sentence: 'the response does not have the agreed form',
    types: [...SYNCHRONOUS, 'report.delivered'],
    open: answering((response) => sendJson(response, {})),
  },
  'success in words': {
    fault: 'invalid',
    sentence: 'the response does not have the agreed form',
    types: ['report.delivered'],
    open: answering((response) => sendJson(response, { success: 'true' })),
  },
  'success false': {
    fault: 'refused',
    sentence: 'the partner responded that it did not accept the report',
    types: ['report.delivered'],
    open: answering((response) => sendJson(response, { success: false })),
  },
  'a refusal': {
    fault: 'refused',
    sentence: 'study not found',
    types: SYNCHRONOUS,
    open: answering((response) =>
      sendJson(response, { authorized: false, error: 'study not found' }),
    ),
  },
  'a body of 10 MB where 2 are taken': {
    fault: 'oversize',
    sentence: 'the response is larger than 2 MiB',
    types: SOFT_LIMIT,
    open: answering((response) => response.end(Buffer.alloc(10 * MIB, ' '))),
  },
  'a body of 25 MB': {
    fault: 'oversize',
    sentence: 'the response is larger than 20 MiB',
    types: LARGE_LIMIT,
    open: answering((response) => response.end(Buffer.alloc(25 * MIB, ' '))),
  },
  'a body without a length and without an end': {
    fault: 'oversize',
    sentence: 'the response is larger than 2 MiB',
    types: ['report.delivered'],
    open: answering((response) => {
      const chunk = Buffer.alloc(MIB, ' ')
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    }),
  },
  'a gzip bomb': {
    fault: 'oversize',
    sentence: 'the response is larger than',
    open: answering((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
    ),
  },
  'damaged gzip': {
    fault: 'invalid',
    sentence: 'the compressed response is damaged or incomplete',
    open: answering((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
    ),
  },
  'a compression that was not offered': {
    fault: 'invalid',
    sentence: 'the response is compressed with a method that the gateway did not offer',
    open: answering((response) =>
      response.writeHead(200, { 'content-encoding': 'zstd' }).end('{}'),
    ),
  },
  'JSON nested without end': {
    fault: 'invalid',
    sentence: 'the response is nested more than 32 levels deep',
    open: answering((response) => response.end('['.repeat(MIB))),
  },
  'a million values': {
    fault: 'oversize',
    sentence: 'the response contains more than 1000000 values',
    open: answering((response) =>
      response.end(`[${'1,'.repeat(1_000_100 - 100)}${'1,'.repeat(100)}1]`.slice(0, 2 * MIB - 10)),
    ),
    types: SOFT_LIMIT,
  },
  'headers of a megabyte': {
    fault: 'oversize',
    sentence: 'the headers of the response are too large',
    open: raw(`HTTP/1.1 200 OK\r\nx-padding: ${'x'.repeat(MIB)}\r\n\r\n`),
  },
  'a redirect to this PC': {
    fault: 'status',
    sentence: 'it responded with 302, a redirect; redirects are not followed',
    open: async () => {
      const inside = await openPartner((response) =>
        sendJson(response, {
          success: true,
          authorized: true,
          items: [],
          urls: [],
          uploadUrls: [],
        }),
      )
      const partner = await openPartner((response) =>
        response.writeHead(302, { location: inside.url }).end(),
      )
      return { url: partner.url }
    },
  },
  'a redirect to a metadata service, the method kept': {
    fault: 'status',
    sentence: 'it responded with 308, a redirect; redirects are not followed',
    open: answering((response) =>
      response.writeHead(308, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    ),
  },
  'an error of its own': {
    fault: 'status',
    sentence: 'it responded with 500',
    open: answering((response) => sendJson(response, {}, 500)),
  },
  'a signature it does not accept': {
    fault: 'status',
    sentence:
      'it responded with 401; it may not accept the gateway’s signature, so compare the signing secret on both sides',
    open: answering((response) => sendJson(response, {}, 401)),
  },
  'a path that is not there': {
    fault: 'status',
    sentence: 'it responded with 404; the path of its address may be wrong',
    open: answering((response) => sendJson(response, {}, 404)),
  },
  'an error with a body that never ends': {
    fault: 'status',
    sentence: 'it responded with 503',
    open: raw('HTTP/1.1 503 Unavailable\r\ncontent-length: 1000\r\n\r\n<html>'),
  },
  'a certificate that has expired': {
    fault: 'unreachable',
    sentence: 'its certificate has expired',
    open: () =>
      openSecure(
        selfSignedCertificate([HOST], { from: '20200101000000Z', until: '20210101000000Z' }),
      ),
  },
  'a certificate that is not valid yet': {
    fault: 'unreachable',
    sentence: 'its certificate is not valid yet; check that this PC’s clock is correct',
    open: () => openSecure(selfSignedCertificate([HOST], { from: '20980101000000Z' })),
  },
  'a certificate for another host name': {
    fault: 'unreachable',
    sentence: 'its certificate is for another host name',
    open: () => openSecure(selfSignedCertificate(['other.example'])),
  },
  'a certificate of nobody': {
    fault: 'unreachable',
    sentence: 'its certificate is not signed by an authority that this PC trusts',
    open: () => openSecure(selfSignedCertificate([HOST]), HOST, false),
  },
  'plain HTTP where TLS is expected': {
    fault: 'unreachable',
    sentence: 'no secure connection could be negotiated',
    open: async () => ({
      url: (await openPartner((response) => sendJson(response, {}))).url.replace('http:', 'https:'),
    }),
  },
  'a name that leads to this PC, though it is not listed': {
    fault: 'forbidden-address',
    sentence: 'it is a loopback address, and its host and port are not in the list',
    open: async () => ({
      url: 'https://rebinding.example/',
      more: { resolve: here, plaintextHosts: () => [] },
    }),
  },
  'a name that leads to one of our own listeners': {
    fault: 'forbidden-address',
    sentence: 'it is a listener of this gateway, which the gateway never calls',
    open: async () => {
      const partner = await openPartner((response) => sendJson(response, {}))
      return {
        url: `http://looks-like-a-partner.example:${partner.port}/`,
        more: { resolve: here, isOwn: ownListeners(() => [partner.port]) },
      }
    },
  },
  'the address of one of our own listeners': {
    fault: 'forbidden-address',
    sentence: 'it is a listener of this gateway, which the gateway never calls',
    open: async () => {
      const partner = await openPartner((response) => sendJson(response, {}))
      return { url: partner.url, more: { isOwn: ownListeners(() => [partner.port]) } }
    },
  },
}

const FACTS = {
  ...{
    clinicId: '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11',
    day: '2026-11-20',
    callingAe: 'CT1',
    publicBase: 'https://gateway.example',
  },
  uuid: () => '7d4a1c1e-0a3b-4f52-9b53-0b1a5f0c7a55',
}
// One of each kind, where all of them would find the same.
const ONE_OF_EACH: readonly EventType[] = [
  'modality_worklist.requested',
  'clinical_context.enrichment_requested',
  'report.delivered',
]

describe.each(Object.entries(CASES))(
  '%s',
  (_what, { fault, sentence, open, types = ONE_OF_EACH }) => {
    it.each(types)('is refused in its own words for %s', { timeout: PLENTY_MS }, async (type) => {
      const { url, more } = await open()
      const limits = Object.fromEntries(
        EVENT_TYPES.map((one) => [
          one,
          { ...CALL_LIMITS[one], budgetMs: fault === 'timeout' ? BUDGET_MS : PLENTY_MS },
        ]),
      )
      const { request, outcomes } = openTestRequester(url, { limits, ...more })
      const asked = request(type, testEventData(type, FACTS), { accept: acceptAnswer(type) })
      await expect(asked).rejects.toMatchObject({
        name: 'WebhookError',
        fault,
        detail: expect.stringContaining(sentence),
      })
      expect(outcomes).toMatchObject([{ type, fault, detail: expect.stringContaining(sentence) }])
      // What is said of it is kept; what it sent is kept to the first 64 KiB at most.
      expect(outcomes[0]?.response?.length ?? 0).toBeLessThanOrEqual(64 << 10)
    })
  },
)

describe('what is kept of an answer', () => {
  it('is the beginning of the body of an error too, as soon as it comes', async () => {
    const partner = await openPartner((response) =>
      response.writeHead(400).end('the study is not known here'),
    )
    const { request, outcomes } = openTestRequester(partner.url)
    await expect(
      request('report.delivered', testEventData('report.delivered', FACTS)),
    ).rejects.toMatchObject({ httpStatus: 400 })
    expect(outcomes[0]?.response?.toString()).toBe('the study is not known here')
    expect(outcomes[0]?.request?.toString()).toBe(partner.received[0]?.body.toString())
  })

  it('is 64 KiB of a large one, the notes of what was left out, and what it was about', async () => {
    const document = { fileName: 'referral.txt', content: ['x'.repeat(100_000)] }
    const partner = await openPartner((response) =>
      sendJson(response, { documents: [document, { fileName: '', content: 7 }] }),
    )
    const { request, outcomes } = openTestRequester(partner.url)
    const type = 'clinical_context.enrichment_requested'
    const about = { subject: 'stu_00000000000040008000000000000001', studyInstanceUid: '1.2.3' }
    const answer = await request(type, testEventData(type, FACTS), {
      about,
      accept: acceptAnswer(type),
    })
    expect(answer.documents).toEqual([document])
    expect(outcomes[0]).toMatchObject({
      about,
      fault: null,
      notes: [{ path: expect.stringMatching(/^documents\.1/) }],
    })
    expect(outcomes[0]?.response).toHaveLength(64 << 10)
  })
})
