import type { Socket } from 'node:net'
import { COMMAND_FIELD, RESPONSE_BIT } from '#server/dicom/dimse/command-set.ts'
import {
  type Message,
  MessageReader,
  OutgoingDataSet,
  writeMessage,
} from '#server/dicom/dimse/message.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import { connect, connectionLostMessage } from '#server/dicom/upper-layer/connection.ts'
import {
  ABORT_REASON,
  ABORT_SOURCE,
  invalidParameterFault,
  PduFault,
  type Pdv,
  type RoleSelection,
} from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { ProtocolMachine } from '#server/dicom/upper-layer/protocol-machine.ts'
import {
  type Effect,
  EVENT_OF_PDU,
  type EventParameters,
} from '#server/dicom/upper-layer/state-machine.ts'
import {
  type MessageCode,
  type MessageParams,
  message,
  type Message as Said,
} from '#shared/messages/message.ts'
import {
  type AssociationOptions,
  acceptedContexts,
  associateRq,
  REQUESTOR_LIMITS,
  type RequestCommand,
  type RequestOptions,
  type RequestorLimits,
} from './association-request.ts'
import {
  type Call,
  RequestorError,
  rejectionError,
  timeoutError,
  tlsError,
} from './requestor-error.ts'

export type { Peer, PeerTls } from '#server/dicom/upper-layer/connection.ts'
export { RequestorError, type RequestorFault } from './requestor-error.ts'

/**
 * Connects to an application entity and requests an association (PS3.8 §7.1).
 * @throws {RequestorError}
 */
export async function openAssociation(options: AssociationOptions): Promise<RequestedAssociation> {
  const { peer, callingAeTitle, signal } = options
  const limits = { ...REQUESTOR_LIMITS, ...options.limits }
  const call = { host: peer.host, port: peer.port, calledAeTitle: peer.aeTitle, callingAeTitle }
  const socket = await connect(peer, call, limits.connectSeconds, signal)
  const association = new RequestedAssociation(socket, options, limits, call)
  await association.associate()
  return association
}

interface RequestorEventParameters extends EventParameters {
  readonly error?: RequestorError
}

/**
 * An association requested by the gateway, driven by the state table of PS3.8 §9.2. One request at
 * a time.
 */
export class RequestedAssociation
  extends ProtocolMachine<RequestorEventParameters>
  implements AsyncDisposable
{
  accepted: readonly AcceptedContext[] = []
  /** Roles in the peer's response. */
  roles: readonly RoleSelection[] = []
  /** The peer's maximum P-DATA-TF length in bytes; 0: unlimited. */
  maximumLength = 0
  readonly #options: AssociationOptions
  readonly #limits: RequestorLimits
  readonly #call: Call
  readonly #messages: MessageReader
  readonly #responses: Message[] = []
  #reader: PduReader | undefined
  #waitingBytes = 0
  #messageId = 0
  /** Whether a request is waiting for its final response. */
  #isBusy = false
  /** Why the association ended; undefined while it is open. */
  #end: RequestorError | undefined
  #isReleased = false
  /** Resolved by every event: a response, a data set, or the end. */
  #changed = Promise.withResolvers<void>()
  readonly #cancelled = () => this.abort()

  constructor(socket: Socket, options: AssociationOptions, limits: RequestorLimits, call: Call) {
    super(socket)
    this.#options = options
    this.#limits = limits
    this.#call = call
    this.#messages = new MessageReader(limits)
    this.#reader = new PduReader(limits)
    options.signal?.addEventListener('abort', this.#cancelled)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('end', () => this.#lost(message('dicom.closed-by-other-side')))
    // In TLS 1.3 the peer verifies the client certificate after the client's handshake.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#lost(
        connectionLostMessage(error),
        error.code?.startsWith('ERR_SSL_') ? tlsError(error, call) : undefined,
      ),
    )
    socket.on('close', () => this.#lost(message('dicom.connection-closed')))
  }

  /** Whether it was neither released nor aborted and the connection still exists. */
  get isOpen(): boolean {
    return this.state === 'Sta6' && !this.#end
  }

  /** @throws {RequestorError} if no proposed context is accepted */
  async associate(): Promise<void> {
    this.dispatch('Evt1')
    const request = associateRq(this.#options, this.#limits.maxPduLength)
    this.dispatch('Evt2', { bytes: [writePdu(request)] })
    await this.#waitUntil(
      () => this.state === 'Sta6',
      this.#limits.associateSeconds,
      'dicom.no-association-answer',
    )
    if (this.accepted.length > 0) return
    await this.release()
    throw new RequestorError(
      'not-accepted',
      message('dicom.no-services', { aeTitle: this.#call.calledAeTitle }),
    )
  }

  /**
   * Sends a request and yields its responses, the final one last. A streamed data set is read no
   * faster than the network accepts it; if it throws, the association is aborted because the
   * message is incomplete.
   * @throws {RequestorError} if the association ends too early; any error of the data set
   */
  async *request(
    contextId: number,
    command: RequestCommand,
    dataSet?: Buffer | AsyncIterable<Buffer>,
    { responseSeconds = this.#limits.responseSeconds, cancel }: RequestOptions = {},
  ): AsyncGenerator<Message> {
    // PS3.7 §9.1: the id must be unique among outstanding requests, of which there is only one.
    this.#messageId = (this.#messageId % 0xffff) + 1
    const messageId = this.#messageId
    this.#isBusy = true
    const buffered = Buffer.isBuffer(dataSet) ? dataSet : undefined
    const sent = { ...command, messageId, hasDataSet: dataSet !== undefined }
    await this.#send([writeMessage(contextId, sent, buffered, this.maximumLength)])
    if (dataSet && !Buffer.isBuffer(dataSet)) await this.#stream(contextId, dataSet)

    let cancelTimer: NodeJS.Timeout | undefined
    const sendCancel = () => {
      this.#sendCancel(contextId, messageId)
      const { cancelSeconds } = this.#limits
      cancelTimer = setTimeout(
        () => this.#abortWith(timeoutError(this.#call, 'dicom.not-cancelled', cancelSeconds)),
        cancelSeconds * 1000,
      )
    }
    if (cancel?.aborted) sendCancel()
    else cancel?.addEventListener('abort', sendCancel)
    try {
      for (;;) {
        await this.#waitUntil(
          () => this.#responses.length > 0,
          responseSeconds,
          'dicom.no-request-answer',
        )
        const response = this.#next()
        // A late response to an earlier request is ignored.
        if (!response || response.command.messageIdBeingRespondedTo !== messageId) continue
        const isFinal = categoryOf(response.command.status ?? 0) !== 'pending'
        if (isFinal) this.#isBusy = false
        yield response
        if (isFinal) return
      }
    } finally {
      cancel?.removeEventListener('abort', sendCancel)
      clearTimeout(cancelTimer)
    }
  }

  #next(): Message | undefined {
    const response = this.#responses.shift()
    this.#waitingBytes -= sizeOf(response)
    if (this.#waitingBytes <= this.#limits.waitingBytes) this.socket.resume()
    return response
  }

  #sendCancel(contextId: number, messageIdBeingRespondedTo: number): void {
    if (!this.isOpen) return
    const command = {
      commandField: COMMAND_FIELD['C-CANCEL-RQ'],
      messageIdBeingRespondedTo,
      hasDataSet: false,
    }
    this.dispatch('Evt9', {
      bytes: [writeMessage(contextId, command, undefined, this.maximumLength)],
    })
  }

  /**
   * Sends a streamed data set. The next piece is read while the previous one is being sent, so at
   * most two are in memory.
   */
  async #stream(contextId: number, pieces: AsyncIterable<Buffer>): Promise<void> {
    const outgoing = new OutgoingDataSet(contextId, this.maximumLength)
    let sending: Promise<void> = Promise.resolve()
    try {
      for await (const piece of pieces) {
        await sending
        sending = this.#send(outgoing.push(piece))
        // Awaited below; until then a rejection must not count as unhandled.
        sending.catch(() => {})
      }
      await sending
      await this.#send(outgoing.end())
    } catch (error) {
      this.#abortWith(new RequestorError('cancelled', message('dicom.data-set-unread')))
      throw error
    }
  }

  async #send(parts: readonly Buffer[]): Promise<void> {
    if (this.#end) throw this.#end
    if (this.state !== 'Sta6')
      throw new RequestorError('aborted', message('dicom.association-over'))
    if (parts.length === 0) return
    const { stallSeconds } = this.#limits
    await this.writeData(parts, stallSeconds, () =>
      this.#abortWith(timeoutError(this.#call, 'dicom.took-no-data', stallSeconds)),
    )
    if (this.#end) throw this.#end
  }

  /** The connection exists from the start, and the peer never requests an association. */
  protected readonly effects: Partial<Record<Effect, (given: RequestorEventParameters) => void>> = {
    close: () => this.socket.destroySoon(),
    startArtim: () => this.startArtim(this.#limits.associateSeconds, () => this.dispatch('Evt18')),
    stopArtim: () => this.stopArtim(),
    send: (given) => this.write(given),
    sendAbort: (given) => {
      const { error, pdu } = given
      this.writeAbort(given)
      this.#finish(error ?? this.#aborted('dicom.sent-unexpected', { pdu: pdu?.type ?? 'PDU' }))
    },
    confirmAssociate: ({ pdu }) => {
      if (pdu?.type === 'A-ASSOCIATE-AC') {
        this.roles = pdu.user.roles
        this.maximumLength = pdu.user.maximumLength
        this.accepted = acceptedContexts(this.#options.contexts, pdu.presentationContexts)
      }
      if (pdu?.type === 'A-ASSOCIATE-RJ') this.#finish(rejectionError(pdu, this.#call))
      this.#notifyChange()
    },
    indicateData: ({ pdu }) => {
      if (pdu?.type === 'P-DATA-TF') this.#takeData(pdu.pdvs)
    },
    indicateRelease: () => {
      if (this.state === 'Sta8') this.#finish(this.#aborted('dicom.released-early'))
      this.dispatch('Evt14', { bytes: [writePdu({ type: 'A-RELEASE-RP' })] })
    },
    confirmRelease: () => this.#finish(undefined),
    indicateAbort: ({ error, pdu }) => {
      this.#finish(
        error ?? this.#aborted(pdu?.type === 'A-ABORT' ? 'dicom.aborted' : 'dicom.broke-off'),
      )
    },
  }

  #receive(chunk: Buffer): void {
    try {
      this.#reader?.push(chunk)
      while (this.#reader && this.state !== 'Sta1') {
        const pdu = this.#reader.next()
        if (!pdu) return
        this.dispatch(EVENT_OF_PDU[pdu.type], { pdu })
      }
    } catch (error) {
      this.#reader = undefined
      if (this.state === 'Sta1') return
      const reason = error instanceof PduFault ? error.reason : ABORT_REASON.notSpecified
      this.dispatch('Evt19', {
        abort: { source: ABORT_SOURCE.serviceProvider, reason },
        error:
          error instanceof PduFault
            ? this.#aborted('dicom.not-dicom', { fault: error.message })
            : this.#aborted('dicom.not-handled'),
      })
    }
  }

  #takeData(pdvs: readonly Pdv[]): void {
    for (const pdv of pdvs) {
      if (!this.accepted.some(({ id }) => id === pdv.contextId))
        throw invalidParameterFault(`presentation context ${pdv.contextId} was not accepted`)
      const response = this.#messages.push(pdv)
      if (!response) continue
      if (!(response.command.commandField & RESPONSE_BIT))
        throw invalidParameterFault('a request, of the side that answers requests')
      this.#responses.push(response)
      this.#waitingBytes += sizeOf(response)
      if (this.#waitingBytes > this.#limits.waitingBytes) this.socket.pause()
    }
    this.#notifyChange()
  }

  /**
   * Sends A-RELEASE, or A-ABORT while a request has no final response. Resolves when the release is
   * confirmed or the connection has ended.
   */
  async release(): Promise<void> {
    // PS3.8 §7.2: an orderly release is not possible while a response is outstanding.
    if (this.#isBusy) this.abort()
    if (!this.isOpen) return
    this.dispatch('Evt11', { bytes: [writePdu({ type: 'A-RELEASE-RQ' })] })
    await this.#waitUntil(
      () => this.#isReleased,
      this.#limits.associateSeconds,
      'dicom.no-release-answer',
    ).catch(() => {})
  }

  abort(): void {
    this.#abortWith(new RequestorError('cancelled', message('dicom.given-up')))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
    this.abort()
  }

  #abortWith(error: RequestorError): void {
    if (this.#end || this.#isReleased) return
    const isStalled = this.socket.writableLength > 0
    this.dispatch('Evt15', {
      abort: { source: ABORT_SOURCE.serviceUser, reason: ABORT_REASON.notSpecified },
      error,
    })
    if (isStalled) this.socket.destroy()
  }

  #lost(detail: Said, error = this.#aborted('dicom.broke-off-because', { detail })): void {
    this.stopArtim()
    if (this.state === 'Sta1') return
    this.dispatch('Evt17', { error })
    this.socket.destroy()
  }

  /** @param error why the association ended too early; undefined if it was released */
  #finish(error: RequestorError | undefined): void {
    this.#options.signal?.removeEventListener('abort', this.#cancelled)
    if (error) this.#end ??= error
    else this.#isReleased = true
    this.#notifyChange()
  }

  #notifyChange(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Waits for a condition. The association is aborted after this many seconds of silence. */
  async #waitUntil(condition: () => boolean, seconds: number, silence: MessageCode): Promise<void> {
    const stop = () => this.#abortWith(timeoutError(this.#call, silence, seconds))
    const timer = setTimeout(stop, seconds * 1000)
    try {
      while (!condition()) {
        if (this.#end) throw this.#end
        await this.#changed.promise
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #aborted(what: MessageCode, params: MessageParams = {}): RequestorError {
    const aeTitle = this.#call.calledAeTitle
    return new RequestorError('aborted', message(what, { aeTitle, ...params }))
  }
}

const sizeOf = (response: Message | undefined): number =>
  response ? 512 + (Buffer.isBuffer(response.dataSet) ? response.dataSet.length : 0) : 0
