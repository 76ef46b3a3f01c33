import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Document, serveDocument } from '#server/http/file-route.ts'
import type { HttpServer } from '#server/http/server.ts'
import { openTestServer, person, sessionsOf } from './http-fixture.ts'

let document: Document
let noted: unknown[]
let server: HttpServer
beforeEach(async () => {
  document = { fileName: 'x.pdf', mediaType: 'application/pdf', content: Buffer.from('%PDF-') }
  noted = []
  server = await openTestServer({
    noteAnswer: ({ method, path }, params) => void noted.push([method, path, params]),
    sessions: sessionsOf({ mine: person() }),
    register: (app) =>
      serveDocument(
        app,
        '/documents/:id',
        { access: 'signed-in', params: z.object({ id: z.coerce.number().int() }) },
        () => document,
      ),
  })
})
afterEach(() => server[Symbol.asyncDispose]())

const get = (
  path = '/documents/1',
  headers: Record<string, string> = { cookie: 'isthmus-session=mine' },
) => fetch(server.url + path, { headers })

describe('a document of somebody else’s', () => {
  it.each([
    ['application/pdf', 'application/pdf', 'inline'],
    ['image/PNG; charset=x', 'image/png', 'inline'],
    ['image/svg+xml', 'application/octet-stream', 'attachment'],
    ['text/html', 'application/octet-stream', 'attachment'],
    ['', 'application/octet-stream', 'attachment'],
  ])('of the type %j is given as %s, %s', async (mediaType, type, disposition) => {
    document = { ...document, mediaType }
    const { headers } = await get()
    expect([
      headers.get('content-type'),
      headers.get('content-disposition')?.split(';')[0],
    ]).toEqual([type, disposition])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it.each([
    [
      'Befund "Müller" (1).pdf',
      `filename="Befund _M_ller_ _1_.pdf"; filename*=UTF-8''Befund%20%22M%C3%BCller%22%20%281%29.pdf`,
    ],
    ['../../etc/passwd', `filename="passwd"; filename*=UTF-8''passwd`],
    ['a\r\nSet-Cookie: x', `filename="aSet-Cookie_ x"; filename*=UTF-8''aSet-Cookie%3A%20x`],
    ['C:\\', `filename="document"; filename*=UTF-8''document`],
  ])('called %j keeps its name and nothing else of it', async (fileName, expected) => {
    document = { ...document, fileName }
    const response = await get()
    expect(response.headers.get('content-disposition')).toBe(`inline; ${expected}`)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('is noted as looked at once it was given', async () => {
    expect((await get('/documents/1', {})).status).toBe(401)
    expect(noted).toEqual([])
    expect((await get()).status).toBe(200)
    expect(noted).toEqual([['GET', '/documents/:id', { id: 1 }]])
  })

  it('is for a session of ours, and for GET', async () => {
    expect((await get('/documents/1', {})).status).toBe(401)
    expect(
      (
        await get('/documents/1', {
          cookie: 'isthmus-session=mine',
          'sec-fetch-site': 'cross-site',
        })
      ).status,
    ).toBe(403)
    expect((await get('/documents/x')).status).toBe(400)
    expect((await fetch(`${server.url}/documents/1`, { method: 'POST' })).status).toBe(405)
  })
})
