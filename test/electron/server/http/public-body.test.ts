import { expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '#server/http/operations.ts'
import { operation } from '#shared/operation.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const greet = operation('POST /dashboard/greet', {
  access: 'public',
  fromAnyWorkstation: true,
  summary: 'Greet',
  body: z.object({ text: z.string() }),
  reply: z.object({ length: z.int() }),
})

it('takes 16 KiB at most of whoever has not signed in, though the server takes more', async () => {
  await using server = await openTestServer({
    register: (app) => serve(app, greet, ({ body }) => ({ length: body.text.length })),
  })
  const send = (length: number) =>
    httpCall(`${server.url}/dashboard/greet`, {
      method: 'POST',
      json: { text: 'x'.repeat(length) },
      headers: { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' },
    })
  const small = await send(15_000)
  expect([small.status, small.json]).toEqual([200, { length: 15_000 }])
  expect((await send(17_000)).status).toBe(413)
})
