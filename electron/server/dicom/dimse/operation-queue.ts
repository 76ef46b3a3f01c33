import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import type { Acceptor } from '#server/dicom/upper-layer/acceptor.ts'
import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE_BIT } from './command-set.ts'
import { type Message, writeMessage } from './message.ts'
import type { AssociationInfo } from './service.ts'
import type { Completion } from './service-class.ts'
import { DimseError, type DimseResult } from './status.ts'
import { SubOperations, type SubOperationTarget } from './sub-operations.ts'

/** The association that requests arrive on and responses are sent to. */
export interface RequestSource extends SubOperationTarget {
  /**
   * Called when a waiting request has started, or when the last one has been answered and the queue
   * is idle.
   */
  requestsMoved(): void
  /** Called after an internal error of the queue; the association cannot continue. */
  requestsFailed(error: unknown): void
}

/** What was negotiated with the peer. */
interface QueuePeer {
  /** Its maximum P-DATA-TF length in bytes; 0: unlimited. */
  readonly maximumLength: number
  /** The contexts on which it is the SCP. */
  readonly scpContexts: readonly AcceptedContext[]
}

interface Request {
  readonly context: AcceptedContext
  readonly message: Message
  readonly messageId: number
  readonly controller: AbortController
}

const CANCELLED: DimseResult = { status: 0xfe00 }

/** The services that have a Cancel status. */
const CANCELLABLE_COMMANDS: ReadonlySet<number> = new Set([
  COMMAND_FIELD['C-FIND-RQ'],
  COMMAND_FIELD['C-GET-RQ'],
  COMMAND_FIELD['C-MOVE-RQ'],
])

const bytesOf = (requests: readonly Request[]): number =>
  requests.reduce(
    (sum, { message: { dataSet, stream } }) => sum + (stream?.waitingBytes ?? lengthOf(dataSet)),
    0,
  )

const lengthOf = (dataSet: Message['dataSet']): number =>
  Buffer.isBuffer(dataSet) ? dataSet.length : 0

/**
 * The requests of one association, performed one at a time. The gateway does not negotiate
 * asynchronous operations (PS3.7 D.3.3.3), so a peer that sends ahead is answered in order.
 */
export class OperationQueue {
  readonly #acceptor: Acceptor
  readonly #limits: DimseLimits
  readonly #association: AssociationInfo
  readonly #peer: QueuePeer
  readonly #subOperations: SubOperations
  readonly #source: RequestSource
  readonly #waiting: Request[] = []
  #running: Request | undefined

  constructor(
    acceptor: Acceptor,
    limits: DimseLimits,
    association: AssociationInfo,
    peer: QueuePeer,
    source: RequestSource,
  ) {
    this.#acceptor = acceptor
    this.#limits = limits
    this.#association = association
    this.#peer = peer
    this.#source = source
    this.#subOperations = new SubOperations(source, peer.maximumLength, limits.responseSeconds)
  }

  get isBusy(): boolean {
    return this.#running !== undefined
  }

  /** Whether no further requests should be read until one has been answered. */
  get isFull(): boolean {
    const { queuedRequests, queuedBytes } = this.#limits
    return this.#waiting.length >= queuedRequests || this.waitingBytes > queuedBytes
  }

  /**
   * Whether the current request is waiting for data of its data set, so that the idle timeout
   * applies.
   */
  get isStarved(): boolean {
    return this.#running?.message.stream?.isStarved ?? false
  }

  /** Number of requests waiting behind the current one. */
  get waitingRequests(): number {
    return this.#waiting.length
  }

  /** Total length of their data sets in bytes. */
  get waitingBytes(): number {
    return bytesOf(this.#waiting)
  }

  take(context: AcceptedContext, message: Message): void {
    const messageId = message.command.messageId ?? 0
    this.#waiting.push({ context, message, messageId, controller: new AbortController() })
    if (!this.#running) this.#work().catch((error: unknown) => this.#source.requestsFailed(error))
  }

  /** A response to a sub-operation; false if no such request was made. */
  takeResponse(response: Message): boolean {
    return this.#subOperations.take(response)
  }

  /**
   * PS3.7 §9.3.2.3: C-CANCEL of a running or waiting search or retrieval. Ignored for other requests
   * and after the final response.
   */
  cancel(messageId: number): void {
    const request =
      this.#running?.messageId === messageId
        ? this.#running
        : this.#waiting.find((other) => other.messageId === messageId)
    if (request && CANCELLABLE_COMMANDS.has(request.message.command.commandField))
      request.controller.abort('cancel')
  }

  /** Ends the queue with the association; no further responses are sent. */
  end(): void {
    for (const { message } of this.#waiting.splice(0)) message.stream?.cutOff()
    this.#running?.controller.abort('association')
    this.#running?.message.stream?.cutOff()
    this.#subOperations.end()
  }

  async #work(): Promise<void> {
    for (let request = this.#waiting.shift(); request; request = this.#waiting.shift()) {
      this.#running = request
      this.#source.requestsMoved()
      await this.#answer(request)
    }
    this.#running = undefined
    this.#source.requestsMoved()
  }

  async #answer(request: Request): Promise<void> {
    const { context, message, messageId, controller } = request
    const startedAt = performance.now()
    const { result, responses, unsent, response, identifier } = await this.#performed(request)
    // PS3.7 §9.1.1: a response follows the complete request, so data that the service did not read
    // is discarded first.
    await message.stream?.discard()
    if (controller.signal.reason === 'association') return
    const final = finalResponse(message.command, messageId, context, result)
    const command = { ...final, ...response, hasDataSet: identifier !== undefined }
    const reply = writeMessage(context.id, command, identifier, this.#peer.maximumLength)
    const { slices, observer } = this.#acceptor
    if (!(await this.#source.send(unsent ? slices.extend(unsent, reply) : [reply]))) return
    if (unsent) slices.give(unsent)
    observer.answered(this.#association, {
      service: nameOfUid(context.abstractSyntax),
      commandField: message.command.commandField,
      status: result.status,
      responses,
      ms: performance.now() - startedAt,
      bytes: message.stream?.receivedBytes ?? lengthOf(message.dataSet),
      exchange: {
        ...{ context, request: message.command, response: command },
        dataSet: Buffer.isBuffer(message.dataSet) ? message.dataSet : undefined,
      },
    })
  }

  async #performed({ context, message, messageId, controller }: Request): Promise<Completion> {
    const { signal } = controller
    const { command, dataSet, stream } = message
    if (signal.aborted) return { result: CANCELLED, responses: 0 }
    try {
      const service = this.#acceptor.serviceOf(context.abstractSyntax)
      const perform = service?.commands[command.commandField]
      // PS3.7 C.5.12: unrecognized operation
      if (!perform) throw new DimseError(0x0211)
      const sopClass =
        command.affectedSopClassUid ?? command.requestedSopClassUid ?? context.abstractSyntax
      // PS3.7 C.5.6: SOP class not supported
      if (sopClass !== context.abstractSyntax) throw new DimseError(0x0122)
      return await perform({
        association: this.#association,
        context,
        messageId,
        command,
        dataSet,
        fragments: stream?.fragments,
        maximumLength: this.#peer.maximumLength,
        peerAsScp: this.#peer.scpContexts,
        subOperations: this.#subOperations,
        limits: this.#limits,
        slices: this.#acceptor.slices,
        retrievalSlices: this.#acceptor.retrievalSlices,
        dataSlices: this.#acceptor.dataSlices,
        signal,
        send: (bytes) => this.#source.send([bytes]),
        failure: (error) => this.#failure(error),
      })
    } catch (error) {
      // The association has ended, so the error is not reported and no response can be sent.
      if (signal.reason === 'association') return { result: CANCELLED, responses: 0 }
      return { result: this.#failure(error), responses: 0 }
    }
  }

  #failure(error: unknown): DimseResult {
    if (error instanceof DimseError) return error.result
    const errorComment = `Gateway internal error ${this.#acceptor.report(error)}`
    return { status: 0xc003, errorComment }
  }
}

function finalResponse(
  request: CommandSet,
  messageId: number,
  { abstractSyntax }: AcceptedContext,
  result: DimseResult,
): CommandSet {
  return {
    affectedSopClassUid: abstractSyntax,
    commandField: request.commandField | RESPONSE_BIT,
    messageIdBeingRespondedTo: messageId,
    hasDataSet: false,
    ...result,
  }
}
