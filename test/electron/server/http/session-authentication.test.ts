import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '#server/http/operations.ts'
import type { HttpServer } from '#server/http/server.ts'
import { browserName, isEncrypted, sessionTokenOf } from '#server/http/session-authentication.ts'
import { operation } from '#shared/operation.ts'
import { httpCall, OWN_PAGE } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const enter = operation('POST /enter', {
  access: 'public',
  summary: 'Enter',
  reply: z.object({ token: z.string().nullable() }),
})
const look = operation('POST /place', {
  access: 'public',
  summary: 'Look',
  reply: z.object({ browser: z.string(), address: z.string() }),
})
const leave = operation('DELETE /enter', {
  access: 'public',
  summary: 'Leave',
  reply: z.object({}),
})
let server: HttpServer

beforeAll(async () => {
  server = await openTestServer({
    hosts: () => ({ publicUrl: 'https://gw.clinic.example', allowedHosts: [] }),
    register: (app) => {
      serve(app, enter, ({ session }) => {
        session.set('t0ken')
        return { token: session.token ?? null }
      })
      serve(app, look, ({ session }) => session.sessionOrigin)
      serve(app, leave, ({ session }) => {
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
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^isthmus-session-\d+=t0ken; Path=\/; HttpOnly; SameSite=Strict$/),
  ])
  expect(answer.json).toEqual({ token: null })
})

it('leaves the cookie as it is where the page came by http', async () => {
  const answer = await httpCall(`${server.url}/enter`, {
    method: 'POST',
    headers: { ...OWN_PAGE, origin: server.url },
  })
  expect(answer.headers['set-cookie']).toEqual([
    `isthmus-session-${new URL(server.url).port}=t0ken; Path=/; HttpOnly; SameSite=Strict`,
  ])
})

it('says by which browser and from where a session begins', async () => {
  const agent =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
  const answer = await httpCall(`${server.url}/place`, {
    method: 'POST',
    headers: { ...OWN_PAGE, 'user-agent': agent },
  })
  expect(answer.json).toEqual({ browser: 'Chrome on Windows', address: '127.0.0.1' })
})

it('has a cookie of its own by TLS, which no other host can set', () => {
  const cookies = { 'isthmus-session': 'plain', '__Host-isthmus-session': 'secure' }
  const tokenBy = (socket: object) =>
    sessionTokenOf({ socket, cookies } as unknown as FastifyRequest)
  expect([tokenBy({}), tokenBy({ encrypted: false }), tokenBy({ encrypted: true })]).toEqual([
    'plain',
    'plain',
    'secure',
  ])
  expect([{}, { encrypted: false }, { encrypted: true }].map(isEncrypted)).toEqual([
    false,
    false,
    true,
  ])
})

it('marks the cookie Secure where the page came by https', async () => {
  const headers = { ...OWN_PAGE, host: 'gw.clinic.example', origin: 'https://gw.clinic.example' }
  const answer = await httpCall(`${server.url}/enter`, { method: 'POST', headers })
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^isthmus-session-\d+=t0ken; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ])
})

it('shows the token to the handler, and takes the cookie back', async () => {
  const headers = { ...OWN_PAGE, cookie: 'other=1; isthmus-session=before' }
  expect((await httpCall(`${server.url}/enter`, { method: 'POST', headers })).json).toEqual({
    token: 'before',
  })
  const [cookie] =
    (await httpCall(`${server.url}/enter`, { method: 'DELETE', headers })).headers['set-cookie'] ??
    []
  expect(cookie).toMatch(/^isthmus-session-\d+=; .*Expires=Thu, 01 Jan 1970/)
})

it('a browser is named in short, by what it says last', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
  expect([chrome, `${chrome} Edg/142.0`, `${chrome} Electron/39`].map(browserName)).toEqual([
    'Chrome on Windows',
    'Edge on Windows',
    'Isthmus on Windows',
  ])
  expect(
    browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
  ).toBe('Firefox on Linux')
  expect(
    browserName(
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605',
    ),
  ).toBe('Safari on macOS')
  expect([browserName(undefined), browserName('curl/8')]).toEqual(['', ''])
})
