import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ApiKeyCaller, Callers } from '#gateway/http/callers.ts'
import { cursorCodec } from '#gateway/http/cursor-codec.ts'
import { openIdempotency } from '#gateway/http/idempotency.ts'
import { serve, serveAll } from '#gateway/http/operations.ts'
import { openRateLimit } from '#gateway/http/rate-limit.ts'
import type { HttpServer } from '#gateway/http/server.ts'
import { openStore, type Store } from '#gateway/store/store.ts'
import { Page, Problem, pageOf } from '#shared/contract/conventions.ts'
import { choices, Flag, nullable, orEmpty } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, UserId } from '#shared/ids.ts'
import { operation } from '#shared/operation.ts'
import { type HttpCall, httpCall, OWN_PAGE } from '../../../support/http-call.ts'
import { tempFolder } from '../../../support/temp-store.ts'
import { openTestServer, person, sessionsOf } from './http-fixture.ts'

const cards = {
  make: operation('POST /v1/cards', {
    summary: 'Make',
    body: z.object({ name: z.string().min(1), home: z.object({ city: z.string() }).optional() }),
    reply: z.object({ cardId: z.string(), name: z.string(), by: z.string() }),
    status: 201,
  }),
  list: operation('GET /v1/cards', {
    summary: 'List',
    query: z.object({ ...Page, owner: nullable(UserId), kind: choices(['red', 'blue']), isOld: Flag }),
    reply: pageOf('cards', z.object({ seq: z.int() })),
  }),
  read: operation('GET /v1/cards/:cardId', {
    summary: 'Read',
    params: z.object({ cardId: z.string().max(64) }),
    reply: z.object({ cardId: z.string() }),
  }),
  special: operation('GET /v1/cards/special', { summary: 'Special', reply: z.object({ special: z.literal(true) }) }),
  touch: operation('POST /v1/cards/:cardId/touch', {
    summary: 'Touch',
    params: z.object({ cardId: z.string() }),
    reply: z.object({ success: z.boolean() }),
  }),
  edit: operation('PATCH /v1/cards/:cardId', {
    summary: 'Edit',
    params: z.object({ cardId: z.string() }),
    body: orEmpty(z.object({ name: z.string().optional() })),
    reply: z.object({ fields: z.array(z.string()) }),
  }),
  slow: operation('POST /v1/slow', { summary: 'Slow', body: z.object({ name: z.string() }), reply: z.object({ name: z.string() }) }),
  fail: operation('POST /v1/fail', { summary: 'Fail', body: z.object({ code: z.string() }), reply: z.object({}) }),
}
const views = {
  see: operation('GET /v1/viewer/things', { summary: 'See', reply: z.object({ success: z.boolean() }) }),
  send: operation('POST /v1/viewer/things', {
    summary: 'Send',
    body: z.object({ text: z.string() }),
    reply: z.object({ length: z.int() }),
  }),
}

const KEY = `sk_live_${'a'.repeat(32)}`
const PLAIN = `sk_live_${'b'.repeat(32)}`
const SLOW = `sk_live_${'c'.repeat(32)}`
const keys: Record<string, ApiKeyCaller> = {
  [KEY]: { kind: 'api-key', apiKeyId: '11111111-1111-4111-8111-111111111111', scope: 'all', isViewerEnabled: true },
  [PLAIN]: { kind: 'api-key', apiKeyId: '22222222-2222-4222-8222-222222222222', scope: 'self', isViewerEnabled: false },
  [SLOW]: { kind: 'api-key', apiKeyId: '33333333-3333-4333-8333-333333333333', scope: 'all', isViewerEnabled: true },
}
const customer = idFromUuid('cus', randomUUID())
const callers: Callers = { authenticateKey: (key) => keys[key], customerIdsOf: () => [customer] }
const member = person({ userId: idFromUuid('usr', randomUUID()) })
const sessions = sessionsOf({ member, outsider: person({ hasDashboardAccess: false }) })
const rate = { now: 0, perSecond: 1000, burst: 100_000 }
const TOTAL = 45

let temp: ReturnType<typeof tempFolder>
let store: Store
let server: HttpServer
let made = 0
let clockMs = Date.parse('2026-11-20T08:00:00.000Z')
let release = Promise.withResolvers<void>()
let reached = Promise.withResolvers<void>()
const calls: string[] = []

beforeAll(async () => {
  temp = tempFolder()
  store = openStore({ folder: temp.folder, clock: () => clockMs, uuid: randomUUID })
  const partners = {
    callers,
    rateLimit: openRateLimit({ clock: () => rate.now, perSecond: () => rate.perSecond, burst: () => rate.burst }),
    idempotency: openIdempotency(store.idempotency),
    cursors: cursorCodec(Buffer.alloc(32, 7)),
  }
  server = await openTestServer({
    sessions,
    partners,
    bodyBytes: 1000,
    register(app) {
      serve(app, cards.make, { access: 'partner' }, ({ body, caller }) => {
        made += 1
        if (body.name === 'taken') throw new ApiError('refused', 'The name is taken.')
        return { cardId: `card-${made}`, name: body.name, by: caller.kind === 'user' ? caller.user.customerIds.join() : caller.scope }
      })
      serve(app, cards.list, { access: 'partner' }, ({ query }) => {
        calls.push(JSON.stringify(query))
        const after = query.cursor === undefined ? TOTAL + 1 : Number(query.cursor)
        const seqs = Array.from({ length: TOTAL }, (_, index) => TOTAL - index).filter((seq) => seq < after)
        const page = seqs.slice(0, query.limit)
        const hasMore = seqs.length > page.length
        return { cards: page.map((seq) => ({ seq })), hasMore, ...(hasMore && { cursor: String(page.at(-1)) }) }
      })
      serve(app, cards.read, { access: 'partner' }, ({ params }) => ({ cardId: params.cardId }))
      serve(app, cards.special, { access: 'partner' }, () => ({ special: true as const }))
      serve(app, cards.touch, { access: 'partner' }, () => {
        made += 1
        return { success: true }
      })
      serve(app, cards.edit, { access: 'partner' }, ({ body }) => ({ fields: Object.keys(body) }))
      serve(app, cards.slow, { access: 'partner' }, async ({ body }) => {
        made += 1
        reached.resolve()
        await release.promise
        return body
      })
      serve(app, cards.fail, { access: 'partner' }, ({ body }) => {
        made += 1
        store.settings.set('clinic.name', `"${body.code} ${made}"`)
        if (body.code === 'busy') throw new ApiError('too-many', 'Wait.', { headers: { 'retry-after': '3' } })
        throw new TypeError('broken')
      })
      serveAll(
        app,
        views,
        { see: 'viewer', send: 'viewer' },
        { see: () => ({ success: true }), send: ({ body }) => ({ length: body.text.length }) },
        { background: ['see'], bodyBytes: { send: 5000 }, afterChange: () => calls.push('changed') },
      )
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  store[Symbol.dispose]()
  temp[Symbol.dispose]()
})

const send = (call: string, { key = KEY, ...given }: HttpCall & { key?: string | null } = {}) => {
  const [method = '', path = ''] = call.split(' ')
  const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...given.headers }
  return httpCall(server.url + path, { ...given, method, headers })
}
const problem = (answer: { json: unknown }) => Problem.parse(answer.json)
const session = { cookie: 'isthmus-session=member' }

describe('a key', () => {
  it('admits a partner, without any of the window’s proofs', async () => {
    const answer = await send('POST /v1/cards', { json: { name: 'n' }, key: PLAIN, headers: { origin: 'https://partner.example' } })
    expect([answer.status, answer.json]).toEqual([201, { cardId: `card-${made}`, name: 'n', by: 'self' }])
  })

  it('that is missing, malformed or unknown is refused with 401 and a Bearer challenge', async () => {
    const missing = await send('GET /v1/cards', { key: null })
    expect([missing.status, missing.headers['www-authenticate'], problem(missing).code]).toEqual([401, 'Bearer', 'bad-key'])
    expect(problem(missing).requestId).toBe(missing.headers['x-request-id'])
    for (const authorization of [
      'Bearer',
      'Bearer ',
      KEY,
      `Basic ${KEY}`,
      `Bearer ${KEY}x`,
      `Bearer sk_live_${'0'.repeat(32)}`,
      `Bearer ${KEY} ${KEY}`,
    ]) {
      const answer = await send('GET /v1/cards', { key: null, headers: { authorization } })
      expect([authorization, answer.status, answer.headers['www-authenticate']]).toEqual([
        authorization,
        401,
        'Bearer error="invalid_token"',
      ])
    }
    expect((await send('GET /v1/cards', { key: null, headers: { authorization: `bearer ${KEY}` } })).status).toBe(200)
  })

  it('without the viewer area is refused there with 403, and elsewhere not', async () => {
    const refused = await send('GET /v1/viewer/things', { key: PLAIN })
    expect([refused.status, problem(refused).message]).toEqual([403, 'This API key has no access to the viewer area.'])
    expect((await send('GET /v1/viewer/things')).json).toEqual({ success: true })
    expect((await send('GET /v1/cards', { key: PLAIN })).status).toBe(200)
  })

  it('wins over a session: a bad one is refused though somebody is signed in', async () => {
    const bad = await send('GET /v1/cards', { key: 'sk_live_no', headers: { ...session, ...OWN_PAGE } })
    expect(bad.status).toBe(401)
    const good = await send('POST /v1/cards', { json: { name: 'n' }, headers: { ...session, ...OWN_PAGE } })
    expect(good.json).toMatchObject({ by: 'all' })
  })
})

describe('a session', () => {
  it('admits a person from our own page only, reading too, with the customers of that person', async () => {
    const own = await send('POST /v1/cards', { key: null, json: { name: 'n' }, headers: { ...session, ...OWN_PAGE } })
    expect([own.status, own.json]).toMatchObject([201, { by: customer }])
    expect(
      (await send('GET /v1/viewer/things', { key: null, headers: { ...session, 'x-isthmus-csrf': '1', origin: server.url } })).status,
    ).toBe(200)
    const refused: Record<string, string>[] = [
      session,
      { ...session, 'x-isthmus-csrf': '1' },
      { ...session, 'sec-fetch-site': 'same-origin' },
      { ...session, ...OWN_PAGE, origin: 'https://evil.example' },
      { ...session, ...OWN_PAGE, 'sec-fetch-site': 'cross-site' },
      { ...OWN_PAGE, cookie: 'isthmus-session=ended' },
      OWN_PAGE,
    ]
    for (const headers of refused) {
      const answer = await send('GET /v1/cards', { key: null, headers })
      expect([headers, answer.status, answer.headers['www-authenticate']]).toEqual([headers, 401, 'Bearer'])
    }
  })

  it('stays awake by what a person does, not by what the window asks by itself', async () => {
    sessions.looks.length = 0
    await send('GET /v1/cards', { key: null, headers: { ...session, ...OWN_PAGE } })
    await send('GET /v1/viewer/things', { key: null, headers: { ...session, ...OWN_PAGE } })
    expect(sessions.looks).toEqual(['member person', 'member background'])
  })

  it('of an account without access to the window is refused with 403', async () => {
    const answer = await send('GET /v1/cards', { key: null, headers: { ...OWN_PAGE, cookie: 'isthmus-session=outsider' } })
    expect(answer.status).toBe(403)
  })
})

describe('the rate', () => {
  it('of a key is limited with 429 and says so on every answer; the window’s is not', async () => {
    Object.assign(rate, { perSecond: 1, burst: 2 })
    try {
      const first = await send('GET /v1/cards', { key: SLOW })
      expect([first.status, first.headers['ratelimit-limit'], first.headers['ratelimit-remaining']]).toEqual([200, '2', '1'])
      await send('GET /v1/cards', { key: SLOW })
      const third = await send('GET /v1/cards', { key: SLOW })
      expect([third.status, third.headers['retry-after'], third.headers['ratelimit-remaining'], problem(third).code]).toEqual([
        429,
        '1',
        '0',
        'too-many',
      ])
      for (let asked = 0; asked < 4; asked++)
        expect((await send('GET /v1/cards', { key: null, headers: { ...session, ...OWN_PAGE } })).status).toBe(200)
      rate.now += 1000
      expect((await send('GET /v1/cards', { key: SLOW })).status).toBe(200)
    } finally {
      Object.assign(rate, { perSecond: 1000, burst: 100_000 })
    }
  })
})

describe('a list', () => {
  const page = async (path: string) => (await send(`GET ${path}`)).json as { cards: { seq: number }[]; hasMore: boolean; cursor?: string }

  it('is read to its end by sealed cursors, and says cursor exactly when there is more', async () => {
    const seen: number[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const part = await page(`/v1/cards?limit=${pages + 9}.0&kind=red%2Cblue${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)
      seen.push(...part.cards.map(({ seq }) => seq))
      expect('cursor' in part).toBe(part.hasMore)
      cursor = part.cursor
      if (!part.hasMore) break
    }
    expect(seen).toEqual(Array.from({ length: TOTAL }, (_, index) => TOTAL - index))
  })

  it('refuses a cursor of other filters or with a changed character, and takes an empty one as none', async () => {
    const { cursor = '' } = await page('/v1/cards?isOld=true')
    expect(Buffer.from(cursor, 'base64url').length).toBeGreaterThan(16)
    for (const query of [`cursor=${cursor}`, `cursor=${cursor}&isOld=false`, `cursor=${cursor}x&isOld=true`, `cursor=26&isOld=true`]) {
      const answer = await send(`GET /v1/cards?${query}`)
      expect([query, answer.status, problem(answer).errors[0]?.path]).toEqual([query, 400, 'query.cursor'])
    }
    expect((await page(`/v1/cards?cursor=${cursor}&isOld=true&limit=1`)).cards).toEqual([{ seq: TOTAL - 20 }])
    expect((await page('/v1/cards?cursor=')).cards[0]).toEqual({ seq: TOTAL })
  })

  it('reads filters in every form that clients send', async () => {
    const asked = async (query: string) => {
      calls.length = 0
      const answer = await send(`GET /v1/cards?${query}`)
      return answer.status === 200 ? (JSON.parse(calls[0] ?? '') as unknown) : problem(answer).errors[0]?.path
    }
    expect(await asked('kind=red%2Cblue')).toEqual({ limit: 20, kind: ['red', 'blue'] })
    expect(await asked('kind=red&kind=blue&limit=20.0')).toEqual({ limit: 20, kind: ['red', 'blue'] })
    expect(await asked('kind[]=red&kind%5B%5D=blue')).toEqual({ limit: 20, kind: ['red', 'blue'] })
    expect(await asked('kind=&isOld=&owner=')).toEqual({ limit: 20, owner: null })
    expect(await asked('owner=null&isOld=false&unknown=1')).toEqual({ limit: 20, owner: null, isOld: false })
    expect(await asked('kind=green')).toBe('query.kind.0')
    expect(await asked('isOld=yes')).toBe('query.isOld')
    expect(await asked('owner=usr_1')).toBe('query.owner')
    for (const limit of ['0', '101', '1.5', 'many', '-1']) expect([limit, await asked(`limit=${limit}`)]).toEqual([limit, 'query.limit'])
    expect(await asked('limit=1&limit=2')).toBe('query.limit')
  })
})

describe('strict handling', () => {
  const strict = { prefer: 'handling=strict' }

  it('refuses unknown fields by name; without it they are ignored', async () => {
    const json = { name: 'n', nam: 'x', home: { city: 'c', zip: 1 } }
    expect((await send('POST /v1/cards', { json })).status).toBe(201)
    const refused = await send('POST /v1/cards', { json, headers: strict })
    expect([refused.status, refused.headers['preference-applied']]).toEqual([400, 'handling=strict'])
    expect(problem(refused).errors.map(({ path }) => path)).toEqual(['body.nam', 'body.home.zip'])
    const fine = await send('POST /v1/cards', { json: { name: 'n' }, headers: strict })
    expect([fine.status, fine.headers['preference-applied']]).toEqual([201, 'handling=strict'])
  })
})

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  it('gets the first answer again, byte by byte, without doing it again', async () => {
    const before = made
    const first = await send('POST /v1/cards', { json: { name: 'once' }, headers: keyed('k1') })
    const again = await send('POST /v1/cards', { json: { name: 'once' }, headers: keyed('k1') })
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined])
    expect([again.status, again.text, again.headers['idempotency-replayed'], again.headers['content-type']]).toEqual([
      201,
      first.text,
      'true',
      first.headers['content-type'],
    ])
    expect(made).toBe(before + 1)
  })

  it('is another one on another path, of another caller, and after 24 hours', async () => {
    await send('POST /v1/cards/1/touch', { headers: keyed('k2') })
    const before = made
    expect((await send('POST /v1/cards/1/touch', { headers: keyed('k2') })).headers['idempotency-replayed']).toBe('true')
    await send('POST /v1/cards/2/touch', { headers: keyed('k2') })
    await send('POST /v1/cards/1/touch', { key: PLAIN, headers: keyed('k2') })
    await send('POST /v1/cards/1/touch', { key: null, headers: { ...keyed('k2'), ...session, ...OWN_PAGE } })
    expect(made).toBe(before + 3)
    clockMs += 24 * 60 * 60_000 + 1
    await send('POST /v1/cards/1/touch', { headers: keyed('k2') })
    expect(made).toBe(before + 4)
  })

  it('with another body is refused with 422', async () => {
    await send('POST /v1/cards', { json: { name: 'a' }, headers: keyed('k3') })
    const other = await send('POST /v1/cards', { json: { name: 'b' }, headers: keyed('k3') })
    expect([other.status, problem(other).errors[0]?.path]).toEqual([422, 'headers.idempotency-key'])
  })

  it('keeps a refusal, but neither a fault of ours nor one that asks to wait', async () => {
    const before = made
    const refused = await send('POST /v1/cards', { json: { name: 'taken' }, headers: keyed('k4') })
    const again = await send('POST /v1/cards', { json: { name: 'taken' }, headers: keyed('k4') })
    expect([refused.status, again.status, again.text, again.headers['content-type']]).toEqual([
      422,
      422,
      refused.text,
      'application/problem+json; charset=utf-8',
    ])
    expect(made).toBe(before + 1)
    for (const [code, status] of [
      ['crash', 500],
      ['busy', 429],
    ] as const) {
      const name = store.settings.all()['clinic.name']
      for (let tries = 0; tries < 2; tries++) {
        const answer = await send('POST /v1/fail', { json: { code }, headers: keyed(`k5-${code}`) })
        expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([status, undefined])
      }
      // What it had changed until then was undone with it.
      expect(store.settings.all()['clinic.name']).toEqual(name)
    }
    expect(made).toBe(before + 5)
  })

  it('under way is the only 409, and asks to come again', async () => {
    release = Promise.withResolvers()
    reached = Promise.withResolvers()
    const first = send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })
    await reached.promise
    const second = await send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })
    expect([second.status, second.headers['x-should-retry'], second.headers['retry-after'], problem(second).code]).toEqual([
      409,
      'true',
      '1',
      'in-flight',
    ])
    release.resolve()
    expect((await first).json).toEqual({ name: 's' })
    expect((await send('POST /v1/slow', { json: { name: 's' }, headers: keyed('k6') })).headers['idempotency-replayed']).toBe('true')
  })

  it('that is no visible ASCII text of at most 255 characters is refused; on another method it means nothing', async () => {
    for (const key of ['', 'a b', 'k'.repeat(256)]) {
      const answer = await send('POST /v1/cards', { json: { name: 'n' }, headers: keyed(key) })
      expect([key, answer.status, problem(answer).errors[0]?.path]).toEqual([key, 400, 'headers.idempotency-key'])
    }
    for (const name of ['a', 'b'])
      expect((await send('PATCH /v1/cards/1', { json: { name }, headers: keyed('k7') })).headers['idempotency-replayed']).toBeUndefined()
  })

  it('of a malformed call is free again for the right one', async () => {
    expect((await send('POST /v1/cards', { json: {}, headers: keyed('k8') })).status).toBe(400)
    expect((await send('POST /v1/cards', { json: { name: 'n' }, headers: keyed('k8') })).status).toBe(201)
  })

  it('is kept sealed', async () => {
    await send('POST /v1/cards', { json: { name: 'MUSTER-ERIKA' }, headers: keyed('k9') })
    expect(
      Buffer.from(JSON.stringify(store.database.all(store.database.sql.selectFrom('idempotencyKeys').selectAll()))).toString(),
    ).not.toContain('MUSTER-ERIKA')
  })
})

describe('a call of the interface', () => {
  it('prefers a literal path to a parameter, and decodes what a client encodes', async () => {
    expect((await send('GET /v1/cards/special')).json).toEqual({ special: true })
    expect((await send('GET /v1/cards/a%2Fb%20c')).json).toEqual({ cardId: 'a/b c' })
    expect((await send('GET /v1/cards/%E0%A4%A')).status).toBe(400)
  })

  it('takes a missing, empty or null body where every field is optional', async () => {
    const json = { 'content-type': 'application/json' }
    for (const given of [{}, { body: '', headers: json }, { body: 'null', headers: json }, { json: {} }])
      expect((await send('PATCH /v1/cards/1', given)).json).toEqual({ fields: [] })
    expect((await send('POST /v1/cards/1/touch')).json).toEqual({ success: true })
  })

  it('may take a larger body than the server does, and is heard after each change', async () => {
    calls.length = 0
    expect((await send('POST /v1/viewer/things', { json: { text: 'x'.repeat(4000) } })).json).toEqual({ length: 4000 })
    expect((await send('POST /v1/viewer/things', { json: { text: 'x'.repeat(6000) } })).status).toBe(413)
    expect((await send('POST /v1/cards', { json: { name: 'x'.repeat(4000) } })).status).toBe(413)
    await send('GET /v1/viewer/things')
    expect(calls).toEqual(['changed'])
  })

  it('is 404 under an unknown version and 405 with Allow under another method', async () => {
    expect((await send('GET /v2/cards')).status).toBe(404)
    const other = await send('DELETE /v1/cards')
    expect([other.status, other.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
    expect((await send('HEAD /v1/cards')).status).toBe(200)
  })

  it('cannot be declared where there is no interface', async () => {
    await expect(
      openTestServer({ register: (app) => serve(app, cards.special, { access: 'partner' }, () => ({ special: true as const })) }),
    ).rejects.toThrow('without `partners`')
  })
})
