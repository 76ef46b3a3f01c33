import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer } from './http-fixture.ts'

const PATHS = [
  '/viewer',
  '/study/stu_1?token=secret',
  '/token/landing?token=secret',
  '/viewer.html',
]
let folder: string
let server: HttpServer
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isthmus-page-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<title>Window</title>')
  await writeFile(join(folder, 'viewer.html'), '<title>Viewer</title>')
  await writeFile(join(folder, 'assets', 'worker-1a2b3c.js'), 'export {}')
  server = await openTestServer({ pageFolder: folder, register: () => {} })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

describe('the page of the viewer', () => {
  it.each(PATHS)('is at %s, under rules of its own, and nothing keeps it', async (path) => {
    const { status, text, headers } = await httpCall(server.url + path)
    expect([status, text, headers['content-type']]).toEqual([
      200,
      '<title>Viewer</title>',
      'text/html; charset=utf-8',
    ])
    expect(headers).toMatchObject({
      ...{
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        'x-frame-options': 'SAMEORIGIN',
      },
      ...{
        'content-security-policy': expect.stringContaining("script-src 'self' 'wasm-unsafe-eval';"),
      },
    })
    expect(headers['set-cookie']).toBeUndefined()
    expect((await httpCall(server.url + path, { method: 'HEAD' })).status).toBe(200)
    const posted = await httpCall(server.url + path, { method: 'POST' })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('is shown whoever linked to it: another site, a mail', async () => {
    const { status } = await httpCall(`${server.url}/token/landing?token=x`, {
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(status).toBe(200)
    expect(
      (await httpCall(`${server.url}/viewer`, { headers: { host: 'evil.example' } })).status,
    ).toBe(421)
  })

  it('lets its workers run WebAssembly, and the window not', async () => {
    const script = await httpCall(`${server.url}/assets/worker-1a2b3c.js`)
    expect(script.headers['content-security-policy']).toContain("'wasm-unsafe-eval'")
    expect((await httpCall(`${server.url}/`)).headers['content-security-policy']).not.toContain(
      'wasm',
    )
  })

  it('sends what is only there compressed to who takes it, and decompresses it for others', async () => {
    const script = 'export const whole = true'
    const name = 'assets/only-9f8e7d.js'
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(script))
    await using other = await openTestServer({ pageFolder: folder, register: () => {} })
    const plain = await httpCall(`${other.url}/${name}`)
    expect([plain.status, plain.text, plain.headers['content-type']]).toEqual([
      ...[200, script, 'application/javascript; charset=utf-8'],
    ])
    expect(plain.headers['content-encoding']).toBeUndefined()
    const small = await httpCall(`${other.url}/${name}`, { headers: { 'accept-encoding': 'br' } })
    expect(small.headers).toMatchObject({
      ...{ 'content-encoding': 'br', 'content-type': plain.headers['content-type'] },
      vary: 'accept-encoding',
    })
    for (const path of [`${name}.br`, 'assets/nothing.js', 'assets/..%2fviewer.html'])
      expect((await httpCall(`${other.url}/${path}`)).status).toBe(404)
    expect((await httpCall(`${other.url}/${name}`, { method: 'HEAD' })).status).toBe(200)
  })

  it('is read anew, and says so where it is not built', async () => {
    await writeFile(join(folder, 'viewer.html'), '<title>Newer</title>')
    expect((await httpCall(`${server.url}/viewer`)).text).toBe('<title>Newer</title>')
    await rm(join(folder, 'viewer.html'))
    for (const path of PATHS) {
      const { status, text } = await httpCall(server.url + path)
      expect([status, text.includes('npm run build')]).toEqual([503, true])
    }
  })
})

describe('the documentation', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'help', 'decisions'), { recursive: true })
    await writeFile(join(folder, 'help', 'index.html'), '<title>Documentation</title>')
    await writeFile(
      join(folder, 'help', 'decisions', '0001-one.html.br'),
      brotliCompressSync('<title>One</title>'),
    )
  })

  it('is served to everybody, under the rules of the window, and is read anew', async () => {
    await using other = await openTestServer({ pageFolder: folder, register: () => {} })
    for (const path of ['/help', '/help/', '/help/index.html']) {
      const { status, text, headers } = await httpCall(other.url + path)
      expect([status, text]).toEqual([200, '<title>Documentation</title>'])
      expect(headers).toMatchObject({
        ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
        ...{ 'x-frame-options': 'DENY', etag: expect.any(String) },
      })
      expect(headers['content-security-policy']).toContain("script-src 'self';")
      const again = await httpCall(other.url + path, {
        headers: { 'if-none-match': String(headers.etag) },
      })
      expect(again.status).toBe(304)
    }
    const { status, text } = await httpCall(`${other.url}/help/decisions/0001-one.html`)
    expect([status, text]).toEqual([200, '<title>One</title>'])
  })

  it('says where it is if a page does not exist, and serves no other file', async () => {
    await using other = await openTestServer({ pageFolder: folder, register: () => {} })
    for (const path of [
      ...['/help/none.html', '/help/decisions', '/help/decisions/0001-one.html.br'],
      ...['/help/..%2fviewer.html', '/help/..%2fassets%2fworker-1a2b3c.js'],
    ]) {
      const { status, text } = await httpCall(other.url + path)
      expect([path, status]).toEqual([path, 404])
      if (path.startsWith('/help/none')) expect(text).toContain('href="/help/"')
    }
  })
})
