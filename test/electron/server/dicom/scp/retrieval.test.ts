import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import type {
  FileToSend,
  RetrievalRequest,
  RetrievalScp,
  SubOperationResult,
} from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { getService, moveService } from '#server/dicom/scp/retrieval.ts'
import { storage } from '#server/dicom/scp/service-classes.ts'
import type { SendResult } from '#server/dicom/scu/store.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type Serving, serve } from '../../../../support/dimse-server.ts'
import { associated, type Requestor } from '../../../../support/requestor.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

const CT = '1.2.840.10008.5.1.4.1.1.2'
const { explicitLittleEndian: ELE, deflatedExplicitLittleEndian: DEFLATED } = TRANSFER_SYNTAX
const GET_CONTEXT = { id: 1, abstractSyntax: SOP_CLASS.studyRootGet, transferSyntaxes: [ELE] }
const MOVE_CONTEXT = { id: 5, abstractSyntax: SOP_CLASS.studyRootMove, transferSyntaxes: [ELE] }
const CT_CONTEXT = { id: 3, abstractSyntax: CT, transferSyntaxes: [ELE] }
const contexts = [GET_CONTEXT, CT_CONTEXT, MOVE_CONTEXT]
const roles = [{ sopClass: CT, scu: false, scp: true }]

/** Instances with data sets of these lengths, behind a preamble as long as that of a real file. */
function instancesOf(folder: string, lengths: readonly number[], transferSyntaxUid: string = ELE) {
  return lengths.map((length, at) => {
    const path = join(folder, `${at + 1}.dcm`)
    const dataSet = Buffer.alloc(length, Buffer.from(Array.from({ length: 251 }, (_, i) => i ^ at)))
    writeFileSync(path, Buffer.concat([Buffer.alloc(132), dataSet]))
    const instance: FileToSend = {
      ...{ path, dataSetOffset: 132, bytes: 132 + length, sopClassUid: CT, transferSyntaxUid },
      sopInstanceUid: `2.25.${at + 1}`,
    }
    return { instance, dataSet }
  })
}

/** Sends these by C-GET, whatever is asked for. */
function sending(
  instances: readonly FileToSend[],
  results: SendResult<FileToSend>[] = [],
): RetrievalScp {
  return {
    async retrieve({ to }) {
      if (!('send' in to)) throw new DimseError(0xc000)
      return {
        instances: instances.length,
        async *perform() {
          for await (const result of to.send(instances)) {
            results.push(result)
            yield outcomeOf(result)
          }
        },
      }
    },
  }
}

function outcomeOf(result: SendResult<FileToSend>): SubOperationResult {
  const { sopInstanceUid } = result.instance
  return result.outcome === 'sent'
    ? { sopInstanceUid, outcome: result.status === 0 ? 'completed' : 'warning' }
    : { sopInstanceUid, outcome: 'failed', reason: verbatim(`it was ${result.outcome}`) }
}

const serving = (scp: RetrievalScp, more: Serving = {}) =>
  serve({
    ...more,
    services: [
      storage({ store: () => Promise.reject() }, () => false),
      getService(scp),
      moveService(scp),
    ],
  })

const getRq: CommandSet = {
  commandField: COMMAND_FIELD['C-GET-RQ'],
  affectedSopClassUid: SOP_CLASS.studyRootGet,
  messageId: 9,
  priority: 0,
  hasDataSet: true,
}
const moveRq: CommandSet = {
  ...getRq,
  commandField: COMMAND_FIELD['C-MOVE-RQ'],
  affectedSopClassUid: SOP_CLASS.studyRootMove,
  moveDestination: 'STORE1',
}
const IDENTIFIER = Buffer.from('identifier')

/** Answers what comes until the final response; `statusOf` of each instance, 0000 by default. */
async function received(
  requestor: Requestor,
  statusOf: (command: CommandSet) => number = () => 0x0000,
) {
  const stored: { command: CommandSet; dataSet: unknown }[] = []
  const pending: CommandSet[] = []
  for (;;) {
    const { contextId, command, dataSet } = await requestor.message()
    if (command.commandField === COMMAND_FIELD['C-STORE-RQ']) {
      stored.push({ command, dataSet })
      requestor.sendMessage(contextId, storeRsp(command, statusOf(command)))
    } else if (command.status === 0xff00) pending.push(command)
    else return { stored, pending, final: command, identifier: dataSet }
  }
}

const storeRsp = ({ messageId = 0, ...request }: CommandSet, status: number): CommandSet => ({
  commandField: 0x8001,
  affectedSopClassUid: CT,
  affectedSopInstanceUid: request.affectedSopInstanceUid ?? '',
  messageIdBeingRespondedTo: messageId,
  status,
  hasDataSet: false,
})

function failedUids(identifier: unknown): string {
  if (!Buffer.isBuffer(identifier)) return 'no identifier'
  const [element] = readDataSet(identifier, ELE)
  expect(element?.tag).toBe(0x00080058)
  return String(element?.value).replace(/\0$/, '')
}

describe('C-GET', () => {
  it('sends the data sets of the files byte for byte, and counts them', async () => {
    using temp = tempFolder()
    // Shorter than a P-DATA-TF, exactly one, several slices.
    const files = instancesOf(temp.folder, [2, 16_378, 16_380, 300_000])
    const instances = files.map(({ instance }) => instance)
    const { server, port, saw } = await serving(sending(instances), {
      limits: { retrievalSliceBytes: 64 << 10 },
    })
    await using _server = server
    await using requestor = await associated(port, { contexts, roles, maximumLength: 16_384 })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { stored, pending, final, identifier } = await received(requestor)
    expect(stored.map(({ dataSet }) => dataSet)).toEqual(files.map(({ dataSet }) => dataSet))
    expect(stored.map(({ command }) => command)).toEqual(
      instances.map(({ sopInstanceUid }, at) => ({
        commandField: COMMAND_FIELD['C-STORE-RQ'],
        affectedSopClassUid: CT,
        affectedSopInstanceUid: sopInstanceUid,
        messageId: at + 1,
        priority: 0,
        hasDataSet: true,
      })),
    )
    expect(pending).toEqual(
      [3, 2, 1].map((remainingSuboperations) => ({
        ...{ commandField: 0x8010, affectedSopClassUid: SOP_CLASS.studyRootGet, status: 0xff00 },
        ...{ messageIdBeingRespondedTo: 9, hasDataSet: false, remainingSuboperations },
        ...{ completedSuboperations: 4 - remainingSuboperations },
        ...{ failedSuboperations: 0, warningSuboperations: 0 },
      })),
    )
    expect(final).toEqual({
      ...{ commandField: 0x8010, affectedSopClassUid: SOP_CLASS.studyRootGet, status: 0x0000 },
      ...{ messageIdBeingRespondedTo: 9, hasDataSet: false },
      ...{ completedSuboperations: 4, failedSuboperations: 0, warningSuboperations: 0 },
    })
    expect(identifier).toBeUndefined()
    expect(requestor.longestPData).toBeLessThanOrEqual(16_384)
    expect(await saw('answered CT1 Study Root Get')).toBe('answered CT1 Study Root Get 0000 3')
  })

  it('pads a deflated data set of odd length', async () => {
    using temp = tempFolder()
    const [file] = instancesOf(temp.folder, [33], DEFLATED)
    const { server, port } = await serving(sending([file?.instance as FileToSend]))
    await using _server = server
    const deflated = [GET_CONTEXT, { ...CT_CONTEXT, transferSyntaxes: [DEFLATED] }]
    await using requestor = await associated(port, { contexts: deflated, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { stored } = await received(requestor)
    expect(stored[0]?.dataSet).toEqual(Buffer.concat([file?.dataSet ?? Buffer.of(), Buffer.of(0)]))
  })

  it('reports warnings and failures, and names the instances that failed', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10, 10, 10]).map(({ instance }) => instance)
    const { server, port } = await serving(sending(instances))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const statuses: Record<string, number> = { '2.25.1': 0xb000, '2.25.2': 0xa700 }
    const { final, identifier } = await received(
      requestor,
      ({ affectedSopInstanceUid = '' }) => statuses[affectedSopInstanceUid] ?? 0,
    )
    expect(final).toMatchObject({
      ...{ status: 0xb000, completedSuboperations: 1, failedSuboperations: 1 },
      ...{ warningSuboperations: 1, errorComment: 'it was refused', hasDataSet: true },
    })
    expect(failedUids(identifier)).toBe('2.25.2')
  })

  it.each([
    ['the peer did not take the role of SCP', { roles: [] }],
    [
      'the class was not accepted',
      { roles, contexts: [GET_CONTEXT, { ...CT_CONTEXT, abstractSyntax: `${CT}.1` }] },
    ],
  ])('sends nothing if %s', async (_, proposal) => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10, 10]).map(({ instance }) => instance)
    const results: SendResult<FileToSend>[] = []
    const { server, port } = await serving(sending(instances, results))
    await using _server = server
    await using requestor = await associated(port, { contexts, ...proposal })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { stored, final, identifier } = await received(requestor)
    expect(stored).toEqual([])
    expect(final).toMatchObject({ status: 0xa702, failedSuboperations: 2 })
    expect(failedUids(identifier)).toBe('2.25.1\\2.25.2')
    expect(results).toMatchObject(results.map(() => ({ error: { kind: 'not-accepted' } })))
  })

  it('says which transfer syntaxes the peer accepts, where that of a file is not among them', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10], DEFLATED).map(({ instance }) => instance)
    const results: SendResult<FileToSend>[] = []
    const { server, port } = await serving(sending(instances, results))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    await received(requestor)
    expect(results).toMatchObject([{ outcome: 'needs-transcoding', acceptedSyntaxes: [ELE] }])
  })

  it('goes on after a file that is missing or shorter than it was', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10, 10, 10]).map(({ instance }) => instance)
    const [missing, short, good] = instances as [FileToSend, FileToSend, FileToSend]
    const given = [{ ...missing, path: join(temp.folder, 'none') }, { ...short, bytes: 500 }, good]
    const results: SendResult<FileToSend>[] = []
    const { server, port } = await serving(sending(given, results))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { stored, final } = await received(requestor)
    expect(stored).toHaveLength(1)
    expect(final).toMatchObject({ status: 0xb000, completedSuboperations: 1 })
    expect(results.map((result) => result.outcome === 'failed' && result.error.message)).toEqual([
      'the file cannot be read (ENOENT)',
      'the file cannot be read (shorter than stored)',
      false,
    ])
  })

  it('ends after the current instance when it is cancelled', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10, 10, 10]).map(({ instance }) => instance)
    const { server, port } = await serving(sending(instances))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { command } = await requestor.message()
    requestor.cancel(9)
    requestor.sendMessage(3, storeRsp(command, 0))
    const { stored, final } = await received(requestor)
    expect(stored).toEqual([])
    expect(final).toMatchObject({
      ...{ status: 0xfe00, remainingSuboperations: 2, completedSuboperations: 1 },
      ...{ failedSuboperations: 0, warningSuboperations: 0 },
    })
  })

  it('aborts a peer that does not respond to an instance', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10]).map(({ instance }) => instance)
    const { server, port, saw } = await serving(sending(instances), {
      limits: { responseSeconds: 0.05 },
    })
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    await requestor.message()
    expect(await saw('closed')).toBe('closed CT1 aborted: no response to an instance for 0.05 s')
  })

  it('aborts a peer that responds to a request that was not made', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10]).map(({ instance }) => instance)
    const { server, port, saw } = await serving(sending(instances))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    const { command } = await requestor.message()
    requestor.sendMessage(3, storeRsp({ ...command, messageId: 77 }, 0))
    expect(await saw('closed')).toContain('response to a request we never made')
  })

  it('ends the sub-operations with the association', async () => {
    using temp = tempFolder()
    const instances = instancesOf(temp.folder, [10, 10]).map(({ instance }) => instance)
    const results: SendResult<FileToSend>[] = []
    const { server, port, saw, reported } = await serving(sending(instances, results))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    requestor.sendMessage(1, getRq, IDENTIFIER)
    await requestor.message()
    requestor.reset()
    await saw('closed')
    while (results.length === 0) await sleep(1)
    expect(results).toMatchObject([{ outcome: 'failed' }])
    expect(reported).toEqual([])
  })

  it('does not read ahead of a peer that stops reading', async () => {
    using temp = tempFolder()
    const instances = instancesOf(
      temp.folder,
      Array.from({ length: 20 }, () => 900_000),
    )
    const { server, port } = await serving(sending(instances.map(({ instance }) => instance)))
    await using _server = server
    await using requestor = await associated(port, { contexts, roles })
    const before = process.memoryUsage().arrayBuffers
    requestor.pause()
    requestor.sendMessage(1, getRq, IDENTIFIER)
    await using other = await associated(port)
    for (let i = 1; i <= 50; i++) expect(await other.echo(i)).toBe(0)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20)
    requestor.resume()
    expect((await received(requestor)).final).toMatchObject({ completedSuboperations: 20 })
  })
})

describe('C-MOVE', () => {
  const moving = (
    outcomes: readonly SubOperationResult['outcome'][],
    seen: RetrievalRequest[] = [],
  ): RetrievalScp => ({
    async retrieve(request) {
      seen.push(request)
      return {
        instances: outcomes.length,
        async *perform() {
          for (const [at, outcome] of outcomes.entries())
            yield { sopInstanceUid: `2.25.${at + 1}`, outcome }
        },
      }
    },
  })

  it('gives the service destination, identifier and model, and reports the counts', async () => {
    const seen: RetrievalRequest[] = []
    const { server, port } = await serving(moving(['completed', 'warning', 'failed'], seen))
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, moveRq, IDENTIFIER)
    const { pending, final, identifier } = await received(requestor)
    expect(seen).toMatchObject([
      {
        ...{ to: { moveDestination: 'STORE1' }, identifier: IDENTIFIER, messageId: 9 },
        ...{ sopClassUid: SOP_CLASS.studyRootMove, transferSyntax: ELE },
      },
    ])
    expect(pending).toMatchObject([
      { remainingSuboperations: 2, completedSuboperations: 1, warningSuboperations: 0 },
      { remainingSuboperations: 1, completedSuboperations: 1, warningSuboperations: 1 },
    ])
    expect(final).toMatchObject({ commandField: 0x8021, status: 0xb000, failedSuboperations: 1 })
    expect(final.remainingSuboperations).toBeUndefined()
    expect(failedUids(identifier)).toBe('2.25.3')
  })

  it.each([
    [[], 0x0000],
    [['completed'], 0x0000],
    [['warning'], 0xb000],
    [['failed', 'failed'], 0xa702],
  ] as const)('ends %j with the status of PS3.4 Table C.4-2', async (outcomes, status) => {
    const { server, port } = await serving(moving(outcomes))
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, moveRq, IDENTIFIER)
    expect((await received(requestor)).final.status).toBe(status)
  })

  it('answers with the status of a refusal', async () => {
    const { server, port } = await serving({
      retrieve: () => Promise.reject(new DimseError(0xa801, verbatim('unknown'))),
    })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, moveRq, IDENTIFIER)
    const { final } = await received(requestor)
    expect(final).toMatchObject({ status: 0xa801, errorComment: 'unknown' })
  })

  it('refuses an identifier that is too long', async () => {
    const { server, port } = await serving(moving([]), { limits: { identifierBytes: 100 } })
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, moveRq, Buffer.alloc(102))
    expect((await received(requestor)).final.status).toBe(0xa900)
  })

  it('names more failed instances than the length of a UI in Explicit VR allows', async () => {
    const { server, port } = await serving(moving(Array.from({ length: 9000 }, () => 'failed')))
    await using _server = server
    await using requestor = await associated(port, { contexts })
    requestor.sendMessage(5, moveRq, IDENTIFIER)
    const { final, identifier } = await received(requestor)
    expect(final.failedSuboperations).toBe(9000)
    expect(Buffer.isBuffer(identifier) && identifier.subarray(4, 6).toString()).toBe('UN')
  })
})
