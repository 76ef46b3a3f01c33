import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE_BIT } from '#server/dicom/dimse/command-set.ts'
import { type Message, MessageReader } from '#server/dicom/dimse/message.ts'
import { OperationQueue, type RequestSource } from '#server/dicom/dimse/operation-queue.ts'
import type { AssociationInfo, Rejection, TlsPeer } from '#server/dicom/dimse/service.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import { freeBuffer } from '#server/platform/free-buffer.ts'
import { message, type Message as Said, verbatim } from '#shared/messages/message.ts'
import type { AcceptedConnection, Acceptor } from './acceptor.ts'
import {
  accept,
  decide,
  type OpenAssociations,
  providerRejection,
  serviceNamesOf,
} from './association-admission.ts'
import {
  abortedHereMessage,
  connectionLostMessage,
  internalErrorMessage,
  writeAll,
} from './connection.ts'
import type { DimseLimits } from './limits.ts'
import {
  ABORT_REASON,
  ABORT_SOURCE,
  type AssociateRq,
  invalidParameterFault,
  PduFault,
  type Pdv,
} from './pdu.ts'
import { PduReader } from './pdu-reader.ts'
import { writePdu } from './pdu-writer.ts'
import type { AcceptedContext, Negotiation } from './presentation-contexts.ts'
import { ProtocolMachine } from './protocol-machine.ts'
import { type Effect, EVENT_OF_PDU, type EventParameters, type State } from './state-machine.ts'

/** How the association ended, for the live feed. */
type Ending = { readonly kind: 'released' | 'aborted'; readonly detail: Said }

interface AcceptorEventParameters extends EventParameters {
  readonly rejection?: Rejection
  readonly request?: AssociateRq
  readonly open?: OpenAssociations
  readonly ending?: Ending
}

/** States in which DIMSE messages can still be sent. */
const SENDING_STATES: ReadonlySet<State> = new Set<State>(['Sta6', 'Sta8'])

/** A connection in the acceptor role, driven by the state table of PS3.8 §9.2. */
export class Association
  extends ProtocolMachine<AcceptorEventParameters>
  implements AcceptedConnection, RequestSource
{
  /** Undefined until an association is requested. */
  info: AssociationInfo | undefined
  /** Whether the association was accepted and is neither released nor aborted. */
  isOpen = false
  /** Whether the caller is not in the device list. */
  isUnlisted = false
  readonly remoteAddress: string
  /** The host that connections are counted by. */
  readonly host: string
  readonly #tls: TlsPeer | undefined
  readonly #acceptor: Acceptor
  /** Limits at the start of the connection; changed settings apply to new connections. */
  readonly #limits: DimseLimits
  #reader: PduReader | undefined
  readonly #messages: MessageReader
  /** The latest network buffer, while only the reader has views of it. */
  #chunk: Buffer | undefined
  #queue: OperationQueue | undefined
  #accepted: Negotiation['accepted'] = new Map()
  #idle: NodeJS.Timeout | undefined
  #whenIdle = Promise.withResolvers<void>()
  #isEnded = false

  constructor(socket: Socket, acceptor: Acceptor, tls?: TlsPeer) {
    super(socket)
    this.#tls = tls
    this.#acceptor = acceptor
    this.#limits = acceptor.limits
    this.#reader = new PduReader(acceptor.limits)
    this.#messages = new MessageReader(
      acceptor.limits,
      (contextId, command) => this.#streamFor(contextId, command),
      ({ commandField }) => acceptor.maxBytesFor(commandField),
    )
    this.remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
    this.host = hostOf(this.remoteAddress)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('end', () => this.#closed(message('dicom.closed-by-peer')))
    socket.on('error', (error) => this.#closed(connectionLostMessage(error)))
    socket.on('close', () => this.#closed(message('dicom.connection-closed')))
    this.dispatch('Evt5')
  }

  get isBusy(): boolean {
    return this.#queue?.isBusy ?? false
  }

  /** Bytes held of an incomplete PDU. */
  get heldBytes(): number {
    return this.#reader?.heldBytes ?? 0
  }

  /** Bytes held of data sets that the peer sent ahead during one of its requests. */
  get aheadBytes(): number {
    return this.#queue?.isBusy ? this.#queue.waitingBytes + (this.#messages.gatheredBytes ?? 0) : 0
  }

  /** Bytes held of an incomplete data set. */
  get gatheredBytes(): number {
    return this.#messages.gatheredBytes ?? 0
  }

  /** Resolves when no request is being performed. */
  whenIdle(): Promise<void> {
    return this.isBusy && this.isOpen ? this.#whenIdle.promise : Promise.resolve()
  }

  /** Sends A-ABORT as service provider and closes the connection after it has been sent. */
  terminate(detail: Said): void {
    const isStalled = this.socket.writableLength > 0
    if (this.isOpen) this.#abort(ABORT_REASON.notSpecified, detail)
    else this.#end({ kind: 'aborted', detail })
    if (isStalled || this.state === 'Sta2') this.socket.destroy()
    else this.socket.destroySoon()
  }

  /** Closes the connection without an A-ABORT. */
  destroy(detail: Said): void {
    this.#end({ kind: 'aborted', detail })
    this.#reader = undefined
    this.socket.destroy()
  }

  /** Sends complete P-DATA-TFs in one write; aborts a peer that accepts them too slowly. */
  send(parts: readonly Buffer[]): Promise<boolean> {
    if (!SENDING_STATES.has(this.state)) return Promise.resolve(false)
    const { stallSeconds } = this.#limits
    return this.writeData(parts, stallSeconds, () => {
      this.#abort(
        ABORT_REASON.notSpecified,
        message('dicom.peer-took-no-data', { seconds: stallSeconds }),
      )
      this.socket.destroy()
    })
  }

  requestsMoved(): void {
    if (!this.isBusy) {
      this.#idle?.refresh()
      this.#whenIdle.resolve()
      this.#whenIdle = Promise.withResolvers()
    }
    this.#resume()
  }

  requestsFailed(error: unknown): void {
    const reference = this.#acceptor.report(error)
    this.#abort(ABORT_REASON.notSpecified, abortedHereMessage(internalErrorMessage(reference)))
  }

  /** An acceptor never connects and never receives a confirmation. */
  protected readonly effects: Partial<Record<Effect, (given: AcceptorEventParameters) => void>> = {
    close: () => this.socket.destroy(),
    startArtim: () => {
      const { artimSeconds } = this.#limits
      this.startArtim(artimSeconds, () => {
        const detail = message('dicom.asked-nothing', { seconds: artimSeconds })
        this.#end({ kind: 'aborted', detail })
        this.dispatch('Evt18')
      })
    },
    stopArtim: () => this.stopArtim(),
    send: (given) => this.write(given),
    sendReject: ({ rejection }) => {
      if (rejection) writeAll(this.socket, [writePdu({ type: 'A-ASSOCIATE-RJ', ...rejection })])
    },
    sendAbort: (given) => {
      const { ending, pdu } = given
      this.writeAbort(given)
      this.#end(
        ending ?? {
          kind: 'aborted',
          detail: abortedHereMessage(message('dicom.unexpected-pdu', { pdu: pdu?.type ?? 'PDU' })),
        },
      )
    },
    indicateAssociate: ({ request, open }) => {
      if (request && open) this.#decide(request, open)
    },
    indicateData: ({ pdu }) => {
      if (pdu?.type === 'P-DATA-TF') this.#takeData(pdu.pdvs)
    },
    indicateRelease: () => this.#release(),
    indicateAbort: ({ ending, pdu }) => {
      const isServiceUserAbort = pdu?.type === 'A-ABORT' && pdu.source === ABORT_SOURCE.serviceUser
      const detail = message(
        isServiceUserAbort ? 'dicom.aborted-by-peer' : 'dicom.aborted-by-upper-layer',
      )
      this.#end(ending ?? { kind: 'aborted', detail })
    },
  }

  #receive(chunk: Buffer): void {
    this.#chunk = chunk
    if (this.#reader?.push(chunk) === false) this.#free()
    this.#read()
    if (this.state === 'Sta2' && this.heldBytes > 0) this.#acceptor.closeSurplusBytes()
  }

  #read(): void {
    let hasReadPdu = false
    try {
      while (this.#reader && this.state !== 'Sta1') {
        if (this.isOpen && this.#mustPause) return void this.socket.pause()
        const pdu = this.#reader.next()
        if (!pdu) {
          if (this.#reader.heldBytes === 0 && (!this.#messages.isWithin || this.#messages.stream))
            this.#free()
          return
        }
        hasReadPdu = true
        if (pdu.type === 'A-ASSOCIATE-RQ' && this.state === 'Sta2') this.#request(pdu)
        else this.dispatch(EVENT_OF_PDU[pdu.type], { pdu })
      }
    } catch (error) {
      this.#fault(error)
    } finally {
      if (hasReadPdu) this.#idle?.refresh()
    }
  }

  /**
   * Releases network buffers explicitly. A study arrives in tens of thousands of them, and garbage
   * collection would take longer than receiving them.
   */
  #free(): void {
    if (this.#chunk) freeBuffer(this.#chunk)
    this.#chunk = undefined
  }

  /**
   * Whether reading should pause. One operation at a time was negotiated (PS3.7 D.3.3.3), so a peer
   * that sends ahead may wait. Never true without a current request, nor if nothing waits behind
   * it, because a C-CANCEL may still arrive.
   */
  get #mustPause(): boolean {
    if (!this.#queue?.isBusy) return false
    if ((this.#messages.stream?.waitingBytes ?? 0) > this.#limits.streamedBytes) return true
    const hasPendingMessages =
      this.#queue.waitingRequests > 0 || this.#messages.gatheredBytes !== undefined
    return this.#queue.isFull || (hasPendingMessages && this.#acceptor.exceedsAheadLimit)
  }

  #fault(error: unknown): void {
    this.#reader = undefined
    if (this.state === 'Sta1') return
    const isPeerFault = error instanceof PduFault
    const reason = isPeerFault ? error.reason : ABORT_REASON.notSpecified
    const detail = isPeerFault
      ? verbatim(error.message)
      : internalErrorMessage(this.#acceptor.report(error))
    this.dispatch('Evt19', {
      abort: { source: ABORT_SOURCE.serviceProvider, reason },
      ending: { kind: 'aborted', detail: abortedHereMessage(detail) },
    })
  }

  #abort(reason: number, detail: Said): void {
    if (!this.isOpen) return
    this.dispatch('Evt15', {
      abort: { source: ABORT_SOURCE.serviceProvider, reason },
      ending: { kind: 'aborted', detail },
    })
  }

  // ---- A-ASSOCIATE

  #request(request: AssociateRq): void {
    const info: AssociationInfo = {
      associationId: randomUUID(),
      callingAeTitle: request.callingAeTitle,
      calledAeTitle: request.calledAeTitle,
      remoteAddress: this.remoteAddress,
      ...(this.#tls && { tls: this.#tls }),
    }
    this.info = info
    const open = this.#acceptor.openAssociations(info)
    const rejection = providerRejection(request, open, this.#limits)
    if (!rejection) return void this.dispatch('Evt6', { request, open })
    this.dispatch('Evt6', { rejection }, true)
    this.#acceptor.observer.rejected(info, rejection, serviceNamesOf(request), request)
  }

  #decide(request: AssociateRq, open: OpenAssociations): void {
    const { info } = this
    if (!info) return
    const { observer, policy } = this.#acceptor
    const decision = decide(request, info, open, policy, this.#limits)
    if ('reject' in decision) {
      this.dispatch('Evt8', { rejection: decision.reject })
      observer.rejected(info, decision.reject, serviceNamesOf(request), request)
      return
    }
    this.isUnlisted = decision.isUnlisted ?? false
    const { onlySopClasses } = decision
    const isAllowedClass = (uid: string) =>
      onlySopClasses && !onlySopClasses.includes(uid) ? undefined : this.#acceptor.serviceOf(uid)
    const { maxPduLength } = this.#limits
    const { reply, accepted, requestorAsScp } = accept(request, isAllowedClass, maxPduLength)
    this.#accepted = accepted
    const peer = { maximumLength: request.user.maximumLength, scpContexts: requestorAsScp }
    this.#queue = new OperationQueue(this.#acceptor, this.#limits, info, peer, this)
    this.isOpen = true
    this.#startIdle()
    this.dispatch('Evt7', { bytes: [writePdu(reply)] })
    observer.opened(info, serviceNamesOf(request), { request, results: reply.presentationContexts })
  }

  // ---- P-DATA

  #takeData(pdvs: readonly Pdv[]): void {
    for (const pdv of pdvs) {
      const context = this.#accepted.get(pdv.contextId)
      if (!context)
        throw invalidParameterFault(`presentation context ${pdv.contextId} was not accepted`)
      const received = this.#messages.push(pdv)
      if (received) this.#takeMessage(received, context)
    }
  }

  #streamFor(contextId: number, { commandField }: CommandSet): DataSetStream | undefined {
    const context = this.#accepted.get(contextId)
    const service = context && this.#acceptor.serviceOf(context.abstractSyntax)
    if (!service?.streams || !(commandField in service.commands)) return undefined
    return new DataSetStream(this.#acceptor.dataSlices, this.#limits.dataSliceBytes, () => {
      this.#idle?.refresh()
      this.#resume()
    })
  }

  #takeMessage(received: Message, context: AcceptedContext): void {
    const { commandField, messageIdBeingRespondedTo } = received.command
    if (commandField === COMMAND_FIELD['C-CANCEL-RQ']) {
      if (messageIdBeingRespondedTo !== undefined) this.#queue?.cancel(messageIdBeingRespondedTo)
      return
    }
    if (!(commandField & RESPONSE_BIT)) this.#queue?.take(context, received)
    else if (!this.#queue?.takeResponse(received))
      throw invalidParameterFault('response to a request we never made')
  }

  #resume(): void {
    if (!this.socket.isPaused()) return
    this.socket.resume()
    this.#read()
  }

  /** Starts the idle timeout. It runs only while no request is being performed. */
  #startIdle(): void {
    const { idleSeconds } = this.#limits
    this.#idle = setTimeout(() => {
      if (!this.isBusy || this.#queue?.isStarved)
        this.#abort(ABORT_REASON.notSpecified, message('dicom.idle', { seconds: idleSeconds }))
    }, idleSeconds * 1000)
  }

  // ---- A-RELEASE and the end

  #release(): void {
    // PS3.8 §7.2: an orderly release is not possible within a message.
    if (this.#messages.isWithin)
      return void this.#abort(
        ABORT_REASON.unexpectedPdu,
        abortedHereMessage(message('dicom.released-within-message')),
      )
    this.#end({ kind: 'released', detail: message('dicom.released') })
    this.dispatch('Evt14', { bytes: [writePdu({ type: 'A-RELEASE-RP' })] })
  }

  /**
   * Ends the association, or a connection that never became one. The connection may stay open until
   * the peer closes it.
   */
  #end(ending: Ending): void {
    const { info } = this
    const wasOpen = this.isOpen
    this.isOpen = false
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#queue?.end()
    this.#whenIdle.resolve()
    // A rejected association has already been reported by `rejected`.
    if (!this.#isEnded && (wasOpen || !info)) {
      this.#acceptor.observer.closed(info, { ...ending, remoteAddress: this.remoteAddress })
    }
    this.#isEnded = true
  }

  #closed(detail: Said): void {
    this.#end({ kind: 'aborted', detail })
    if (this.state !== 'Sta1') this.dispatch('Evt17', { ending: { kind: 'aborted', detail } })
    this.stopArtim()
    this.socket.destroy()
  }
}
