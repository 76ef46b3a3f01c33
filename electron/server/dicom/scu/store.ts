import { type FileHandle, open } from 'node:fs/promises'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, type DimseStatus } from '#server/dicom/dimse/status.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { message } from '#shared/messages/message.ts'
import { batchesOf } from './association-request.ts'
import { openAssociation, type RequestedAssociation, RequestorError } from './requestor.ts'
import type { Caller } from './service-request.ts'

/** An instance stored on disk. */
export interface InstanceToSend {
  readonly path: string
  /** Offset of the data set in the file. */
  readonly dataSetOffset: number
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly transferSyntaxUid: string
}

/** The result of sending one instance. */
export type SendResult<I extends InstanceToSend> = { readonly instance: I } & (
  | {
      /** The peer has stored it: Success or a warning (Bxxx). */
      readonly outcome: 'sent'
      readonly status: DimseStatus
      /** Transfer syntax UID. */
      readonly sentAs: string
    }
  | {
      /** The peer answered with a failure. */
      readonly outcome: 'refused'
      readonly status: DimseStatus
      /** Its Error Comment; may be empty. */
      readonly errorComment: string
    }
  | {
      /** The peer accepts the SOP class, but not the transfer syntax of the file. */
      readonly outcome: 'needs-transcoding'
      /** Transfer syntaxes the peer accepted for the class, of those proposed; at least one. */
      readonly acceptedSyntaxes: readonly string[]
    }
  | {
      readonly outcome: 'failed'
      readonly error: Error
      /**
       * True if the association failed on this instance or its file cannot be read; false if
       * sending it was not attempted.
       */
      readonly wasAttempted: boolean
    }
)

/** The C-MOVE on whose behalf instances are sent (PS3.7 Table 9.1-1). */
export interface MoveOriginator {
  readonly moveOriginatorAeTitle: string
  readonly moveOriginatorMessageId: number
}

/** After this many consecutive failed associations the remaining instances are not attempted. */
const MAX_CONSECUTIVE_FAILURES = 3

/**
 * Sends instances by C-STORE (PS3.4 Annex B), one after the other and each in its own transfer
 * syntax, over as few associations as their presentation contexts allow. Yields one result for each
 * instance and never throws. If an association fails, the instances after the current one are sent
 * over a new one.
 */
export async function* sendInstances<I extends InstanceToSend>(
  caller: Caller,
  given: readonly I[],
  originator?: MoveOriginator,
): AsyncGenerator<SendResult<I>, void, void> {
  let fatalError: Error | undefined
  let failures = 0
  for (const { instances, contexts } of batchesOf(given)) {
    let remaining = instances
    while (remaining.length > 0) {
      const association =
        fatalError ?? (await openAssociation({ ...caller, contexts }).catch(asError))
      if (association instanceof Error) {
        // The peer may accept the contexts of another batch; any other error would affect all
        // batches.
        if (!(association instanceof RequestorError && association.kind === 'not-accepted'))
          fatalError = association
        for (const instance of remaining)
          yield { instance, outcome: 'failed', error: association, wasAttempted: false }
        break
      }
      try {
        while (association.isOpen) {
          const [instance, ...rest] = remaining
          if (!instance) break
          remaining = rest
          const result = await send(association, instance, caller.peer.aeTitle, originator)
          yield result
          failures = association.isOpen ? 0 : failures + 1
          if (failures === MAX_CONSECUTIVE_FAILURES && result.outcome === 'failed')
            fatalError = result.error
        }
      } finally {
        await association.release()
      }
    }
  }
}

/** The context for an instance in its stored transfer syntax, or why there is none. */
export function contextFor<I extends InstanceToSend>(
  accepted: readonly AcceptedContext[],
  instance: I,
  aeTitle: string,
): { readonly context: AcceptedContext } | { readonly result: SendResult<I> } {
  const { sopClassUid, transferSyntaxUid } = instance
  const contexts = accepted.filter(({ abstractSyntax }) => abstractSyntax === sopClassUid)
  const context = contexts.find(({ transferSyntax }) => transferSyntax === transferSyntaxUid)
  if (context) return { context }
  if (contexts.length > 0) {
    const acceptedSyntaxes = contexts.map(({ transferSyntax }) => transferSyntax)
    return {
      result: { instance, outcome: 'needs-transcoding', acceptedSyntaxes: acceptedSyntaxes },
    }
  }
  const error = new RequestorError(
    'not-accepted',
    message('dicom.class-not-taken', { aeTitle, sopClass: nameOfUid(sopClassUid) }),
  )
  return { result: { instance, outcome: 'failed', error, wasAttempted: true } }
}

/** The C-STORE request of an instance. */
export const storeRequest = (
  { sopClassUid, sopInstanceUid }: InstanceToSend,
  originator?: MoveOriginator,
) => ({
  commandField: COMMAND_FIELD['C-STORE-RQ'],
  affectedSopClassUid: sopClassUid,
  affectedSopInstanceUid: sopInstanceUid,
  priority: 0,
  ...originator,
})

/** The result of a C-STORE response; undefined for a pending one. */
export function resultOfResponse<I extends InstanceToSend>(
  instance: I,
  { status = 0x0110, errorComment = '' }: CommandSet,
): SendResult<I> | undefined {
  const category = categoryOf(status)
  if (category === 'pending') return undefined
  return category === 'success' || category === 'warning'
    ? { instance, outcome: 'sent', status, sentAs: instance.transferSyntaxUid }
    : { instance, outcome: 'refused', status, errorComment }
}

async function send<I extends InstanceToSend>(
  association: RequestedAssociation,
  instance: I,
  aeTitle: string,
  originator: MoveOriginator | undefined,
): Promise<SendResult<I>> {
  const chosen = contextFor(association.accepted, instance, aeTitle)
  if ('result' in chosen) return chosen.result
  let file: FileHandle | undefined
  try {
    file = await open(instance.path, 'r').catch(throwUnreadable)
    for await (const { command: response } of association.request(
      chosen.context.id,
      storeRequest(instance, originator),
      dataSetPieces(file, instance),
    )) {
      const result = resultOfResponse(instance, response)
      if (result) return result
    }
    throw new RequestorError('aborted', message('dicom.no-final-answer', { aeTitle }))
  } catch (error) {
    return { instance, outcome: 'failed', error: asError(error), wasAttempted: true }
  } finally {
    await file?.close()
  }
}

/** Bytes read at a time; several P-DATA-TFs. */
const READ_BYTES = 256 << 10

async function* dataSetPieces(
  file: FileHandle,
  { dataSetOffset, transferSyntaxUid }: InstanceToSend,
): AsyncGenerator<Buffer, void, void> {
  let position = dataSetOffset
  for (;;) {
    // Each piece has its own buffer, because one is being sent while the next is read.
    const { bytesRead, buffer } = await file
      .read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
      .catch(throwUnreadable)
    if (bytesRead === 0) break
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
  // PS3.5 A.5: a deflated stream of odd length is padded with a NUL.
  const isOdd = (position - dataSetOffset) % 2 === 1
  if (isOdd && transferSyntaxUid === TRANSFER_SYNTAX.deflatedExplicitLittleEndian)
    yield Buffer.alloc(1)
}

/** Omits the path, which must not appear in messages. */
function throwUnreadable(error: NodeJS.ErrnoException): never {
  throw new Error(`the file cannot be read (${error.code ?? 'unknown fault'})`)
}

export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
