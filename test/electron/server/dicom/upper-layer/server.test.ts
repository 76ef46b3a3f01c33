import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { DimseServer } from '#server/dicom/upper-layer/server.ts'
import { heldFind, serve } from '../../../../support/dimse-server.ts'
import {
  associated,
  associateRq,
  findRq,
  Requestor,
  WORKLIST_CONTEXT,
} from '../../../../support/requestor.ts'

const QUERY = Buffer.from('query')
const BUSY = { type: 'A-ASSOCIATE-RJ', result: 2, source: 3, reason: 2 }

async function answerTo(port: number, callingAeTitle: string, localAddress?: string) {
  await using requestor = await Requestor.connect(port, localAddress)
  requestor.sendPdu(associateRq({ callingAeTitle }))
  return await requestor.next()
}

describe('the DIMSE server', () => {
  it('rejects with the error of Node where the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const server = new DimseServer(
      [],
      { decide: () => ({ accept: true }) },
      { opened() {}, rejected() {}, answered() {}, closed() {} },
      DEFAULT_LIMITS,
      () => {},
    )
    await expect(server.listen('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
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
    expect(watched.seen.filter((line) => line.startsWith('rejected'))).toEqual([
      'rejected CT1 2/3/2',
      'rejected US1 2/3/2',
    ])
    await first.release()
    expect(await answerTo(watched.port, 'CT1')).toMatchObject({ type: 'A-ASSOCIATE-AC' })
  })

  it('gives half of the associations to a host that is not expected, and all of them to a site of listed devices', async () => {
    const [site, stranger] = ['127.0.0.77', '127.0.0.66']
    const limits = { associations: 4, associationsPerCaller: 1 }
    const { server, port } = await serve({ limits, isExpectedHost: (host) => host === site })
    await using _server = server
    await using _first = await associated(port, { callingAeTitle: 'X1', localAddress: stranger })
    await using _second = await associated(port, { callingAeTitle: 'X2', localAddress: stranger })
    expect(await answerTo(port, 'X3', stranger)).toEqual(BUSY)
    await Promise.all([_first.release(), _second.release()])
    await using _ct = await associated(port, { callingAeTitle: 'CT1', localAddress: site })
    await using _mr = await associated(port, { callingAeTitle: 'MR1', localAddress: site })
    await using _us = await associated(port, { callingAeTitle: 'US1', localAddress: site })
    expect(await answerTo(port, 'US2', site)).toMatchObject({ type: 'A-ASSOCIATE-AC' })
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
    expect(await watched.saw('closed')).toBe(
      'closed - aborted: more than 20 connections without an association',
    )
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
    expect(await watched.saw('closed')).toBe(
      'closed - aborted: too much data from connections without an association',
    )
    await using asking = await associated(watched.port)
    expect(await asking.echo()).toBe(0)
    for (const requestor of idle) await requestor[Symbol.asyncDispose]()
  })

  it('drains: takes nobody new, lets a running request finish, then aborts what is left', async () => {
    const { find, started, letGo } = heldFind()
    const watched = await serve({
      find,
    })
    await using busy = await associated(watched.port, { callingAeTitle: 'BUSY' })
    await using idle = await associated(watched.port, { callingAeTitle: 'IDLE' })
    await using never = await Requestor.connect(watched.port)
    busy.sendFind(QUERY)
    await started
    const drained = watched.server.drain(60_000)
    expect(await never.next()).toMatchObject({ type: expect.stringMatching(/closed|reset/) })
    await expect(Requestor.connect(watched.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    letGo()
    expect((await busy.found()).final.status).toBe(0)
    expect(await busy.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    expect(await idle.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    await drained
    expect(watched.server.openAssociations).toBe(0)
    expect(
      watched.seen.filter((line) => line.includes('aborted: the gateway is stopping')),
    ).toHaveLength(3)
  })

  it('does not wait longer than it was told for a request that does not end', async () => {
    const { find, started, letGo } = heldFind()
    const watched = await serve({
      find,
    })
    await using requestor = await associated(watched.port)
    requestor.sendFind(QUERY)
    await started
    await watched.server.drain(20)
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    letGo()
  })

  it('can be closed twice, and with peers that do not close', async () => {
    const { server, port } = await serve()
    await using requestor = await associated(port)
    requestor.pause()
    await Promise.all([server.drain(0), server[Symbol.asyncDispose]()])
    expect(server.openAssociations).toBe(0)
  })
})

describe('requests sent ahead', () => {
  /** A worklist whose searches end when the test says so, or when they are cancelled. */
  async function working(limits: Partial<DimseLimits>) {
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    let told = Promise.withResolvers<void>()
    const watched = await serve({
      limits: { queuedBytes: 1 << 20, ...limits },
      async *find({ association: { callingAeTitle }, messageId, signal }) {
        yield* []
        const name = `${callingAeTitle} ${messageId}`
        const end = Promise.withResolvers<void>()
        ends.set(name, end.resolve)
        signal.addEventListener('abort', () => end.resolve())
        begun.push(name)
        told.resolve()
        told = Promise.withResolvers()
        await end.promise
        return { status: signal.aborted ? 0xfe00 : 0x0000 }
      },
    })
    return {
      ...watched,
      begun,
      end: (name: string) => ends.get(name)?.(),
      async began(name: string) {
        while (!begun.includes(name)) await told.promise
      },
    }
  }

  const LONG = Buffer.alloc(60_000)
  /** Three of the four fragments of a request's identifier. */
  const UNFINISHED = writeMessage(
    WORKLIST_CONTEXT.id,
    findRq(2, true),
    Buffer.alloc(120_000),
    30_006,
  ).subarray(0, -30_012)

  /** A peer that has one request at work. */
  async function searching(
    worklist: Awaited<ReturnType<typeof working>>,
    callingAeTitle: string,
  ): Promise<Requestor> {
    const requestor = await associated(worklist.port, { callingAeTitle })
    requestor.sendFind(QUERY, 1)
    await worklist.began(`${callingAeTitle} 1`)
    return requestor
  }

  /** What a peer sent before is read by now, if it is read at all. */
  async function settled(port: number): Promise<void> {
    await using requestor = await associated(port, { callingAeTitle: 'ECHO' })
    for (let n = 1; n <= 20; n++) await requestor.echo(n)
  }

  const answerOf = async (requestor: Requestor) => {
    const { final } = await requestor.found()
    return [final.messageIdBeingRespondedTo, final.status]
  }

  it('are not read while they take more than their bytes, until the request before them is answered', async () => {
    const worklist = await working({ aheadBytes: 50_000 })
    await using _server = worklist.server
    await using requestor = await searching(worklist, 'CT1')
    requestor.sendFind(LONG, 2)
    requestor.cancel(1)
    await settled(worklist.port)
    worklist.end('CT1 1')
    expect(await answerOf(requestor)).toEqual([1, 0x0000])
    await worklist.began('CT1 2')
    // The second request has nothing behind it: what cancels it is read while it is at work.
    requestor.cancel(2)
    expect(await answerOf(requestor)).toEqual([2, 0xfe00])
  })

  it('are not read on within a data set either', async () => {
    const worklist = await working({ aheadBytes: 50_000 })
    await using _server = worklist.server
    await using requestor = await searching(worklist, 'CT1')
    requestor.send(UNFINISHED)
    requestor.abort()
    await settled(worklist.port)
    expect(worklist.seen).not.toContain('closed CT1 aborted: aborted by the other side')
    worklist.end('CT1 1')
    expect(await answerOf(requestor)).toEqual([1, 0x0000])
    expect(await worklist.saw('closed CT1')).toBe('closed CT1 aborted: aborted by the other side')
  })

  it('are read while all of them take no more than their bytes', async () => {
    const worklist = await working({ aheadBytes: 60_000 })
    await using _server = worklist.server
    await using requestor = await searching(worklist, 'CT1')
    requestor.sendFind(LONG, 2)
    requestor.cancel(1)
    expect(await answerOf(requestor)).toEqual([1, 0xfe00])
  })

  it('share their bytes over all associations, waiting or half sent', async () => {
    const worklist = await working({ aheadBytes: 100_000 })
    await using _server = worklist.server
    await using waiting = await searching(worklist, 'WAITING')
    await using gathering = await searching(worklist, 'GATHERING')
    await using late = await searching(worklist, 'LATE')
    waiting.sendFind(LONG, 2)
    gathering.send(UNFINISHED)
    await settled(worklist.port)
    late.sendFind(QUERY, 2)
    late.cancel(1)
    await settled(worklist.port)
    worklist.end('LATE 1')
    expect(await answerOf(late)).toEqual([1, 0x0000])

    // Those who sent nothing ahead are heard as ever, however much it is, and can cancel.
    await using other = await searching(worklist, 'OTHER')
    other.cancel(1)
    expect(await answerOf(other)).toEqual([1, 0xfe00])
    other.sendFind(Buffer.concat([LONG, LONG, LONG]), 2)
    await worklist.began('OTHER 2')

    // Its peer gone, what it sent ahead counts no longer.
    gathering.reset()
    await worklist.saw('closed GATHERING')
    await worklist.began('LATE 2')
    late.sendFind(QUERY, 3)
    late.cancel(2)
    expect(await answerOf(late)).toEqual([2, 0xfe00])
  })

  it('are all answered in order where there is room for none', async () => {
    const { server, port } = await serve({ limits: { aheadBytes: 0 } })
    await using _server = server
    const answered = Array.from({ length: 5 }, async (_, n) => {
      await using requestor = await associated(port, { callingAeTitle: `CT${n}` })
      for (let messageId = 1; messageId <= 30; messageId++)
        requestor.sendFind(Buffer.concat([LONG, LONG]), messageId)
      const ids: (number | undefined)[] = []
      while (ids.length < 30) ids.push((await requestor.found()).final.messageIdBeingRespondedTo)
      return ids
    })
    const inOrder = Array.from({ length: 30 }, (_, i) => i + 1)
    expect(await Promise.all(answered)).toEqual(Array.from({ length: 5 }, () => inOrder))
  })
})
