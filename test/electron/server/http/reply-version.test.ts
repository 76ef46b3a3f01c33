import { expect, it } from 'vitest'
import { z } from 'zod'
import type { ApiKeyCaller } from '#server/http/callers.ts'
import { cursorCodec } from '#server/http/cursor-codec.ts'
import { openIdempotency } from '#server/http/idempotency.ts'
import { serve } from '#server/http/operations.ts'
import { openRateLimit } from '#server/http/rate-limit.ts'
import { openReplyCache } from '#server/http/reply-cache.ts'
import { operation } from '#shared/operation.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const count = operation('GET /v1/count', {
  access: 'partner',
  summary: 'Count',
  reply: z.object({ count: z.int() }),
})
const key: ApiKeyCaller = { kind: 'api-key', apiKeyId: 'k1', scope: 'all', isViewerEnabled: true }

it('does not keep a reply when something changed between reading and answering', async () => {
  const state = { count: 1, version: 1, changesWhileAnswering: true }
  const replies = openReplyCache({ operations: [count], version: () => state.version })
  const partners = {
    authenticateKey: () => key,
    customerIdsOf: () => [],
    rateLimit: openRateLimit({ clock: () => 0, perSecond: () => 100, burst: () => 100 }),
    refusedLimit: openRateLimit({ clock: () => 0, perSecond: () => 100, burst: () => 100 }),
    idempotency: openIdempotency({
      transaction: (work) => work(),
      find: () => undefined,
      keep: () => undefined,
    }),
    cursors: cursorCodec(Buffer.alloc(32, 7)),
    replies,
  }
  await using server = await openTestServer({
    partners,
    register: (app) =>
      serve(app, count, async () => {
        const read = { count: state.count }
        await Promise.resolve()
        if (state.changesWhileAnswering) {
          state.count++
          state.version++
        }
        return read
      }),
  })
  const ask = async () => {
    const headers = { authorization: `Bearer sk_live_${'a'.repeat(32)}` }
    return (await httpCall(`${server.url}/v1/count`, { headers })).json
  }
  expect(await ask()).toEqual({ count: 1 })
  state.changesWhileAnswering = false
  expect(await ask()).toEqual({ count: 2 })
  // This one was kept.
  state.count = 5
  expect(await ask()).toEqual({ count: 2 })
})
