import type { Socket } from 'node:net'
import { createDataSetStream, type DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE } from '#server/dicom/dimse/command-set.ts'
import {
  createMessageReader,
  type Message,
  type MessageReader,
} from '#server/dicom/dimse/message.ts'
import { createOperationQueue, type OperationQueue } from '#server/dicom/dimse/operation-queue.ts'
import type { AssociationInfo, Rejection, TlsPeer } from '#server/dicom/dimse/service.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import {
  accept,
  decide,
  type OpenAssociations,
  servicesOf,
  tooManyUnlisted,
  unacceptable,
} from './association-admission.ts'
import type { AssociationHost } from './association-host.ts'
import { lostBecause } from './connection-lost.ts'
import { freeBuffer } from './free-buffer.ts'
import type { DimseLimits } from './limits.ts'
import { ABORT_REASON, ABORT_SOURCE, type AssociateRq, PduFault, type Pdv } from './pdu.ts'
import { createPduReader, type PduReader } from './pdu-reader.ts'
import { writePdu } from './pdu-writer.ts'
import type { AcceptedContext, Negotiation } from './presentation-contexts.ts'
import { writeAtOnce } from './socket-write.ts'
import {
  type Effect,
  EVENT_OF_PDU,
  type Event,
  type Given,
  type State,
  transition,
} from './state-machine.ts'

/** How it ended, for the feed. */
type Ending = { readonly kind: 'released' | 'aborted'; readonly detail: string }

/** What an event brings an acceptor. */
interface AcceptorGiven extends Given {
  readonly rejection?: Rejection
  readonly request?: AssociateRq
  readonly open?: OpenAssociations
  readonly ending?: Ending
}

const NORMALIZED: ReadonlySet<number> = new Set([
  COMMAND_FIELD['N-CREATE-RQ'],
  COMMAND_FIELD['N-SET-RQ'],
  COMMAND_FIELD['N-ACTION-RQ'],
])

/** States in which DIMSE messages can still be sent. */
const SENDING: ReadonlySet<State> = new Set<State>(['Sta6', 'Sta8'])

/**
 * One connection as acceptor, from its first byte to its close, driven by the table of PS3.8 §9.2.
 */
export class Association {
  /** Undefined until an association is asked for. */
  info: AssociationInfo | undefined
  readonly remoteAddress: string
  /** What connections are counted by. */
  readonly host: string
  readonly #tls: TlsPeer | undefined
  readonly #socket: Socket
  readonly #host: AssociationHost
  /** The limits it began with: a change of settings is for those to come. */
  readonly #limits: DimseLimits
  #state: State = 'Sta1'
  #reader: PduReader | undefined
  readonly #messages: MessageReader
  /** The network's buffer that came last, while nothing else has views of it but the reader. */
  #chunk: Buffer | undefined
  #queue: OperationQueue | undefined
  #accepted: Negotiation['accepted'] = new Map()
  #artim: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #whenIdle = Promise.withResolvers<void>()
  #isOpen = false
  #isUnlisted = false
  #isEnded = false

  constructor(socket: Socket, host: AssociationHost, tls?: TlsPeer) {
    this.#socket = socket
    this.#tls = tls
    this.#host = host
    this.#limits = host.limits
    this.#reader = createPduReader(host.limits)
    this.#messages = createMessageReader(host.limits, {
      streamFor: (contextId, command) => this.#streamFor(contextId, command),
      mostBytes: (command) => this.#mostBytes(command),
    })
    this.remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
    this.host = hostOf(this.remoteAddress)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('end', () => this.#closed('connection closed by the peer'))
    socket.on('error', (error) => this.#closed(lostBecause(error)))
    socket.on('close', () => this.#closed('connection closed'))
    this.#dispatch('Evt5')
  }

  /** Accepted, and neither released nor aborted. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Open for a caller outside the device list. */
  get isUnlisted(): boolean {
    return this.#isUnlisted
  }

  get isBusy(): boolean {
    return this.#queue?.isBusy ?? false
  }

  /** Bytes kept of a PDU that has begun. */
  get heldBytes(): number {
    return this.#reader?.heldBytes ?? 0
  }

  /** Bytes kept of data sets that the peer sent while a request of its own is at work. */
  get aheadBytes(): number {
    return this.#queue?.isBusy ? this.#queue.waiting.bytes + (this.#messages.gatheredBytes ?? 0) : 0
  }

  /** Bytes kept of a data set that is not whole yet. */
  get gatheredBytes(): number {
    return this.#messages.gatheredBytes ?? 0
  }

  /** Resolves when no request is at work. */
  whenIdle(): Promise<void> {
    return this.isBusy && this.#isOpen ? this.#whenIdle.promise : Promise.resolve()
  }

  /** A-ABORT by the service provider, then the connection is closed as soon as that is sent. */
  terminate(detail: string): void {
    const isStalled = this.#socket.writableLength > 0
    if (this.#isOpen) this.#abort(ABORT_REASON.notSpecified, detail)
    else this.#end({ kind: 'aborted', detail })
    if (isStalled || this.#state === 'Sta2') this.#socket.destroy()
    else this.#socket.destroySoon()
  }

  /** Closes the connection without a word. */
  destroy(detail: string): void {
    this.#end({ kind: 'aborted', detail })
    this.#reader = undefined
    this.#socket.destroy()
  }

  #dispatch(event: Event, given: AcceptorGiven = {}, otherwise = false): void {
    const { effects, next } = transition(this.#state, event, otherwise)
    this.#state = next
    for (const effect of effects) this.#effects[effect]?.(given)
  }

  /** An acceptor never connects, and nothing is ever confirmed to it. */
  readonly #effects: Partial<Record<Effect, (given: AcceptorGiven) => void>> = {
    close: () => this.#socket.destroy(),
    startArtim: () => this.#startArtim(),
    stopArtim: () => clearTimeout(this.#artim),
    send: ({ bytes, taken }) => writeAtOnce(this.#socket, bytes ?? [], taken),
    sendReject: ({ rejection }) => {
      if (rejection) writeAtOnce(this.#socket, [writePdu({ type: 'A-ASSOCIATE-RJ', ...rejection })])
    },
    // A provider's abort, with its reason, in Sta2 too, where Table 9-9 says user: there is no user
    // yet, and a user's has no reason.
    sendAbort: ({
      abort = { source: ABORT_SOURCE.serviceProvider, reason: ABORT_REASON.unexpectedPdu },
      ending,
      pdu,
    }) => {
      writeAtOnce(this.#socket, [writePdu({ type: 'A-ABORT', ...abort })])
      this.#end(
        ending ?? {
          kind: 'aborted',
          detail: `aborted by the gateway: unexpected ${pdu?.type ?? 'PDU'}`,
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
      const side =
        pdu?.type === 'A-ABORT' && pdu.source === ABORT_SOURCE.serviceUser
          ? 'by the peer'
          : "by the peer's upper layer"
      this.#end(ending ?? { kind: 'aborted', detail: `aborted ${side}` })
    },
  }

  #receive(chunk: Buffer): void {
    this.#chunk = chunk
    if (this.#reader?.push(chunk) === false) this.#free()
    this.#read()
    if (this.#state === 'Sta2' && this.heldBytes > 0) this.#host.pendingGrew()
  }

  #read(): void {
    let hasCome = false
    try {
      while (this.#reader && this.#state !== 'Sta1') {
        if (this.#isOpen && this.#mustWait) return void this.#socket.pause()
        const pdu = this.#reader.next()
        if (!pdu) {
          if (this.#reader.heldBytes === 0 && (!this.#messages.isWithin || this.#messages.stream))
            this.#free()
          return
        }
        hasCome = true
        if (pdu.type === 'A-ASSOCIATE-RQ' && this.#state === 'Sta2') this.#request(pdu)
        else this.#dispatch(EVENT_OF_PDU[pdu.type], { pdu })
      }
    } catch (error) {
      this.#fault(error)
    } finally {
      if (hasCome) this.#idle?.refresh()
    }
  }

  /**
   * A study is tens of thousands of these buffers: left to the garbage collector, they cost more of
   * its time than receiving them.
   */
  #free(): void {
    if (this.#chunk) freeBuffer(this.#chunk)
    this.#chunk = undefined
  }

  /**
   * One operation at a time was negotiated (PS3.7 D.3.3.3): a peer that sends ahead may wait. Never
   * one with no request at work, nor one with nothing behind it, which may yet be cancelled.
   */
  get #mustWait(): boolean {
    if (!this.#queue?.isBusy) return false
    if ((this.#messages.stream?.waitingBytes ?? 0) > this.#limits.streamedBytes) return true
    const isAhead = this.#queue.waiting.requests > 0 || this.#messages.gatheredBytes !== undefined
    return this.#queue.isFull || (isAhead && this.#host.isTooMuchAhead)
  }

  #fault(error: unknown): void {
    this.#reader = undefined
    if (this.#state === 'Sta1') return
    const isPeers = error instanceof PduFault
    const reason = isPeers ? error.reason : ABORT_REASON.notSpecified
    const detail = isPeers ? error.message : `internal error ${this.#host.report(error)}`
    this.#dispatch('Evt19', {
      abort: { source: ABORT_SOURCE.serviceProvider, reason },
      ending: { kind: 'aborted', detail: `aborted by the gateway: ${detail}` },
    })
  }

  /** A-ABORT on our own account. */
  #abort(reason: number, detail: string): void {
    if (!this.#isOpen) return
    this.#dispatch('Evt15', {
      abort: { source: ABORT_SOURCE.serviceProvider, reason },
      ending: { kind: 'aborted', detail },
    })
  }

  // ---- A-ASSOCIATE

  #request(request: AssociateRq): void {
    const info: AssociationInfo = {
      associationId: this.#host.ids(),
      callingAeTitle: request.callingAeTitle,
      calledAeTitle: request.calledAeTitle,
      remoteAddress: this.remoteAddress,
      ...(this.#tls && { tls: this.#tls }),
    }
    this.info = info
    const open = this.#host.openAssociations(info)
    const rejection = unacceptable(request, open, this.#limits)
    if (!rejection) return void this.#dispatch('Evt6', { request, open })
    this.#dispatch('Evt6', { rejection }, true)
    this.#host.observer.rejected(info, rejection, servicesOf(request))
  }

  #decide(request: AssociateRq, open: OpenAssociations): void {
    const { info } = this
    if (!info) return
    const { observer, policy, serviceOf } = this.#host
    const decision = decide(request, info, open, policy)
    if ('reject' in decision) return void this.#reject(request, info, decision.reject)
    const tooMany = decision.isUnlisted ? tooManyUnlisted(open, this.#limits) : undefined
    if (tooMany) return void this.#reject(request, info, tooMany)
    this.#isUnlisted = decision.isUnlisted ?? false
    const { onlySopClasses } = decision
    const allowed = (uid: string) =>
      onlySopClasses && !onlySopClasses.includes(uid) ? undefined : serviceOf(uid)
    const { reply, accepted } = accept(request, allowed, this.#limits.maxPduLength)
    this.#accepted = accepted
    this.#queue = this.#openQueue(info, request.user.maximumLength)
    this.#isOpen = true
    this.#startIdle()
    this.#dispatch('Evt7', { bytes: [writePdu(reply)] })
    observer.opened(info, servicesOf(request), { request, results: reply.presentationContexts })
  }

  #reject(request: AssociateRq, info: AssociationInfo, rejection: Rejection): void {
    this.#dispatch('Evt8', { rejection })
    this.#host.observer.rejected(info, rejection, servicesOf(request))
  }

  #openQueue(association: AssociationInfo, maximumLength: number): OperationQueue {
    const { observer, slices, dataSlices, serviceOf, report, clock } = this.#host
    return createOperationQueue({
      association,
      maximumLength,
      limits: this.#limits,
      slices,
      dataSlices,
      serviceOf,
      send: (...parts) => this.#send(parts),
      answered: ({ abstractSyntax }, answer) =>
        observer.answered(association, { service: nameOfUid(abstractSyntax), ...answer }),
      eased: () => this.#eased(),
      report,
      broken: (error) =>
        this.#abort(
          ABORT_REASON.notSpecified,
          `aborted by the gateway: internal error ${report(error)}`,
        ),
      clock,
    })
  }

  // ---- P-DATA

  #takeData(pdvs: readonly Pdv[]): void {
    for (const pdv of pdvs) {
      const context = this.#accepted.get(pdv.contextId)
      if (!context)
        throw new PduFault(
          ABORT_REASON.invalidParameterValue,
          `presentation context ${pdv.contextId} was not accepted`,
        )
      const message = this.#messages.push(pdv)
      if (message) this.#takeMessage(message, context)
    }
  }

  #streamFor(contextId: number, { commandField }: CommandSet): DataSetStream | undefined {
    const context = this.#accepted.get(contextId)
    const service = context && this.#host.serviceOf(context.abstractSyntax)
    if (!service?.streams || !(commandField in service.commands)) return undefined
    return createDataSetStream(this.#host.dataSlices, this.#limits.dataSliceBytes, () => {
      this.#idle?.refresh()
      this.#resume()
    })
  }

  /** A list of what was stored is as long as the study. */
  #mostBytes({ commandField }: CommandSet): number {
    const { identifierBytes, normalizedBytes } = this.#limits
    return NORMALIZED.has(commandField) && !this.#host.isTooMuchGathered
      ? normalizedBytes
      : identifierBytes
  }

  #takeMessage(message: Message, context: AcceptedContext): void {
    const { commandField, messageIdBeingRespondedTo } = message.command
    if (commandField === COMMAND_FIELD['C-CANCEL-RQ']) {
      if (messageIdBeingRespondedTo !== undefined) this.#queue?.cancel(messageIdBeingRespondedTo)
      return
    }
    if (commandField & RESPONSE)
      throw new PduFault(ABORT_REASON.invalidParameterValue, 'response to a request we never made')
    this.#queue?.take(context, message)
  }

  /** Whole P-DATA-TFs in one write. A peer that does not take them within the limit is aborted. */
  #send(parts: readonly Buffer[]): Promise<boolean> {
    if (!SENDING.has(this.#state)) return Promise.resolve(false)
    return new Promise((resolve) => {
      const { stallSeconds } = this.#limits
      let stalled: NodeJS.Timeout | undefined
      const taken = (error?: Error | null) => {
        clearTimeout(stalled)
        resolve(!error)
      }
      this.#dispatch('Evt9', { bytes: parts, taken })
      // What fits into the system's buffer is taken at once.
      if (this.#socket.writableLength === 0) return
      stalled = setTimeout(() => {
        this.#abort(ABORT_REASON.notSpecified, `took no data for ${stallSeconds} s`)
        this.#socket.destroy()
      }, stallSeconds * 1000)
    })
  }

  #eased(): void {
    if (!this.isBusy) {
      this.#idle?.refresh()
      this.#whenIdle.resolve()
      this.#whenIdle = Promise.withResolvers()
    }
    this.#resume()
  }

  #resume(): void {
    if (!this.#socket.isPaused()) return
    this.#socket.resume()
    this.#read()
  }

  /** Silence is the peer's only while no request is at work: at its end the clock begins anew. */
  #startIdle(): void {
    const { idleSeconds } = this.#limits
    this.#idle = setTimeout(() => {
      if (!this.isBusy || this.#queue?.isStarved)
        this.#abort(ABORT_REASON.notSpecified, `silent for ${idleSeconds} s`)
    }, idleSeconds * 1000)
  }

  // ---- A-RELEASE and the end

  #release(): void {
    // PS3.8 §7.2: with a message half sent there is nothing orderly about it.
    if (this.#messages.isWithin)
      return void this.#abort(
        ABORT_REASON.unexpectedPdu,
        'aborted by the gateway: released within a message',
      )
    this.#end({ kind: 'released', detail: 'released by the peer' })
    this.#dispatch('Evt14', { bytes: [writePdu({ type: 'A-RELEASE-RP' })] })
  }

  #startArtim(): void {
    clearTimeout(this.#artim)
    this.#artim = setTimeout(() => {
      this.#end({ kind: 'aborted', detail: `asked for nothing for ${this.#limits.artimSeconds} s` })
      this.#dispatch('Evt18')
    }, this.#limits.artimSeconds * 1000)
  }

  /**
   * The association, or what never became one, is over; the connection may last until the peer
   * closes it.
   */
  #end(ending: Ending): void {
    const { info } = this
    const wasOpen = this.#isOpen
    this.#isOpen = false
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#queue?.end()
    this.#whenIdle.resolve()
    // A rejected association was neither open nor never asked for: `rejected` said it all.
    if (!this.#isEnded && (wasOpen || !info)) {
      this.#host.observer.closed(info, { ...ending, remoteAddress: this.remoteAddress })
    }
    this.#isEnded = true
  }

  #closed(detail: string): void {
    this.#end({ kind: 'aborted', detail })
    if (this.#state !== 'Sta1') this.#dispatch('Evt17', { ending: { kind: 'aborted', detail } })
    clearTimeout(this.#artim)
    this.#socket.destroy()
  }
}
