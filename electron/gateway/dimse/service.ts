import type { DimseStatus } from './status.ts'

/** Ports of the acceptor: what a service class asks of the slice that stands on it (design.md §6.7). */

export interface AssociationInfo {
  readonly associationId: string
  /** Trimmed, as received. */
  readonly callingAeTitle: string
  readonly calledAeTitle: string
  /** IP address of the requestor, IPv4-mapped IPv6 in IPv4 form. */
  readonly remoteAddress: string
}

/** Identifiers of pending responses, encoded in the request's transfer syntax, one after the other. */
export interface EncodedIdentifiers {
  readonly bytes: Buffer
  /** End offset of each identifier in `bytes`; the first begins at 0. */
  readonly ends: Uint32Array
}

/** A final DIMSE status with what PS3.7 C.4 lets go with it. */
export interface DimseResult {
  readonly status: DimseStatus
  /** ErrorComment (0000,0902), LO: ASCII, at most 64 characters, never about a patient. */
  readonly errorComment?: string
  /** OffendingElement (0000,0901): tags. */
  readonly offendingElements?: readonly number[]
}

export interface CFindRequest {
  readonly association: AssociationInfo
  readonly messageId: number
  readonly transferSyntax: string
  /** The identifier as received, at most `Limits.identifierBytes`; `undefined` where the request had none. */
  readonly identifier: Buffer | undefined
  /** Aborted by C-CANCEL (reason `'cancel'`) or when the association ends (reason `'association'`). */
  readonly signal: AbortSignal
}

/**
 * PS3.4 K.4.1: pending responses as they become known, then the final one.
 * A batch yielded again as the same object is framed only once. After C-CANCEL the generator is returned and FE00 is sent,
 * unless it returns a result of its own.
 */
export interface CFindScp {
  find(request: CFindRequest): AsyncGenerator<EncodedIdentifiers, DimseResult, void>
}

export interface CEchoScp {
  echo(request: { readonly association: AssociationInfo; readonly messageId: number }): Promise<DimseResult>
}

/** PS3.8 Table 9-21. */
export interface Rejection {
  readonly result: 1 | 2
  readonly source: 1 | 2 | 3
  readonly reason: number
  /** For the feed and the log, no patient data. */
  readonly why: string
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
  decide(
    request: AssociationRequest,
  ): { readonly accept: true; readonly onlySopClasses?: readonly string[] } | { readonly reject: Rejection }
}

/** What happened on the network; every call is synchronous and must not throw. */
export interface AssociationObserver {
  opened(association: AssociationInfo, services: readonly string[]): void
  rejected(association: AssociationInfo, rejection: Rejection, services: readonly string[]): void
  /** A response with its final status has been written. */
  answered(
    association: AssociationInfo,
    answer: { readonly service: string; readonly status: DimseStatus; readonly responses: number; readonly ms: number },
  ): void
  /** how: released, or aborted with the side and the reason in words. `association` is undefined for a connection that never asked. */
  closed(
    association: AssociationInfo | undefined,
    how: { readonly kind: 'released' | 'aborted'; readonly detail: string; readonly remoteAddress: string },
  ): void
}
