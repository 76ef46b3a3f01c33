import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE } from './command-set.ts'
import { type Message, writeMessage } from './message.ts'
import type { Answered, AssociationInfo } from './service.ts'
import type { Completion, Operation, ServiceClass } from './service-class.ts'
import type { DimseResult } from './status.ts'
import { DimseError } from './status.ts'

/** What the queue needs of its association and its server. */
export interface OperationHost {
  readonly association: AssociationInfo
  readonly maximumLength: number
  readonly limits: DimseLimits
  readonly slices: SlicePool
  readonly dataSlices: SlicePool
  serviceOf(abstractSyntax: string): ServiceClass | undefined
  /** Whole messages, in one write; false: there is no association any more. */
  send(...parts: readonly Buffer[]): Promise<boolean>
  /** A final response has gone out. */
  answered(context: AcceptedContext, answer: Omit<Answered, 'service'>): void
  /**
   * A request has begun, and waits no longer; or the last one has been answered, and the queue is
   * no longer busy.
   */
  eased(): void
  /**
   * Notes an exception that is none of ours to explain; gives the reference under which it is
   * noted.
   */
  report(error: unknown): string
  /** The queue itself broke: the association cannot go on. */
  broken(error: unknown): void
  clock(): number
}

interface Request {
  readonly context: AcceptedContext
  readonly message: Message
  readonly messageId: number
  readonly controller: AbortController
}

/**
 * The requests of one association, performed one after the other: we negotiate no asynchronous
 * operations (PS3.7 D.3.3.3), and a peer that sends ahead is answered in order.
 */
export interface OperationQueue {
  readonly isBusy: boolean
  /** Nothing more should be read until `eased`. */
  readonly isFull: boolean
  /** The request at work waits for more of its data set: silence is the peer's. */
  readonly isStarved: boolean
  /** Requests that wait while another one is at work, and bytes of their data sets. */
  readonly waiting: { readonly requests: number; readonly bytes: number }
  take(context: AcceptedContext, message: Message): void
  /**
   * PS3.7 §9.3.2.3: C-CANCEL of a running or a waiting search; of anything else, or too late, it is
   * ignored.
   */
  cancel(messageId: number): void
  /** The association is over: nothing is answered any more. */
  end(): void
}

const CANCELLED: DimseResult = { status: 0xfe00 }

const bytesOf = (requests: readonly Request[]): number =>
  requests.reduce(
    (sum, { message: { dataSet, stream } }) =>
      sum + (stream?.waitingBytes ?? (Buffer.isBuffer(dataSet) ? dataSet.length : 0)),
    0,
  )

export function createOperationQueue(host: OperationHost): OperationQueue {
  const waiting: Request[] = []
  let running: Request | undefined

  async function work(): Promise<void> {
    for (let request = waiting.shift(); request; request = waiting.shift()) {
      running = request
      host.eased()
      await answer(request, host)
    }
    running = undefined
    host.eased()
  }

  return {
    get isBusy() {
      return running !== undefined
    },
    get isFull() {
      return (
        waiting.length >= host.limits.queuedRequests || bytesOf(waiting) > host.limits.queuedBytes
      )
    },
    get isStarved() {
      return running?.message.stream?.isStarved ?? false
    },
    get waiting() {
      return { requests: waiting.length, bytes: bytesOf(waiting) }
    },
    take(context, message) {
      waiting.push({
        context,
        message,
        messageId: message.command.messageId ?? 0,
        controller: new AbortController(),
      })
      if (!running) work().catch((error: unknown) => host.broken(error))
    },
    cancel(messageId) {
      const request =
        running?.messageId === messageId
          ? running
          : waiting.find((other) => other.messageId === messageId)
      // The others have no Cancel among their statuses: C-FIND alone of what is served here.
      if (request?.message.command.commandField === COMMAND_FIELD['C-FIND-RQ'])
        request.controller.abort('cancel')
    },
    end() {
      for (const { message } of waiting.splice(0)) message.stream?.cutOff()
      running?.controller.abort('association')
      running?.message.stream?.cutOff()
    },
  }
}

async function answer(request: Request, host: OperationHost): Promise<void> {
  const { context, message, messageId, controller } = request
  const started = host.clock()
  const { result, responses, unsent, response } = await performed(request, host)
  // PS3.7 §9.1.1: the response is to the whole request, so what a service did not want is still
  // read to its end.
  await message.stream?.discard()
  if (controller.signal.reason === 'association') return
  const final = finalResponse(message.command, messageId, context, result)
  const reply = writeMessage(
    context.id,
    response ? { ...final, ...response } : final,
    undefined,
    host.maximumLength,
  )
  if (!(await host.send(...(unsent ? host.slices.extend(unsent, reply) : [reply])))) return
  if (unsent) host.slices.give(unsent)
  const { commandField } = message.command
  const bytes =
    message.stream?.receivedBytes ?? (Buffer.isBuffer(message.dataSet) ? message.dataSet.length : 0)
  host.answered(context, {
    commandField,
    status: result.status,
    responses,
    ms: host.clock() - started,
    bytes,
  })
}

async function performed(
  { context, message, messageId, controller }: Request,
  host: OperationHost,
): Promise<Completion> {
  const { signal } = controller
  const { command, dataSet, stream } = message
  if (signal.aborted) return { result: CANCELLED, responses: 0 }
  const operation: Operation = {
    association: host.association,
    context,
    messageId,
    command,
    dataSet,
    fragments: stream?.fragments,
    maximumLength: host.maximumLength,
    limits: host.limits,
    slices: host.slices,
    dataSlices: host.dataSlices,
    signal,
    send: (bytes) => host.send(bytes),
    failure: (error) => failureOf(error, host),
  }
  try {
    const perform = host.serviceOf(context.abstractSyntax)?.commands[command.commandField]
    // PS3.7 C.5.12
    if (!perform) throw new DimseError(0x0211)
    const sopClass =
      command.affectedSopClassUid ?? command.requestedSopClassUid ?? context.abstractSyntax
    // PS3.7 C.5.6
    if (sopClass !== context.abstractSyntax) throw new DimseError(0x0122)
    return await perform(operation)
  } catch (error) {
    // Nobody is left to be answered, and that its peer went away is no error of the service.
    if (signal.reason === 'association') return { result: CANCELLED, responses: 0 }
    return { result: failureOf(error, host), responses: 0 }
  }
}

function failureOf(error: unknown, host: OperationHost): DimseResult {
  if (error instanceof DimseError) return error.result
  return { status: 0xc003, errorComment: `Gateway internal error ${host.report(error)}` }
}

// PS3.7 Tables 9.1-2 and 9.3-2 and the like: a final response has no data set.
function finalResponse(
  request: CommandSet,
  messageId: number,
  { abstractSyntax }: AcceptedContext,
  result: DimseResult,
): CommandSet {
  const { status, offendingElements, errorComment, errorId } = result
  return {
    affectedSopClassUid: abstractSyntax,
    commandField: request.commandField | RESPONSE,
    messageIdBeingRespondedTo: messageId,
    hasDataSet: false,
    status,
    ...(offendingElements && { offendingElements }),
    ...(errorComment !== undefined && { errorComment }),
    ...(errorId !== undefined && { errorId }),
  }
}
