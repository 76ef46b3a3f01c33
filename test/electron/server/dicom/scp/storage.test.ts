import { describe, expect, it } from 'vitest'
import { DataSetInterruptedError } from '#server/dicom/data-set/data-set-stream.ts'
import { isStorageClass, STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { CStoreRequest } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { storage } from '#server/dicom/scp/service-classes.ts'
import { type Serving, serve } from '../../../../support/dimse-server.ts'
import { associated, ECHO_CONTEXT, type Requestor } from '../../../../support/requestor.ts'

const CT = '1.2.840.10008.5.1.4.1.1.2'
const CT_CONTEXT = {
  id: 5,
  abstractSyntax: CT,
  transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian, TRANSFER_SYNTAX.explicitLittleEndian],
}
const contexts = [ECHO_CONTEXT, CT_CONTEXT]

const storeRq = (messageId: number, sopInstanceUid: string): CommandSet => ({
  commandField: COMMAND_FIELD['C-STORE-RQ'],
  affectedSopClassUid: CT,
  affectedSopInstanceUid: sopInstanceUid,
  messageId,
  priority: 0,
  hasDataSet: true,
})

/** A server whose storage service is the test's own. */
async function serving(
  store: (request: CStoreRequest) => Promise<DimseResult>,
  more: Serving = {},
) {
  return serve({ ...more, services: [storage({ store }, () => false)] })
}

async function gathered(request: CStoreRequest): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const fragments of request.dataSet) parts.push(...fragments)
  return Buffer.concat(parts)
}

const statusOf = async (requestor: Requestor) => (await requestor.message()).command.status

describe('C-STORE', () => {
  it('gives the service the data set byte for byte, and names the instance in the response', async () => {
    const dataSet = Buffer.from(Array.from({ length: 300_001 }, (_, i) => i % 251))
    const seen: unknown[] = []
    const { server, port } = await serving(async (request) => {
      const { transferSyntax, sopClassUid, sopInstanceUid, moveOriginatorAeTitle } = request
      seen.push({
        transferSyntax,
        sopClassUid,
        sopInstanceUid,
        moveOriginatorAeTitle,
        isSame: (await gathered(request)).equals(dataSet),
      })
      return { status: 0x0000 }
    })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, { ...storeRq(7, '2.25.1'), moveOriginatorAeTitle: 'PACS' }, dataSet)
    expect((await requestor.message()).command).toMatchObject({
      commandField: 0x8001,
      messageIdBeingRespondedTo: 7,
      affectedSopClassUid: CT,
      affectedSopInstanceUid: '2.25.1',
      status: 0,
    })
    const { explicitLittleEndian: transferSyntax } = TRANSFER_SYNTAX
    expect(seen).toEqual([
      {
        transferSyntax,
        sopClassUid: CT,
        sopInstanceUid: '2.25.1',
        moveOriginatorAeTitle: 'PACS',
        isSame: true,
      },
    ])
  })

  it('answers instances that are sent ahead in order, and what follows them', async () => {
    const order: string[] = []
    const { server, port } = await serving(async (request) => {
      const { length } = await gathered(request)
      order.push(`${request.sopInstanceUid} ${length}`)
      return { status: 0x0000 }
    })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    for (let i = 1; i <= 20; i++)
      requestor.sendMessage(5, storeRq(i, `2.25.${i}`), Buffer.alloc(100_000 + i))
    requestor.sendEcho(99)
    for (let i = 1; i <= 20; i++)
      expect((await requestor.message()).command).toMatchObject({
        messageIdBeingRespondedTo: i,
        status: 0,
      })
    expect(await statusOf(requestor)).toBe(0)
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => `2.25.${i + 1} ${100_001 + i}`))
  })

  it('reads a data set nobody wants to its end before it refuses it', async () => {
    const { server, port } = await serving(async () => ({
      status: 0xa700,
      errorComment: 'Disk full',
    }))
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, storeRq(1, '2.25.1'), Buffer.alloc(3 << 20))
    expect((await requestor.message()).command).toMatchObject({
      status: 0xa700,
      errorComment: 'Disk full',
    })
    expect(await requestor.echo(2)).toBe(0)
  })

  it('does not read on while a service takes nothing', async () => {
    const go = Promise.withResolvers<void>()
    const { server, port } = await serving(async (request) => {
      await go.promise
      return { status: (await gathered(request)).length === 64 << 20 ? 0x0000 : 0xc000 }
    })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    const before = process.memoryUsage().arrayBuffers
    const dataSet = Buffer.alloc(64 << 20)
    requestor.sendMessage(5, storeRq(1, '2.25.1'), dataSet)
    await using other = await associated(port, { contexts })
    for (let i = 1; i <= 50; i++) expect(await other.echo(i)).toBe(0)
    // The test's own message and its data set are among them.
    expect(process.memoryUsage().arrayBuffers - before - 2 * dataSet.length).toBeLessThan(16 << 20)
    go.resolve()
    expect(await statusOf(requestor)).toBe(0)
  })

  it('tells a service that its sender has gone, and nobody else of it', async () => {
    const ended = Promise.withResolvers<unknown>()
    const { server, port, reported, saw } = await serving(async (request) => {
      await gathered(request).catch((error: unknown) => {
        ended.resolve(error)
        throw error
      })
      return { status: 0x0000 }
    })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    const whole = Buffer.alloc(200_000)
    requestor.sendMessage(5, storeRq(1, '2.25.1'), whole.subarray(0, 0))
    expect(await statusOf(requestor)).toBe(0)
    // A command, and no more than the beginning of its data set.
    requestor.send(writeMessage(5, storeRq(2, '2.25.2'), whole, 16_384).subarray(0, 100_000))
    requestor.reset()
    expect(await ended.promise).toBeInstanceOf(DataSetInterruptedError)
    await saw('closed')
    expect(reported).toEqual([])
  })

  it('aborts a sender that falls silent within a data set, and not one whose image is being written', async () => {
    const { server, port, saw } = await serving(
      async (request) => {
        await gathered(request)
        await new Promise((resolve) => setTimeout(resolve, 400))
        return { status: 0x0000 }
      },
      { limits: { idleSeconds: 0.2 } },
    )
    await using _server = server
    await using slow = await associated(port, { contexts })
    slow.sendMessage(5, storeRq(1, '2.25.1'), Buffer.alloc(1000))
    expect(await statusOf(slow)).toBe(0)
    slow.send(
      writeMessage(5, storeRq(2, '2.25.2'), Buffer.alloc(50_000), 16_384).subarray(0, 20_000),
    )
    expect(await slow.next()).toMatchObject({ type: 'A-ABORT' })
    expect(await saw('closed')).toContain('no data for 0.2 s')
  })

  it('hands a request without a data set to the service as an empty one', async () => {
    const { server, port } = await serving(async (request) => ({
      status: (await gathered(request)).length === 0 ? 0xc000 : 0x0000,
    }))
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, { ...storeRq(1, '2.25.1'), hasDataSet: false })
    expect(await statusOf(requestor)).toBe(0xc000)
  })
})

describe('what storage is offered for', () => {
  it('is every storage class of DICOM, retired ones too, and others only where they are let in', () => {
    for (const uid of [
      CT,
      '1.2.840.10008.5.1.4.1.1.481.2',
      '1.2.840.10008.5.1.4.1.1.6',
      '1.2.840.10008.5.1.4.34.7',
    ])
      expect([uid, isStorageClass(uid, false)]).toEqual([uid, true])
    // The last three are queries for protocol approvals, below the root of the images.
    const queries = ['4', '5', '6'].map((last) => `1.2.840.10008.5.1.4.1.1.200.${last}`)
    for (const uid of [
      '1.2.840.10008.5.1.4.31',
      '1.2.840.10008.1.1',
      '1.2.840.10008.5.1.4.1.2.2.1',
      '',
      ...queries,
    ])
      expect([uid, isStorageClass(uid, true)]).toEqual([uid, false])
    const vendors = '1.3.12.2.1107.5.9.1'
    expect([isStorageClass(vendors, false), isStorageClass(vendors, true)]).toEqual([false, true])
  })

  it('prefers Explicit VR Little Endian, and names each transfer syntax once', () => {
    expect(STORAGE_TRANSFER_SYNTAXES[0]).toBe(TRANSFER_SYNTAX.explicitLittleEndian)
    expect(new Set(STORAGE_TRANSFER_SYNTAXES).size).toBe(STORAGE_TRANSFER_SYNTAXES.length)
  })
})
