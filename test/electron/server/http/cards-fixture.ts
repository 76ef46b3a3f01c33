import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Context, openContext } from '#server/context.ts'
import type { ApiKeyCaller } from '#server/http/callers.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve, serveAll } from '#server/http/operations.ts'
import { Page, Problem, pageOf } from '#shared/contract/conventions.ts'
import { choices, Flag, nullableQueryValue, orEmpty } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid, UserId } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { operation } from '#shared/operation.ts'
import { type HttpCall, httpCall } from '../../../support/http-call.ts'
import { tempDataFolder } from '../../../support/temp-store.ts'
import { limitedBy, openTestServer, partnersWith, person, sessionsOf } from './http-fixture.ts'

// An interface of cards, as a partner calls it.
export const cards = {
  make: operation('POST /v1/cards', {
    access: 'partner',
    summary: 'Make',
    body: z.object({ name: z.string().min(1), home: z.object({ city: z.string() }).optional() }),
    reply: z.object({ cardId: z.string(), name: z.string(), by: z.string() }),
    status: 201,
  }),
  list: operation('GET /v1/cards', {
    access: 'partner',
    summary: 'List',
    query: z.object({
      ...Page,
      owner: nullableQueryValue(UserId),
      kind: choices(['red', 'blue']),
      isOld: Flag,
    }),
    reply: pageOf('cards', z.object({ seq: z.int() })),
  }),
  read: operation('GET /v1/cards/:cardId', {
    access: 'partner',
    summary: 'Read',
    params: z.object({ cardId: z.string().max(64) }),
    reply: z.object({ cardId: z.string() }),
  }),
  special: operation('GET /v1/cards/special', {
    access: 'partner',
    summary: 'Special',
    reply: z.object({ special: z.literal(true) }),
  }),
  touch: operation('POST /v1/cards/:cardId/touch', {
    access: 'partner',
    summary: 'Touch',
    params: z.object({ cardId: z.string() }),
    reply: z.object({ success: z.boolean() }),
  }),
  edit: operation('PATCH /v1/cards/:cardId', {
    access: 'partner',
    summary: 'Edit',
    params: z.object({ cardId: z.string() }),
    body: orEmpty(z.object({ name: z.string().optional() })),
    reply: z.object({ fields: z.array(z.string()) }),
  }),
  slow: operation('POST /v1/slow', {
    access: 'partner',
    summary: 'Slow',
    body: z.object({ name: z.string() }),
    reply: z.object({ name: z.string() }),
  }),
  fail: operation('POST /v1/fail', {
    access: 'partner',
    summary: 'Fail',
    body: z.object({ code: z.string() }),
    reply: z.object({}),
  }),
}
const views = {
  see: operation('GET /v1/viewer/things', {
    access: 'viewer',
    background: true,
    summary: 'See',
    reply: z.object({ success: z.boolean() }),
  }),
  send: operation('POST /v1/viewer/things', {
    access: 'viewer',
    summary: 'Send',
    body: z.object({ text: z.string() }),
    reply: z.object({ length: z.int() }),
  }),
}

export const KEY = `sk_live_${'a'.repeat(32)}`
/** Of a key without the viewer area. */
export const PLAIN = `sk_live_${'b'.repeat(32)}`
/** Of a key whose rate a test limits. */
export const SLOW = `sk_live_${'c'.repeat(32)}`
const keys: Record<string, ApiKeyCaller> = {
  [KEY]: {
    kind: 'api-key',
    apiKeyId: '11111111-1111-4111-8111-111111111111',
    scope: 'all',
    isViewerEnabled: true,
  },
  [PLAIN]: {
    kind: 'api-key',
    apiKeyId: '22222222-2222-4222-8222-222222222222',
    scope: 'self',
    isViewerEnabled: false,
  },
  [SLOW]: {
    kind: 'api-key',
    apiKeyId: '33333333-3333-4333-8333-333333333333',
    scope: 'all',
    isViewerEnabled: true,
  },
}
export const customer = idFromUuid('cus', randomUUID())
const member = person({ userId: idFromUuid('usr', randomUUID()) })
export const sessions = sessionsOf({
  member,
  outsider: person({ hasDashboardAccess: false }),
  idle: 'locked',
})
export const rate = { now: 0, perSecond: 1000, burst: 100_000 }
/** How many cards there are to list. */
export const TOTAL = 45
export const session = { cookie: 'isthmus-session=member' }
export const problem = (answer: { readonly json: unknown }) => Problem.parse(answer.json)

/** What the cards have to do with the store, and what a test sees of it. */
interface Cards {
  readonly store: Context
  /** How many changes were made. */
  made: number
  readonly calls: string[]
  /** A call of the slow card is held between the two. */
  readonly slow: {
    readonly reached: PromiseWithResolvers<void>
    readonly release: PromiseWithResolvers<void>
  }
}

/** Serves the cards to keys and sessions; the clock stands until `pass`. */
export async function openCards() {
  const temp = tempDataFolder()
  let now = Date.parse('2026-11-20T08:00:00.000Z')
  const store = openContext({ folder: temp.folder, clock: () => now, uuid: randomUUID })
  const partners = Object.assign(
    partnersWith(store, (key) => keys[key], [customer]),
    {
      rateLimit: limitedBy(rate),
      badKeyLimit: limitedBy(rate),
    },
  )
  const on: Cards = {
    store,
    made: 0,
    calls: [],
    slow: { reached: Promise.withResolvers(), release: Promise.withResolvers() },
  }
  const server = await openTestServer({
    sessions,
    partners,
    bodyBytes: 1000,
    register: (app) => serveCards(app, on),
  })
  return Object.assign(on, {
    url: server.url,
    send(call: string, { key = KEY, ...given }: HttpCall & { readonly key?: string | null } = {}) {
      const [method = '', path = ''] = call.split(' ')
      const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...given.headers }
      return httpCall(server.url + path, { ...given, method, headers })
    },
    pass(ms: number) {
      now += ms
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      store[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  })
}

function serveCards(app: HttpApp, on: Cards): void {
  serve(app, cards.make, ({ body, caller }) => {
    on.made += 1
    if (body.name === 'taken') throw new ApiError('refused', verbatim('The name is taken.'))
    return {
      cardId: `card-${on.made}`,
      name: body.name,
      by: caller.kind === 'user' ? caller.user.customerIds.join() : caller.scope,
    }
  })
  serve(app, cards.list, ({ query }) => {
    on.calls.push(JSON.stringify(query))
    const after = query.cursor === undefined ? TOTAL + 1 : Number(query.cursor)
    const seqs = Array.from({ length: TOTAL }, (_, index) => TOTAL - index).filter(
      (seq) => seq < after,
    )
    const page = seqs.slice(0, query.limit)
    const hasMore = seqs.length > page.length
    return {
      cards: page.map((seq) => ({ seq })),
      hasMore,
      ...(hasMore && { cursor: String(page.at(-1)) }),
    }
  })
  serve(app, cards.read, ({ params }) => ({ cardId: params.cardId }))
  serve(app, cards.special, () => ({ special: true as const }))
  serve(app, cards.touch, () => {
    on.made += 1
    return { success: true }
  })
  serve(app, cards.edit, ({ body }) => ({ fields: Object.keys(body) }))
  serve(app, cards.slow, async ({ body }) => {
    on.made += 1
    on.slow.reached.resolve()
    await on.slow.release.promise
    return body
  })
  serve(app, cards.fail, ({ body }) => {
    on.made += 1
    on.store.settings.set('clinic.name', `"${body.code} ${on.made}"`)
    if (body.code === 'busy')
      throw new ApiError('too-many', verbatim('Wait.'), { headers: { 'retry-after': '3' } })
    throw new TypeError('broken')
  })
  serveAll(
    app,
    views,
    { see: () => ({ success: true }), send: ({ body }) => ({ length: body.text.length }) },
    { bodyBytes: { send: 5000 }, afterChange: () => on.calls.push('changed') },
  )
}
