import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { CommandSet } from '#server/dicom/dimse/command-set.ts'
import { type Message, MessageReader, writeMessage } from '#server/dicom/dimse/message.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import {
  type AssociateAc,
  type AssociateRq,
  type ContextResult,
  type Pdu,
  PduFault,
  type RoleSelection,
} from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'

/**
 * An application entity for tests that answers as a script says: what no well-behaved server can be
 * made to do.
 */
export interface Acceptor extends AsyncDisposable {
  readonly port: number
  /** PDUs received, of all connections, in order. */
  readonly received: Pdu[]
  /** Messages received, of all connections, in order. */
  readonly messages: Message[]
}

export interface Script {
  /** A free one where it is missing. */
  readonly port?: number
  /**
   * The answer to an A-ASSOCIATE-RQ; where it is missing every context is accepted in its first
   * transfer syntax. 'silence': none.
   */
  readonly associate?: (request: AssociateRq, peer: AcceptorPeer) => Pdu | 'silence'
  readonly maximumLength?: number
  readonly roles?: readonly RoleSelection[]
  /** At every whole message. */
  readonly message?: (message: Message, peer: AcceptorPeer) => void
  /** At an A-RELEASE-RQ; where it is missing it is confirmed. */
  readonly release?: (peer: AcceptorPeer) => void
  readonly tls?: {
    readonly key: string
    readonly cert: string
    readonly ca?: string
    readonly requestCert?: boolean
  }
}

/** The requestor's end, as the script sees it. */
export interface AcceptorPeer {
  readonly socket: Socket
  send(pdu: Pdu): void
  /** A response to the message. */
  respond(message: Message, status: number, more?: Partial<CommandSet>, dataSet?: Buffer): void
}

export function accepted(request: AssociateRq, more: Partial<AssociateAc> = {}): AssociateAc {
  return {
    ...request,
    type: 'A-ASSOCIATE-AC',
    presentationContexts: request.presentationContexts.map(
      ({ id, transferSyntaxes }): ContextResult => ({
        id,
        result: 0,
        transferSyntax: transferSyntaxes[0] ?? '',
      }),
    ),
    ...more,
  }
}

export async function startAcceptor(script: Script = {}): Promise<Acceptor> {
  const received: Pdu[] = []
  const messages: Message[] = []
  const sockets = new Set<Socket>()

  function take(socket: Socket): void {
    sockets.add(socket)
    const reader = new PduReader(DEFAULT_LIMITS)
    const messageReader = new MessageReader({ ...DEFAULT_LIMITS, identifierBytes: 64 << 20 })
    let theirMaximum = 0
    const peer: AcceptorPeer = {
      socket,
      send: (pdu) => socket.write(writePdu(pdu)),
      respond({ contextId, command }, status, more = {}, dataSet) {
        const response: CommandSet = {
          commandField: command.commandField | 0x8000,
          ...(command.messageId !== undefined && { messageIdBeingRespondedTo: command.messageId }),
          ...(command.affectedSopClassUid !== undefined && {
            affectedSopClassUid: command.affectedSopClassUid,
          }),
          hasDataSet: dataSet !== undefined,
          status,
          ...more,
        }
        socket.write(writeMessage(contextId, response, dataSet, theirMaximum))
      },
    }
    const handle = (pdu: Pdu): void => {
      received.push(pdu)
      if (pdu.type === 'A-ASSOCIATE-RQ') {
        theirMaximum = pdu.user.maximumLength
        const user = {
          ...pdu.user,
          maximumLength: script.maximumLength ?? 16_384,
          roles: script.roles ?? [],
        }
        const answer = script.associate?.(pdu, peer) ?? accepted(pdu, { user })
        if (answer !== 'silence') peer.send(answer)
        if (answer !== 'silence' && answer.type === 'A-ASSOCIATE-RJ') socket.end()
      } else if (pdu.type === 'P-DATA-TF') {
        for (const pdv of pdu.pdvs) {
          const message = messageReader.push(pdv)
          if (!message) continue
          messages.push(message)
          script.message?.(message, peer)
        }
      } else if (pdu.type === 'A-RELEASE-RQ') {
        if (script.release) script.release(peer)
        else peer.send({ type: 'A-RELEASE-RP' })
      } else if (pdu.type === 'A-RELEASE-RP' || pdu.type === 'A-ABORT') {
        socket.end()
      }
    }
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk)
        for (let pdu = reader.next(); pdu; pdu = reader.next()) handle(pdu)
      } catch (error) {
        if (!(error instanceof PduFault)) throw error
        socket.destroy()
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server: Server = script.tls ? createTlsServer(script.tls, take) : createServer(take)
  server.on('tlsClientError', () => {})
  server.listen(script.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { readonly port: number }).port,
    received,
    messages,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
