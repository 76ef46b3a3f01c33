import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveReference } from '#server/http/reference.ts'
import type { HttpServer } from '#server/http/server.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

let server: HttpServer
beforeAll(async () => {
  server = await openTestServer({ register: (app) => serveReference(app, { version: '1.2.3' }) })
})
afterAll(() => server[Symbol.asyncDispose]())

it('serves the document of the interface to anyone, and to nobody of another origin', async () => {
  const answer = await httpCall(`${server.url}/openapi.json`)
  expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
    200,
    'application/json; charset=utf-8',
    'no-cache',
  ])
  expect(answer.json).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  const put = await httpCall(`${server.url}/openapi.json`, { method: 'PUT', json: {} })
  expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD'])
})

it('serves a page to browse it whose every file comes from this gateway', async () => {
  const page = await httpCall(`${server.url}/docs`)
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
  expect(files.length).toBe(5)
  expect(page.text).not.toMatch(/https?:\/\//)
  expect(page.text).not.toMatch(/<script>|<style|\son\w+=/)
  const types = await Promise.all(
    files.map(async (path) => {
      const { status, headers } = await httpCall(server.url + path)
      return `${status} ${headers['content-type']}`
    }),
  )
  expect(types).toEqual([
    '200 image/png',
    '200 text/css; charset=utf-8',
    '200 application/json; charset=utf-8',
    '200 text/javascript; charset=utf-8',
    '200 text/javascript; charset=utf-8',
  ])
  expect((await httpCall(`${server.url}/docs/start.js`)).text).toContain('validatorUrl: null')
  expect((await httpCall(`${server.url}/docs/package.json`)).status).toBe(404)
})

it('still serves the document where the page’s package is not there', async () => {
  await using bare = await openTestServer({
    register: (app) =>
      serveReference(app, { version: '1', folder: join(tmpdir(), 'isthmus-no-such-folder') }),
  })
  expect((await httpCall(`${bare.url}/openapi.json`)).status).toBe(200)
  expect((await httpCall(`${bare.url}/docs/swagger-ui.css`)).status).toBe(404)
})
