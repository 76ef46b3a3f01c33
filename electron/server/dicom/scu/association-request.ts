import {
  APPLICATION_CONTEXT,
  IMPLEMENTATION,
  TRANSFER_SYNTAX,
} from '#server/dicom/data-set/uids.ts'
import type { CommandSet } from '#server/dicom/dimse/command-set.ts'
import type { Peer } from '#server/dicom/upper-layer/connection.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { AssociateRq, ContextResult, RoleSelection } from '#server/dicom/upper-layer/pdu.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'

/** A proposed presentation context; its id follows from its position. */
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
  /** Limit for establishing the connection, including TLS. */
  readonly connectSeconds: number
  /** Limit from A-ASSOCIATE-RQ to its response, and from A-RELEASE-RQ to its response. */
  readonly associateSeconds: number
  /** Limit for silence after a request and between its responses. */
  readonly responseSeconds: number
  /** Limit from a C-CANCEL to the final response. */
  readonly cancelSeconds: number
  /** Bytes of unread responses after which the connection is not read. */
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
  /** Roles other than SCU (PS3.7 D.3.3.4). */
  readonly roles?: readonly RoleSelection[]
  readonly limits?: Partial<RequestorLimits> | undefined
  /** Aborts the association, whatever it is doing. */
  readonly signal?: AbortSignal | undefined
}

/** A request without the fields set by the association, such as the message id. */
export type RequestCommand = Omit<CommandSet, 'messageId' | 'hasDataSet'>

export interface RequestOptions {
  /** Overrides the limit of the association, for services that are silent while they work. */
  readonly responseSeconds?: number
  /** Sends C-CANCEL when aborted; the final response is still awaited (PS3.7 §9.3.2.3). */
  readonly cancel?: AbortSignal | undefined
}

/** PS3.8 §9.3.2.2: odd, from 1. */
const contextIdOf = (at: number): number => at * 2 + 1

export function associateRq(
  { peer, callingAeTitle, contexts, roles = [] }: AssociationOptions,
  maximumLength: number,
): AssociateRq {
  return {
    type: 'A-ASSOCIATE-RQ',
    protocolVersion: 1,
    calledAeTitle: peer.aeTitle,
    callingAeTitle,
    applicationContext: APPLICATION_CONTEXT,
    presentationContexts: contexts.map((context, at) => ({ id: contextIdOf(at), ...context })),
    user: {
      maximumLength,
      implementationClassUid: IMPLEMENTATION.classUid,
      implementationVersionName: IMPLEMENTATION.versionName,
      asynchronousOperations: undefined,
      roles,
    },
  }
}

/** The proposed contexts that the peer accepted. */
export function acceptedContexts(
  proposed: readonly ContextProposal[],
  results: readonly ContextResult[],
): AcceptedContext[] {
  return proposed.flatMap(({ abstractSyntax, transferSyntaxes }, at) => {
    const id = contextIdOf(at)
    const answer = results.find((result) => result.id === id)
    if (answer?.result !== 0) return []
    // PS3.8 §9.3.3.2: one of the proposed transfer syntaxes. Some peers omit it if only one was
    // proposed.
    const [only = ''] = transferSyntaxes.length === 1 ? transferSyntaxes : []
    const transferSyntax = answer.transferSyntax || only
    return transferSyntaxes.includes(transferSyntax) ? [{ id, abstractSyntax, transferSyntax }] : []
  })
}

/** The instances and contexts of one association. */
export interface Batch<I> {
  readonly instances: readonly I[]
  readonly contexts: readonly ContextProposal[]
}

/** PS3.8 §9.3.2.2: ids are odd and have one byte. */
const MAX_CONTEXTS = 128

/** Transfer syntaxes that every application entity supports (PS3.5 §10), in order of preference. */
export const DEFAULT_TRANSFER_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
]

/**
 * Divides instances into batches whose presentation contexts fit into one association. Each
 * transfer syntax has its own context, so that the peer cannot choose another one and instances are
 * sent unchanged. The order is preserved within a batch.
 */
export function batchesOf<
  I extends { readonly sopClassUid: string; readonly transferSyntaxUid: string },
>(instances: readonly I[]): Batch<I>[] {
  const batches: { readonly instances: I[]; readonly contexts: Map<string, ContextProposal> }[] = []
  for (const instance of instances) {
    const neededContexts = contextsOf(instance)
    let batch = batches.find(({ contexts }) => neededContexts.every(([key]) => contexts.has(key)))
    batch ??= batches.find(
      ({ contexts }) =>
        contexts.size + neededContexts.filter(([key]) => !contexts.has(key)).length <= MAX_CONTEXTS,
    )
    if (!batch) {
      batch = { instances: [], contexts: new Map() }
      batches.push(batch)
    }
    batch.instances.push(instance)
    for (const [key, context] of neededContexts) batch.contexts.set(key, context)
  }
  return batches.map(({ instances: part, contexts }) => ({
    instances: part,
    contexts: [...contexts.values()],
  }))
}

const contextsOf = ({
  sopClassUid,
  transferSyntaxUid,
}: {
  readonly sopClassUid: string
  readonly transferSyntaxUid: string
}) =>
  [...new Set([transferSyntaxUid, ...DEFAULT_TRANSFER_SYNTAXES])].map(
    (uid) =>
      [`${sopClassUid} ${uid}`, { abstractSyntax: sopClassUid, transferSyntaxes: [uid] }] as const,
  )
