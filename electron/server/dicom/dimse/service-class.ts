import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import type { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'
import type { CommandSet } from './command-set.ts'
import type { Message } from './message.ts'
import type { AssociationInfo } from './service.ts'
import type { DimseResult } from './status.ts'

/**
 * A service class as SCP: what it is offered for and what it does. The server has one for each SOP
 * class.
 */
export interface ServiceClass {
  readonly sopClasses: readonly string[]
  /** Beside `sopClasses`, where a class is known by its form or by a setting. */
  readonly offers?: (sopClass: string) => boolean
  /** In our order of preference. */
  readonly transferSyntaxes: readonly string[]
  readonly acceptsScpRole: boolean
  /**
   * Data sets are given to the service while they arrive, whatever their length: see
   * `Operation.fragments`.
   */
  readonly streams?: true
  /** What is done at a request, by its command field; any other is answered 0211. */
  readonly commands: Readonly<Record<number, Perform>>
}

/** A {@link DimseError} becomes the final response; any other exception C003. */
export type Perform = (operation: Operation) => Promise<Completion>

/** One request, while it is at work. */
export interface Operation {
  readonly association: AssociationInfo
  readonly context: AcceptedContext
  readonly messageId: number
  readonly command: CommandSet
  readonly dataSet: Message['dataSet']
  /** The data set as it arrives, where the service streams; `dataSet` is then undefined. */
  readonly fragments: AsyncIterable<readonly Buffer[]> | undefined
  /** Longest P-DATA-TF of the peer; 0: any. */
  readonly maximumLength: number
  readonly limits: DimseLimits
  readonly slices: SlicePool
  /** Where the slices of `fragments` come from. */
  readonly dataSlices: SlicePool
  /**
   * Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`).
   */
  readonly signal: AbortSignal
  /**
   * Resolves when the network has taken the bytes (whole messages); false: there is no association
   * any more.
   */
  send(bytes: Buffer): Promise<boolean>
  /**
   * The final response that an exception of the service becomes: a DimseError's own, else C003 with
   * a reference to the log.
   */
  failure(error: unknown): DimseResult
}

/** The final response, and what came before it. */
export interface Completion {
  readonly result: DimseResult
  /** Pending responses, sent and unsent. */
  readonly responses: number
  /** Whole messages that go out in one write with the final response. */
  readonly unsent?: Buffer | undefined
  /** Elements of the final response beside its status, such as the Affected SOP Instance UID. */
  readonly response?: Partial<CommandSet>
}
