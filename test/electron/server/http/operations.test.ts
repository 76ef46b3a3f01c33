import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { HttpApp } from '#server/http/http-app.ts'
import { normalizeQuery, serve } from '#server/http/operations.ts'
import type { HttpServer } from '#server/http/server.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { Email } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import { operation } from '#shared/operation.ts'
import { httpCall, OWN_PAGE } from '../../../support/http-call.ts'
import { openTestServer, person, sessionsOf } from './http-fixture.ts'

const things = {
  make: operation('POST /things', {
    access: 'public',
    summary: 'Make',
    body: z.object({ email: Email, size: z.int().min(1), kind: z.string().default('plain') }),
    reply: z.object({ email: z.string(), size: z.int(), kind: z.string() }),
    status: 201,
  }),
  list: operation('GET /things', {
    access: 'public',
    summary: 'List',
    query: z.object({ limit: z.coerce.number().int().default(20), tag: z.string().optional() }),
    reply: z.object({ limit: z.int(), tag: z.string().nullable() }),
  }),
  read: operation('GET /things/:thingId', {
    access: 'public',
    summary: 'Read',
    params: z.object({ thingId: z.uuid() }),
    reply: z.object({ thingId: z.string() }),
  }),
  drop: operation('DELETE /things/:thingId', {
    access: 'public',
    summary: 'Drop',
    params: z.object({ thingId: z.uuid() }),
    reply: z.object({ success: z.boolean() }),
  }),
  refuse: operation('POST /refuse', {
    access: 'public',
    summary: 'Refuse',
    body: z.object({ code: z.string() }),
    reply: z.object({}),
  }),
  broken: operation('GET /broken', {
    access: 'public',
    summary: 'Broken',
    reply: z.object({ count: z.int() }),
  }),
  whose: operation('GET /whose', {
    access: 'public',
    summary: 'Whose',
    reply: z.object({ email: z.string() }),
  }),
  mine: operation('GET /mine', {
    access: 'signed-in',
    summary: 'Mine',
    reply: z.object({ email: z.string() }),
  }),
  manage: operation('GET /manage', {
    access: 'manage',
    summary: 'Manage',
    reply: z.object({ email: z.string() }),
  }),
}

const THING = '7b0f3a51-27a5-4f0b-9c60-0f4dbd1b86f0'
const sessions = sessionsOf({
  member: person(),
  admin: person({ level: 'admin', email: 'ada@clinic.example' }),
  owner: person({ level: 'owner', email: 'olga@clinic.example' }),
  outsider: person({ level: 'admin', hasDashboardAccess: false }),
  idle: 'locked',
})
const logged: unknown[] = []
let server: HttpServer

beforeAll(async () => {
  server = await openTestServer({
    sessions,
    log: { error: (fields, message) => logged.push({ ...fields, message }) },
    bodyBytes: 2000,
    register: (app: HttpApp) => {
      serve(app, things.make, ({ body }) => ({ ...body, secret: 'never leaves' }))
      serve(app, things.list, ({ query }) => ({ limit: query.limit, tag: query.tag ?? null }))
      serve(app, things.read, async ({ params }) => ({ thingId: params.thingId }))
      serve(app, things.drop, () => ({ success: true }))
      serve(app, things.refuse, ({ body }) => {
        if (body.code === 'sqlite') throw Object.assign(new Error('disk'), { code: 'SQLITE_FULL' })
        if (body.code === 'crash') throw new TypeError('cannot read PatientName of MUSTER^ERIKA')
        throw new ApiError('too-many', verbatim('Wait a little'), {
          headers: { 'retry-after': '7' },
          errors: [{ path: 'body.code', message: verbatim('again') }],
        })
      })
      serve(app, things.broken, () => ({ count: 1.5 }))
      serve(app, things.whose, ({ user }) => ({ email: user?.email ?? '' }))
      serve(app, things.mine, ({ user }) => ({ email: user.email }))
      serve(app, things.manage, ({ user }) => ({ email: user.email }))
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  httpCall(server.url + path, { headers })
const post = (path: string, json: unknown, headers: Record<string, string> = OWN_PAGE) =>
  httpCall(server.url + path, { method: 'POST', headers, json })
const problem = (answer: { json: unknown }) => Problem.parse(answer.json)
const cookie = (token: string) => ({ cookie: `isthmus-session=${token}` })

describe('an operation', () => {
  it('answers with the status of the contract and without fields the contract does not have', async () => {
    const answer = await post('/things', { email: ' a@b.example ', size: 3, extra: true })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({ email: 'a@b.example', size: 3, kind: 'plain' })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('reads the query and the path by the contract', async () => {
    expect((await get('/things?limit=20.0&tag=a%20b')).json).toEqual({ limit: 20, tag: 'a b' })
    expect((await get('/things')).json).toEqual({ limit: 20, tag: null })
    expect((await get(`/things/${THING}`)).json).toEqual({ thingId: THING })
  })

  it('answers HEAD as GET without a body', async () => {
    const answer = await httpCall(`${server.url}/things`, { method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })
})

describe('a malformed request', () => {
  it('is refused with 400 naming every field of the body', async () => {
    const answer = await post('/things', { email: 'nobody', size: 0 })
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toContain('application/problem+json')
    const { errors, message, detail, instance, code, title, type } = problem(answer)
    expect(errors.map((fault) => fault.path)).toEqual(['body.email', 'body.size'])
    expect(errors[0]?.message).toBe('must be an e-mail address')
    expect(message).toBe('body.email: must be an e-mail address (and 1 more)')
    expect({ detail, instance, code, title, type }).toEqual({
      detail: message,
      instance: '/things',
      code: 'malformed',
      title: 'Malformed request',
      type: 'urn:isthmus:problem:malformed',
    })
  })

  it('is refused with 400 naming the part of the query or the path', async () => {
    const query = problem(await get('/things?limit=many'))
    expect([query.status, query.errors[0]?.path, query.instance]).toEqual([
      400,
      'query.limit',
      '/things',
    ])
    expect(problem(await get('/things/7')).errors[0]?.path).toBe('params.thingId')
  })

  it('is refused with 400 where the body is missing, not JSON, not UTF-8 or reaches for the prototype', async () => {
    const headers = { ...OWN_PAGE, 'content-type': 'application/json' }
    const send = async (body: string | Buffer) =>
      problem(await httpCall(`${server.url}/things`, { method: 'POST', headers, body }))
    expect((await send('')).errors[0]?.path).toBe('body')
    expect(await send('{"email":')).toMatchObject({
      status: 400,
      message: 'The body is not valid JSON.',
    })
    expect(await send(Buffer.from([0x22, 0xe4, 0x22]))).toMatchObject({
      status: 400,
      message: 'The body is not UTF-8.',
    })
    expect(await send('{"__proto__":{"size":1}}')).toMatchObject({
      status: 400,
      message: expect.stringContaining('__proto__'),
    })
  })

  it('is refused with 415 only for a non-empty body that is not JSON', async () => {
    const send = (method: string, path: string, body: string, type: Record<string, string>) =>
      httpCall(server.url + path, { method, headers: { ...OWN_PAGE, ...type }, body })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const answer = await send('POST', '/things', 'email=a@b.example', { 'content-type': type })
      expect([type, answer.status, problem(answer).code]).toEqual([type, 415, 'not-json'])
    }
    expect((await send('POST', '/things', '{}', {})).status).toBe(415)
    expect(
      (await send('DELETE', `/things/${THING}`, '', { 'content-type': 'text/plain' })).json,
    ).toEqual({ success: true })
    expect(
      (await send('DELETE', `/things/${THING}`, '', { 'content-type': 'application/json' })).json,
    ).toEqual({ success: true })
  })

  it('is refused with 413 above the limit', async () => {
    const answer = await post('/things', { email: 'a@b.example', size: 1, kind: 'x'.repeat(3000) })
    expect([answer.status, problem(answer).code]).toEqual([413, 'too-large'])
  })
})

describe('a refusal', () => {
  it('keeps its headers and its fields', async () => {
    const answer = await post('/refuse', { code: 'too-many' })
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('7')
    expect(problem(answer)).toMatchObject({
      title: 'Too many requests',
      message: 'Wait a little',
      errors: [{ path: 'body.code', message: verbatim('again') }],
    })
  })

  it('says that the disk is full with 503', async () => {
    const answer = await post('/refuse', { code: 'sqlite' })
    expect([answer.status, problem(answer).message]).toEqual([
      503,
      'The disk of the gateway is full; nothing was changed. Free some space on it and try again.',
    ])
  })

  it('hides a fault of ours behind the id of the request, in the answer and in the log', async () => {
    logged.length = 0
    const answer = await post('/refuse', { code: 'crash' })
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('MUSTER')
    expect(problem(answer).message).toContain(String(answer.headers['x-request-id']))
    expect(logged).toMatchObject([
      {
        requestId: answer.headers['x-request-id'],
        route: 'POST /refuse',
        status: 500,
        error: 'TypeError',
        message: 'a call failed',
      },
    ])
    expect(JSON.stringify(logged)).not.toContain('MUSTER')
  })

  it('takes the place of a reply that breaks the contract', async () => {
    expect(problem(await get('/broken'))).toMatchObject({
      status: 500,
      code: 'internal',
      errors: [],
    })
  })
})

describe('access', () => {
  it('refuses who is not signed in with 401, before reading the body', async () => {
    for (const headers of [{}, cookie('unknown')]) {
      const answer = await get('/mine', headers)
      expect([answer.status, problem(answer).code, answer.headers['www-authenticate']]).toEqual([
        401,
        'not-signed-in',
        'Session realm="isthmus"',
      ])
      expect(problem(answer).message).toBe('Sign in to do this.')
    }
  })

  it('refuses by level with 403', async () => {
    expect((await get('/mine', cookie('member'))).json).toEqual({ email: 'vera@clinic.example' })
    const refused = await get('/manage', cookie('member'))
    expect([refused.status, problem(refused).message]).toEqual([
      403,
      'Only an owner or an administrator may do this.',
    ])
    expect((await get('/manage', cookie('admin'))).json).toEqual({ email: 'ada@clinic.example' })
    expect((await get('/manage', cookie('owner'))).json).toEqual({ email: 'olga@clinic.example' })
  })

  it('refuses a session whose account lost its access to the window', async () => {
    const mine = await get('/mine', cookie('outsider'))
    expect([mine.status, problem(mine).message]).toEqual([
      403,
      'This account may not use Isthmus: an owner or an administrator can allow it.',
    ])
    expect((await get('/manage', cookie('outsider'))).status).toBe(403)
  })

  it('refuses who has locked the window with 401, and says how to go on', async () => {
    const answer = await get('/mine', cookie('idle'))
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Session realm="isthmus"',
    ])
    expect(problem(answer)).toMatchObject({
      ...{
        code: 'locked',
        message: 'The screen is locked: unlock it with your password to continue.',
      },
    })
  })

  it('shows a public call who is signed in, and nobody where the window is locked', async () => {
    expect((await get('/whose', cookie('member'))).json).toEqual({ email: 'vera@clinic.example' })
    for (const headers of [{}, cookie('idle'), cookie('unknown')])
      expect((await get('/whose', headers)).json).toEqual({ email: '' })
  })

  it('counts a call as a person at work', async () => {
    sessions.looks.length = 0
    await get('/mine', cookie('member'))
    expect(sessions.looks).toEqual(['member person'])
  })
})

describe('a change', () => {
  const send = (headers: Record<string, string>) => post('/refuse', { code: 'reached' }, headers)
  const csrf = { 'x-isthmus-csrf': '1' }

  it('needs the header of our own script and proof of its origin', async () => {
    expect((await send({})).status).toBe(403)
    expect((await send(csrf)).status).toBe(403)
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(403)
    expect(
      (await send({ ...csrf, 'x-isthmus-csrf': '0', 'sec-fetch-site': 'same-origin' })).status,
    ).toBe(403)
    expect((await send({ ...csrf, 'sec-fetch-site': 'none' })).status).toBe(403)
    expect((await send({ ...csrf, 'sec-fetch-site': 'same-origin' })).status).toBe(429)
    expect((await send({ ...csrf, origin: server.url })).status).toBe(429)
  })

  it('that is refused says what it lacks', async () => {
    const sentence = async (headers: Record<string, string>) => problem(await send(headers)).message
    expect(await sentence({ 'sec-fetch-site': 'same-origin' })).toBe(
      'A request that changes data needs the header x-isthmus-csrf: 1.',
    )
    expect(await sentence(csrf)).toBe(
      'A request that changes data needs Sec-Fetch-Site: same-origin or the Origin of this gateway.',
    )
    expect(await sentence({ ...OWN_PAGE, origin: 'https://evil.example' })).toBe(
      'This request came from a page of another origin.',
    )
  })

  it('of a foreign page is refused whatever else it sends', async () => {
    const port = Number(new URL(server.url).port)
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `http://localhost:${port}`,
    ]) {
      const answer = await send({ ...OWN_PAGE, origin })
      expect([origin, answer.status]).toEqual([origin, 403])
    }
    for (const site of ['cross-site', 'same-site'])
      expect((await send({ ...csrf, origin: server.url, 'sec-fetch-site': site })).status).toBe(403)
  })

  it('is not needed for reading, which a foreign page may not do either', async () => {
    expect((await get('/things')).status).toBe(200)
    expect((await get('/things', { origin: 'https://evil.example' })).status).toBe(403)
    expect((await get('/things')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('a path', () => {
  it('that nobody declared is 404', async () => {
    const answer = await get('/nothing')
    expect([answer.status, problem(answer).code]).toEqual([404, 'not-found'])
    expect(
      (
        await httpCall(`${server.url}/nothing`, {
          method: 'POST',
          body: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(404)
  })

  it('that takes other methods is 405 with Allow', async () => {
    const put = await httpCall(`${server.url}/things`, { method: 'PUT', json: {} })
    expect([put.status, put.headers.allow, problem(put).code]).toEqual([
      405,
      'GET, HEAD, POST',
      'method-not-allowed',
    ])
    const patch = await httpCall(`${server.url}/things/${THING}?a=b`, { method: 'PATCH', json: {} })
    expect([patch.status, patch.headers.allow]).toEqual([405, 'DELETE, GET, HEAD'])
    expect((await httpCall(`${server.url}/things`, { method: 'OPTIONS' })).status).toBe(405)
  })

  it('that cannot be read is 400', async () => {
    const answer = await get('/things/%zz')
    expect([answer.status, problem(answer).code]).toEqual([400, 'malformed'])
  })
})

it('reads name[] as name, and joins both forms', () => {
  expect(normalizeQuery({ 'status[]': ['sent', 'accepted'], limit: '20' })).toEqual({
    status: ['sent', 'accepted'],
    limit: '20',
  })
  expect(normalizeQuery({ 'status[]': 'sent' })).toEqual({ status: ['sent'] })
  expect(normalizeQuery({ status: 'sent,revoked', 'status[]': ['accepted'] })).toEqual({
    status: ['sent,revoked', 'accepted'],
  })
})

it('leaves every other query as it is', () => {
  const query = { a: '1', b: ['2', '3'], 'c[x]': '4' }
  expect(normalizeQuery(query)).toBe(query)
  expect(normalizeQuery(undefined)).toBeUndefined()
})
