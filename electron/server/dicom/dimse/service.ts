import type { AssociateRq, ContextResult } from '#server/dicom/upper-layer/pdu.ts'
import type { Message } from '#shared/messages/message.ts'
import type { DimseResult, DimseStatus } from './status.ts'

/**
 * Ports of the acceptor: what a service class asks of the slice that stands on it.
 */

export interface AssociationInfo {
  readonly associationId: string
  /** Trimmed, as received. */
  readonly callingAeTitle: string
  readonly calledAeTitle: string
  /** IP address of the requestor, IPv4-mapped IPv6 in IPv4 form. */
  readonly remoteAddress: string
  /** Present where the connection is by TLS (PS3.15 B.12). */
  readonly tls?: TlsPeer
}

/** What TLS says of the peer. */
export interface TlsPeer {
  /** `TLSv1.2` or `TLSv1.3`. */
  readonly protocol: string
  readonly cipher: string
  /**
   * SHA-256 of the certificate the peer proved to own, upper-case hex with colons; undefined where
   * it showed none.
   */
  readonly fingerprint256: string | undefined
  /** One of the listener's authorities issued that certificate, and it is in force. */
  readonly isTrusted: boolean
}

/**
 * Identifiers of pending responses, encoded in the request's transfer syntax, one after the other.
 */
export interface EncodedIdentifiers {
  readonly bytes: Buffer
  /** End offset of each identifier in `bytes`; the first begins at 0. */
  readonly ends: Uint32Array
}

export interface CFindRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /**
   * The identifier as received, at most `Limits.identifierBytes`, which the service may keep;
   * `undefined` where the request had none.
   */
  readonly identifier: Buffer | undefined
  /**
   * Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`).
   */
  readonly signal: AbortSignal
}

/**
 * PS3.4 K.4.1: pending responses as they become known, then the final one. A batch yielded again as
 * the same object is framed only once. After C-CANCEL the generator is returned and FE00 is sent,
 * unless it returns a result of its own.
 */
export interface CFindScp {
  find(request: CFindRequest): AsyncGenerator<EncodedIdentifiers, DimseResult, void>
}

/** PS3.4 Annex B: one instance, while it is arriving. */
export interface CStoreRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /** Affected SOP Class and Instance UID of the command, as received; '' where they are missing. */
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  /** Where the instance comes of a C-MOVE (PS3.7 Table 9.3-1). */
  readonly moveOriginatorAeTitle: string | undefined
  /**
   * The data set's bytes in order, as the network brings them: each turn gives a slice or more. The
   * connection is not read while too much waits here. Throws where the association ends before the
   * data set does. A service that stops reading early has the rest discarded before its response
   * goes out.
   */
  readonly dataSet: AsyncIterable<readonly Buffer[]>
  /** Gives a slice of the data set back that nobody reads any more, to be filled again. */
  release(slice: Buffer): void
  readonly signal: AbortSignal
}

export interface CStoreScp {
  /** Success only when the instance is kept for good. */
  store(request: CStoreRequest): Promise<DimseResult>
}

/** A request of the normalized services (PS3.7 §10.1). */
export interface NormalizedRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /** Affected or requested SOP Instance UID; undefined where an N-CREATE leaves it to us. */
  readonly sopInstanceUid: string | undefined
  readonly dataSet: Buffer | undefined
  readonly signal: AbortSignal
}

/** PS3.4 F.7.2: Modality Performed Procedure Step, as SCP. */
export interface MppsScp {
  /** The result names the instance: the one asked for, or the one we made. */
  create(
    request: NormalizedRequest,
  ): Promise<DimseResult & { readonly sopInstanceUid: string | undefined }>
  set(request: NormalizedRequest): Promise<DimseResult>
}

/**
 * PS3.4 J.3.2: Storage Commitment Push Model, as SCP; the result of the commitment goes out by
 * itself later (N-EVENT-REPORT).
 */
export interface StorageCommitmentScp {
  action(request: NormalizedRequest & { readonly actionTypeId: number }): Promise<DimseResult>
}

/** PS3.8 Table 9-21. */
export interface Rejection {
  readonly result: 1 | 2
  readonly source: 1 | 2 | 3
  readonly reason: number
  /** For the feed, as part of a sentence; no patient data. */
  readonly why: Message
  /** `why` is a whole sentence. */
  readonly isSentence?: true
}

export interface AssociationRequest extends AssociationInfo {
  /** Abstract syntaxes proposed. */
  readonly abstractSyntaxes: readonly string[]
  /** Associations now open: all, and those from the same AE title and address. */
  readonly openAssociations: number
  readonly openFromCaller: number
}

/** Who may associate, and for what. Decided synchronously, at A-ASSOCIATE-RQ. */
export interface AssociationPolicy {
  decide(request: AssociationRequest):
    | {
        readonly accept: true
        /** Of a caller outside the device list: those share a part of the associations. */
        readonly isUnlisted?: boolean
        readonly onlySopClasses?: readonly string[]
      }
    | { readonly reject: Rejection }
  /**
   * Whether a host is that of a listed device: its connections are kept where there are too many.
   */
  isExpectedHost?(host: string): boolean
}

/** What was proposed and what was agreed when an association began (PS3.8 §9.3.2, §9.3.3). */
export interface Negotiated {
  readonly request: AssociateRq
  /** One for each proposed context, in the same order. */
  readonly results: readonly ContextResult[]
}

/** A request that was answered. */
export interface Answered {
  readonly service: string
  /** Of the request (PS3.7 E.1). */
  readonly commandField: number
  readonly status: DimseStatus
  readonly responses: number
  readonly ms: number
  /** Of the request's data set. */
  readonly bytes: number
}

/** What happened on the network; every call is synchronous and must not throw. */
export interface AssociationObserver {
  opened(association: AssociationInfo, services: readonly string[], negotiated: Negotiated): void
  rejected(association: AssociationInfo, rejection: Rejection, services: readonly string[]): void
  /** A response with its final status has been written. */
  answered(association: AssociationInfo, answer: Answered): void
  /**
   * how: released, or aborted with the side and the reason. `association` is undefined for
   * a connection that never asked.
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
