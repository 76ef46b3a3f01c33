import { describe, expect, it } from 'vitest'
import { IMPLEMENTATION, SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { verbatim } from '#shared/messages/message.ts'
import { serve } from '../../../../support/dimse-server.ts'
import {
  associated,
  associateRq,
  ECHO_CONTEXT,
  findRq,
  type Proposal,
  Requestor,
  WORKLIST_CONTEXT,
} from '../../../../support/requestor.ts'

const header = (type: number, length: number) => {
  const bytes = Buffer.from([type, 0, 0, 0, 0, 0])
  bytes.writeUInt32BE(length, 2)
  return bytes
}

describe('an association', () => {
  it('is accepted, answers C-ECHO as often as it is asked, and is released', async () => {
    const watched = await serve()
    await using _server = watched.server
    await using requestor = await associated(watched.port, { callingAeTitle: 'MR2' })
    expect([await requestor.echo(1), await requestor.echo(2)]).toEqual([0, 0])
    expect(watched.server.openAssociations).toBe(1)
    expect(await requestor.release()).toEqual({ type: 'A-RELEASE-RP' })
    await watched.saw('closed')
    expect(watched.server.openAssociations).toBe(0)
    expect(watched.seen).toEqual([
      'opened MR2 Verification, Modality Worklist',
      'answered MR2 Verification 0000 0',
      'answered MR2 Verification 0000 0',
      'closed MR2 released: released by the other side',
    ])
  })

  it('tells the peer who we are, what we take, and of asynchronous operations and roles only where it asked', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using plain = await Requestor.connect(port)
    const accepted = await plain.associate()
    expect(accepted).toMatchObject({
      calledAeTitle: 'ISTHMUS',
      callingAeTitle: 'CT1',
      applicationContext: '1.2.840.10008.3.1.1.1',
    })
    expect(accepted.user).toEqual({
      maximumLength: 65_536,
      implementationClassUid: IMPLEMENTATION.classUid,
      implementationVersionName: IMPLEMENTATION.versionName,
      asynchronousOperations: undefined,
      roles: [],
    })
    await using asking = await Requestor.connect(port)
    const roles = [{ sopClass: SOP_CLASS.modalityWorklistFind, scu: true, scp: true }]
    const { user } = await asking.associate({
      asynchronousOperations: { invoked: 0, performed: 0 },
      roles,
    })
    expect(user.asynchronousOperations).toEqual({ invoked: 1, performed: 1 })
    expect(user.roles).toEqual([
      { sopClass: SOP_CLASS.modalityWorklistFind, scu: true, scp: false },
    ])
  })

  it('understands a peer that sends one byte per segment', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using requestor = await Requestor.connect(port)
    for (const byte of writePdu(associateRq())) requestor.send(Buffer.from([byte]))
    expect(await requestor.next()).toMatchObject({ type: 'A-ASSOCIATE-AC' })
    const echo = writeMessage(
      1,
      { commandField: 0x30, messageId: 5, hasDataSet: false },
      undefined,
      0,
    )
    for (const byte of echo) requestor.send(Buffer.from([byte]))
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8030,
      messageIdBeingRespondedTo: 5,
      status: 0,
    })
  })

  it('accepts for a caller only the SOP classes the policy leaves it', async () => {
    const { server, port } = await serve({
      policy: { decide: () => ({ accept: true, onlySopClasses: [SOP_CLASS.verification] }) },
    })
    await using _server = server
    await using requestor = await Requestor.connect(port)
    const { presentationContexts } = await requestor.associate()
    expect(presentationContexts.map(({ id, result }) => [id, result])).toEqual([
      [ECHO_CONTEXT.id, 0],
      [WORKLIST_CONTEXT.id, 3],
    ])
    expect(await requestor.echo()).toBe(0)
    requestor.sendFind(Buffer.alloc(0))
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 6 })
  })

  it.each<[string, Proposal, [number, number, number]]>([
    ['the protocol version', { protocolVersion: 2 }, [1, 2, 2]],
    ['the application context', { applicationContext: '1.2.3.4' }, [1, 1, 2]],
    ['the policy', { callingAeTitle: 'STRANGER' }, [1, 1, 3]],
  ])(
    'is rejected for %s, and the observer is told once',
    async (_what, proposal, [result, source, reason]) => {
      const watched = await serve({
        policy: {
          decide: ({ callingAeTitle }) =>
            callingAeTitle === 'STRANGER'
              ? { reject: { result: 1, source: 1, reason: 3, why: verbatim('unknown') } }
              : { accept: true },
        },
      })
      await using _server = watched.server
      await using requestor = await Requestor.connect(watched.port)
      requestor.sendPdu(associateRq(proposal))
      expect(await requestor.next()).toEqual({ type: 'A-ASSOCIATE-RJ', result, source, reason })
      expect(watched.seen).toEqual([
        `rejected ${proposal.callingAeTitle ?? 'CT1'} ${result}/${source}/${reason}`,
      ])
    },
  )

  it('gives the policy what was proposed, trimmed, and how many are open', async () => {
    const asked: unknown[] = []
    const { server, port } = await serve({
      policy: {
        decide({ associationId: _id, ...request }) {
          asked.push(request)
          return { accept: true }
        },
      },
    })
    await using _server = server
    await using _first = await associated(port, { callingAeTitle: 'CT1' })
    await using _second = await associated(port, { callingAeTitle: 'MR1' })
    await using _third = await associated(port, {
      callingAeTitle: 'CT1',
      contexts: [ECHO_CONTEXT, { ...ECHO_CONTEXT, id: 5 }],
    })
    expect(asked[2]).toEqual({
      callingAeTitle: 'CT1',
      calledAeTitle: 'ISTHMUS',
      remoteAddress: '127.0.0.1',
      abstractSyntaxes: [SOP_CLASS.verification],
      openAssociations: 2,
      openFromCaller: 1,
    })
  })

  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 1],
    ['the header of 4 GiB', header(1, 0xffffffff), 6],
    ['a P-DATA-TF', writePdu({ type: 'P-DATA-TF', pdvs: [] }), 2],
    ['an A-RELEASE-RQ', writePdu({ type: 'A-RELEASE-RQ' }), 2],
  ])('that begins with %s is aborted by the provider at once', async (_what, bytes, reason) => {
    const watched = await serve()
    await using _server = watched.server
    await using requestor = await Requestor.connect(watched.port)
    requestor.send(bytes)
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason })
    expect(watched.seen).toEqual([
      expect.stringMatching(/^closed - aborted: aborted by the gateway: /),
    ])
  })

  it.each([
    ['an unknown PDU', header(0x99, 4), 1],
    ['a second A-ASSOCIATE-RQ', writePdu(associateRq()), 2],
    ['a P-DATA-TF of 4 GiB', header(4, 0xffffffff), 6],
    [
      'a fragment on a context that was not accepted',
      writeMessage(99, { commandField: 0x30, hasDataSet: false }, undefined, 0),
      6,
    ],
    [
      'a command set that ends within an element',
      writePdu({
        type: 'P-DATA-TF',
        pdvs: [{ contextId: 1, isCommand: true, isLast: true, data: Buffer.alloc(9, 1) }],
      }),
      6,
    ],
    [
      'a response to nothing',
      writeMessage(1, { commandField: 0x8030, status: 0, hasDataSet: false }, undefined, 0),
      6,
    ],
    [
      'an A-RELEASE-RQ within a message',
      Buffer.concat([
        writeMessage(3, findRq(1, true), undefined, 0),
        writePdu({ type: 'A-RELEASE-RQ' }),
      ]),
      2,
    ],
  ])('that sends %s is aborted with the reason', async (_what, bytes, reason) => {
    const watched = await serve()
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    requestor.send(bytes)
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason })
    expect(await watched.saw('closed')).toMatch(/^closed CT1 aborted: aborted by the gateway: /)
    expect(watched.server.openAssociations).toBe(0)
  })

  it('answers an operation it does not know 0211, and another SOP class on the context 0122, and goes on', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendMessage(1, { commandField: 0x7777, messageId: 3, hasDataSet: false })
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0xf777,
      messageIdBeingRespondedTo: 3,
      status: 0x0211,
      hasDataSet: false,
    })
    requestor.sendMessage(1, { ...findRq(4, true), commandField: 0x0001 }, Buffer.from('data'))
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8001,
      messageIdBeingRespondedTo: 4,
      status: 0x0211,
    })
    requestor.sendMessage(1, {
      commandField: 0x30,
      affectedSopClassUid: '1.2.3',
      messageId: 5,
      hasDataSet: false,
    })
    expect((await requestor.message()).command).toMatchObject({
      messageIdBeingRespondedTo: 5,
      status: 0x0122,
    })
    expect(await requestor.echo(6)).toBe(0)
  })

  it('answers C-ECHO without an affected SOP class', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using requestor = await associated(port)
    requestor.sendMessage(1, { commandField: 0x30, messageId: 3, hasDataSet: false })
    expect((await requestor.message()).command).toMatchObject({
      affectedSopClassUid: SOP_CLASS.verification,
      status: 0,
    })
  })

  it('answers everything a peer sends ahead, in order, however much it is', async () => {
    const { server, port } = await serve({ limits: { queuedRequests: 2 } })
    await using _server = server
    await using requestor = await associated(port)
    for (let messageId = 1; messageId <= 200; messageId++) requestor.sendEcho(messageId)
    const answered: (number | undefined)[] = []
    while (answered.length < 200)
      answered.push((await requestor.message()).command.messageIdBeingRespondedTo)
    expect(answered).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
    expect(await requestor.release()).toEqual({ type: 'A-RELEASE-RP' })
  })

  it('that never asks is closed when ARTIM expires', async () => {
    const watched = await serve({ limits: { artimSeconds: 0.05 } })
    await using _server = watched.server
    await using requestor = await Requestor.connect(watched.port)
    expect(await requestor.next()).toEqual({ type: 'closed' })
    expect(watched.seen).toEqual(['closed - aborted: no association was requested within 0.05 s'])
  })

  it('is closed under ARTIM after a rejection the peer does not answer by closing', async () => {
    const { server, port } = await serve({ limits: { artimSeconds: 0.05 } })
    await using _server = server
    await using requestor = await Requestor.connect(port)
    requestor.sendPdu(associateRq({ protocolVersion: 2 }))
    expect(await requestor.next()).toMatchObject({ type: 'A-ASSOCIATE-RJ' })
    expect(await requestor.next()).toEqual({ type: 'closed' })
  })

  it('that falls silent is aborted, and one that dribbles bytes too', async () => {
    const watched = await serve({ limits: { idleSeconds: 0.2, artimSeconds: 0.05 } })
    await using _server = watched.server
    await using silent = await associated(watched.port, { callingAeTitle: 'SILENT' })
    await using dribbling = await associated(watched.port, { callingAeTitle: 'DRIBBLING' })
    dribbling.send(header(4, 100))
    const dribble = setInterval(() => dribbling.send(Buffer.alloc(1)), 20)
    const said = [await silent.next(), await dribbling.next()]
    clearInterval(dribble)
    expect(said).toEqual([
      { type: 'A-ABORT', source: 2, reason: 0 },
      { type: 'A-ABORT', source: 2, reason: 0 },
    ])
    expect(watched.seen).toContain('closed SILENT aborted: no data for 0.2 s')
    expect(watched.seen).toContain('closed DRIBBLING aborted: no data for 0.2 s')
  })

  it('is not silent while a service works', async () => {
    const watched = await serve({
      limits: { idleSeconds: 0.05 },
      async *find() {
        yield* []
        await new Promise((resolve) => setTimeout(resolve, 300))
        return { status: 0 }
      },
    })
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    expect((await requestor.find(Buffer.alloc(0))).final.status).toBe(0)
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    expect(watched.seen.slice(1)).toEqual([
      'answered CT1 Modality Worklist 0000 0',
      'closed CT1 aborted: no data for 0.05 s',
    ])
  })

  it.each([
    [
      'aborts',
      (requestor: Requestor) => requestor.abort(),
      'closed CT1 aborted: aborted by the other side',
    ],
    [
      'resets the connection',
      (requestor: Requestor) => requestor.reset(),
      'closed CT1 aborted: the other side dropped the connection (ECONNRESET)',
    ],
    [
      'half closes the connection',
      (requestor: Requestor) => requestor.halfClose(),
      'closed CT1 aborted: the other side closed the connection',
    ],
  ])('whose peer %s is over, and said so once', async (_what, leave, line) => {
    const watched = await serve()
    await using _server = watched.server
    await using requestor = await associated(watched.port)
    leave(requestor)
    expect(await watched.saw('closed')).toContain(line)
    expect(await requestor.next()).toMatchObject({ type: expect.stringMatching(/closed|reset/) })
    expect(watched.seen.filter((other) => other.startsWith('closed'))).toHaveLength(1)
  })

  it('survives a policy that throws: the peer is aborted, the exception reported', async () => {
    const watched = await serve({
      policy: {
        decide() {
          throw new Error('broken policy')
        },
      },
    })
    await using _server = watched.server
    await using requestor = await Requestor.connect(watched.port)
    requestor.sendPdu(associateRq())
    expect(await requestor.next()).toEqual({ type: 'A-ABORT', source: 2, reason: 0 })
    expect(watched.reported.map(([, error]) => String(error))).toEqual(['Error: broken policy'])
  })

  it('takes Implicit VR alone and refuses a syntax nobody offers', async () => {
    const { server, port } = await serve()
    await using _server = server
    await using requestor = await Requestor.connect(port)
    const { presentationContexts } = await requestor.associate({
      contexts: [
        { ...WORKLIST_CONTEXT, id: 1, transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian] },
        { ...WORKLIST_CONTEXT, id: 3, transferSyntaxes: ['1.2.840.10008.1.2.4.50'] },
        { ...WORKLIST_CONTEXT, id: 5, abstractSyntax: '1.2.3' },
      ],
    })
    expect(presentationContexts.map(({ result }) => result)).toEqual([0, 4, 3])
  })
})
