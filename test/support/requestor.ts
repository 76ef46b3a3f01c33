import { connect, type Socket } from 'node:net'
import { APPLICATION_CONTEXT, SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { type Message, MessageReader, writeMessage } from '#server/dicom/dimse/message.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import type {
  AssociateAc,
  AssociateRq,
  Pdu,
  ProposedContext,
  RoleSelection,
} from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'

/** A tiny association requestor for tests: what a console does, and what one should not. */

export interface Proposal {
  readonly callingAeTitle?: string
  readonly calledAeTitle?: string
  /** Address of this PC that it calls from. */
  readonly localAddress?: string
  readonly software?: string
  readonly contexts?: readonly ProposedContext[]
  /** Longest P-DATA-TF we take; 0: any. */
  readonly maximumLength?: number
  readonly roles?: readonly RoleSelection[]
  readonly asynchronousOperations?: { readonly invoked: number; readonly performed: number }
  readonly protocolVersion?: number
  readonly applicationContext?: string
}

export interface Found {
  /** Identifiers of the pending responses. */
  readonly identifiers: readonly Buffer[]
  readonly final: CommandSet
}

/** What the server did instead of sending the PDU that was waited for. */
export type Ended = { readonly type: 'closed' } | { readonly type: 'reset' }

export const ECHO_CONTEXT: ProposedContext = {
  id: 1,
  abstractSyntax: SOP_CLASS.verification,
  transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
}
export const WORKLIST_CONTEXT: ProposedContext = {
  id: 3,
  abstractSyntax: SOP_CLASS.modalityWorklistFind,
  transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian],
}

export function associateRq(proposal: Proposal = {}): AssociateRq {
  return {
    type: 'A-ASSOCIATE-RQ',
    protocolVersion: proposal.protocolVersion ?? 1,
    calledAeTitle: proposal.calledAeTitle ?? 'ISTHMUS',
    callingAeTitle: proposal.callingAeTitle ?? 'CT1',
    applicationContext: proposal.applicationContext ?? APPLICATION_CONTEXT,
    presentationContexts: proposal.contexts ?? [ECHO_CONTEXT, WORKLIST_CONTEXT],
    user: {
      maximumLength: proposal.maximumLength ?? 16_384,
      implementationClassUid: '2.25.1',
      implementationVersionName: proposal.software ?? 'TEST',
      asynchronousOperations: proposal.asynchronousOperations,
      roles: proposal.roles ?? [],
    },
  }
}

/** Connects and associates. */
export async function associated(port: number, proposal: Proposal = {}): Promise<Requestor> {
  const requestor = await Requestor.connect(port, proposal.localAddress)
  await requestor.associate(proposal)
  return requestor
}

export class Requestor {
  /** Length field of the longest P-DATA-TF received. */
  longestPData = 0
  readonly #socket: Socket
  readonly #reader = new PduReader({ ...DEFAULT_LIMITS, maxPduLength: 1 << 20 })
  #messages = new MessageReader({ ...DEFAULT_LIMITS, identifierBytes: 1 << 20 })
  readonly #received: (Pdu | Ended)[] = []
  #wake = Promise.withResolvers<void>()
  #maximumLength = 0
  #unread: Message[] = []

  static async connect(port: number, localAddress?: string): Promise<Requestor> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, localAddress })
    const requestor = new Requestor(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return requestor
  }

  constructor(socket: Socket) {
    this.#socket = socket
    const ended = (type: Ended['type']) => {
      if (this.#received.at(-1)?.type !== 'closed' && this.#received.at(-1)?.type !== 'reset')
        this.#received.push({ type })
      this.#wake.resolve()
    }
    socket.on('data', (chunk) => {
      this.#reader.push(chunk)
      for (let pdu = this.#reader.next(); pdu; pdu = this.#reader.next()) {
        if (pdu.type === 'P-DATA-TF') {
          const length = pdu.pdvs.reduce((sum, { data }) => sum + data.length + 6, 0)
          this.longestPData = Math.max(this.longestPData, length)
        }
        this.#received.push(pdu)
      }
      this.#wake.resolve()
    })
    socket.on('error', () => ended('reset'))
    socket.on('close', () => ended('closed'))
  }

  /** The next PDU, or how the connection ended. */
  async next(): Promise<Pdu | Ended> {
    for (;;) {
      const pdu = this.#received[0]
      if (pdu) {
        // The end stays, however often it is asked for.
        if (pdu.type !== 'closed' && pdu.type !== 'reset') this.#received.shift()
        return pdu
      }
      this.#wake = Promise.withResolvers()
      await this.#wake.promise
    }
  }

  async #expect<T extends Pdu['type']>(type: T): Promise<Extract<Pdu, { type: T }>> {
    const pdu = await this.next()
    if (pdu.type !== type) throw new Error(`${JSON.stringify(pdu)} instead of ${type}`)
    return pdu as Extract<Pdu, { type: T }>
  }

  async associate(proposal: Proposal = {}): Promise<AssociateAc> {
    this.sendPdu(associateRq(proposal))
    const accepted = await this.#expect('A-ASSOCIATE-AC')
    this.#maximumLength = accepted.user.maximumLength
    return accepted
  }

  /** The next whole message. */
  async message(): Promise<Message> {
    for (;;) {
      const message = this.#unread.shift()
      if (message) return message
      const { pdvs } = await this.#expect('P-DATA-TF')
      this.#unread = pdvs.flatMap((pdv) => this.#messages.push(pdv) ?? [])
    }
  }

  /** C-ECHO; its status. */
  async echo(messageId = 1, contextId = ECHO_CONTEXT.id): Promise<number | undefined> {
    this.sendEcho(messageId, contextId)
    return (await this.message()).command.status
  }

  sendEcho(messageId: number, contextId = ECHO_CONTEXT.id): void {
    this.sendMessage(contextId, {
      commandField: COMMAND_FIELD['C-ECHO-RQ'],
      affectedSopClassUid: SOP_CLASS.verification,
      messageId,
      hasDataSet: false,
    })
  }

  /** C-FIND, with its responses to the end. */
  async find(identifier: Buffer, messageId = 1): Promise<Found> {
    this.sendFind(identifier, messageId)
    return this.found()
  }

  sendFind(identifier: Buffer | undefined, messageId = 1): void {
    this.sendMessage(WORKLIST_CONTEXT.id, findRq(messageId, identifier !== undefined), identifier)
  }

  /** Responses up to the next final one. */
  async found(): Promise<Found> {
    const identifiers: Buffer[] = []
    for (;;) {
      const { command, dataSet } = await this.message()
      if (command.status !== 0xff00) return { identifiers, final: command }
      if (!Buffer.isBuffer(dataSet)) throw new Error('pending response without an identifier')
      identifiers.push(dataSet)
    }
  }

  cancel(messageIdBeingRespondedTo: number): void {
    this.sendMessage(WORKLIST_CONTEXT.id, {
      commandField: COMMAND_FIELD['C-CANCEL-RQ'],
      messageIdBeingRespondedTo,
      hasDataSet: false,
    })
  }

  /** Releases; resolves with the reply. */
  async release(): Promise<Pdu | Ended> {
    this.sendPdu({ type: 'A-RELEASE-RQ' })
    return this.next()
  }

  abort(): void {
    this.sendPdu({ type: 'A-ABORT', source: 0, reason: 0 })
  }

  sendMessage(contextId: number, command: CommandSet, dataSet?: Buffer): void {
    this.send(writeMessage(contextId, command, dataSet, this.#maximumLength))
  }

  sendPdu(pdu: Pdu): void {
    this.send(writePdu(pdu))
  }

  send(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  /** Stops reading; what the server sends stays in the network. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** TCP FIN, still reading. */
  halfClose(): void {
    this.#socket.end()
  }

  /** TCP RST. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }
}

export const findRq = (messageId: number, hasDataSet: boolean): CommandSet => ({
  commandField: COMMAND_FIELD['C-FIND-RQ'],
  affectedSopClassUid: SOP_CLASS.modalityWorklistFind,
  messageId,
  priority: 0,
  hasDataSet,
})
