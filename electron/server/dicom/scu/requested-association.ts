import type { CommandSet } from '#server/dicom/dimse/command-set.ts'
import type { Message } from '#server/dicom/dimse/message.ts'
import type { Peer } from '#server/dicom/upper-layer/connection.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { RoleSelection } from '#server/dicom/upper-layer/pdu.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'

/** A presentation context that we ask for; its id is its place. */
export interface ContextProposal {
  readonly abstractSyntax: string
  readonly transferSyntaxes: readonly string[]
}

export interface RequestorLimits
  extends Pick<
    DimseLimits,
    | 'maxPduLength'
    | 'associateBytes'
    | 'commandSetBytes'
    | 'identifierBytes'
    | 'drainedBytes'
    | 'stallSeconds'
  > {
  /** From the call to the connection, TLS included. */
  readonly connectSeconds: number
  /** From the A-ASSOCIATE-RQ to its answer, and from the A-RELEASE-RQ to its. */
  readonly associateSeconds: number
  /** Silence after a request, and between its responses. */
  readonly responseSeconds: number
  /** From a C-CANCEL to the final response. */
  readonly cancelSeconds: number
  /** Data sets of responses that were not asked for yet; then the connection is not read. */
  readonly waitingBytes: number
}

export const REQUESTOR_LIMITS: RequestorLimits = {
  ...DEFAULT_LIMITS,
  connectSeconds: 10,
  associateSeconds: 30,
  responseSeconds: 120,
  cancelSeconds: 30,
  waitingBytes: 1 << 20,
}

export interface AssociationOptions {
  readonly peer: Peer
  readonly callingAeTitle: string
  /** At most 128 (PS3.8 §9.3.2.2). */
  readonly contexts: readonly ContextProposal[]
  /** Roles other than that of the SCU (PS3.7 D.3.3.4). */
  readonly roles?: readonly RoleSelection[]
  readonly limits?: Partial<RequestorLimits>
  /** Gives up whatever is at work: the association is aborted. */
  readonly signal?: AbortSignal | undefined
}

/** A request as its service knows it: the message id is given here. */
export type RequestCommand = Omit<CommandSet, 'messageId' | 'hasDataSet'>

export interface RequestOptions {
  /** Instead of the association's, for services that work long without a word. */
  readonly responseSeconds?: number
  /** Sends C-CANCEL; the final response is still waited for (PS3.7 §9.3.2.3). */
  readonly cancel?: AbortSignal
}

/** An association that the other side accepted. Only one request is at work at a time. */
export interface RequestedAssociation extends AsyncDisposable {
  /** In the order they were proposed. */
  readonly accepted: readonly AcceptedContext[]
  /** Roles the other side named in its answer. */
  readonly roles: readonly RoleSelection[]
  /** Longest P-DATA-TF the other side takes, bytes; 0: any. */
  readonly maximumLength: number
  /** Neither released, aborted nor lost. */
  readonly isOpen: boolean
  /**
   * Sends a request and gives its responses, the final one last. A data set that comes piece by
   * piece is sent as it comes, and read no faster than the network takes it; where it throws, the
   * association is aborted: what was sent is no whole message.
   * @throws {RequestorError} where the association does not last until the final response;
   *   whatever the data set throws.
   */
  request(
    contextId: number,
    command: RequestCommand,
    dataSet?: Buffer | AsyncIterable<Buffer>,
    options?: RequestOptions,
  ): AsyncGenerator<Message>
  /**
   * A-RELEASE, or A-ABORT while a request has no final response. Resolves when it is confirmed or
   * the connection is gone.
   */
  release(): Promise<void>
  /** A-ABORT. */
  abort(): void
}
