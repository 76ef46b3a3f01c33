import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthenticatedCaller, isCaller, isView } from '#server/http/access-check.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve } from '#server/http/operations.ts'
import type { HttpServer } from '#server/http/server.ts'
import { operation } from '#shared/operation.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer, person, sessionsOf } from './http-fixture.ts'

const member = person()
const view = { viewId: 'viw_1', user: member } as unknown as OpenView
const key: AuthenticatedCaller = { kind: 'api-key' } as never

const params = z.object({ viewId: z.string() })
const reply = z.object({ email: z.string() })
const calls = {
  atWork: operation('GET /at-work', { access: 'signed-in', summary: 'At work', reply }),
  byItself: operation('GET /by-itself', {
    access: 'signed-in',
    background: true,
    summary: 'By itself',
    reply,
  }),
  image: operation('GET /viewer/:viewId/image', {
    access: 'view',
    summary: 'Image',
    params,
    reply,
  }),
  change: operation('POST /viewer/:viewId/change', {
    access: 'view',
    summary: 'Change',
    params,
    reply,
  }),
}

const sessions = sessionsOf({ member })
const viewed: string[] = []
let app: HttpApp
let server: HttpServer
beforeAll(async () => {
  server = await openTestServer({
    sessions,
    views: {
      viewOf: (viewId, token, use) => {
        viewed.push(`${viewId} ${token} ${use}`)
        return token === 'open' ? view : undefined
      },
    },
    register: (given: HttpApp) => {
      app = given
      serve(given, calls.atWork, ({ user }) => ({ email: user.email }))
      serve(given, calls.byItself, ({ user }) => ({ email: user.email }))
      for (const each of [calls.image, calls.change])
        serve(given, each, ({ view: opened }) => ({ email: opened.user?.email ?? '' }))
    },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const call = (path: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
  httpCall(server.url + path, { method, headers })
const cookie = 'isthmus-session=member'

describe('a call of the window', () => {
  it.each([
    ['/at-work', undefined, 'person'],
    ['/at-work', 'background', 'background'],
    ['/by-itself', undefined, 'background'],
    ['/by-itself', 'person', 'person'],
    ['/at-work', 'machine', 'person'],
    ['/by-itself', 'machine', 'background'],
  ])('%s with the use %s counts as one of a %s', async (path, use, counted) => {
    sessions.looks.length = 0
    const { status } = await call(path, {
      cookie,
      ...(use !== undefined && { 'x-isthmus-use': use }),
    })
    expect([status, sessions.looks]).toEqual([200, [`member ${counted}`]])
  })

  it('is of somebody who is expected only once admitted', async () => {
    const noted: unknown[] = []
    const { noteAuthenticated } = app
    Object.assign(app, { noteAuthenticated: (request: unknown) => noted.push(request) })
    try {
      expect((await call('/at-work', {})).status).toBe(401)
      expect(noted).toHaveLength(0)
      expect((await call('/at-work', { cookie })).status).toBe(200)
      expect(noted).toHaveLength(1)
    } finally {
      Object.assign(app, { noteAuthenticated })
    }
  })
})

describe('a call of the viewer', () => {
  it('is admitted by the cookie of its view, and not by a session', async () => {
    viewed.length = 0
    const image = (headers: Record<string, string>) => call('/viewer/viw_1/image', headers)
    expect((await image({ cookie: 'isthmus-view=open' })).status).toBe(200)
    expect(
      (await image({ cookie: 'isthmus-view=open', 'x-isthmus-use': 'background' })).status,
    ).toBe(200)
    expect((await image({ cookie: 'isthmus-view=ended' })).status).toBe(401)
    expect((await image({ cookie })).status).toBe(401)
    expect(viewed).toEqual(['viw_1 open person', 'viw_1 open background', 'viw_1 ended person'])
  })

  it('is taken from a page of the gateway alone', async () => {
    const change = (headers: Record<string, string>) =>
      call('/viewer/viw_1/change', { cookie: 'isthmus-view=open', ...headers }, 'POST')
    expect((await change({ 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' })).status).toBe(
      200,
    )
    expect((await change({ 'x-isthmus-csrf': '1', 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    )
    expect((await change({ 'sec-fetch-site': 'same-origin' })).status).toBe(403)
  })
})

describe('who makes a call', () => {
  it('is a person of the window, a caller of the interface, or a view of the viewer', () => {
    const kinds = (who: AuthenticatedCaller | undefined) => [isCaller(who), isView(who)]
    expect([kinds(undefined), kinds(member), kinds(key), kinds(view)]).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [false, true],
    ])
    // A view keeps a kind of its own, which makes it no caller.
    expect(kinds({ ...view, kind: 'window' } as never)).toEqual([false, true])
  })

  it('cannot be a partner on a server without the interface', async () => {
    const ofPartners = operation('GET /v1/at-work', {
      access: 'partner',
      summary: 'At work',
      reply,
    })
    const register = (given: HttpApp) => serve(given, ofPartners, () => ({ email: '' }))
    const opening = openTestServer({ register })
    await expect(opening).rejects.toThrow('without `partners`')
  })
})
