import type { InstanceToSend, SendResult } from '#server/dicom/scu/store.ts'
import type { AssociateRq, ContextResult } from '#server/dicom/upper-layer/pdu.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import type { Message } from '#shared/messages/message.ts'
import type { CommandSet } from './command-set.ts'
import type { DimseResult, DimseStatus } from './status.ts'

/** Interfaces of the acceptor that the modules implement. */

export interface AssociationInfo {
  readonly associationId: string
  /** Trimmed. */
  readonly callingAeTitle: string
  readonly calledAeTitle: string
  /** IP address of the requestor; IPv4-mapped IPv6 addresses as IPv4. */
  readonly remoteAddress: string
  /** Set if the connection uses TLS (PS3.15 B.12). */
  readonly tls?: TlsPeer
}

/** The TLS properties of the connection and its peer. */
export interface TlsPeer {
  /** `TLSv1.2` or `TLSv1.3`. */
  readonly protocol: string
  readonly cipher: string
  /**
   * SHA-256 of the certificate that the peer authenticated with, upper-case hex with colons;
   * undefined if it sent none.
   */
  readonly fingerprint256: string | undefined
  /**
   * Whether the certificate was issued by one of the listener's trusted authorities and is
   * currently valid.
   */
  readonly isTrusted: boolean
}

/**
 * The identifiers of pending responses, encoded in the request's transfer syntax and concatenated.
 */
export interface EncodedIdentifiers {
  readonly bytes: Buffer
  /** End offset of each identifier in `bytes`; the first starts at 0. */
  readonly ends: Uint32Array
  /** Whether optional keys of the request are not supported: status FF01 instead of FF00. */
  readonly hasUnsupportedKeys?: boolean
}

export interface CFindRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly sopClassUid: string
  readonly transferSyntax: string
  /** The options of the SOP class, if they were negotiated (PS3.7 D.3.3.5). */
  readonly options?: Buffer | undefined
  /**
   * The identifier as received, at most `DimseLimits.identifierBytes` long; the service may keep it.
   * `undefined` if the request had none.
   */
  readonly identifier: Buffer | undefined
  /**
   * Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`).
   */
  readonly signal: AbortSignal
}

/**
 * PS3.4 K.4.1: yields pending responses as they become available and returns the final one. A batch
 * that is yielded repeatedly as the same object is encoded only once. After C-CANCEL the generator
 * is returned and FE00 is sent, unless it returns its own result.
 */
export interface CFindScp {
  find(request: CFindRequest): AsyncGenerator<EncodedIdentifiers, DimseResult, void>
}

/** PS3.4 Annex B: an instance being received. */
export interface CStoreRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /** Affected SOP Class UID and Instance UID of the command, as received; '' if missing. */
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  /** Set if the instance is sent on behalf of a C-MOVE (PS3.7 Table 9.3-1). */
  readonly moveOriginatorAeTitle: string | undefined
  /** The stored instance whose file was requested. The object is refused if it no longer exists. */
  readonly requestedInstanceId?: number
  /**
   * The bytes of the data set in order; each iteration yields at least one slice. The connection is
   * not read while too much data waits. Throws if the association ends before the data set. If the
   * service stops reading early, the rest is discarded before the response is sent.
   */
  readonly dataSet: AsyncIterable<readonly Buffer[]>
  /** Returns a slice that is no longer used to the pool. */
  release(slice: Buffer): void
  readonly signal: AbortSignal
}

export interface CStoreScp {
  /** Returns Success only if the instance has been stored permanently. */
  store(request: CStoreRequest): Promise<DimseResult>
}

/** A C-MOVE or C-GET (PS3.4 C.4.2, C.4.3). */
export interface RetrievalRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  /** SOP class of the request, which names the information model. */
  readonly sopClassUid: string
  readonly transferSyntax: string
  /** At most `DimseLimits.identifierBytes` long; undefined if the request had none. */
  readonly identifier: Buffer | undefined
  /** A C-MOVE names the AE that receives the instances; a C-GET receives them itself. */
  readonly to: { readonly moveDestination: string } | { readonly send: SendOnAssociation }
  /**
   * Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`).
   */
  readonly signal: AbortSignal
}

/** An instance whose file has this length in bytes. */
export interface FileToSend extends InstanceToSend {
  readonly bytes: number
}

/**
 * Sends instances one after the other on the association of the request, each in its own transfer
 * syntax. Yields one result for each and never throws.
 */
export type SendOnAssociation = <I extends FileToSend>(
  instances: readonly I[],
) => AsyncGenerator<SendResult<I>, void, void>

/** The result of one C-STORE sub-operation. */
export interface SubOperationResult {
  readonly sopInstanceUid: string
  readonly outcome: 'completed' | 'warning' | 'failed'
  /** Why it failed; contains no patient data. */
  readonly reason?: Message | undefined
}

/** The instances selected by a request, and the sub-operations that send them. */
export interface Retrieval {
  readonly instances: number
  /** Yields one result for each instance. Returned early if the request is cancelled. */
  perform(): AsyncGenerator<SubOperationResult, void, void>
}

export interface RetrievalScp {
  /** @throws DimseError if the request is refused; nothing has then been sent */
  retrieve(request: RetrievalRequest): Promise<Retrieval>
}

/** A request of a DIMSE-N service (PS3.7 §10.1). */
export interface NormalizedRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /** Affected or requested SOP Instance UID; undefined if an N-CREATE leaves it to the SCP. */
  readonly sopInstanceUid: string | undefined
  readonly dataSet: Buffer | undefined
  readonly signal: AbortSignal
}

/** PS3.4 F.7.2: Modality Performed Procedure Step as SCP. */
export interface MppsScp {
  /** The result names the created instance: the requested UID or a generated one. */
  create(
    request: NormalizedRequest,
  ): Promise<DimseResult & { readonly sopInstanceUid: string | undefined }>
  set(request: NormalizedRequest): Promise<DimseResult>
}

/**
 * PS3.4 J.3.2: Storage Commitment Push Model as SCP. The commitment result is sent later, by
 * N-EVENT-REPORT.
 */
export interface StorageCommitmentScp {
  action(request: NormalizedRequest & { readonly actionTypeId: number }): Promise<DimseResult>
}

/**
 * PS3.4 J.3.3: Storage Commitment Push Model as SCU, which receives the result that it asked for
 * over an association that the SCP opens.
 */
export interface StorageCommitmentScu {
  eventReport(request: NormalizedRequest & { readonly eventTypeId: number }): Promise<DimseResult>
}

/** PS3.8 Table 9-21. */
export interface Rejection {
  readonly result: 1 | 2
  readonly source: 1 | 2 | 3
  readonly reason: number
  /** Completes a sentence in the live feed; contains no patient data. */
  readonly why: Message
  /** `why` is a complete sentence. */
  readonly isSentence?: true
}

export interface AssociationRequest extends AssociationInfo {
  /** The proposed abstract syntaxes. */
  readonly abstractSyntaxes: readonly string[]
  /** Number of open associations: all, and those of the same AE title and address. */
  readonly openAssociations: number
  readonly openFromCaller: number
}

/** Decides who may associate and for what. Called synchronously for each A-ASSOCIATE-RQ. */
export interface AssociationPolicy {
  decide(request: AssociationRequest):
    | {
        readonly accept: true
        /** The caller is not in the device list; such callers share a part of the associations. */
        readonly isUnlisted?: boolean
        readonly onlySopClasses?: readonly string[]
      }
    | { readonly reject: Rejection }
  /**
   * Whether the host belongs to a listed device. Its connections have priority when there are too
   * many.
   */
  isExpectedHost?(host: string): boolean
}

/** What was proposed and accepted for an association (PS3.8 §9.3.2, §9.3.3). */
export interface NegotiatedContexts {
  readonly request: AssociateRq
  /** One result for each proposed context, in the same order. */
  readonly results: readonly ContextResult[]
}

/** A request that has been answered. */
export interface AnsweredRequest {
  readonly service: string
  /** Command field of the request (PS3.7 E.1). */
  readonly commandField: number
  readonly status: DimseStatus
  readonly responses: number
  readonly ms: number
  /** Length of the request's data set. */
  readonly bytes: number
  /** The messages themselves, for a trace of the association. */
  readonly exchange?: Exchange
}

/** A request and its final response. */
export interface Exchange {
  readonly context: AcceptedContext
  readonly request: CommandSet
  readonly response: CommandSet
  /** The data set of the request; undefined if it had none, or was streamed to its service. */
  readonly dataSet: Buffer | undefined
}

/** Receives network events. All calls are synchronous and must not throw. */
export interface AssociationObserver {
  opened(
    association: AssociationInfo,
    services: readonly string[],
    negotiated: NegotiatedContexts,
  ): void
  /** `request` is what the caller proposed. */
  rejected(
    association: AssociationInfo,
    rejection: Rejection,
    services: readonly string[],
    request?: AssociateRq,
  ): void
  /** Called when the final response has been written. */
  answered(association: AssociationInfo, answer: AnsweredRequest): void
  /**
   * Called when an association ends. how: released, or aborted with the side and the reason.
   * `association` is undefined for a connection that never requested one.
   */
  closed(
    association: AssociationInfo | undefined,
    how: {
      readonly kind: 'released' | 'aborted'
      readonly detail: Message
      readonly remoteAddress: string
    },
  ): void
}
