import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type SendResult, sendInstances } from '#server/dicom/scu/store.ts'
import {
  type Acceptor,
  accepted,
  type Script,
  startAcceptor,
} from '../../../../support/acceptor.ts'
import { scratchFolder } from '../../../../support/dcmtk.ts'
import { type InstanceFile, writeInstance } from '../../../../support/instance-file.ts'

const { explicitLittleEndian } = TRANSFER_SYNTAX

async function send(
  { port }: Acceptor,
  instances: readonly InstanceFile[],
  signal?: AbortSignal,
): Promise<SendResult<InstanceFile>[]> {
  const results: SendResult<InstanceFile>[] = []
  const peer = { host: '127.0.0.1', port, aeTitle: 'PACS' }
  for await (const result of sendInstances({ peer, callingAeTitle: 'ISTHMUS', signal }, instances))
    results.push(result)
  return results
}

const withInstances = async (
  count: number,
  work: (instances: InstanceFile[]) => Promise<void>,
): Promise<void> => {
  using scratch = scratchFolder()
  await work(
    Array.from({ length: count }, (_, at) =>
      writeInstance(scratch.path, { sopInstanceUid: `2.25.4.${at}` }),
    ),
  )
}

const answering = (statusOf: (uid: string) => number): Script => ({
  message: (message, peer) =>
    peer.respond(message, statusOf(message.command.affectedSopInstanceUid ?? ''), {
      errorComment: 'said so',
    }),
})

/** Breaks off over these, and takes the rest. */
const breakingOver = (...uids: string[]): Script => ({
  message: (message, peer) => {
    if (uids.includes(message.command.affectedSopInstanceUid ?? ''))
      peer.send({ type: 'A-ABORT', source: 2, reason: 0 })
    else peer.respond(message, 0x0000)
  },
})

describe('sending instances', () => {
  it('tells success, warning and refusal apart, for each', () =>
    withInstances(3, async (instances) => {
      const statuses: Record<string, number> = {
        '2.25.4.0': 0x0000,
        '2.25.4.1': 0xb007,
        '2.25.4.2': 0xa700,
      }
      await using acceptor = await startAcceptor(answering((uid) => statuses[uid] ?? 0x0110))
      expect(await send(acceptor, instances)).toEqual([
        { instance: instances[0], outcome: 'sent', status: 0x0000, sentAs: explicitLittleEndian },
        { instance: instances[1], outcome: 'sent', status: 0xb007, sentAs: explicitLittleEndian },
        { instance: instances[2], outcome: 'refused', status: 0xa700, errorComment: 'said so' },
      ])
      expect(acceptor.received.filter(({ type }) => type === 'A-ASSOCIATE-RQ')).toHaveLength(1)
      expect(acceptor.received.at(-1)?.type).toBe('A-RELEASE-RQ')
    }))

  it('opens another association for the rest where one instance breaks it', () =>
    withInstances(4, async (instances) => {
      await using acceptor = await startAcceptor(breakingOver('2.25.4.0', '2.25.4.2'))
      const results = await send(acceptor, instances)
      expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'sent', 'failed', 'sent'])
      expect(results[0]).toMatchObject({
        wasAttempted: true,
        error: { kind: 'aborted', message: 'PACS aborted the association' },
      })
      expect(acceptor.received.filter(({ type }) => type === 'A-ASSOCIATE-RQ')).toHaveLength(3)
    }))

  it('gives up a side that breaks off again and again', () =>
    withInstances(6, async (instances) => {
      await using acceptor = await startAcceptor(
        breakingOver(...instances.map(({ sopInstanceUid }) => sopInstanceUid)),
      )
      const results = await send(acceptor, instances)
      expect(results.map((result) => result.outcome === 'failed' && result.wasAttempted)).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ])
      expect(acceptor.received.filter(({ type }) => type === 'A-ASSOCIATE-RQ')).toHaveLength(3)
    }))

  it('sends nothing of a class that is not taken, and the rest all the same', () =>
    withInstances(1, async ([taken]) => {
      using scratch = scratchFolder()
      const other = writeInstance(scratch.path, {
        sopClassUid: '1.2.840.10008.5.1.4.1.1.4',
        sopInstanceUid: '2.25.5',
      })
      await using acceptor = await startAcceptor({
        ...answering(() => 0x0000),
        associate: (request) =>
          accepted(request, {
            presentationContexts: request.presentationContexts.map(
              ({ id, abstractSyntax, transferSyntaxes }) => ({
                id,
                result: abstractSyntax === other.sopClassUid ? 3 : 0,
                transferSyntax: transferSyntaxes[0] ?? '',
              }),
            ),
          }),
      })
      const results = await send(acceptor, [other, ...(taken ? [taken] : [])])
      expect(results).toMatchObject([
        {
          outcome: 'failed',
          wasAttempted: true,
          error: {
            kind: 'not-accepted',
            message: 'PACS does not accept MR Image Storage: enable it there',
          },
        },
        { outcome: 'sent' },
      ])
    }))

  it('stops at once where it is given up, and says so of every instance', () =>
    withInstances(3, async (instances) => {
      const stop = new AbortController()
      await using acceptor = await startAcceptor({ message: () => stop.abort() })
      const results = await send(acceptor, instances, stop.signal)
      expect(
        results.map(
          (result) => result.outcome === 'failed' && (result.error as { kind?: string }).kind,
        ),
      ).toEqual(['cancelled', 'cancelled', 'cancelled'])
    }))
})
