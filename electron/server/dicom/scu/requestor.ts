import type { Socket } from 'node:net'
import { APPLICATION_CONTEXT, IMPLEMENTATION } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, RESPONSE } from '#server/dicom/dimse/command-set.ts'
import {
  createMessageReader,
  type Message,
  type MessageReader,
  writeMessage,
} from '#server/dicom/dimse/message.ts'
import { createOutgoingDataSet } from '#server/dicom/dimse/outgoing-data-set.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import { connect } from '#server/dicom/upper-layer/connection.ts'
import { lostBecause } from '#server/dicom/upper-layer/connection-lost.ts'
import {
  ABORT_REASON,
  ABORT_SOURCE,
  type AssociateAc,
  PduFault,
  type Pdv,
  type RoleSelection,
} from '#server/dicom/upper-layer/pdu.ts'
import { createPduReader, type PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { writeAtOnce } from '#server/dicom/upper-layer/socket-write.ts'
import {
  type Effect,
  EVENT_OF_PDU,
  type Event,
  type Given,
  type State,
  transition,
} from '#server/dicom/upper-layer/state-machine.ts'
import {
  type AssociationOptions,
  REQUESTOR_LIMITS,
  type RequestCommand,
  type RequestedAssociation,
  type RequestOptions,
  type RequestorLimits,
} from './requested-association.ts'
import { type Call, placeOf, RequestorError, rejected, untrusted } from './requestor-error.ts'

export type { Peer, PeerTls } from '#server/dicom/upper-layer/connection.ts'
export {
  type AssociationOptions,
  type ContextProposal,
  REQUESTOR_LIMITS,
  type RequestedAssociation,
  type RequestorLimits,
} from './requested-association.ts'
export { RequestorError, type RequestorFault } from './requestor-error.ts'

/**
 * Calls an application entity and associates with it (PS3.8 §7.1).
 * @throws {RequestorError}
 */
export async function openAssociation(options: AssociationOptions): Promise<RequestedAssociation> {
  const association = new Requestor(options)
  await association.associate()
  return association
}

/** What an event brings a requestor. */
interface RequestorGiven extends Given {
  readonly error?: RequestorError
}

/** One connection as requestor, driven by the table of PS3.8 §9.2. */
class Requestor implements RequestedAssociation {
  accepted: readonly AcceptedContext[] = []
  roles: readonly RoleSelection[] = []
  maximumLength = 0
  readonly #options: AssociationOptions
  readonly #limits: RequestorLimits
  readonly #call: Call
  #state: State = 'Sta1'
  #socket: Socket | undefined
  #reader: PduReader | undefined
  readonly #messages: MessageReader
  readonly #responses: Message[] = []
  #waitingBytes = 0
  #messageId = 0
  /** A request has no final response yet. */
  #isAtWork = false
  /** Why it is over; undefined while it is not. */
  #end: RequestorError | undefined
  #isReleased = false
  #artim: NodeJS.Timeout | undefined
  /** Settled at whatever happens: an answer, a response, an end. */
  #happened = Promise.withResolvers<void>()
  readonly #cancelled = () => this.#stop(new RequestorError('cancelled', 'given up'))

  constructor(options: AssociationOptions) {
    const { peer, callingAeTitle, signal } = options
    this.#options = options
    this.#limits = { ...REQUESTOR_LIMITS, ...options.limits }
    this.#call = { host: peer.host, port: peer.port, calledAeTitle: peer.aeTitle, callingAeTitle }
    this.#messages = createMessageReader(this.#limits)
    signal?.addEventListener('abort', this.#cancelled)
  }

  get isOpen(): boolean {
    return this.#state === 'Sta6' && !this.#end
  }

  // ---- A-ASSOCIATE

  async associate(): Promise<void> {
    const { peer, signal } = this.#options
    const { connectSeconds, associateSeconds } = this.#limits
    this.#dispatch('Evt1')
    try {
      this.#take(await connect(peer, this.#call, connectSeconds, signal))
    } catch (error) {
      signal?.removeEventListener('abort', this.#cancelled)
      throw error
    }
    this.#dispatch('Evt2', { bytes: [this.#associateRq()] })
    await this.#until(
      () => this.#state === 'Sta6',
      associateSeconds,
      'did not answer the request for an association',
    )
    if (this.accepted.length > 0) return
    await this.release()
    throw new RequestorError(
      'not-accepted',
      `${this.#call.calledAeTitle} offers none of the services that are needed`,
    )
  }

  #associateRq(): Buffer {
    const { contexts, roles = [] } = this.#options
    const { calledAeTitle, callingAeTitle } = this.#call
    return writePdu({
      type: 'A-ASSOCIATE-RQ',
      protocolVersion: 1,
      calledAeTitle,
      callingAeTitle,
      applicationContext: APPLICATION_CONTEXT,
      presentationContexts: contexts.map((context, at) => ({ id: idOf(at), ...context })),
      user: {
        maximumLength: this.#limits.maxPduLength,
        implementationClassUid: IMPLEMENTATION.classUid,
        implementationVersionName: IMPLEMENTATION.versionName,
        asynchronousOperations: undefined,
        roles,
      },
    })
  }

  #take(socket: Socket): void {
    this.#socket = socket
    this.#reader = createPduReader(this.#limits)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('end', () => this.#lost('the other side closed the connection'))
    // In TLS 1.3 the other side judges our certificate after the handshake is over for us.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#lost(
        lostBecause(error),
        error.code?.startsWith('ERR_SSL_') ? untrusted(error, this.#call) : undefined,
      ),
    )
    socket.on('close', () => this.#lost('connection closed'))
  }

  #confirm(pdu: AssociateAc): void {
    const { contexts } = this.#options
    this.roles = pdu.user.roles
    this.maximumLength = pdu.user.maximumLength
    this.accepted = contexts.flatMap(({ abstractSyntax, transferSyntaxes }, at) => {
      const answer = pdu.presentationContexts.find(({ id }) => id === idOf(at))
      if (answer?.result !== 0) return []
      // PS3.8 §9.3.3.2: one of those that were proposed. Some leave it out where there was only
      // one.
      const transferSyntax =
        answer.transferSyntax || (transferSyntaxes.length === 1 ? (transferSyntaxes[0] ?? '') : '')
      return transferSyntaxes.includes(transferSyntax)
        ? [{ id: idOf(at), abstractSyntax, transferSyntax }]
        : []
    })
  }

  // ---- DIMSE

  async *request(
    contextId: number,
    command: RequestCommand,
    dataSet?: Buffer | AsyncIterable<Buffer>,
    { responseSeconds = this.#limits.responseSeconds, cancel }: RequestOptions = {},
  ): AsyncGenerator<Message> {
    // PS3.7 §9.1: unique among the requests at work; there is one.
    this.#messageId = (this.#messageId % 0xffff) + 1
    const messageId = this.#messageId
    this.#isAtWork = true
    const whole = Buffer.isBuffer(dataSet) ? dataSet : undefined
    const streamed = Buffer.isBuffer(dataSet) ? undefined : dataSet
    await this.#send([
      writeMessage(
        contextId,
        { ...command, messageId, hasDataSet: dataSet !== undefined },
        whole,
        this.maximumLength,
      ),
    ])
    if (streamed) await this.#stream(contextId, streamed)

    let patience: NodeJS.Timeout | undefined
    const sendCancel = () => {
      this.#sendCancel(contextId, messageId)
      const { cancelSeconds } = this.#limits
      patience = setTimeout(
        () => this.#stop(this.#silent(`did not cancel within ${cancelSeconds} s`)),
        cancelSeconds * 1000,
      )
    }
    if (cancel?.aborted) sendCancel()
    else cancel?.addEventListener('abort', sendCancel)
    try {
      for (;;) {
        await this.#until(
          () => this.#responses.length > 0,
          responseSeconds,
          'did not answer a request',
        )
        const response = this.#next()
        // A late response to something else is of no use to anybody.
        if (!response || response.command.messageIdBeingRespondedTo !== messageId) continue
        const isFinal = categoryOf(response.command.status ?? 0) !== 'pending'
        if (isFinal) this.#isAtWork = false
        yield response
        if (isFinal) return
      }
    } finally {
      cancel?.removeEventListener('abort', sendCancel)
      clearTimeout(patience)
    }
  }

  #next(): Message | undefined {
    const response = this.#responses.shift()
    this.#waitingBytes -= sizeOf(response)
    if (this.#waitingBytes <= this.#limits.waitingBytes) this.#socket?.resume()
    return response
  }

  #sendCancel(contextId: number, messageIdBeingRespondedTo: number): void {
    if (!this.isOpen) return
    const command = {
      commandField: COMMAND_FIELD['C-CANCEL-RQ'],
      messageIdBeingRespondedTo,
      hasDataSet: false,
    }
    this.#dispatch('Evt9', {
      bytes: [writeMessage(contextId, command, undefined, this.maximumLength)],
    })
  }

  /**
   * The next piece is read while the network takes the last one; there are never more of them here.
   */
  async #stream(contextId: number, pieces: AsyncIterable<Buffer>): Promise<void> {
    const outgoing = createOutgoingDataSet(contextId, this.maximumLength)
    let sending: Promise<void> = Promise.resolve()
    try {
      for await (const piece of pieces) {
        await sending
        sending = this.#send(outgoing.push(piece))
        // It is waited for above, or below; what it throws must not go unheard meanwhile.
        sending.catch(() => {})
      }
      await sending
      await this.#send(outgoing.end())
    } catch (error) {
      this.#stop(new RequestorError('cancelled', 'a data set could not be read to its end'))
      throw error
    }
  }

  async #send(parts: readonly Buffer[]): Promise<void> {
    if (this.#end) throw this.#end
    if (this.#state !== 'Sta6') throw new RequestorError('aborted', 'the association is over')
    if (parts.length === 0) return
    const { stallSeconds } = this.#limits
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(
        () => this.#stop(this.#silent(`took no data for ${stallSeconds} s`)),
        stallSeconds * 1000,
      )
      const taken = () => {
        clearTimeout(stalled)
        resolve()
      }
      this.#dispatch('Evt9', { bytes: parts, taken })
    })
    if (this.#end) throw this.#end
  }

  // ---- The table

  #dispatch(event: Event, given: RequestorGiven = {}): void {
    const { effects, next } = transition(this.#state, event)
    this.#state = next
    for (const effect of effects) this.#effects[effect]?.(given)
  }

  /**
   * `connect` is done by `associate`, which alone can wait for it; nobody asks us for an
   * association.
   */
  readonly #effects: Partial<Record<Effect, (given: RequestorGiven) => void>> = {
    close: () => this.#socket?.destroySoon(),
    startArtim: () => this.#startArtim(),
    stopArtim: () => clearTimeout(this.#artim),
    send: ({ bytes, taken }) => this.#write(bytes ?? [], taken),
    sendAbort: ({
      abort = { source: ABORT_SOURCE.serviceProvider, reason: ABORT_REASON.unexpectedPdu },
      error,
      pdu,
    }) => {
      this.#write([writePdu({ type: 'A-ABORT', ...abort })])
      this.#over(error ?? this.#aborted(`sent an unexpected ${pdu?.type ?? 'PDU'}`))
    },
    confirmAssociate: ({ pdu }) => {
      if (pdu?.type === 'A-ASSOCIATE-AC') this.#confirm(pdu)
      else if (pdu?.type === 'A-ASSOCIATE-RJ') this.#over(rejected(pdu, this.#call))
      this.#happens()
    },
    indicateData: ({ pdu }) => {
      if (pdu?.type === 'P-DATA-TF') this.#takeData(pdu.pdvs)
    },
    indicateRelease: () => {
      if (this.#state === 'Sta8')
        this.#over(this.#aborted('released the association before it answered'))
      this.#dispatch('Evt14', { bytes: [writePdu({ type: 'A-RELEASE-RP' })] })
    },
    confirmRelease: () => this.#over(undefined),
    indicateAbort: ({ error, pdu }) => {
      this.#over(
        error ??
          this.#aborted(
            pdu?.type === 'A-ABORT' ? 'aborted the association' : 'broke off the association',
          ),
      )
    },
  }

  #receive(chunk: Buffer): void {
    try {
      this.#reader?.push(chunk)
      for (
        let pdu = this.#reader?.next();
        pdu && this.#state !== 'Sta1';
        pdu = this.#reader?.next()
      )
        this.#dispatch(EVENT_OF_PDU[pdu.type], { pdu })
    } catch (error) {
      this.#reader = undefined
      if (this.#state === 'Sta1') return
      const reason = error instanceof PduFault ? error.reason : ABORT_REASON.notSpecified
      const what =
        error instanceof PduFault
          ? `sent what is not DICOM: ${error.message}`
          : 'sent something that could not be handled'
      this.#dispatch('Evt19', {
        abort: { source: ABORT_SOURCE.serviceProvider, reason },
        error: this.#aborted(what),
      })
    }
  }

  #takeData(pdvs: readonly Pdv[]): void {
    for (const pdv of pdvs) {
      if (!this.accepted.some(({ id }) => id === pdv.contextId))
        throw invalid(`presentation context ${pdv.contextId} was not accepted`)
      const message = this.#messages.push(pdv)
      if (!message) continue
      if (!(message.command.commandField & RESPONSE))
        throw invalid('a request, of the side that answers requests')
      this.#responses.push(message)
      this.#waitingBytes += sizeOf(message)
      if (this.#waitingBytes > this.#limits.waitingBytes) this.#socket?.pause()
    }
    this.#happens()
  }

  #write(parts: readonly Buffer[], taken?: (error?: Error | null) => void): void {
    if (this.#socket) writeAtOnce(this.#socket, parts, taken)
  }

  // ---- The end

  async release(): Promise<void> {
    // PS3.8 §7.2: nothing orderly is left where an answer is still to come.
    if (this.#isAtWork) this.abort()
    if (!this.isOpen) return
    this.#dispatch('Evt11', { bytes: [writePdu({ type: 'A-RELEASE-RQ' })] })
    await this.#until(
      () => this.#isReleased,
      this.#limits.associateSeconds,
      'did not confirm the release',
    ).catch(() => {})
  }

  abort(): void {
    this.#stop(new RequestorError('cancelled', 'given up'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
    this.abort()
  }

  /** A-ABORT on our own account. */
  #stop(error: RequestorError): void {
    if (this.#end || this.#isReleased || !this.#socket) return
    const isStalled = this.#socket.writableLength > 0
    this.#dispatch('Evt15', {
      abort: { source: ABORT_SOURCE.serviceUser, reason: ABORT_REASON.notSpecified },
      error,
    })
    if (isStalled) this.#socket.destroy()
  }

  #lost(detail: string, error = this.#aborted(`broke off: ${detail}`)): void {
    clearTimeout(this.#artim)
    if (this.#state === 'Sta1' || !this.#socket) return
    this.#dispatch('Evt17', { error })
    this.#socket.destroy()
  }

  #startArtim(): void {
    clearTimeout(this.#artim)
    this.#artim = setTimeout(() => this.#dispatch('Evt18'), this.#limits.associateSeconds * 1000)
  }

  /** @param error why it is over before its work was done; undefined: released. */
  #over(error: RequestorError | undefined): void {
    this.#options.signal?.removeEventListener('abort', this.#cancelled)
    if (error) this.#end ??= error
    else this.#isReleased = true
    this.#happens()
  }

  #happens(): void {
    this.#happened.resolve()
    this.#happened = Promise.withResolvers()
  }

  /** Waits until something is so. Silence of so many seconds ends the association. */
  async #until(isSo: () => boolean, seconds: number, silence: string): Promise<void> {
    const timer = setTimeout(
      () => this.#stop(this.#silent(`${silence} within ${seconds} s`)),
      seconds * 1000,
    )
    try {
      while (!isSo()) {
        if (this.#end) throw this.#end
        await this.#happened.promise
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #aborted(what: string): RequestorError {
    return new RequestorError('aborted', `${this.#call.calledAeTitle} ${what}`)
  }

  #silent(what: string): RequestorError {
    return new RequestorError(
      'timeout',
      `${this.#call.calledAeTitle} at ${placeOf(this.#call)} ${what}`,
    )
  }
}

/** PS3.8 §9.3.2.2: odd, from 1. */
const idOf = (at: number): number => at * 2 + 1

/** A response without a data set takes some room too. */
const sizeOf = (message: Message | undefined): number =>
  message ? 512 + (Buffer.isBuffer(message.dataSet) ? message.dataSet.length : 0) : 0

const invalid = (message: string): PduFault =>
  new PduFault(ABORT_REASON.invalidParameterValue, message)
