import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { express } from '#shared/contract/express.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { OWNER, sessionHeaders } from '../../support/gateway.ts'
import { httpCall } from '../../support/http-call.ts'
import { clientOf, newUid, type StartedInterface, startInterface } from '../../support/interface.ts'

// What holds for every call: authentication, methods, bodies, cursors, strictness, repeats.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const JSON_TYPE = { 'content-type': 'application/json' }
const study = () =>
  ({ studyInstanceUid: newUid(), studyDescription: 'CR Hand', severity: 'normal' }) as const

describe('authentication', () => {
  it.each([
    ['no key', {}],
    ['a key of another shape', { authorization: 'Bearer sk_test_1' }],
    ['a key that nobody has', { authorization: `Bearer sk_live_${'0'.repeat(32)}` }],
    ['another scheme', { authorization: 'Basic c2tfbGl2ZV86' }],
    ['a session without the header of our own script', 'cookie only'],
  ])('refuses %s with 401 and a challenge', async (_, headers) => {
    const given = typeof headers === 'string' ? { cookie: await ownerCookie() } : headers
    const answer = await clientOf(stage.http, given as Record<string, string>).send(
      'GET /v1/express',
    )
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(answer.json).toMatchObject({
      status: 401,
      message: expect.stringMatching(/./),
      errors: [],
    })
  })

  it('refuses a revoked key with 401', async () => {
    expect((await stage.keys.revoked.send('GET /v1/express')).status).toBe(401)
  })

  it('refuses the viewer area to a key without it with 403', async () => {
    const answer = await stage.keys.plain.send('GET /v1/viewer/studies')
    expect({ status: answer.status, json: answer.json }).toMatchObject({
      status: 403,
      json: { code: 'not-permitted' },
    })
    expect((await stage.keys.plain.send('GET /v1/scribe/studies')).status).toBe(200)
  })

  it('lets the key win over a session, so its call is the key’s', async () => {
    const cookie = await ownerCookie()
    const answer = await stage.keys.partner.send('POST /v1/express', {
      json: { expressCustomerName: 'Both' },
      headers: { cookie },
    })
    expect(answer.json).toMatchObject({
      createdByApiKeyId: stage.keyIds.partner,
      createdByUserId: null,
    })
  })

  it('says nothing of what exists to who has no key: a stranger’s 404 and 200 are both 401', async () => {
    for (const path of ['cus_00000000000000000000000000000001', 'nothing'])
      expect((await stage.nobody.send(`GET /v1/express/${path}`)).status).toBe(401)
  })
})

const ownerCookie = async () => (await sessionHeaders(stage.http, OWNER)).cookie ?? ''

describe('methods and paths', () => {
  it.each([
    ['PUT /v1/express', 'GET, HEAD, POST'],
    ['DELETE /v1/viewer/studies/stu_00000000000000000000000000000001', 'GET, HEAD, PATCH'],
    ['GET /v1/scribe/studies/cancel/now', undefined],
    ['GET /v2/express', undefined],
    ['GET /v1/scribe/clinicalReferences', undefined],
  ] as const)('%s: 405 with Allow, or 404', async (call, allow) => {
    const answer = await stage.keys.partner.send(call as 'GET /')
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({
      status: allow ? 405 : 404,
      allow,
    })
  })

  it('lets a literal path win over an id', async () => {
    for (const path of [
      'viewer/users/invitations',
      'scribe/users/invitations',
      'scribe/reports/text',
    ])
      expect((await stage.keys.partner.send(`GET /v1/${path}`)).status).toBe(
        path.endsWith('text') ? 400 : 200,
      )
  })

  it('reads a percent-encoded path', async () => {
    const made = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'Encoded' },
    })
    const answer = await stage.keys.partner.send(
      `GET /v1/express/${made.expressCustomerId.replace('_', '%5F')}`,
    )
    expect(answer.json).toEqual(made)
  })
})

describe('bodies', () => {
  it('are refused with 400 where they are not JSON, 415 where they say so, 413 where they are too large', async () => {
    const send = (body: string, headers: Record<string, string>) =>
      stage.keys.partner.send('POST /v1/express', { body, headers })
    expect((await send('{"expressCustomerName":', JSON_TYPE)).status).toBe(400)
    expect((await send('[]', JSON_TYPE)).status).toBe(400)
    expect((await send('"text"', JSON_TYPE)).status).toBe(400)
    expect(
      (await send('expressCustomerName=x', { 'content-type': 'application/x-www-form-urlencoded' }))
        .status,
    ).toBe(415)
    expect(
      (await send(JSON.stringify({ expressCustomerName: 'x'.repeat(1_100_000) }), JSON_TYPE))
        .status,
    ).toBe(413)
  })

  it('may be absent where nothing is needed, with any type or none', async () => {
    const { expressCustomerId } = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'No body' },
    })
    for (const headers of [{}, JSON_TYPE, { 'content-type': 'text/plain', 'content-length': '0' }])
      expect(
        (
          await stage.keys.partner.send(`POST /v1/express/${expressCustomerId}/deactivate`, {
            headers,
          })
        ).status,
      ).toBe(200)
  })

  it('come with a DELETE', async () => {
    const { expressCustomerId } = await stage.keys.partner.call(express.create, {
      body: { expressCustomerName: 'Delete' },
    })
    const json = { userId: stage.userIds.member }
    await stage.keys.partner.send(`POST /v1/express/${expressCustomerId}/users`, { json })
    const answer = await stage.keys.partner.send(`DELETE /v1/express/${expressCustomerId}/users`, {
      json,
    })
    expect({ status: answer.status, json: answer.json }).toMatchObject({
      status: 200,
      json: { success: true },
    })
  })

  it('may have unknown fields, unless the caller prefers strictness', async () => {
    const json = { ...study(), colour: 'blue' }
    const strict = await stage.keys.partner.send('POST /v1/viewer/studies', {
      json,
      headers: { prefer: 'handling=strict' },
    })
    expect(strict.status).toBe(400)
    expect((strict.json as { errors: { path: string }[] }).errors.map(({ path }) => path)).toEqual([
      'body.colour',
    ])
    const lenient = await stage.keys.partner.send('POST /v1/viewer/studies', { json })
    expect(lenient.status).toBe(201)
    expect(lenient.json).not.toHaveProperty('colour')
  })
})

describe('a request id', () => {
  it.each([
    ['GET /v1/express', 200],
    ['HEAD /v1/express', 200],
    ['GET /v1/express/cus_00000000000000000000000000000001', 404],
    ['GET /v1/nothing', 404],
    ['PUT /v1/express', 405],
    ['POST /v1/express', 400],
    ['GET /v1/events', 403],
    ['GET /openapi.json', 200],
    ['GET /docs', 200],
    ['GET /healthz', 200],
    ['GET /reports/rep_00000000000000000000000000000001/pdf', 403],
    ['GET /dicomweb/studies', 404],
  ] as const)('is in the answer to %s, which is %i', async (call, status) => {
    const given = call.startsWith('P') ? { json: {} } : {}
    const answer = await stage.keys.partner.send(call as 'GET /', given)
    expect([call, answer.status]).toEqual([call, status])
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    if (status >= 400) expect(answer.json).toMatchObject({ requestId: expect.any(String) })
  })

  it('is in the answer to who has no key, and another one each time', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await stage.nobody.send('GET /v1/express')).headers['x-request-id']),
    )
    expect(new Set(ids).size).toBe(2)
  })
})

describe('a cursor', () => {
  it('is refused with other filters, when a byte is changed, and in another list', async () => {
    for (let n = 0; n < 3; n++)
      await stage.keys.partner.call(viewer.create, {
        body: { ...study(), studyDescription: 'Cursor' },
      })
    const first = await stage.keys.partner.call(viewer.list, {
      query: { limit: 1, studyDescription: 'cursor' },
    })
    const cursor = first.cursor ?? ''
    // Base64 with padding, as clients of the service know it.
    expect([cursor.length % 4, Buffer.from(cursor, 'base64').toString('base64')]).toEqual([
      0,
      cursor,
    ])
    const ask = async (query: string) =>
      (await stage.keys.partner.send(`GET /v1/viewer/studies?${query}`)).status
    const encoded = encodeURIComponent(cursor)
    expect(await ask(`limit=1&studyDescription=cursor&cursor=${encoded}`)).toBe(200)
    expect(await ask(`limit=2&studyDescription=cursor&cursor=${encoded}`)).toBe(200)
    expect(await ask(`limit=1&cursor=${encoded}`)).toBe(400)
    expect(await ask(`limit=1&studyDescription=cursor&severity=stat&cursor=${encoded}`)).toBe(400)
    for (const at of [0, Math.floor(cursor.length / 2), cursor.length - 3]) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      expect(
        await ask(`limit=1&studyDescription=cursor&cursor=${encodeURIComponent(changed)}`),
      ).toBe(400)
    }
    expect(
      (
        await stage.keys.partner.send(
          `GET /v1/scribe/studies?studyDescription=cursor&cursor=${encoded}`,
        )
      ).status,
    ).toBe(400)
  })
})

describe('a repeated POST', () => {
  it('with the same Idempotency-Key is one study, and its answer comes again', async () => {
    const json = study()
    const send = (body: object, client = stage.keys.partner) =>
      client.send('POST /v1/viewer/studies', {
        json: body,
        headers: { 'idempotency-key': 'order-4711' },
      })
    const first = await send(json)
    const again = await send(json)
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await send({ ...json, severity: 'stat' })).status).toBe(422)
    expect((await send(study(), stage.keys.self)).status).toBe(201)
  })

  it('without a key is refused, because its UID is taken', async () => {
    const json = study()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => stage.keys.partner.send('POST /v1/viewer/studies', { json })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  })
})

describe('the rate of a key', () => {
  it('is bounded: 429 with Retry-After of at most a minute; the window is not', async () => {
    await using own = await startInterface({
      overrides: { 'http.ratePerSecond': 1, 'http.rateBurst': 20 },
    })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => own.keys.self.send('GET /v1/express')),
    )
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(5)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20)
    const wait = Number(limited[0]?.headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(limited[0]?.json).toMatchObject({ code: 'too-many', message: expect.any(String) })
    const window = await Promise.all(
      Array.from({ length: 30 }, () => own.users.admin.send('GET /v1/express')),
    )
    expect(new Set(window.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('a flood of calls without a valid key', () => {
  it.each([
    ['another PC', '127.0.0.66'],
    ['this PC', '127.0.0.1'],
  ])(
    'from %s is bounded by 429, and refuses no partner, not even one behind the same address',
    async (_, from) => {
      await using own = await startInterface({
        overrides: { 'http.ratePerSecond': 1, 'http.rateBurst': 40 },
      })
      const wrong = () => ({ authorization: `Bearer sk_live_${randomBytes(16).toString('hex')}` })
      const stranger = (n: number) =>
        own.nobody.send('GET /v1/express', { from, headers: n % 2 ? wrong() : {} })
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => ({
          refused: await stranger(n),
          served: n % 10 === 0 ? await own.keys.self.send('GET /v1/express', { from }) : undefined,
        })),
      )
      const statuses = answers.map(({ refused }) => refused.status)
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(40)
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100)
      const limited = answers.find(({ refused }) => refused.status === 429)?.refused
      expect(limited?.headers['content-type']).toMatch(/^application\/problem\+json/)
      expect(limited?.json).toMatchObject({ status: 429, code: 'too-many' })
      expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(limited?.headers['retry-after'])).toBeLessThanOrEqual(60)
      const served = answers.flatMap(({ served }) => served?.status ?? [])
      expect(served).toEqual(Array.from({ length: 20 }, () => 200))
      expect((await own.nobody.send('GET /v1/express', { from: '127.0.0.67' })).status).toBe(401)
    },
  )
})

it('gives no page of another origin leave to call it', async () => {
  const { headers } = await httpCall(`${stage.http}/v1/express`, {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
  })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})

it('answers under its own host names only', async () => {
  const answer = await stage.keys.partner.send('GET /v1/express', {
    headers: { host: 'elsewhere.example' },
  })
  expect({ status: answer.status, json: answer.json }).toMatchObject({
    status: 421,
    json: { code: 'wrong-host' },
  })
})

it('logs nothing of what a call carried', async () => {
  await stage.keys.partner.send('POST /v1/scribe/studies', {
    json: { ...study(), reportMetadata: { patientName: 'SECRETNAME^PATIENT', mrn: 'MRN-SECRET' } },
  })
  await stage.keys.partner.send('POST /v1/scribe/studies', {
    json: { ...study(), reportMetadata: { patientName: 7, mrn: 'MRN-SECRET' } },
  })
  const log = stage.started.log.join('\n')
  expect(log).not.toContain('SECRET')
  expect(log).not.toMatch(/sk_live_/)
})
