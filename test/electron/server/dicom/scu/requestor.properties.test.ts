import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import {
  openAssociation,
  type RequestedAssociation,
  RequestorError,
} from '#server/dicom/scu/requestor.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { accepted } from '../../../../support/acceptor.ts'
import { pendingTimers } from '../../../../support/pending-timers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { associateRq } from '../../../../support/requestor.ts'

// Our requestor against another side that sends what it likes, when it likes, or nothing: every
// call comes to an end, what went wrong is a RequestorError, and no timer and no connection is
// left.

const ECHO = {
  abstractSyntax: SOP_CLASS.verification,
  transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
}
const echoRq = {
  commandField: COMMAND_FIELD['C-ECHO-RQ'],
  affectedSopClassUid: SOP_CLASS.verification,
}
const answer = (status: number, messageIdBeingRespondedTo = 1) =>
  writeMessage(
    1,
    { commandField: 0x8030, status, messageIdBeingRespondedTo, hasDataSet: false },
    undefined,
    0,
  )

const SENDS = {
  accept: () => writePdu(accepted(associateRq({ contexts: [{ id: 1, ...ECHO }] }))),
  'accept nothing': () =>
    writePdu(
      accepted(associateRq(), { presentationContexts: [{ id: 1, result: 4, transferSyntax: '' }] }),
    ),
  reject: () => writePdu({ type: 'A-ASSOCIATE-RJ', result: 1, source: 1, reason: 3 }),
  request: () => writePdu(associateRq()),
  answer: () => answer(0),
  pending: () => answer(0xff00),
  'answer to another': () => answer(0, 77),
  'a request': () => writeMessage(1, { ...echoRq, messageId: 1, hasDataSet: false }, undefined, 0),
  'other context': () =>
    writeMessage(9, { commandField: 0x8030, status: 0, hasDataSet: false }, undefined, 0),
  release: () => writePdu({ type: 'A-RELEASE-RQ' }),
  released: () => writePdu({ type: 'A-RELEASE-RP' }),
  abort: () => writePdu({ type: 'A-ABORT', source: 2, reason: 0 }),
  'no PDU': () => Buffer.from([0x55, 0, 0, 0, 0, 1, 0]),
} as const
type Sends = keyof typeof SENDS

const doingArbitrary = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...(Object.keys(SENDS) as Sends[])) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('close' as const, 'reset' as const, 'a minute passes' as const),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('we cancel' as const, 'we abort' as const, 'we release' as const),
  },
)

/** What a request came to: its responses, or the one sentence of why not. */
function expectOneEnd(end: unknown): void {
  if (Array.isArray(end)) {
    // Only the final response is an end, and only a response to this request.
    expect(end.at(-1)).toBe(0)
    expect(end.slice(0, -1).every((status) => status === 0xff00)).toBe(true)
  } else {
    expect(end).toBeInstanceOf(RequestorError)
    expect((end as Error).message.split('\n')).toHaveLength(1)
  }
}

describe('an association that we ask for', () => {
  it(
    'comes to an end whatever the other side does, is told as one sentence, and leaves nothing behind',
    async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const sockets: Socket[] = []
      const server = createServer((socket) => void sockets.push(socket))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.boolean(),
            fc.array(doingArbitrary, { maxLength: 10 }),
            fc.nat({ max: 1 }),
            async (isPolite, drawn, glued) => {
              const cancelling = new AbortController()
              const received: Pdu[] = []
              let association: RequestedAssociation | undefined
              const before = sockets.length
              /** What each call came to. */
              const ends: unknown[] = []
              const opening = openAssociation({
                ...{
                  peer: { host: '127.0.0.1', port, aeTitle: 'PACS' },
                  callingAeTitle: 'ISTHMUS',
                  contexts: [ECHO],
                },
                signal: cancelling.signal,
              })
              const working = (async () => {
                association = await opening
                const statuses: (number | undefined)[] = []
                for await (const { command } of association.request(1, echoRq))
                  statuses.push(command.status)
                return statuses
              })()
              working.then(
                (statuses) => ends.push(statuses),
                (error) => ends.push(error),
              )
              while (sockets.length === before) await nextTurn()
              const socket = sockets.at(-1) as Socket
              const reader = new PduReader(DEFAULT_LIMITS)
              socket.on('error', () => {})
              socket.on('data', (chunk) => {
                reader.push(chunk)
                for (let pdu = reader.next(); pdu; pdu = reader.next()) received.push(pdu)
              })
              const quiet = async () => {
                for (let turn = 0; turn < 12; turn++) await nextTurn()
              }
              await quiet()
              expect(received.map(({ type }) => type)).toEqual(['A-ASSOCIATE-RQ'])
              const leaving: PromiseLike<void>[] = []
              for (const doing of isPolite ? (['accept', ...drawn] as const) : drawn) {
                if (doing in SENDS) socket.write(SENDS[doing as Sends]())
                else if (doing === 'close') socket.end()
                else if (doing === 'reset') socket.resetAndDestroy()
                else if (doing === 'a minute passes') vi.advanceTimersByTime(60_000)
                else if (doing === 'we cancel') cancelling.abort()
                else if (doing === 'we abort') association?.abort()
                else if (association) leaving.push(association.release())
                // Sometimes what comes next comes in the same turn.
                if (glued === 0) await quiet()
              }
              await quiet()
              for (let minutes = 0; ends.length === 0 && minutes < 10; minutes++) {
                vi.advanceTimersByTime(60_000)
                await quiet()
              }
              if (association) leaving.push(association[Symbol.asyncDispose]())
              for (let minutes = 0; minutes < 3; minutes++) {
                await quiet()
                vi.advanceTimersByTime(60_000)
              }
              await Promise.all(leaving)
              expect(ends).toHaveLength(1)
              expectOneEnd(ends[0])
              expect(association?.isOpen ?? false).toBe(false)
              // PS3.8 Table 9-26: a provider's abort has a reason, a user's has none. One of them
              // at most, but for what comes while it closes.
              for (const pdu of received)
                if (pdu.type === 'A-ABORT' && pdu.source === 0) expect(pdu.reason).toBe(0)
              for (const pdu of received)
                if (pdu.type === 'A-ABORT') expect([0, 2]).toContain(pdu.source)
              socket.destroy()
              await quiet()
              expect(pendingTimers()).toEqual([])
            },
          ),
          runs(100),
        )
      } finally {
        vi.useRealTimers()
        for (const socket of sockets) socket.destroy()
        server.close()
        await once(server, 'close')
      }
    },
    RUNS_TIMEOUT_MS,
  )
})
