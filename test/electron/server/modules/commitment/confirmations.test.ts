import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { CommitmentToRequest } from '#server/dicom/scu/commitment-request.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import { listConfirmationsOf } from '#server/modules/commitment/confirmation-queries.ts'
import { Confirmations, RESULT_TIMEOUT_MS } from '#server/modules/commitment/confirmations.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { updateDestination } from '#server/modules/forwarding/destinations.ts'
import { appendForward, settleForward } from '#server/modules/forwarding/forward-queries.ts'
import { listStudyCopies } from '#server/modules/images/instance-copy-queries.ts'
import {
  listInstanceVersions,
  listStudyInstances,
} from '#server/modules/images/instance-queries.ts'
import type { DestinationPatch } from '#shared/contract/destinations.ts'
import { message } from '#shared/messages/message.ts'
import { IMAGE, openStage, STUDY } from '../images/intake-fixture.ts'

const PACS = '6d0f8c2e-4d0b-4a8b-9a55-3a0f6f0a1f01'
const MINUTE_MS = 60_000

/** Images of a study that were sent to a destination, and what the destination is asked. */
async function openConfirmationStage() {
  const stage = await openStage()
  const { store } = stage
  const { database } = store
  const now = () => new Date(stage.clock()).toISOString()
  insertDestination(database, {
    ...{ destinationId: PACS, name: 'PACS', aeTitle: 'PACS', host: '127.0.0.1', port: 104 },
    ...{ isTls: false, certificate: null, isEnabled: true, isAutomatic: false, modalities: [] },
    ...{ hasPriors: false, confirmsStorage: true, createdAt: now(), updatedAt: now() },
    ...{ lastSentAt: null, lastError: null },
  })
  const asked: CommitmentToRequest[] = []
  const state = { fault: undefined as Error | undefined }
  const confirmations = new Confirmations(store, {
    requestCommitment: async (_peer, request) => {
      if (state.fault) throw state.fault
      asked.push(request)
    },
  })
  const settle = async () => {
    confirmations.wake()
    // A woken worker waits a second for further images.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await confirmations.settled()
  }
  return {
    ...stage,
    ...{ confirmations, asked, state, settle },
    /** The images are complete, and were sent to the destination. */
    async sendThem() {
      await stage.pass(2 * 60 * MINUTE_MS)
      for (const { instanceId, sopInstanceUid, studyInstanceUid } of listStudyInstances(
        database,
        STUDY,
      )) {
        const forwardId = appendForward(database, {
          ...{ destinationId: PACS, instanceId, sopInstanceUid, studyInstanceUid, at: now() },
        })
        if (forwardId)
          settleForward(database, forwardId, 'sent', { at: now(), status: '0000', lastError: '' })
      }
    },
    /** The destination reports a result for the last request. */
    report(committed: readonly string[], failed: readonly string[] = [], aeTitle = 'PACS') {
      const request = asked.at(-1)
      const reference = (sopInstanceUid: string) => ({
        ReferencedSOPClassUID:
          request?.instances.find((one) => one.sopInstanceUid === sopInstanceUid)?.sopClassUid ??
          '1.2',
        ReferencedSOPInstanceUID: sopInstanceUid,
      })
      const dataSet = namedDataSet({
        TransactionUID: request?.transactionUid ?? '',
        ReferencedSOPSequence: committed.map(reference),
        FailedSOPSequence: failed.map((uid) => ({ ...reference(uid), FailureReason: 0x0112 })),
      })
      const association = {
        ...{ associationId: 'a', callingAeTitle: aeTitle, calledAeTitle: 'ISTHMUS' },
        remoteAddress: '127.0.0.1',
      }
      return confirmations.eventReport({
        ...{ association, messageId: 1, sopInstanceUid: undefined, eventTypeId: 1 },
        transferSyntax: TRANSFER_SYNTAX.explicitLittleEndian,
        dataSet: writeDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian),
        signal: new AbortController().signal,
      })
    },
    confirmation: () => listConfirmationsOf(database, STUDY)[0],
    async [Symbol.asyncDispose]() {
      await confirmations[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

const numbered = (number: number) => ({ ...IMAGE, SOPInstanceUID: `2.25.77.${number}` })
const copiesOf = (stage: Awaited<ReturnType<typeof openConfirmationStage>>) =>
  listStudyCopies(stage.store.database, STUDY).map(({ kind, instances }) => [kind, instances])

describe('a destination that is asked for storage commitment', { timeout: 30_000 }, () => {
  it('is asked for what it was sent, once, and its confirmation is recorded', async () => {
    await using stage = await openConfirmationStage()
    for (const number of [1, 2]) await stage.send(numbered(number))
    await stage.sendThem()
    await stage.settle()
    expect(stage.asked.map(({ instances }) => instances.length)).toEqual([2])
    expect(copiesOf(stage)).toEqual([])
    expect(await stage.report(['2.25.77.1', '2.25.77.2'])).toEqual({ status: 0 })
    expect(copiesOf(stage)).toEqual([['commitment', 2]])
    expect(stage.confirmation()).toMatchObject({ state: 'answered', nextAt: null })
    await stage.settle()
    expect(stage.asked).toHaveLength(1)
  })

  it('is asked anew where it has become another node, and the result of the former one is refused', async () => {
    await using stage = await openConfirmationStage()
    await stage.send(numbered(1))
    await stage.sendThem()
    await stage.settle()
    await stage.pass(1)
    updateDestination(stage.store, PACS, { host: '127.0.0.2' }, 'user:admin')
    expect(await stage.report(['2.25.77.1'])).toMatchObject({ status: 0x0115 })
    expect(copiesOf(stage)).toEqual([])
    await stage.settle()
    expect(stage.asked).toHaveLength(2)
    expect(await stage.report(['2.25.77.1'])).toEqual({ status: 0 })
    expect(copiesOf(stage)).toEqual([['commitment', 1]])
  })

  it.each([
    ['confirmation', { confirmsStorage: false }, { confirmsStorage: true }],
    ['it', { isEnabled: false }, { isEnabled: true }],
  ])('is asked when %s is switched on after it has become another node', async (_, off, on) => {
    await using stage = await openConfirmationStage()
    const change = (patch: DestinationPatch) =>
      updateDestination(stage.store, PACS, patch, 'user:admin')
    await stage.send(numbered(1))
    await stage.sendThem()
    await stage.settle()
    change(off)
    change({ host: '127.0.0.2' })
    await stage.settle()
    expect(stage.asked).toHaveLength(1)
    expect(stage.confirmation()).toMatchObject({ state: 'given-up', transactionUid: null })
    change(on)
    await stage.settle()
    expect(stage.asked).toHaveLength(2)
    expect(await stage.report(['2.25.77.1'])).toEqual({ status: 0 })
    expect(copiesOf(stage)).toEqual([['commitment', 1]])
  })

  it('is asked again for what it does not have, and only for that', async () => {
    await using stage = await openConfirmationStage()
    for (const number of [1, 2]) await stage.send(numbered(number))
    await stage.sendThem()
    await stage.settle()
    await stage.report(['2.25.77.1'], ['2.25.77.2'])
    expect(copiesOf(stage)).toEqual([['commitment', 1]])
    expect(stage.confirmation()).toMatchObject({
      state: 'waiting',
      lastError: message('commitment.not-kept-there', { name: 'PACS', count: 1 }),
    })
    stage.clock.pass(2 * MINUTE_MS)
    await stage.settle()
    expect(stage.asked.at(-1)?.instances).toMatchObject([{ sopInstanceUid: '2.25.77.2' }])
  })

  it('confirms nothing under another AE title, or for a request that was repeated', async () => {
    await using stage = await openConfirmationStage()
    await stage.send(numbered(1))
    await stage.sendThem()
    await stage.settle()
    expect(await stage.report(['2.25.77.1'], [], 'OTHER')).toMatchObject({ status: 0x0115 })
    const [first] = stage.asked
    stage.clock.pass(RESULT_TIMEOUT_MS)
    await stage.settle()
    expect(stage.confirmation()).toMatchObject({
      lastError: message('commitment.no-answer', { name: 'PACS' }),
    })
    stage.clock.pass(2 * MINUTE_MS)
    await stage.settle()
    expect(stage.asked).toHaveLength(2)
    expect(stage.asked.at(-1)?.transactionUid).not.toBe(first?.transactionUid)
    expect(copiesOf(stage)).toEqual([])
  })

  it('confirms no image of which two versions were sent there, nor one that was replaced since', async () => {
    await using stage = await openConfirmationStage()
    await stage.send(numbered(1))
    await stage.sendThem()
    await stage.settle()
    await stage.send({ ...numbered(1), InstanceNumber: '99' })
    expect(await stage.report(['2.25.77.1'])).toEqual({ status: 0 })
    expect(copiesOf(stage)).toEqual([])
    expect(listInstanceVersions(stage.store.database, '2.25.77.1')).toHaveLength(2)
    await stage.sendThem()
    await stage.settle()
    expect(stage.asked).toHaveLength(1)
  })

  it('is asked later when it cannot be reached', async () => {
    await using stage = await openConfirmationStage()
    await stage.send(numbered(1))
    await stage.sendThem()
    stage.state.fault = new RequestorError(
      'unreachable',
      message('dicom.no-storage-commitment', { aeTitle: 'PACS' }),
    )
    await stage.settle()
    expect(stage.confirmation()).toMatchObject({ state: 'waiting', attempts: 1 })
    stage.state.fault = undefined
    stage.clock.pass(2 * MINUTE_MS)
    await stage.settle()
    expect(stage.asked).toHaveLength(1)
  })

  it('has confirmed nothing any more when it is another node', async () => {
    await using stage = await openConfirmationStage()
    await stage.send(numbered(1))
    await stage.sendThem()
    await stage.settle()
    await stage.report(['2.25.77.1'])
    expect(copiesOf(stage)).toEqual([['commitment', 1]])
    updateDestination(stage.store, PACS, { port: 11112 }, 'user:u')
    expect(copiesOf(stage)).toEqual([])
  })
})
