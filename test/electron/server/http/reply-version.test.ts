import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ApiKeyCaller } from '#server/http/callers.ts'
import { serve } from '#server/http/operations.ts'
import { operation } from '#shared/operation.ts'
import { httpCall } from '../../../support/http-call.ts'
import { tempStore } from '../../../support/temp-store.ts'
import { openTestServer, partnersWith } from './http-fixture.ts'

const count = operation('GET /v1/count', {
  access: 'partner',
  summary: 'Count',
  reply: z.object({ count: z.int() }),
})
const key: ApiKeyCaller = { kind: 'api-key', apiKeyId: 'k1', scope: 'all', isViewerEnabled: true }

it('does not keep a reply when something changed between reading and answering', async () => {
  using temp = tempStore()
  const { database } = temp.store
  let changes = 1
  vi.spyOn(database, 'changeCount', 'get').mockImplementation(() => changes)
  const state = { count: 1, changesWhileAnswering: true }
  const partners = partnersWith(temp.store, () => key, [], [count])
  await using server = await openTestServer({
    partners,
    register: (app) =>
      serve(app, count, async () => {
        const read = { count: state.count }
        await Promise.resolve()
        if (state.changesWhileAnswering) {
          state.count++
          changes++
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
