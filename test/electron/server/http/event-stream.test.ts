import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type EventStreamOptions,
  type StreamEvent,
  serveEvents,
} from '#server/http/event-stream.ts'
import type { HttpServer } from '#server/http/server.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { openEventSource, type TestEventSource } from '../../../support/event-source.ts'
import { httpCall } from '../../../support/http-call.ts'
import { openTestServer, person, sessionsOf } from './http-fixture.ts'

const COOKIE = { cookie: 'isthmus-session=member' }
const users: Record<string, SignedInUser> = {}
const open: TestEventSource[] = []
let server: HttpServer | undefined

afterEach(async () => {
  for (const source of open.splice(0)) source.close()
  await server?.[Symbol.asyncDispose]()
  server = undefined
})

async function start(rule: Partial<EventStreamOptions> = {}) {
  users.member = person()
  const sessions = sessionsOf(users)
  const listeners = new Set<(event: StreamEvent) => void>()
  const seen: (string | undefined)[] = []
  const opened = await openTestServer({
    sessions,
    register: (app) =>
      serveEvents(app, '/events', { access: 'signed-in', ...rule }, (send, lastEventId) => {
        seen.push(lastEventId)
        listeners.add(send)
        send({ event: 'hello', data: { line: 'one\ntwo' }, id: '7' })
        return () => listeners.delete(send)
      }),
  })
  server = opened
  const connect = async (headers: Record<string, string> = COOKIE) => {
    const source = await openEventSource(`${opened.url}/events`, headers)
    open.push(source)
    return source
  }
  return { url: opened.url, sessions, listeners, seen, connect }
}

describe('a stream of events', () => {
  it('delivers events as they happen, each in one line of JSON', async () => {
    const { connect, listeners } = await start()
    const source = await connect()
    expect([
      source.status,
      source.headers['content-type'],
      source.headers['cache-control'],
    ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store'])
    expect(source.headers['content-security-policy']).toContain("default-src 'self'")
    expect(await source.next()).toEqual({ event: 'hello', data: { line: 'one\ntwo' }, id: '7' })
    for (const send of listeners) send({ event: 'line', data: 3 })
    expect(await source.next()).toEqual({ event: 'line', data: 3, id: undefined })
  })

  it('tells the subscriber the last event a returning client has seen', async () => {
    const { connect, seen } = await start()
    await connect()
    await connect({ ...COOKIE, 'last-event-id': '41' })
    expect(seen).toEqual([undefined, '41'])
  })

  it('refuses who is not signed in, and another site', async () => {
    const { url } = await start()
    expect((await httpCall(`${url}/events`)).status).toBe(401)
    expect(
      (await httpCall(`${url}/events`, { headers: { ...COOKIE, origin: 'https://evil.example' } }))
        .status,
    ).toBe(403)
    expect((await httpCall(`${url}/events`, { method: 'POST', headers: COOKIE })).status).toBe(405)
  })

  it('stops the subscription when the client leaves', async () => {
    const { connect, listeners } = await start()
    const source = await connect()
    expect(listeners.size).toBe(1)
    source.close()
    await vi.waitFor(() => expect(listeners.size).toBe(0))
  })

  it('ends when the session has ended, and never keeps a session awake', async () => {
    const { connect, listeners, sessions } = await start({ heartbeatMs: 10 })
    const source = await connect()
    await source.next()
    expect((await source.next()).event).toBe('beat')
    delete users.member
    await source.ended
    await vi.waitFor(() => expect(listeners.size).toBe(0))
    expect(new Set(sessions.looks)).toEqual(new Set(['member background']))
  })

  it('ends when the server closes', async () => {
    const { connect, listeners } = await start()
    const source = await connect()
    await server?.[Symbol.asyncDispose]()
    await source.ended
    expect(listeners.size).toBe(0)
  })

  it('takes a bounded number of clients', async () => {
    const { connect, url } = await start({ maxStreams: 1 })
    await connect()
    const answer = await httpCall(`${url}/events`, { headers: COOKIE })
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '10'])
  })

  it('cuts off a client that does not read, and serves the others', async () => {
    const { connect, listeners, url } = await start({ maxBufferBytes: 64 * 1024 })
    const fast = await connect()
    const slow = request(`${url}/events`, { headers: COOKIE, agent: false }, (answer) =>
      answer.pause().on('error', () => {}),
    )
    slow.on('error', () => {})
    slow.end()
    await vi.waitFor(() => expect(listeners.size).toBe(2))
    await fast.next()
    const data = 'x'.repeat(32 * 1024)
    // What the kernel takes for the silent client is bounded too; the reading one gets each event
    // before the next is sent.
    for (let sent = 0; listeners.size === 2 && sent < 2000; sent += 1) {
      for (const send of listeners) send({ event: 'line', data })
      expect((await fast.next()).data).toBe(data)
    }
    expect(listeners.size).toBe(1)
    slow.destroy()
  })
})
