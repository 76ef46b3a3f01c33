import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { MessageReader } from '#server/dicom/dimse/message.ts'
import { mpps, storage, storageCommitment } from '#server/dicom/scp/service-classes.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { type Pdu, PduFault } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { batchOf, patients, serve, type Watched } from '../../support/dimse-server.ts'
import { associated } from '../../support/requestor.ts'
import { perTier } from '../../support/tier.ts'
import { hashOf, piecesOf, randomOf } from '../random.ts'
import { hold, type Target } from '../target.ts'
import { mutatePdus } from './pdu.ts'

/** Executions after which an echo beside them is tried. */
const ECHO_AFTER = 16

/**
 * The bytes of a whole connection, sent to a real acceptor: it answers in PDUs, or ends the
 * connection, and goes on with the others.
 */
export const association: Target = {
  name: 'association',
  silentSeconds: 15,
  slowSeconds: 3,
  mostMiB: 128,
  mostBytes: 300 << 10,
  testExecutions: perTier(60, 1200),
  async open() {
    const acceptor = await openAcceptor()
    return {
      mutate: mutatePdus,
      run: (input) => connection(acceptor, input),
      [Symbol.asyncDispose]: () => acceptor.server[Symbol.asyncDispose](),
    }
  },
}

/** Every service of the gateway, with nothing behind it. */
function openAcceptor(): Promise<Watched> {
  const done = { status: 0x0000 }
  return serve({
    limits: { artimSeconds: 2, idleSeconds: 5, stallSeconds: 5, cancelSeconds: 1 },
    async *find({ transferSyntax, signal }) {
      for (const identifier of patients(20, transferSyntax)) {
        if (signal.aborted) return { status: 0xfe00 }
        yield batchOf([identifier])
      }
      return done
    },
    services: [
      storage(
        {
          async store({ dataSet, release }) {
            for await (const slices of dataSet) for (const slice of slices) release(slice)
            return done
          },
        },
        () => true,
      ),
      mpps({
        create: async ({ sopInstanceUid = '2.25.9' }) => ({ ...done, sopInstanceUid }),
        set: async () => done,
      }),
      storageCommitment({ action: async () => done }, () => true),
    ],
  })
}

async function connection(acceptor: Watched, input: Buffer): Promise<string> {
  const random = randomOf(hashOf(input))
  const socket = connect({ port: acceptor.port, host: '127.0.0.1', noDelay: true })
  const answer: Buffer[] = []
  socket.on('data', (chunk) => answer.push(chunk))
  // It may be gone before all is sent.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const pieces = random.isOnce(2) ? [input] : piecesOf(input, random)
  for (const [index, piece] of pieces.entries()) {
    if (socket.destroyed) break
    socket.write(piece)
    if (index % 8 === 0) await setImmediate()
  }
  const end = random.below(8)
  if (end === 0) socket.resetAndDestroy()
  else socket.end()
  await closed
  const said = read(Buffer.concat(answer))
  const [reported] = acceptor.reported
  if (reported) {
    acceptor.reported.length = 0
    throw reported[1]
  }
  if (random.isOnce(ECHO_AFTER)) {
    await using other = await associated(acceptor.port, { callingAeTitle: 'ECHO' })
    hold((await other.echo()) === 0, 'An echo beside it is not answered')
    await other.release()
  }
  return said
}

/**
 * What was answered: PDUs that can be read, begun by an answer to the association, with nothing but
 * aborts behind an abort.
 */
function read(bytes: Buffer): string {
  const reader = new PduReader({ ...DEFAULT_LIMITS, maxPduLength: 1 << 20 })
  const messages = new MessageReader({ ...DEFAULT_LIMITS, identifierBytes: 1 << 20 })
  const pdus: Pdu[] = []
  const statuses = new Set<string>()
  try {
    reader.push(bytes)
    for (let pdu = reader.next(); pdu; pdu = reader.next()) {
      pdus.push(pdu)
      if (pdu.type !== 'P-DATA-TF') continue
      for (const pdv of pdu.pdvs) {
        const status = messages.push(pdv)?.command.status
        if (status !== undefined) statuses.add(status.toString(16).padStart(4, '0'))
      }
    }
  } catch (error) {
    if (error instanceof PduFault) hold(false, `It answers with what is no PDU: ${error.message}`)
    throw error
  }
  const types = pdus.map(({ type }) => type)
  hold(
    types.length === 0 || ['A-ASSOCIATE-AC', 'A-ASSOCIATE-RJ', 'A-ABORT'].includes(types[0] ?? ''),
    `It begins with ${types[0]}`,
  )
  hold(types.filter((type) => type === 'A-ASSOCIATE-AC').length <= 1, 'It accepts twice')
  const ended = types.findIndex((type) => type === 'A-ABORT' || type === 'A-ASSOCIATE-RJ')
  // PS3.8 Table 9-10: until the peer closes, what it still sends is answered with another abort
  // (AA-7).
  const isQuiet = ended < 0 || types.slice(ended + 1).every((type) => type === 'A-ABORT')
  hold(
    isQuiet,
    () => `It goes on behind an abort: ${types.slice(Math.max(0, ended - 3), ended + 4).join(' ')}`,
  )
  const [last] = pdus.slice(-1)
  const why =
    last?.type === 'A-ABORT'
      ? `${last.source}/${last.reason}`
      : last?.type === 'A-ASSOCIATE-RJ'
        ? `${last.source}/${last.reason}`
        : ''
  return `${[...new Set(types)].join(' ')} ${why} ${[...statuses].sort().join(' ')}`
}
