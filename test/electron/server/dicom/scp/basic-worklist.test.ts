import { describe, expect, it } from 'vitest'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { writeFragments, writeMessage } from '#server/dicom/dimse/message.ts'
import type { CFindRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { verbatim } from '#shared/messages/message.ts'
import { batchOf, patient, serve } from '../../../../support/dimse-server.ts'
import { associated, findRq } from '../../../../support/requestor.ts'
import { type Answers, ELE, QUERY, rows } from './basic-worklist-fixture.ts'

describe('C-FIND', () => {
  it('gets every row, whole and in order, and a final response without an identifier', async () => {
    const { identifiers, find } = rows(3)
    const watched = await serve({ find })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    const found = await requestor.find(QUERY, 77)
    expect(found.identifiers).toEqual(identifiers)
    expect(found.final).toEqual({
      commandField: 0x8020,
      affectedSopClassUid: '1.2.840.10008.5.1.4.31',
      messageIdBeingRespondedTo: 77,
      status: 0x0000,
      hasDataSet: false,
    })
    expect(readDataSet(found.identifiers[2] ?? Buffer.alloc(0), ELE)).toEqual(patient(2))
    expect(await watched.saw('answered')).toBe('answered CT1 Modality Worklist 0000 3')
  })

  it('hands the service what was asked, by whom and in which syntax', async () => {
    const asked: CFindRequest[] = []
    const { server, port } = await serve({
      async *find(request) {
        yield* []
        asked.push(request)
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    await requestor.find(QUERY, 12)
    requestor.sendFind(undefined, 13)
    await requestor.found()
    expect(asked[0]).toMatchObject({ messageId: 12, transferSyntax: ELE, identifier: QUERY })
    expect(asked[0]?.association).toMatchObject({
      callingAeTitle: 'CT1',
      calledAeTitle: 'ISTHMUS',
      remoteAddress: '127.0.0.1',
    })
    expect(asked[1]?.identifier).toBeUndefined()
  })

  it.each([12, 13, 128, 1001, 16_384, 131_072, 0])(
    'obeys the peer’s maximum length of %i exactly',
    async (maximumLength) => {
      const { identifiers, find } = rows(40)
      const { server, port } = await serve({ find })
      await using _server = server
      await using requestor = await associated(port, { maximumLength })
      expect((await requestor.find(QUERY, 0xfedc)).identifiers).toEqual(identifiers)
      if (maximumLength > 0) expect(requestor.longestPData).toBeLessThanOrEqual(maximumLength)
      expect(await requestor.echo(2)).toBe(0)
    },
  )

  it('frames one batch for peers of several contexts and maxima without mixing them up', async () => {
    const { identifiers, find } = rows(20)
    const { server, port } = await serve({ find, limits: { sliceBytes: 1024 } })
    await using _server = server
    for (const [messageId, maximumLength] of [1, 2, 3].flatMap((id) =>
      [0, 128, 64, 32, 16_384].map((most) => [id, most] as const),
    )) {
      await using requestor = await associated(port, { maximumLength })
      const found = await requestor.find(QUERY, messageId)
      expect(found.identifiers).toEqual(identifiers)
      expect(found.final.messageIdBeingRespondedTo).toBe(messageId)
    }
  })

  it('answers several associations from one batch at the same time, each with its own message id', async () => {
    const { identifiers, find } = rows(2000)
    const { server, port } = await serve({ find, limits: { sliceBytes: 4096 } })
    await using _server = server
    const found = await Promise.all(
      [1, 2, 300, 65_535].map(async (messageId) => {
        await using requestor = await associated(port)
        requestor.sendFind(QUERY, messageId)
        const ids = new Set<number | undefined>()
        for (let pending = 0; ; pending++) {
          const { command } = await requestor.message()
          ids.add(command.messageIdBeingRespondedTo)
          if (command.status === 0) return { messageId, pending, ids: [...ids] }
        }
      }),
    )
    expect(found).toEqual(
      [1, 2, 300, 65_535].map((messageId) => ({
        messageId,
        pending: identifiers.length,
        ids: [messageId],
      })),
    )
  })

  it('gets rows of any size, many batches, and a batch of none', async () => {
    const identifiers = [0, 2, 70_000, 300_000, 4].map((length) => Buffer.alloc(length, 0x41))
    const { server, port } = await serve({
      async *find() {
        yield batchOf(identifiers.slice(0, 2))
        yield batchOf([])
        yield batchOf(identifiers.slice(2, 4))
        yield batchOf(identifiers.slice(4))
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    expect((await requestor.find(QUERY)).identifiers).toEqual(identifiers)
  })

  it('gets rows at once, though the service takes its time to end', async () => {
    const hold = Promise.withResolvers<void>()
    const { server, port } = await serve({
      async *find() {
        yield batchOf([Buffer.from('ab')])
        await hold.promise
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY)
    expect((await requestor.message()).dataSet).toEqual(Buffer.from('ab'))
    hold.resolve()
    expect((await requestor.found()).final.status).toBe(0)
  })

  it('may have command and identifier in one P-DATA-TF, or the identifier in fragments of two bytes', async () => {
    const seen: string[] = []
    const { server, port } = await serve({
      async *find({ identifier }) {
        yield* []
        seen.push(String(identifier))
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    const apart = writeMessage(3, findRq(1, true), Buffer.from('together'), 0)
    const [first, second] = [apart.readUInt32BE(2), apart.length - 12 - apart.readUInt32BE(2)]
    const together = Buffer.concat([apart.subarray(0, 6 + first), apart.subarray(12 + first)])
    together.writeUInt32BE(first + second, 2)
    requestor.send(together)
    await requestor.found()
    const pieces = Buffer.alloc(1000)
    const end = writeFragments(pieces, 0, 3, false, Buffer.from('in pieces!'), 2)
    requestor.send(
      Buffer.concat([writeMessage(3, findRq(2, true), undefined, 0), pieces.subarray(0, end)]),
    )
    await requestor.found()
    expect(seen).toEqual(['together', 'in pieces!'])
  })
})

describe('what goes wrong in C-FIND', () => {
  it('is said by the service’s own status, with its comment and the offending element', async () => {
    const { server, port } = await serve({
      async *find(): Answers {
        yield* []
        throw new DimseError(0xa900, verbatim('Not a date'), [0x00400002])
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    expect((await requestor.find(QUERY)).final).toMatchObject({
      status: 0xa900,
      errorComment: 'Not a date',
      offendingElements: [0x00400002],
      hasDataSet: false,
    })
    expect(await requestor.echo(2)).toBe(0)
  })

  it('is C003 with a reference for any other exception, after the rows that were already given', async () => {
    const watched = await serve({
      async *find() {
        yield batchOf([Buffer.from('ab')])
        throw new Error('broken service')
      },
    })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    const { identifiers, final } = await requestor.find(QUERY)
    expect(identifiers).toEqual([Buffer.from('ab')])
    const [reference, error] = watched.reported[0] ?? []
    expect(String(error)).toBe('Error: broken service')
    expect(final).toMatchObject({
      status: 0xc003,
      errorComment: `Gateway internal error ${reference}`,
    })
    expect(await watched.saw('answered')).toBe('answered CT1 Modality Worklist c003 1')
  })

  it('is A900 for an identifier over the limit, which is read to its end and not kept', async () => {
    let calls = 0
    const { server, port } = await serve({
      async *find() {
        yield* []
        calls++
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    expect((await requestor.find(Buffer.alloc(256 << 10))).final.status).toBe(0)
    expect((await requestor.find(Buffer.alloc(2 << 20))).final).toMatchObject({
      status: 0xa900,
      errorComment: 'Identifier longer than 262144 bytes',
    })
    expect(calls).toBe(1)
  })

  it('is an abort for a data set that does not end', async () => {
    const { server, port } = await serve({ limits: { drainedBytes: 1 << 20 } })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(Buffer.alloc(2 << 20))
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 6 })
  })
})

describe('two C-FINDs sent ahead', () => {
  it('are answered one after the other', async () => {
    const { identifiers, find } = rows(10)
    const { server, port } = await serve({ find })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY, 1)
    requestor.sendFind(QUERY, 2)
    const [first, second] = [await requestor.found(), await requestor.found()]
    expect([first.final.messageIdBeingRespondedTo, second.final.messageIdBeingRespondedTo]).toEqual(
      [1, 2],
    )
    expect([first.identifiers, second.identifiers]).toEqual([identifiers, identifiers])
  })

  it('can be cancelled while they wait, without being begun', async () => {
    const hold = Promise.withResolvers<void>()
    const begun: number[] = []
    const { server, port } = await serve({
      async *find({ messageId }) {
        yield* []
        begun.push(messageId)
        await hold.promise
        return { status: 0x0000 }
      },
    })
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendFind(QUERY, 1)
    requestor.sendFind(QUERY, 2)
    requestor.cancel(2)
    requestor.sendFind(QUERY, 3)
    requestor.sendEcho(4)
    // The echo is behind them all, so nothing can be answered before the first is let go.
    hold.resolve()
    const answers = [
      await requestor.found(),
      await requestor.found(),
      await requestor.found(),
      await requestor.found(),
    ]
    expect(answers.map(({ final }) => [final.messageIdBeingRespondedTo, final.status])).toEqual([
      [1, 0x0000],
      [2, 0xfe00],
      [3, 0x0000],
      [4, 0x0000],
    ])
    expect(begun).toEqual([1, 3])
  })
})
