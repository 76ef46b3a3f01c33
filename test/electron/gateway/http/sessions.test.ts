import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '#gateway/http/operations.ts'
import type { HttpServer } from '#gateway/http/server.ts'
import { operation } from '#shared/operation.ts'
import { httpCall, OWN_PAGE } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const enter = operation('POST /enter', { summary: 'Enter', reply: z.object({ token: z.string().nullable() }) })
const leave = operation('DELETE /enter', { summary: 'Leave', reply: z.object({}) })
let server: HttpServer

beforeAll(async () => {
  server = await openTestServer({
    publicUrl: () => 'https://gw.clinic.example',
    register: (app) => {
      serve(app, enter, { access: 'public' }, ({ session }) => {
        session.set('t0ken')
        return { token: session.token ?? null }
      })
      serve(app, leave, { access: 'public' }, ({ session }) => {
        session.clear()
        return {}
      })
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

it('gives a cookie that scripts cannot read and other sites cannot send', async () => {
  const answer = await httpCall(`${server.url}/enter`, { method: 'POST', headers: OWN_PAGE })
  expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/^isthmus-session-\d+=t0ken; Path=\/; HttpOnly; SameSite=Strict$/)])
  expect(answer.json).toEqual({ token: null })
})

it('marks the cookie Secure where the page came by https', async () => {
  const headers = { ...OWN_PAGE, host: 'gw.clinic.example', origin: 'https://gw.clinic.example' }
  const answer = await httpCall(`${server.url}/enter`, { method: 'POST', headers })
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^isthmus-session-\d+=t0ken; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
  ])
})

it('shows the token to the handler, and takes the cookie back', async () => {
  const headers = { ...OWN_PAGE, cookie: 'other=1; isthmus-session=before' }
  expect((await httpCall(`${server.url}/enter`, { method: 'POST', headers })).json).toEqual({ token: 'before' })
  const [cookie] = (await httpCall(`${server.url}/enter`, { method: 'DELETE', headers })).headers['set-cookie'] ?? []
  expect(cookie).toMatch(/^isthmus-session-\d+=; .*Expires=Thu, 01 Jan 1970/)
})
