import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '#gateway/dimse/limits.ts'
import { openDimseServer } from '#gateway/dimse/server.ts'
import { serve } from '../../../support/dimse-server.ts'
import { associated, associateRq, Requestor } from '../../../support/requestor.ts'

const QUERY = Buffer.from('query')
const BUSY = { type: 'A-ASSOCIATE-RJ', result: 2, source: 3, reason: 2 }

async function answerTo(port: number, callingAeTitle: string) {
  await using requestor = await Requestor.connect(port)
  requestor.sendPdu(associateRq({ callingAeTitle }))
  return await requestor.next()
}

describe('the DIMSE server', () => {
  it('rejects with the error of Node where the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const opening = openDimseServer({
      host: '127.0.0.1',
      port,
      services: [],
      policy: { decide: () => ({ accept: true }) },
      observer: { opened() {}, rejected() {}, answered() {}, closed() {} },
      limits: DEFAULT_LIMITS,
      ids: () => 'id',
      report() {},
    })
    await expect(opening).rejects.toMatchObject({ code: 'EADDRINUSE' })
    other.close()
  })

  it('rejects associations over its limits for now, all and of one caller, and takes them again when one is over', async () => {
    const watched = await serve({ limits: { associations: 3, associationsPerCaller: 2 } })
    await using _server = watched.server
    await using first = await associated(watched.port, { callingAeTitle: 'CT1' })
    await using _second = await associated(watched.port, { callingAeTitle: 'CT1' })
    expect(await answerTo(watched.port, 'CT1')).toEqual(BUSY)
    await using _third = await associated(watched.port, { callingAeTitle: 'MR1' })
    expect(await answerTo(watched.port, 'US1')).toEqual(BUSY)
    expect(watched.seen.filter((line) => line.startsWith('rejected'))).toEqual(['rejected CT1 2/3/2', 'rejected US1 2/3/2'])
    await first.release()
    expect(await answerTo(watched.port, 'CT1')).toMatchObject({ type: 'A-ASSOCIATE-AC' })
  })

  it('takes new limits for the associations to come', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using open = await associated(port)
    server.setLimits({ ...DEFAULT_LIMITS, associations: 1, maxPduLength: 32_768 })
    expect(await answerTo(port, 'CT1')).toEqual(BUSY)
    expect(await open.echo()).toBe(0)
    await open.release()
    await using next = await Requestor.connect(port)
    expect((await next.associate()).user.maximumLength).toBe(32_768)
  })

  it('destroys the oldest connection that never asked when there are too many, and answers an echo beside them', async () => {
    const watched = await serve({ limits: { pendingConnections: 20 } })
    await using _server = watched.server
    const idle: Requestor[] = []
    for (let i = 0; i < 21; i++) idle.push(await Requestor.connect(watched.port))
    expect(await idle[0]?.next()).toMatchObject({ type: expect.stringMatching(/closed|reset/) })
    expect(await watched.saw('closed')).toBe('closed - aborted: more than 20 connections without an association')
    await using asking = await associated(watched.port)
    expect(await asking.echo()).toBe(0)
    await idle[20]?.associate()
    for (const requestor of idle) await requestor[Symbol.asyncDispose]()
  })

  it('destroys the oldest connections where all that never asked keep too many bytes', async () => {
    const watched = await serve({ limits: { pendingBytes: 100_000 } })
    await using _server = watched.server
    const half = Buffer.alloc(40_000)
    half.writeUInt8(1)
    half.writeUInt32BE(50_000, 2)
    const idle: Requestor[] = []
    for (let i = 0; i < 4; i++) {
      const requestor = await Requestor.connect(watched.port)
      requestor.send(half)
      idle.push(requestor)
    }
    expect(await idle[0]?.next()).toMatchObject({ type: expect.stringMatching(/closed|reset/) })
    expect(await watched.saw('closed')).toBe('closed - aborted: too much from connections without an association')
    await using asking = await associated(watched.port)
    expect(await asking.echo()).toBe(0)
    for (const requestor of idle) await requestor[Symbol.asyncDispose]()
  })

  it('drains: takes nobody new, lets a running request finish, then aborts what is left', async () => {
    const hold = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const watched = await serve({
      async *find() {
        yield* []
        started.resolve()
        await hold.promise
        return { status: 0x0000 }
      },
    })
    await using busy = await associated(watched.port, { callingAeTitle: 'BUSY' })
    await using idle = await associated(watched.port, { callingAeTitle: 'IDLE' })
    await using never = await Requestor.connect(watched.port)
    busy.sendFind(QUERY)
    await started.promise
    const drained = watched.server.drain(60_000)
    expect(await never.next()).toMatchObject({ type: expect.stringMatching(/closed|reset/) })
    await expect(Requestor.connect(watched.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    hold.resolve()
    expect((await busy.found()).final.status).toBe(0)
    expect(await busy.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    expect(await idle.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    await drained
    expect(watched.server.openAssociations).toBe(0)
    expect(watched.seen.filter((line) => line.includes('aborted: the gateway is stopping'))).toHaveLength(3)
  })

  it('does not wait longer than it was told for a request that does not end', async () => {
    const hold = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const watched = await serve({
      async *find() {
        yield* []
        started.resolve()
        await hold.promise
        return { status: 0x0000 }
      },
    })
    await using requestor = await associated(watched.port)
    requestor.sendFind(QUERY)
    await started.promise
    await watched.server.drain(20)
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    hold.resolve()
  })

  it('can be closed twice, and with peers that do not close', async () => {
    const { server, port } = await serve()
    await using requestor = await associated(port)
    requestor.pause()
    await Promise.all([server.drain(0), server[Symbol.asyncDispose]()])
    expect(server.openAssociations).toBe(0)
  })
})
