import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '#server/http/operations.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { operation } from '#shared/operation.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer, type TestServer } from './http-fixture.ts'

const ping = operation('GET /api/ping', {
  access: 'public',
  summary: 'Ping',
  reply: z.object({ pong: z.boolean() }),
})
const cleanUp: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function open(options: Partial<TestServer> = {}) {
  const server = await openTestServer({
    register: (app) => serve(app, ping, () => ({ pong: true })),
    ...options,
  })
  cleanUp.push(async () => server[Symbol.asyncDispose]())
  return server
}

async function pageFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-page-'))
  cleanUp.push(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Window</title>')
  await writeFile(join(folder, 'assets', 'main-1a2b3c.js'), 'export {}')
  await writeFile(join(folder, '.hidden'), 'hidden')
  return folder
}

describe('host names', () => {
  it('answers 421 to a foreign Host on every route, also unknown ones, the page and unreadable paths (DNS rebinding)', async () => {
    const server = await open({ pageFolder: await pageFolder() })
    const host = `evil.example:${server.port}`
    for (const path of ['/', '/api/ping', '/assets/main-1a2b3c.js', '/nothing']) {
      const answer = await httpCall(server.url + path, { headers: { host } })
      expect([path, answer.status, Problem.parse(answer.json).code]).toEqual([
        path,
        421,
        'wrong-host',
      ])
    }
    expect((await httpCall(`${server.url}/%zz`, { headers: { host } })).status).toBe(421)
    expect(
      (await httpCall(`${server.url}/api/ping`, { method: 'POST', json: {}, headers: { host } }))
        .status,
    ).toBe(421)
  })

  it('answers 400 to two Host headers, whichever is ours', async () => {
    const server = await open({})
    for (const path of ['/api/ping', '/nothing', '/%zz']) {
      const socket = connect(server.port, '127.0.0.1')
      const lines = [
        `GET ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${server.port}`,
        'HOST: evil.example',
        'Connection: close',
      ]
      socket.end(`${lines.join('\r\n')}\r\n\r\n`)
      expect([path, (await text(socket)).split('\r\n')[0]]).toEqual([
        path,
        'HTTP/1.1 400 Bad Request',
      ])
    }
  })

  it('answers under loopback names, allowed names and the public URL, as they are at that moment', async () => {
    let allowed: string[] = []
    let publicUrl: string | null = null
    const server = await open({ hosts: () => ({ allowedHosts: allowed, publicUrl }) })
    const ask = async (host: string) =>
      (await httpCall(`${server.url}/api/ping`, { headers: { host } })).status
    expect([
      await ask('localhost'),
      await ask('[::1]:1'),
      await ask('gw.local'),
      await ask('gw.clinic.example'),
    ]).toEqual([200, 200, 421, 421])
    allowed = ['gw.local']
    publicUrl = 'https://gw.clinic.example'
    expect([
      await ask('gw.local:8042'),
      await ask('gw.clinic.example'),
      await ask('other.example'),
    ]).toEqual([200, 200, 421])
  })

  it('answers under the address it was reached at when it listens on all', async () => {
    const server = await open({ host: '0.0.0.0' })
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    // 127.0.0.2 is no loopback name of the list: only the connection's own address lets it in.
    const answer = await httpCall(`http://127.0.0.2:${server.port}/api/ping`).catch(() => undefined)
    if (process.platform === 'linux') expect(answer?.json).toEqual({ pong: true })
    expect(
      (await httpCall(`${server.url}/api/ping`, { headers: { host: '127.0.0.2' } })).status,
    ).toBe(421)
  })
})

describe('headers', () => {
  it('forbid inline scripts, framing and sniffing, and do not demand TLS', async () => {
    const server = await open()
    for (const path of ['/', '/api/ping', '/nothing']) {
      const { headers } = await httpCall(server.url + path)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('upgrade-insecure-requests')
      expect(headers['strict-transport-security']).toBeUndefined()
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('no-store')
    }
  })
})

describe('the page', () => {
  it('is served fresh, its hashed files for a year', async () => {
    const server = await open({ pageFolder: await pageFolder() })
    const index = await httpCall(`${server.url}/`)
    expect([index.status, index.text, index.headers['cache-control']]).toEqual([
      200,
      '<!doctype html><title>Window</title>',
      'no-cache',
    ])
    const script = await httpCall(`${server.url}/assets/main-1a2b3c.js`)
    expect([script.status, script.headers['cache-control']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
    expect(script.headers['content-type']).toContain('javascript')
  })

  it('is sent compressed to who takes that, with the rules of the file', async () => {
    const folder = await pageFolder()
    const script = 'export const text = "the same again and again, the same again and again"'
    await writeFile(join(folder, 'assets', 'long-4d5e6f.js'), script)
    await writeFile(join(folder, 'assets', 'long-4d5e6f.js.br'), brotliCompressSync(script))
    const server = await open({ pageFolder: folder })
    const path = `${server.url}/assets/long-4d5e6f.js`
    const pressed = await fetch(path, { headers: { 'accept-encoding': 'gzip, deflate, br' } })
    const plain = await fetch(path, { headers: { 'accept-encoding': 'gzip, deflate' } })
    expect([await pressed.text(), await plain.text()]).toEqual([script, script])
    expect([
      pressed.headers.get('content-encoding'),
      plain.headers.get('content-encoding'),
    ]).toEqual(['br', null])
    for (const name of [
      'content-type',
      'cache-control',
      'content-security-policy',
      'vary',
      'x-content-type-options',
    ])
      expect([name, pressed.headers.get(name)]).toEqual([name, plain.headers.get(name) ?? 'there'])
    expect(pressed.headers.get('vary')).toBe('accept-encoding')
    // A file that has none beside it, and the compressed one by its own name.
    const without = await fetch(`${server.url}/assets/main-1a2b3c.js`, {
      headers: { 'accept-encoding': 'br' },
    })
    expect([without.status, await without.text()]).toEqual([200, 'export {}'])
    expect((await httpCall(`${path}.br`)).status).toBe(404)
  })

  it('is the only thing read from its folder', async () => {
    const server = await open({ pageFolder: await pageFolder() })
    for (const path of [
      '/.hidden',
      '/assets/',
      '/assets',
      '/..%2f..%2fetc/passwd',
      '/assets/..%2f.hidden',
    ]) {
      expect([path, (await httpCall(server.url + path)).status]).toEqual([path, 404])
    }
  })

  it('says how to build it while it is not built', async () => {
    const server = await open()
    const answer = await httpCall(`${server.url}/`)
    expect([answer.status, answer.headers['content-type']]).toEqual([
      503,
      'text/html; charset=utf-8',
    ])
    expect(answer.text).toContain('npm run build')
  })

  it('answers an unknown address with a page to a person and a problem to a program', async () => {
    const server = await open()
    const shown = await httpCall(`${server.url}/somewhere`, {
      headers: { accept: 'text/html,*/*' },
    })
    expect([shown.status, shown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    const spoken = await httpCall(`${server.url}/somewhere`, {
      headers: { accept: 'application/json' },
    })
    expect([spoken.status, Problem.parse(spoken.json).code]).toEqual([404, 'not-found'])
  })
})

describe('the listener', () => {
  it('rejects with the error of the system where its port is taken', async () => {
    const other = createServer()
    await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle))
    cleanUp.push(async () => void other.close())
    const { port } = other.address() as { port: number }
    await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  })

  it('answers bytes that are not HTTP with a problem', async () => {
    const server = await open()
    const answer = await new Promise<string>((settle, fail) => {
      let text = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      socket.on('end', () => settle(text)).on('error', fail)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(Problem.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).code).toBe(
      'malformed',
    )
  })

  it('lets a call under way finish when it closes, and cuts it off after the grace', async () => {
    const slow = operation('GET /slow', {
      access: 'public',
      summary: 'Slow',
      reply: z.object({ done: z.boolean() }),
    })
    const reached = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const server = await open({
      drainMs: 10_000,
      register: (app) =>
        serve(app, slow, async () => {
          reached.resolve()
          await finish.promise
          return { done: true }
        }),
    })
    const answer = httpCall(`${server.url}/slow`)
    await reached.promise
    const closed = server[Symbol.asyncDispose]()
    finish.resolve()
    expect((await answer).json).toEqual({ done: true })
    await closed
    await expect(httpCall(`${server.url}/slow`)).rejects.toThrow('ECONNREFUSED')

    const never = await open({
      drainMs: 20,
      register: (app) =>
        serve(app, slow, () => {
          again.resolve()
          return new Promise<never>(() => {})
        }),
    })
    const again = Promise.withResolvers<void>()
    const hanging = httpCall(`${never.url}/slow`)
    const cut = expect(hanging).rejects.toThrow()
    await again.promise
    await never[Symbol.asyncDispose]()
    await cut
  })
})

describe('a connection', () => {
  it('is closed where its client asks ahead without end (pipelining)', async () => {
    const server = await open({})
    const answersTo = async (count: number) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {})
      socket.write(`GET /api/ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(count - 1))
      socket.write('GET /api/ping HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
      let answers = 0
      for await (const chunk of socket.setEncoding('utf8').iterator())
        answers += String(chunk).split('HTTP/1.1 200').length - 1
      return answers
    }
    expect(await answersTo(4)).toBe(4)
    expect(await answersTo(100).catch(() => 0)).toBeLessThan(100)
  })
})
