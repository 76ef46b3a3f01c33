import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'
import type { CommandSet } from './command-set.ts'
import type { Message } from './message.ts'
import type { AssociationInfo } from './service.ts'
import type { DimseResult } from './status.ts'
import type { SubOperations } from './sub-operations.ts'

/**
 * A service class as SCP: the SOP classes it is offered for and its operations. The server has one
 * for each SOP class.
 */
export interface ServiceClass {
  readonly sopClasses: readonly string[]
  /** Accepts further SOP classes, by the form of the UID or by a setting. */
  readonly offers?: (sopClass: string) => boolean
  /** In order of preference. */
  readonly transferSyntaxes: readonly string[]
  /** See `Offer`. */
  readonly acceptsScpRole: false | readonly string[]
  /** See `Offer`. */
  readonly scpCompressions?: () => readonly string[]
  /** Answers the options that a requestor proposes (PS3.7 D.3.3.5). */
  readonly negotiateOptions?: (proposed: Buffer) => Buffer
  /** Whether data sets of any length are streamed to the service: see `Operation.fragments`. */
  readonly streams?: true
  /** The operations by command field; any other request is answered with 0211. */
  readonly commands: Readonly<Record<number, OperationHandler>>
}

/** A {@link DimseError} becomes the final response; any other exception is answered with C003. */
export type OperationHandler = (operation: Operation) => Promise<Completion>

/** A request being performed. */
export interface Operation {
  readonly association: AssociationInfo
  readonly context: AcceptedContext
  readonly messageId: number
  readonly command: CommandSet
  readonly dataSet: Message['dataSet']
  /** The streamed data set, if the service streams; `dataSet` is then undefined. */
  readonly fragments: AsyncIterable<readonly Buffer[]> | undefined
  /** The peer's maximum P-DATA-TF length in bytes; 0: unlimited. */
  readonly maximumLength: number
  /** The contexts on which the peer is the SCP, and the requests that can be sent on them. */
  readonly peerAsScp: readonly AcceptedContext[]
  readonly subOperations: Pick<SubOperations, 'request'>
  readonly limits: DimseLimits
  readonly slices: SlicePool
  /** The pool of the slices in which files are sent. */
  readonly retrievalSlices: SlicePool
  /** The pool of the slices of `fragments`. */
  readonly dataSlices: SlicePool
  /**
   * Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`).
   */
  readonly signal: AbortSignal
  /**
   * Sends complete messages. Resolves to true when the network has accepted them, and to false if
   * the association has ended.
   */
  send(bytes: Buffer): Promise<boolean>
  /**
   * The final response for an exception of the service: that of a DimseError, or C003 with a log
   * reference.
   */
  failure(error: unknown): DimseResult
}

/** The final response, and the pending responses before it. */
export interface Completion {
  readonly result: DimseResult
  /** Number of pending responses, sent and unsent. */
  readonly responses: number
  /** Complete messages to be sent in one write with the final response. */
  readonly unsent?: Buffer | undefined
  /**
   * Elements of the final response other than its status, such as the Affected SOP Instance UID.
   */
  readonly response?: Partial<CommandSet>
  /**
   * The data set of the final response, in the transfer syntax of the request's context. Only the
   * responses of a retrieval have one (PS3.4 C.4.2.1.4.2).
   */
  readonly identifier?: Buffer
}
