import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectByTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { selfSignedCertificate } from '#server/http/certificate.ts'
import {
  AdmittedConnections,
  connectionToClose,
  hostOf,
} from '#server/platform/connection-budget.ts'
import { serve } from '../../../support/dimse-server.ts'
import { httpCall } from '../../../support/http-call.ts'
import { associated, Requestor } from '../../../support/requestor.ts'
import { openTestServer } from '../http/http-fixture.ts'

const of = (host: string, count: number, isBusy = false) =>
  Array.from({ length: count }, (_, n) => ({ name: `${host} ${n}`, host, isBusy, isNew: false }))
/** Idle ones that were just accepted. */
const newOf = (host: string, count: number) =>
  of(host, count).map((one) => ({ ...one, name: `new ${one.name}`, isNew: true }))
const budget = { most: 8, isExpected: (host: string) => host.startsWith('ct') }

describe('the connection that is closed where there are too many', () => {
  it.each([
    ['none within the budget', [...of('ct1', 4), ...of('a', 2), ...of('b', 2)], undefined],
    ['of a host with more than a quarter', [...of('ct1', 2), ...of('a', 3)], 'a 0'],
    [
      'of the unexpected host with the most',
      [...of('ct1', 3), ...of('ct2', 3), ...of('a', 1), ...of('b', 2)],
      'b 0',
    ],
    [
      'of a stranger, not of a device, where strangers have more than a quarter',
      [...of('ct1', 6), ...of('a', 2), ...of('b', 1)],
      'a 0',
    ],
    [
      'an idle one of devices that hold half each',
      [...of('ct1', 4), ...of('ct2', 4), ...of('a', 1)],
      'ct1 0',
    ],
    [
      'an idle one of the smaller device where the larger is answered on all',
      [...of('ct1', 5, true), ...of('ct2', 3), ...of('a', 1)],
      'ct2 0',
    ],
    [
      'of the device that fills the budget, not the first of another one',
      [...of('ct1', 8, true), ...newOf('ct2', 1)],
      'ct1 0',
    ],
    [
      'an idle one of a device that holds more than half',
      [...of('ct1', 8), ...of('a', 1)],
      'ct1 0',
    ],
    [
      'of a stranger where a device holds more than half and is answered on all',
      [...of('ct1', 8, true), ...of('a', 1)],
      'a 0',
    ],
    [
      'of the device with the most where there are only devices',
      [...of('ct1', 3), ...of('ct2', 6)],
      'ct2 0',
    ],
    [
      'one on which nothing is answered',
      [...of('a', 2, true), ...of('a', 1).map((one) => ({ ...one, name: 'idle' }))],
      'idle',
    ],
    [
      'one on which something is answered, not the one that was just accepted',
      [...of('a', 2, true), ...newOf('a', 1)],
      'a 0',
    ],
    [
      'an idle one that is not new',
      [
        ...newOf('a', 2),
        ...of('a', 2, true),
        ...of('a', 1).map((one) => ({ ...one, name: 'old' })),
      ],
      'old',
    ],
    ['the oldest new one where most are new', [...of('a', 1, true), ...newOf('a', 2)], 'new a 0'],
    ['the oldest where something is answered on all', of('a', 3, true), 'a 0'],
  ])('is %s', (_what, connections, expected) => {
    expect(connectionToClose(connections, budget, ({ isNew }) => isNew)?.name).toBe(expected)
  })

  it.each([
    ['10.0.3.7', '10.0.3.7'],
    ['::ffff:10.0.3.7', '10.0.3.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('counts %s as of the host %s', (address, host) => expect(hostOf(address)).toBe(host))
})

const [DEVICE, STRANGER] = ['127.0.0.7', '127.0.0.66']

/** HTTP, DIMSE and DIMSE by TLS with one budget of 16 connections, 4 for a stranger. */
async function openListeners() {
  await using opened = new AsyncDisposableStack()
  const isExpected = (host: string) => host === DEVICE
  const admitted = new AdmittedConnections(isExpected, 16)
  const answer = Promise.withResolvers<string>()
  let asked = 0
  const http = opened.use(
    await openTestServer({
      admitted,
      register(app) {
        app.fastify.get('/waits', () => {
          asked++
          return answer.promise
        })
      },
    }),
  )
  const { server, port } = await serve({ admitted })
  opened.use(server)
  const own = selfSignedCertificate(['127.0.0.1'], { nowMs: Date.now(), use: 'dicom-tls' })
  const tls = await server.listenByTls('127.0.0.1', 0, own)
  const kept = opened.move()
  return {
    ...{ http, answer, asked: () => asked, dimse: port, dimseTls: tls.port },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** A connection that says nothing. */
async function silent(port: number) {
  const socket = connect({ host: '127.0.0.1', port, localAddress: STRANGER })
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  return { closed, isClosed: () => socket.closed, [Symbol.dispose]: () => void socket.destroy() }
}

describe('the budget that listeners share', () => {
  it('gives a host one share over HTTP and DICOM, in which a new connection replaces the oldest busy one, and serves a device', async () => {
    await using listeners = await openListeners()
    const { http, answer, asked, dimse, dimseTls } = listeners
    const calls = [1, 2, 3, 4].map(() => httpCall(`${http.url}/waits`, { from: STRANGER }))
    await expect.poll(asked).toBe(4)
    const answered = Promise.allSettled(calls)
    using first = await silent(dimse)
    using second = await silent(dimseTls)
    await Promise.allSettled(calls.slice(0, 2))
    await using plain = await associated(dimse, { localAddress: DEVICE })
    const to = { host: '127.0.0.1', port: dimseTls, localAddress: DEVICE }
    const socket = connectByTls({ ...to, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    await using secure = new Requestor(socket)
    await secure.associate()
    expect([await plain.echo(), await secure.echo()]).toEqual([0, 0])
    answer.resolve('')
    const statuses = (await answered).map((call) =>
      call.status === 'fulfilled' ? call.value.status : 'closed',
    )
    expect(statuses).toEqual(['closed', 'closed', 200, 200])
    expect([first.isClosed(), second.isClosed()]).toEqual([false, false])
  })

  it('closes a connection that is answered, not one that has had less than 5 s to send a request', () => {
    let now = 0
    const admitted = new AdmittedConnections(undefined, 8, () => now)
    const closed: string[] = []
    const add = (name: string, isBusy: boolean) =>
      admitted.add({ host: STRANGER, isBusy, close: () => void closed.push(name) })
    add('first reader', true)
    add('second reader', true)
    add('partner', false)
    expect(closed).toEqual(['first reader'])
    now = 4999
    add('third reader', true)
    expect(closed).toEqual(['first reader', 'second reader'])
    now = 5000
    add('fourth reader', true)
    expect(closed).toEqual(['first reader', 'second reader', 'partner'])
  })

  it('closes the oldest idle connection of a host, by whichever listener it came, and no association', async () => {
    await using listeners = await openListeners()
    const { http, dimse, dimseTls } = listeners
    await using association = await associated(dimse, { localAddress: STRANGER })
    using first = await silent(http.port)
    using second = await silent(dimseTls)
    using third = await silent(dimse)
    using fourth = await silent(dimse)
    using fifth = await silent(dimseTls)
    await first.closed
    using _sixth = await silent(http.port)
    await second.closed
    expect([third, fourth, fifth].map(({ isClosed }) => isClosed())).toEqual([false, false, false])
    expect(await association.echo()).toBe(0)
  })
})

describe('hosts that are expected', () => {
  it('are this PC, those known beforehand and those that proved who they are', () => {
    const hosts = new AdmittedConnections((host) => host === '10.0.3.8')
    hosts.noteAuthenticated('::ffff:10.0.3.7')
    const asked = ['127.0.0.1', '10.0.3.8', '10.0.3.7', '10.0.3.66', '127.0.0.66']
    expect(asked.map((host) => hosts.isExpected(host))).toEqual([true, true, true, false, false])
  })

  it('are forgotten in the order in which they were last heard of', () => {
    const hosts = new AdmittedConnections()
    const address = (n: number) => `10.0.${n >> 8}.${n & 255}`
    for (let n = 0; n < 1000; n++) hosts.noteAuthenticated(address(n))
    hosts.noteAuthenticated(address(0))
    hosts.noteAuthenticated(address(1000))
    expect([0, 1, 2].map((n) => hosts.isExpected(address(n)))).toEqual([true, false, true])
  })
})
