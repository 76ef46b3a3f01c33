import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'
import { type Message, MessageReader } from '#server/dicom/dimse/message.ts'
import type { AssociationPolicy } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { Acceptor } from '#server/dicom/upper-layer/acceptor.ts'
import { Association } from '#server/dicom/upper-layer/association.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { Pdu } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'

/**
 * Both ends of one connection in this process, so that a test knows when everything that was sent
 * has been read.
 */
export interface Link extends AsyncDisposable {
  readonly association: Association
  readonly socket: Socket
  readonly received: Pdu[]
  /** What the observer was told of it, in its order. */
  readonly seen: string[]
  /** The connection is no more, at this end. */
  readonly isClosed: boolean
  send(bytes: Buffer): void
  /** Resolves when each end has read what the other sent, or the connection is gone. */
  quiet(): Promise<void>
  /** Whole messages among what was received. */
  messages(): Message[]
  /** Ends this end and waits for the other. */
  leave(): Promise<void>
}

/** Associations on real connections, on a clock of timers that the test moves. */
export interface UpperLayer extends AsyncDisposable {
  connect(): Promise<Link>
}

export interface UpperLayerOptions {
  readonly services: readonly ServiceClass[]
  readonly policy?: AssociationPolicy
  readonly limits?: Partial<DimseLimits>
}

const MOST_TURNS = 100_000

/** Timers are the test's (`vi.advanceTimersByTime`): sockets have their own. */
export async function openUpperLayer({
  services,
  policy = { decide: () => ({ accept: true }) },
  limits,
}: UpperLayerOptions): Promise<UpperLayer> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const all: DimseLimits = { ...DEFAULT_LIMITS, ...limits }
  let taking:
    | ((end: { readonly association: Association; readonly socket: Socket }) => void)
    | undefined
  let seen: string[] = []
  const faults: unknown[] = []
  const acceptor = new Acceptor(
    services,
    policy,
    {
      opened: () => void seen.push('opened'),
      rejected: () => void seen.push('rejected'),
      answered: () => {},
      closed: (_, { kind }) => void seen.push(kind),
    },
    all,
    (_, error) => void faults.push(error),
  )
  const server: Server = createServer({ noDelay: true }, (socket) =>
    taking?.({ association: new Association(socket, acceptor), socket }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    async connect() {
      seen = []
      const taken = Promise.withResolvers<{
        readonly association: Association
        readonly socket: Socket
      }>()
      taking = taken.resolve
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      const other = await taken.promise
      const received: Pdu[] = []
      const reader = new PduReader(DEFAULT_LIMITS)
      socket.on('data', (chunk) => {
        reader.push(chunk)
        for (let pdu = reader.next(); pdu; pdu = reader.next()) received.push(pdu)
      })
      socket.on('error', () => {})
      if (socket.connecting) await once(socket, 'connect')
      const own = seen

      async function quiet(): Promise<void> {
        const isQuiet = () => {
          if (socket.destroyed) return other.socket.destroyed
          if (other.socket.destroyed) return false
          return (
            other.socket.bytesRead === socket.bytesWritten &&
            socket.bytesRead === other.socket.bytesWritten
          )
        }
        // Answers take a few turns of their own: it is quiet when it was so for a while.
        let turns = 0
        for (let calm = 0; calm < 6; calm = isQuiet() ? calm + 1 : 0) {
          await nextTurn()
          if (++turns > MOST_TURNS) throw new Error('what was sent is not read')
        }
        if (faults.length > 0) throw faults[0]
      }
      return {
        ...{ association: other.association, socket, received, seen: own, quiet },
        get isClosed() {
          return socket.destroyed
        },
        send: (bytes) => void socket.write(bytes),
        messages() {
          const messages = new MessageReader(DEFAULT_LIMITS)
          return received.flatMap((pdu) =>
            pdu.type === 'P-DATA-TF' ? pdu.pdvs.flatMap((pdv) => messages.push(pdv) ?? []) : [],
          )
        },
        async leave() {
          socket.destroy()
          await quiet()
        },
        async [Symbol.asyncDispose]() {
          socket.destroy()
          other.socket.destroy()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      vi.useRealTimers()
      server.close()
      await once(server, 'close')
    },
  }
}
