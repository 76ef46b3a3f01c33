import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ContextProposal } from './requestor.ts'

/** What goes over one association. */
export interface Batch<I> {
  readonly instances: readonly I[]
  readonly contexts: readonly ContextProposal[]
}

/** PS3.8 §9.3.2.2: ids are odd numbers of one byte. */
const MOST_CONTEXTS = 128

/**
 * What else every SOP class is proposed in: every application entity knows them (PS3.5 §10), so an
 * instance can be converted.
 */
const ALWAYS = [TRANSFER_SYNTAX.explicitLittleEndian, TRANSFER_SYNTAX.implicitLittleEndian]

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
  [...new Set([transferSyntaxUid, ...ALWAYS])].map(
    (uid) =>
      [`${sopClassUid} ${uid}`, { abstractSyntax: sopClassUid, transferSyntaxes: [uid] }] as const,
  )
