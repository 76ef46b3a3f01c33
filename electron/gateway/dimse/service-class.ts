import type { CommandSet } from './command-set.ts'
import type { DimseLimits } from './limits.ts'
import type { Message } from './message.ts'
import type { AcceptedContext } from './presentation-contexts.ts'
import type { AssociationInfo, DimseResult } from './service.ts'
import type { SlicePool } from './slice-pool.ts'

/** A service class as SCP: what it is offered for and what it does. The server has one for each SOP class. */
export interface ServiceClass {
  readonly sopClasses: readonly string[]
  /** In our order of preference. */
  readonly transferSyntaxes: readonly string[]
  readonly acceptsScpRole: boolean
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
  /** Longest P-DATA-TF of the peer; 0: any. */
  readonly maximumLength: number
  readonly limits: DimseLimits
  readonly slices: SlicePool
  /** Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`). */
  readonly signal: AbortSignal
  /** Resolves when the network has taken the bytes (whole messages); false: there is no association any more. */
  send(bytes: Buffer): Promise<boolean>
  /** The final response that an exception of the service becomes: a DimseError's own, else C003 with a reference to the log. */
  failure(error: unknown): DimseResult
}

/** The final response, and what came before it. */
export interface Completion {
  readonly result: DimseResult
  /** Pending responses, sent and unsent. */
  readonly responses: number
  /** Whole messages that go out in one write with the final response. */
  readonly unsent?: Buffer | undefined
}
