import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, callerName } from '#server/http/callers.ts'
import { serve } from '#server/http/operations.ts'
import { ExplainedProblem, Problem } from '#shared/contract/conventions.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import type { Operation } from '#shared/operation.ts'
import { OWN_PAGE } from '../../../support/http-call.ts'
import {
  cards,
  customer,
  KEY,
  openCards,
  PLAIN,
  problem,
  rate,
  SLOW,
  session,
  sessions,
  TOTAL,
} from './cards-fixture.ts'
import { openTestServer, person } from './http-fixture.ts'

let on: Awaited<ReturnType<typeof openCards>>
beforeAll(async () => {
  on = await openCards()
})
afterAll(() => on[Symbol.asyncDispose]())

describe('a key', () => {
  it('admits a partner, without any of the window’s proofs', async () => {
    const answer = await on.send('POST /v1/cards', {
      json: { name: 'n' },
      key: PLAIN,
      headers: { origin: 'https://partner.example' },
    })
    expect([answer.status, answer.json]).toEqual([
      201,
      { cardId: `card-${on.made}`, name: 'n', by: 'self' },
    ])
  })

  it('that is missing, malformed or unknown is refused with 401 and a Bearer challenge', async () => {
    const missing = await on.send('GET /v1/cards', { key: null })
    expect([missing.status, missing.headers['www-authenticate'], problem(missing).code]).toEqual([
      401,
      'Bearer',
      'bad-key',
    ])
    expect(problem(missing).requestId).toBe(missing.headers['x-request-id'])
    for (const authorization of [
      `Bearer ${KEY}x`,
      `Bearer sk_live_${'0'.repeat(32)}`,
      `Bearer ${KEY} ${KEY}`,
    ]) {
      const answer = await on.send('GET /v1/cards', { key: null, headers: { authorization } })
      expect([authorization, answer.status, answer.headers['www-authenticate']]).toEqual([
        authorization,
        401,
        'Bearer error="invalid_token"',
      ])
    }
    // RFC 6750 §3.1: no error code where no bearer token was sent.
    for (const authorization of [
      `xBearer ${KEY}`,
      `Bearer${KEY}`,
      'Bearer',
      'Bearer ',
      KEY,
      `Basic ${KEY}`,
    ]) {
      const answer = await on.send('GET /v1/cards', { key: null, headers: { authorization } })
      expect([authorization, answer.status, answer.headers['www-authenticate']]).toEqual([
        authorization,
        401,
        'Bearer',
      ])
    }
    for (const authorization of [`bearer ${KEY}`, `Bearer  ${KEY}`])
      expect(
        (await on.send('GET /v1/cards', { key: null, headers: { authorization } })).status,
      ).toBe(200)
  })

  it('that is refused is told what it needs', async () => {
    expect(problem(await on.send('GET /v1/cards', { key: null })).message).toBe(
      'This call needs an API key: send Authorization: Bearer sk_live_….',
    )
    expect(problem(await on.send('GET /v1/cards', { key: 'sk_live_no' })).message).toBe(
      'This gateway does not recognise the API key, or the key was revoked.',
    )
  })

  it('without the viewer area is refused there with 403, and elsewhere not', async () => {
    const refused = await on.send('GET /v1/viewer/things', { key: PLAIN })
    expect([refused.status, problem(refused).message]).toEqual([
      403,
      'This API key has no access to the viewer area.',
    ])
    expect((await on.send('GET /v1/viewer/things')).json).toEqual({ success: true })
    expect((await on.send('GET /v1/cards', { key: PLAIN })).status).toBe(200)
  })

  it('wins over a session: a bad one is refused though somebody is signed in', async () => {
    const bad = await on.send('GET /v1/cards', {
      key: 'sk_live_no',
      headers: { ...session, ...OWN_PAGE },
    })
    expect(bad.status).toBe(401)
    const good = await on.send('POST /v1/cards', {
      json: { name: 'n' },
      headers: { ...session, ...OWN_PAGE },
    })
    expect(good.json).toMatchObject({ by: 'all' })
  })
})

describe('a session', () => {
  it('admits a person from our own page only, reading too, with the customers of that person', async () => {
    const own = await on.send('POST /v1/cards', {
      key: null,
      json: { name: 'n' },
      headers: { ...session, ...OWN_PAGE },
    })
    expect([own.status, own.json]).toMatchObject([201, { by: customer }])
    expect(
      (
        await on.send('GET /v1/viewer/things', {
          key: null,
          headers: { ...session, 'x-isthmus-csrf': '1', origin: on.url },
        })
      ).status,
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
      const answer = await on.send('GET /v1/cards', { key: null, headers })
      expect([headers, answer.status, answer.headers['www-authenticate']]).toEqual([
        headers,
        401,
        'Bearer',
      ])
    }
  })

  it('stays awake by what a person does, not by what the window asks by itself', async () => {
    sessions.looks.length = 0
    await on.send('GET /v1/cards', { key: null, headers: { ...session, ...OWN_PAGE } })
    await on.send('GET /v1/viewer/things', { key: null, headers: { ...session, ...OWN_PAGE } })
    expect(sessions.looks).toEqual(['member person', 'member background'])
  })

  it('of an account without access to the window is refused with 403', async () => {
    const answer = await on.send('GET /v1/cards', {
      key: null,
      headers: { ...OWN_PAGE, cookie: 'isthmus-session=outsider' },
    })
    expect([answer.status, problem(answer).message]).toEqual([
      403,
      'This account may not use Isthmus: an owner or an administrator can allow it.',
    ])
  })

  it('of a locked window is refused with 401 until it is unlocked', async () => {
    const answer = await on.send('GET /v1/cards', {
      key: null,
      headers: { ...OWN_PAGE, cookie: 'isthmus-session=idle' },
    })
    expect([answer.status, problem(answer).code]).toEqual([401, 'locked'])
  })

  it('is told what the gateway says in any language, a partner in English alone', async () => {
    const window = await on.send('POST /v1/cards', {
      key: null,
      json: { name: 7 },
      headers: { ...session, ...OWN_PAGE },
    })
    const partner = await on.send('POST /v1/cards', { json: { name: 7 } })
    expect(ExplainedProblem.parse(window.json)).toMatchObject({
      explanation: { code: 'http.field-faults' },
      errors: [{ path: 'body.name', explanation: { code: 'input.type' } }],
    })
    expect(Problem.strict().parse(partner.json).message).toBe(problem(window).message)
  })
})

describe('the access to an operation', () => {
  const of = (isOfThese: (operation: Operation) => boolean) =>
    interfaceOperations()
      .filter(({ operation }) => isOfThese(operation))
      .map(({ operationId }) => operationId)

  it('is the viewer area’s by its path, and any key’s otherwise', () => {
    const ofViewer = of(
      ({ path }) => path.startsWith('/v1/viewer/') || path.endsWith('/viewer-only-reroute-url'),
    )
    expect(of(({ access }) => access.startsWith('viewer'))).toEqual(ofViewer)
    expect(ofViewer.length).toBeGreaterThan(0)
  })

  it('takes the right to manage people where people, or what they see, are changed', () => {
    const changesPeople = of(({ method, path }) => method !== 'GET' && /\/users(?:\/|$)/.test(path))
    expect(of(({ access }) => access.endsWith('people'))).toEqual(changesPeople)
    expect(changesPeople.length).toBeGreaterThan(0)
  })
})

describe('the name of a caller', () => {
  it('is another for each key and each person', () => {
    const key: Caller = { kind: 'api-key', apiKeyId: 'k-1', scope: 'all', isViewerEnabled: true }
    const user: Caller = { kind: 'user', user: { ...person(), customerIds: [] } }
    expect([callerName(key), callerName(user)]).toEqual(['api-key:k-1', `user:${user.user.userId}`])
  })
})

describe('the rate', () => {
  it('of a key is limited with 429 and says so on every answer; the window’s is not', async () => {
    Object.assign(rate, { perSecond: 1, burst: 2 })
    try {
      const first = await on.send('GET /v1/cards', { key: SLOW })
      expect([
        first.status,
        first.headers['ratelimit-limit'],
        first.headers['ratelimit-remaining'],
      ]).toEqual([200, '2', '1'])
      await on.send('GET /v1/cards', { key: SLOW })
      const third = await on.send('GET /v1/cards', { key: SLOW })
      expect([
        third.status,
        third.headers['retry-after'],
        third.headers['ratelimit-remaining'],
        problem(third).code,
      ]).toEqual([429, '1', '0', 'too-many'])
      for (let asked = 0; asked < 4; asked++)
        expect(
          (await on.send('GET /v1/cards', { key: null, headers: { ...session, ...OWN_PAGE } }))
            .status,
        ).toBe(200)
      rate.now += 1000
      expect((await on.send('GET /v1/cards', { key: SLOW })).status).toBe(200)
    } finally {
      Object.assign(rate, { perSecond: 1000, burst: 100_000 })
    }
  })
})

describe('a list', () => {
  const page = async (path: string) =>
    (await on.send(`GET ${path}`)).json as {
      cards: { seq: number }[]
      hasMore: boolean
      cursor?: string
    }

  it('is read to its end by sealed cursors, and says cursor exactly when there is more', async () => {
    const seen: number[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const part = await page(
        `/v1/cards?limit=${pages + 9}.0&kind=red%2Cblue${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      )
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
    for (const query of [
      `cursor=${cursor}`,
      `cursor=${cursor}&isOld=false`,
      `cursor=${cursor}x&isOld=true`,
      `cursor=26&isOld=true`,
    ]) {
      const answer = await on.send(`GET /v1/cards?${query}`)
      expect([query, answer.status, problem(answer).errors[0]?.path]).toEqual([
        query,
        400,
        'query.cursor',
      ])
    }
    expect((await page(`/v1/cards?cursor=${cursor}&isOld=true&limit=1`)).cards).toEqual([
      { seq: TOTAL - 20 },
    ])
    expect((await page('/v1/cards?cursor=')).cards[0]).toEqual({ seq: TOTAL })
  })

  it('reads filters in every form that clients send', async () => {
    const asked = async (query: string) => {
      on.calls.length = 0
      const answer = await on.send(`GET /v1/cards?${query}`)
      return answer.status === 200
        ? (JSON.parse(on.calls[0] ?? '') as unknown)
        : problem(answer).errors[0]?.path
    }
    expect(await asked('kind=red%2Cblue')).toEqual({ limit: 20, kind: ['red', 'blue'] })
    expect(await asked('kind=red&kind=blue&limit=20.0')).toEqual({
      limit: 20,
      kind: ['red', 'blue'],
    })
    expect(await asked('kind[]=red&kind%5B%5D=blue')).toEqual({ limit: 20, kind: ['red', 'blue'] })
    expect(await asked('kind=&isOld=&owner=')).toEqual({ limit: 20, owner: null })
    expect(await asked('owner=null&isOld=false&unknown=1')).toEqual({
      limit: 20,
      owner: null,
      isOld: false,
    })
    expect(await asked('kind=green')).toBe('query.kind.0')
    expect(await asked('isOld=yes')).toBe('query.isOld')
    expect(await asked('owner=usr_1')).toBe('query.owner')
    for (const limit of ['0', '101', '1.5', 'many', '-1'])
      expect([limit, await asked(`limit=${limit}`)]).toEqual([limit, 'query.limit'])
    expect(await asked('limit=1&limit=2')).toBe('query.limit')
  })
})

describe('strict handling', () => {
  const strict = { prefer: 'handling=strict' }

  it('refuses unknown fields by name; without it they are ignored', async () => {
    const json = { name: 'n', nam: 'x', home: { city: 'c', zip: 1 } }
    expect((await on.send('POST /v1/cards', { json })).status).toBe(201)
    const refused = await on.send('POST /v1/cards', { json, headers: strict })
    expect([refused.status, refused.headers['preference-applied']]).toEqual([
      400,
      'handling=strict',
    ])
    expect(problem(refused).errors.map(({ path }) => path)).toEqual(['body.nam', 'body.home.zip'])
    const fine = await on.send('POST /v1/cards', { json: { name: 'n' }, headers: strict })
    expect([fine.status, fine.headers['preference-applied']]).toEqual([201, 'handling=strict'])
  })
})

describe('a call of the interface', () => {
  it('prefers a literal path to a parameter, and decodes what a client encodes', async () => {
    expect((await on.send('GET /v1/cards/special')).json).toEqual({ special: true })
    expect((await on.send('GET /v1/cards/a%2Fb%20c')).json).toEqual({ cardId: 'a/b c' })
    expect((await on.send('GET /v1/cards/%E0%A4%A')).status).toBe(400)
  })

  it('takes a missing, empty or null body where every field is optional', async () => {
    const json = { 'content-type': 'application/json' }
    for (const given of [
      {},
      { body: '', headers: json },
      { body: 'null', headers: json },
      { json: {} },
    ])
      expect((await on.send('PATCH /v1/cards/1', given)).json).toEqual({ fields: [] })
    expect((await on.send('POST /v1/cards/1/touch')).json).toEqual({ success: true })
  })

  it('may take a larger body than the server does, and is heard after each change', async () => {
    on.calls.length = 0
    expect(
      (await on.send('POST /v1/viewer/things', { json: { text: 'x'.repeat(4000) } })).json,
    ).toEqual({ length: 4000 })
    expect(
      (await on.send('POST /v1/viewer/things', { json: { text: 'x'.repeat(6000) } })).status,
    ).toBe(413)
    expect((await on.send('POST /v1/cards', { json: { name: 'x'.repeat(4000) } })).status).toBe(413)
    await on.send('GET /v1/viewer/things')
    expect(on.calls).toEqual(['changed'])
  })

  it('is 404 under an unknown version and 405 with Allow under another method', async () => {
    expect((await on.send('GET /v2/cards')).status).toBe(404)
    const other = await on.send('DELETE /v1/cards')
    expect([other.status, other.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
    expect((await on.send('HEAD /v1/cards')).status).toBe(200)
  })

  it('cannot be declared where there is no interface', async () => {
    await expect(
      openTestServer({
        register: (app) => serve(app, cards.special, () => ({ special: true as const })),
      }),
    ).rejects.toThrow('without `partners`')
  })
})
