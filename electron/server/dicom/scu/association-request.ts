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
  readonly limits?: Partial<RequestorLimits> | undefined
  /** Gives up whatever is at work: the association is aborted. */
  readonly signal?: AbortSignal | undefined
}

/** A request as its service knows it: the message id is given here. */
export type RequestCommand = Omit<CommandSet, 'messageId' | 'hasDataSet'>

export interface RequestOptions {
  /** Instead of the association's, for services that are silent while they work. */
  readonly responseSeconds?: number
  /** Sends C-CANCEL; the final response is still waited for (PS3.7 §9.3.2.3). */
  readonly cancel?: AbortSignal | undefined
}

/** PS3.8 §9.3.2.2: odd, from 1. */
const idOf = (at: number): number => at * 2 + 1

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
    presentationContexts: contexts.map((context, at) => ({ id: idOf(at), ...context })),
    user: {
      maximumLength,
      implementationClassUid: IMPLEMENTATION.classUid,
      implementationVersionName: IMPLEMENTATION.versionName,
      asynchronousOperations: undefined,
      roles,
    },
  }
}

/** Of the contexts that were proposed, those that the other side took. */
export function acceptedContexts(
  proposed: readonly ContextProposal[],
  results: readonly ContextResult[],
): AcceptedContext[] {
  return proposed.flatMap(({ abstractSyntax, transferSyntaxes }, at) => {
    const id = idOf(at)
    const answer = results.find((result) => result.id === id)
    if (answer?.result !== 0) return []
    // PS3.8 §9.3.3.2: one of those that were proposed. Some leave it out where there was only one.
    const [only = ''] = transferSyntaxes.length === 1 ? transferSyntaxes : []
    const transferSyntax = answer.transferSyntax || only
    return transferSyntaxes.includes(transferSyntax) ? [{ id, abstractSyntax, transferSyntax }] : []
  })
}

/** What goes over one association. */
export interface Batch<I> {
  readonly instances: readonly I[]
  readonly contexts: readonly ContextProposal[]
}

/** PS3.8 §9.3.2.2: ids are odd numbers of one byte. */
const MOST_CONTEXTS = 128

/** What every application entity knows (PS3.5 §10), in our order of preference. */
export const PLAIN_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
]

/**
 * Parts instances so that the presentation contexts of each part fit into one association. Each
 * transfer syntax has a context of its own: within one the other side would choose, and an instance
 * is sent as it is. The order is kept within a part.
 */
export function batchesOf<
  I extends { readonly sopClassUid: string; readonly transferSyntaxUid: string },
>(instances: readonly I[]): Batch<I>[] {
  const batches: { readonly instances: I[]; readonly contexts: Map<string, ContextProposal> }[] = []
  for (const instance of instances) {
    const needed = contextsOf(instance)
    let batch = batches.find(({ contexts }) => needed.every(([key]) => contexts.has(key)))
    batch ??= batches.find(
      ({ contexts }) =>
        contexts.size + needed.filter(([key]) => !contexts.has(key)).length <= MOST_CONTEXTS,
    )
    if (!batch) {
      batch = { instances: [], contexts: new Map() }
      batches.push(batch)
    }
    batch.instances.push(instance)
    for (const [key, context] of needed) batch.contexts.set(key, context)
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
  [...new Set([transferSyntaxUid, ...PLAIN_SYNTAXES])].map(
    (uid) =>
      [`${sopClassUid} ${uid}`, { abstractSyntax: sopClassUid, transferSyntaxes: [uid] }] as const,
  )
