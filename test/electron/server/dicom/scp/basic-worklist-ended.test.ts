import { describe, expect, it } from 'vitest'
import { batchOf, heldFind, patients, serve } from '../../../../support/dimse-server.ts'
import { associated, type Requestor, WORKLIST_CONTEXT } from '../../../../support/requestor.ts'
import { type Answers, aborted, ELE, QUERY, rows } from './basic-worklist-fixture.ts'

describe('C-CANCEL', () => {
  it('while the service waits aborts its signal, ends it and is answered FE00', async () => {
    const reasons: unknown[] = []
    let isEnded = false
    const started = Promise.withResolvers<void>()
    const watched = await serve({
      async *find(request): Answers {
        yield* []
        try {
          started.resolve()
          reasons.push(await aborted(request))
          throw new Error('aborted like a call to the partner')
        } finally {
          isEnded = true
        }
      },
    })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    requestor.sendFind(QUERY, 5)
    await started.promise
    requestor.cancel(5)
    expect((await requestor.found()).final).toMatchObject({
      status: 0xfe00,
      messageIdBeingRespondedTo: 5,
      hasDataSet: false,
    })
    expect([reasons, isEnded, watched.reported]).toEqual([['cancel'], true, []])
    expect(await requestor.echo(6)).toBe(0)
  })

  it('while rows are sent ends them at a whole row, and returns the generator', async () => {
    const batch = batchOf(patients(50_000, ELE))
    let isReturned = false
    const { server, port } = await serve({
      limits: { sliceBytes: 4096 },
      async *find() {
        try {
          for (;;) yield batch
        } finally {
          isReturned = true
        }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY, 5)
    await requestor.message()
    requestor.cancel(5)
    const { final } = await requestor.found()
    expect([final.status, isReturned]).toEqual([0xfe00, true])
    expect(await requestor.echo(6)).toBe(0)
  })

  it('is answered by what the service says of itself, if it does', async () => {
    const started = Promise.withResolvers<void>()
    const { server, port } = await serve({
      async *find(request): Answers {
        yield* []
        started.resolve()
        await aborted(request)
        return { status: 0xa700, errorComment: 'Stopped half way' }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY)
    await started.promise
    requestor.cancel(1)
    expect((await requestor.found()).final).toMatchObject({
      status: 0xa700,
      errorComment: 'Stopped half way',
    })
  })

  it('is answered FE00 in time though the service does not hear its signal', async () => {
    const { find, started, letGo } = heldFind()
    const { server, port } = await serve({
      limits: { cancelSeconds: 0.05 },
      find,
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY)
    await started
    requestor.cancel(1)
    expect((await requestor.found()).final.status).toBe(0xfe00)
    expect(await requestor.echo(2)).toBe(0)
    letGo()
  })

  it('of a request that is no search is ignored: it is answered as ever', async () => {
    const { server, port } = await serve({
      async *find(request): Answers {
        yield* []
        await aborted(request)
        return { status: 0xfe00 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY, 1)
    requestor.sendEcho(2)
    requestor.cancel(2)
    // What is heard after it: then the first cancel has been heard too.
    requestor.cancel(1)
    expect((await requestor.found()).final).toMatchObject({
      status: 0xfe00,
      messageIdBeingRespondedTo: 1,
    })
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8030,
      status: 0,
      messageIdBeingRespondedTo: 2,
    })
  })

  it('of something else, or too late, is ignored', async () => {
    const { find } = rows(2)
    const { server, port } = await serve({ find })
    await using _server = server
    await using requestor = await associated(port)
    requestor.cancel(4711)
    expect((await requestor.find(QUERY, 1)).final.status).toBe(0)
    requestor.cancel(1)
    expect(await requestor.echo(2)).toBe(0)
    expect((await requestor.find(QUERY, 1)).identifiers).toHaveLength(2)
  })
})

describe('the end of the association while a C-FIND runs', () => {
  it.each([
    ['A-ABORT', (requestor: Requestor) => requestor.abort()],
    ['a reset', (requestor: Requestor) => requestor.reset()],
    ['a half close', (requestor: Requestor) => requestor.halfClose()],
    ['A-RELEASE-RQ', (requestor: Requestor) => requestor.sendPdu({ type: 'A-RELEASE-RQ' })],
  ])('by %s aborts the signal of a service that waits', async (_how, leave) => {
    const reason = Promise.withResolvers<unknown>()
    const started = Promise.withResolvers<void>()
    const watched = await serve({
      async *find(request): Answers {
        yield* []
        started.resolve()
        reason.resolve(await aborted(request))
        throw new Error('aborted')
      },
    })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    requestor.sendFind(QUERY)
    await started.promise
    leave(requestor)
    expect(await reason.promise).toBe('association')
    await watched.saw('closed')
    expect([watched.seen.length, watched.reported, watched.server.openAssociations]).toEqual([
      2,
      [],
      0,
    ])
  })

  it.each([
    ['A-ABORT', (requestor: Requestor) => requestor.abort()],
    ['a reset', (requestor: Requestor) => requestor.reset()],
  ])('by %s while rows are sent returns the generator', async (_how, leave) => {
    const batch = batchOf(patients(5000, ELE))
    const returned = Promise.withResolvers<void>()
    const watched = await serve({
      async *find() {
        try {
          for (;;) yield batch
        } finally {
          returned.resolve()
        }
      },
    })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    requestor.sendFind(QUERY)
    await requestor.message()
    leave(requestor)
    await returned.promise
    await watched.saw('closed')
    await using other = await associated(watched.port)
    expect(await other.echo()).toBe(0)
    expect(watched.reported).toEqual([])
  })

  it('by the server, because the peer takes no data, leaves others alone', async () => {
    const batch = batchOf(patients(5000, ELE))
    const returned = Promise.withResolvers<void>()
    const watched = await serve({
      limits: { stallSeconds: 0.3 },
      async *find() {
        try {
          for (;;) yield batch
        } finally {
          returned.resolve()
        }
      },
    })
    await using _server = watched.server
    await using stalled = await associated(watched.port, { callingAeTitle: 'STALLED' })
    stalled.sendFind(QUERY)
    await stalled.message()
    stalled.pause()
    await using other = await associated(watched.port)
    expect(await other.echo()).toBe(0)
    expect(await watched.saw('closed STALLED')).toBe(
      'closed STALLED aborted: no data was accepted for 0.3 s',
    )
    await returned.promise
    expect(await other.echo(2)).toBe(0)
  })

  it('does not come for a peer that reads late: it gets every row', async () => {
    const { identifiers, find } = rows(20_000)
    const { server, port } = await serve({ find })
    await using _server = server
    await using requestor = await associated(port)
    requestor.pause()
    requestor.sendFind(QUERY)
    await using other = await associated(port, { contexts: [WORKLIST_CONTEXT] })
    expect((await other.find(QUERY)).identifiers).toHaveLength(identifiers.length)
    requestor.resume()
    expect((await requestor.found()).identifiers).toEqual(identifiers)
  })
})
