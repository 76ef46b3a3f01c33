import { describe, expect, it } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { Message } from '#server/dicom/dimse/message.ts'
import type { AssociationOptions } from '#server/dicom/scu/association-request.ts'
import {
  openAssociation,
  type RequestedAssociation,
  RequestorError,
} from '#server/dicom/scu/requestor.ts'
import { accepted, startAcceptor } from '../../../../support/acceptor.ts'
import { selfSignedCertificate } from '../../../../support/certificate.ts'
import { freePort } from '../../../../support/free-port.ts'

const ECHO = {
  abstractSyntax: SOP_CLASS.verification,
  transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
}
const FIND = {
  abstractSyntax: SOP_CLASS.studyRootFind,
  transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian],
}
const echoRq = {
  commandField: COMMAND_FIELD['C-ECHO-RQ'],
  affectedSopClassUid: SOP_CLASS.verification,
}

const open = (
  port: number,
  more: Partial<AssociationOptions> & {
    readonly tls?: AssociationOptions['peer']['tls']
    readonly host?: string
  } = {},
) =>
  openAssociation({
    peer: { host: more.host ?? '127.0.0.1', port, aeTitle: 'PACS', tls: more.tls },
    callingAeTitle: 'ISTHMUS',
    contexts: [ECHO],
    ...more,
  })

async function all(responses: AsyncGenerator<Message>): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = []
  for await (const { command } of responses) statuses.push(command.status)
  return statuses
}

/** Kind and sentence of what it throws. */
async function faultOf(
  work: Promise<unknown>,
): Promise<{ readonly kind: string; readonly message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof RequestorError)) throw error ?? new Error('it did not throw')
  return { kind: error.kind, message: error.message }
}

async function* pieces(...sizes: number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const size of sizes) yield Buffer.from(Uint8Array.from({ length: size }, () => at++ % 251))
}

describe('an association that we ask for', () => {
  it('is made, used and released', async () => {
    await using acceptor = await startAcceptor({
      message: (message, peer) => peer.respond(message, 0x0000),
    })
    const association = await open(acceptor.port, {
      contexts: [FIND, ECHO],
      roles: [{ sopClass: '1.2', scu: false, scp: true }],
    })
    expect(association.accepted.map(({ id }) => id)).toEqual([1, 3])
    expect(await all(association.request(3, echoRq))).toEqual([0x0000])
    expect(await all(association.request(3, echoRq))).toEqual([0x0000])
    expect(acceptor.messages.map(({ command }) => command.messageId)).toEqual([1, 2])
    await association.release()
    expect(association.isOpen).toBe(false)
    expect(acceptor.received.map(({ type }) => type)).toEqual([
      'A-ASSOCIATE-RQ',
      'P-DATA-TF',
      'P-DATA-TF',
      'A-RELEASE-RQ',
    ])
    expect(acceptor.received[0]).toMatchObject({
      calledAeTitle: 'PACS',
      callingAeTitle: 'ISTHMUS',
      user: { roles: [{ sopClass: '1.2', scu: false, scp: true }] },
    })
  })

  it('leaves out contexts that were refused, or accepted in a transfer syntax that was never proposed', async () => {
    await using acceptor = await startAcceptor({
      associate: (request) =>
        accepted(request, {
          presentationContexts: [
            { id: 1, result: 3, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian },
            { id: 3, result: 0, transferSyntax: TRANSFER_SYNTAX.explicitBigEndian },
            { id: 5, result: 0, transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian },
          ],
        }),
    })
    await using association = await open(acceptor.port, { contexts: [FIND, FIND, ECHO] })
    expect(association.accepted).toEqual([
      {
        id: 5,
        abstractSyntax: SOP_CLASS.verification,
        transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian,
      },
    ])
  })

  it('is released and given up where no context is accepted', async () => {
    await using acceptor = await startAcceptor({
      associate: (request) =>
        accepted(request, { presentationContexts: [{ id: 1, result: 4, transferSyntax: '' }] }),
    })
    expect(await faultOf(open(acceptor.port))).toEqual({
      kind: 'not-accepted',
      message: 'PACS offers none of the required services',
    })
    expect(acceptor.received.at(-1)?.type).toBe('A-RELEASE-RQ')
  })

  it.each([
    [
      1,
      1,
      3,
      'PACS rejected the association: it does not recognise the calling AE title ISTHMUS: add ISTHMUS to its list of known nodes',
    ],
    [
      1,
      1,
      7,
      'PACS rejected the association: it does not have the AE title PACS: enter the AE title that is configured there',
    ],
    [2, 3, 2, 'PACS rejected the association: it is busy and has reached its limit of connections'],
    [1, 2, 9, 'PACS rejected the association: result 1, source 2, reason 9'],
  ])('says what a rejection (%i, %i, %i) means', async (result, source, reason, message) => {
    await using acceptor = await startAcceptor({
      associate: () => ({ type: 'A-ASSOCIATE-RJ', result, source, reason }),
    })
    expect(await faultOf(open(acceptor.port))).toEqual({ kind: 'rejected', message })
  })

  it('says where there is nobody, or no such name', async () => {
    const port = await freePort()
    expect(await faultOf(open(port))).toEqual({
      kind: 'unreachable',
      message: `nothing is listening at 127.0.0.1:${port} (check that the system is switched on and that the port is correct)`,
    })
    expect((await faultOf(open(port, { host: 'no-such-host.invalid' }))).message).toContain(
      'no-such-host.invalid',
    )
  })

  it('gives up on a side that accepts the connection and says nothing', async () => {
    await using acceptor = await startAcceptor({ associate: () => 'silence' })
    expect(await faultOf(open(acceptor.port, { limits: { associateSeconds: 0.1 } }))).toMatchObject(
      { kind: 'timeout' },
    )
    expect(await faultOf(open(acceptor.port, { signal: AbortSignal.timeout(100) }))).toMatchObject({
      kind: 'cancelled',
    })
  })

  it('gives up on a side that does not answer a request, or breaks off over it', async () => {
    await using silent = await startAcceptor()
    const first = await open(silent.port, { limits: { responseSeconds: 0.1 } })
    expect(await faultOf(all(first.request(1, echoRq)))).toMatchObject({ kind: 'timeout' })
    await using aborting = await startAcceptor({
      message: (_, peer) => peer.send({ type: 'A-ABORT', source: 2, reason: 0 }),
    })
    const second = await open(aborting.port)
    expect(await faultOf(all(second.request(1, echoRq)))).toEqual({
      kind: 'aborted',
      message: 'PACS aborted the association',
    })
    await using closing = await startAcceptor({ message: (_, peer) => peer.socket.destroy() })
    const third = await open(closing.port)
    expect(await faultOf(all(third.request(1, echoRq)))).toMatchObject({ kind: 'aborted' })
    expect([first.isOpen, second.isOpen, third.isOpen]).toEqual([false, false, false])
    expect(await faultOf(all(third.request(1, echoRq)))).toMatchObject({ kind: 'aborted' })
  })

  it('aborts a side that sends what is not DICOM, or a request of its own', async () => {
    await using babbling = await startAcceptor({
      message: (_, { socket }) => socket.write('HTTP/1.1 400 Bad Request\r\n'),
    })
    const first = await open(babbling.port)
    expect((await faultOf(all(first.request(1, echoRq)))).message).toMatch(
      /sent data that is not DICOM/,
    )
    await expect
      .poll(() => babbling.received.at(-1))
      .toEqual({ type: 'A-ABORT', source: 2, reason: 1 })
    await using asking = await startAcceptor({
      message: (message, peer) => peer.respond(message, 0, { commandField: 0x0030 }),
    })
    const second = await open(asking.port)
    expect(await faultOf(all(second.request(1, echoRq)))).toMatchObject({ kind: 'aborted' })
  })

  it('takes part in a release collision, and in a release that the other side begins', async () => {
    await using colliding = await startAcceptor({
      release: (peer) => {
        peer.send({ type: 'A-RELEASE-RQ' })
        peer.socket.once('data', () => peer.send({ type: 'A-RELEASE-RP' }))
      },
    })
    const first = await open(colliding.port, { limits: { associateSeconds: 5 } })
    await first.release()
    expect(colliding.received.map(({ type }) => type)).toEqual([
      'A-ASSOCIATE-RQ',
      'A-RELEASE-RQ',
      'A-RELEASE-RP',
    ])

    await using leaving = await startAcceptor({
      message: (_, peer) => peer.send({ type: 'A-RELEASE-RQ' }),
    })
    const second = await open(leaving.port)
    expect((await faultOf(all(second.request(1, echoRq)))).message).toMatch(
      /released the association before it responded/,
    )
  })

  it.each([0, 12, 4096, 16_384])(
    'sends a data set piece by piece in P-DATA-TFs of at most %i bytes',
    async (maximumLength) => {
      const sizes = [1, 0, 5000, 16_378, 3, 40_000]
      await using acceptor = await startAcceptor({
        maximumLength,
        message: (message, peer) => peer.respond(message, 0x0000),
      })
      await using association = await open(acceptor.port, { contexts: [FIND] })
      const command = {
        commandField: COMMAND_FIELD['C-STORE-RQ'],
        affectedSopClassUid: '1.2',
        affectedSopInstanceUid: '1.3',
      }
      expect(await all(association.request(1, command, pieces(...sizes)))).toEqual([0x0000])
      const whole: Buffer[] = []
      for await (const piece of pieces(...sizes)) whole.push(piece)
      expect(acceptor.messages[0]?.dataSet).toEqual(Buffer.concat(whole))
      const fragments = acceptor.received.flatMap((pdu) =>
        pdu.type === 'P-DATA-TF' ? pdu.pdvs : [],
      )
      if (maximumLength > 0)
        expect(Math.max(...fragments.map(({ data }) => data.length + 6))).toBeLessThanOrEqual(
          maximumLength,
        )
      expect(fragments.filter(({ isLast }) => isLast).map(({ isCommand }) => isCommand)).toEqual([
        true,
        false,
      ])
      expect(fragments.slice(0, -1).every(({ data }) => data.length % 2 === 0)).toBe(true)
    },
  )

  it('reads a data set no faster than the network takes it, and aborts a side that takes none', async () => {
    await using acceptor = await startAcceptor({
      associate: (request, { socket }) => {
        socket.pause()
        return accepted(request)
      },
    })
    const association = await open(acceptor.port, { limits: { stallSeconds: 0.3 } })
    let given = 0
    async function* endless(): AsyncGenerator<Buffer> {
      for (; given < 4000; given++) yield Buffer.alloc(64 << 10)
    }
    const fault = await faultOf(
      all(association.request(1, { ...echoRq, commandField: 0x0001 }, endless())),
    )
    expect(fault.kind).toBe('timeout')
    // What the network itself holds is some megabytes.
    expect(given).toBeLessThan(500)
  })

  it('aborts where a data set cannot be read to its end', async () => {
    await using acceptor = await startAcceptor({
      message: (message, peer) => peer.respond(message, 0x0000),
    })
    const association = await open(acceptor.port)
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(100_000)
      throw new Error('disk fault')
    }
    await expect(
      all(association.request(1, { ...echoRq, commandField: 0x0001 }, failing())),
    ).rejects.toThrow('disk fault')
    expect(association.isOpen).toBe(false)
    await expect.poll(() => acceptor.received.at(-1)?.type).toBe('A-ABORT')
    expect(acceptor.messages).toEqual([])
  })

  it('gives pending responses as they come, and sends C-CANCEL', async () => {
    const cancel = new AbortController()
    await using acceptor = await startAcceptor({
      message: (message, peer) => {
        if (message.command.commandField === COMMAND_FIELD['C-CANCEL-RQ'])
          peer.respond(message, 0xfe00, { commandField: 0x8020, messageIdBeingRespondedTo: 1 })
        else for (const at of [0, 1]) peer.respond(message, 0xff00, {}, Buffer.from([at, at]))
      },
    })
    await using association = await open(acceptor.port, { contexts: [FIND] })
    const command = {
      commandField: COMMAND_FIELD['C-FIND-RQ'],
      affectedSopClassUid: SOP_CLASS.studyRootFind,
    }
    const seen: unknown[] = []
    for await (const { command: response, dataSet } of association.request(
      1,
      command,
      Buffer.alloc(8),
      { cancel: cancel.signal },
    )) {
      seen.push([response.status, Buffer.isBuffer(dataSet) && dataSet.toString('hex')])
      if (seen.length === 2) cancel.abort()
    }
    expect(seen).toEqual([
      [0xff00, '0000'],
      [0xff00, '0101'],
      [0xfe00, false],
    ])
    expect(association.isOpen).toBe(true)
  })

  it('keeps few responses that nobody has asked for, and loses none', async () => {
    await using acceptor = await startAcceptor({
      message: (message, peer) => {
        for (let at = 0; at < 300; at++) peer.respond(message, 0xff00, {}, Buffer.alloc(8192, at))
        peer.respond(message, 0x0000)
      },
    })
    await using association = await open(acceptor.port, {
      contexts: [FIND],
      limits: { waitingBytes: 32 << 10 },
    })
    const command = {
      commandField: COMMAND_FIELD['C-FIND-RQ'],
      affectedSopClassUid: SOP_CLASS.studyRootFind,
    }
    const first: number[] = []
    for await (const { dataSet } of association.request(1, command, Buffer.alloc(8)))
      if (Buffer.isBuffer(dataSet)) first.push(dataSet[0] ?? -1)
    expect(first).toEqual(Array.from({ length: 300 }, (_, at) => at & 0xff))
  })

  it('is aborted where it is left with an answer still to come', async () => {
    await using acceptor = await startAcceptor({
      message: (message, peer) => peer.respond(message, 0xff00, {}, Buffer.alloc(2)),
    })
    {
      await using association: RequestedAssociation = await open(acceptor.port, {
        contexts: [FIND],
      })
      for await (const _ of association.request(
        1,
        { commandField: 0x0020, affectedSopClassUid: '1.2' },
        Buffer.alloc(2),
      ))
        break
    }
    await expect.poll(() => acceptor.received.at(-1)?.type).toBe('A-ABORT')
  })
})

describe('an association by TLS', () => {
  const own = selfSignedCertificate(['archive.test'])
  const other = selfSignedCertificate(['archive.test'])
  const answer = {
    message: (message: Message, peer: { respond(of: Message, status: number): void }) =>
      peer.respond(message, 0x0000),
  }

  it('trusts the certificate that was entered, whatever name is in it, and no other', async () => {
    await using acceptor = await startAcceptor({ ...answer, tls: own })
    await using association = await open(acceptor.port, { tls: { ca: own.cert } })
    expect(await all(association.request(1, echoRq))).toEqual([0x0000])
    expect(await faultOf(open(acceptor.port, { tls: { ca: other.cert } }))).toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('presents a certificate other than'),
    })
    await using unchecked = await open(acceptor.port, { tls: {} })
    expect(unchecked.isOpen).toBe(true)
  })

  it('shows our certificate where the other side wants it', async () => {
    await using acceptor = await startAcceptor({
      ...answer,
      tls: { ...own, ca: other.cert, requestCert: true },
    })
    await using association = await open(acceptor.port, { tls: { ca: own.cert, ...other } })
    expect(await all(association.request(1, echoRq))).toEqual([0x0000])
    const refusal = await faultOf(
      open(acceptor.port, { tls: { ca: own.cert }, limits: { associateSeconds: 5 } }).then(
        (association) => all(association.request(1, echoRq)),
      ),
    )
    expect(refusal).toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('may need the gateway’s certificate'),
    })
  })

  it('says so where what was entered is no certificate', async () => {
    expect(await faultOf(open(1, { tls: { ca: 'not a certificate' } }))).toEqual({
      kind: 'tls',
      message: 'the certificate entered for 127.0.0.1:1 cannot be read: enter it again',
    })
  })

  it('has forward secrecy and authenticated encryption, or is none', async () => {
    const weak = {
      ...own,
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES256-SHA',
    } as const
    await using acceptor = await startAcceptor({ ...answer, tls: weak })
    expect(
      (await faultOf(open(acceptor.port, { tls: {}, limits: { connectSeconds: 5 } }))).kind,
    ).toBe('tls')
  })

  it('says so where the other side speaks no TLS', async () => {
    await using acceptor = await startAcceptor(answer)
    const fault = await faultOf(open(acceptor.port, { tls: {}, limits: { connectSeconds: 5 } }))
    expect(fault.kind).toBe('tls')
    expect(fault.message).toContain('check that this port uses TLS')
  })
})
