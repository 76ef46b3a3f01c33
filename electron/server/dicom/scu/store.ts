import { type FileHandle, open } from 'node:fs/promises'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, type DimseStatus } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'
import { batchesOf } from './association-request.ts'
import {
  openAssociation,
  type Peer,
  type RequestedAssociation,
  RequestorError,
} from './requestor.ts'
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
      readonly accepts: readonly string[]
    }
  | {
      readonly outcome: 'failed'
      readonly error: Error
      /**
       * True if the association failed on this instance or its file cannot be read; false if
       * sending it was not attempted.
       */
      readonly isTried: boolean
    }
)

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
): AsyncGenerator<SendResult<I>, void, void> {
  let fatalError: Error | undefined
  let failures = 0
  for (const { instances, contexts } of batchesOf(given)) {
    let left = instances
    while (left.length > 0) {
      const association =
        fatalError ?? (await openAssociation({ ...caller, contexts }).catch(asError))
      if (association instanceof Error) {
        // The peer may accept the contexts of another batch; any other error would affect all
        // batches.
        if (!(association instanceof RequestorError && association.kind === 'not-accepted'))
          fatalError = association
        for (const instance of left)
          yield { instance, outcome: 'failed', error: association, isTried: false }
        break
      }
      try {
        while (association.isOpen) {
          const [instance, ...rest] = left
          if (!instance) break
          left = rest
          const result = await send(association, instance, caller.peer)
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

async function send<I extends InstanceToSend>(
  association: RequestedAssociation,
  instance: I,
  peer: Peer,
): Promise<SendResult<I>> {
  const { sopClassUid, sopInstanceUid, transferSyntaxUid } = instance
  const contexts = association.accepted.filter(
    ({ abstractSyntax }) => abstractSyntax === sopClassUid,
  )
  const context = contexts.find(({ transferSyntax }) => transferSyntax === transferSyntaxUid)
  if (!context) {
    if (contexts.length > 0)
      return {
        instance,
        outcome: 'needs-transcoding',
        accepts: contexts.map(({ transferSyntax }) => transferSyntax),
      }
    const error = new RequestorError(
      'not-accepted',
      message('dicom.class-not-taken', {
        aeTitle: peer.aeTitle,
        sopClass: nameOfUid(sopClassUid),
      }),
    )
    return { instance, outcome: 'failed', error, isTried: true }
  }
  const command = {
    commandField: COMMAND_FIELD['C-STORE-RQ'],
    affectedSopClassUid: sopClassUid,
    affectedSopInstanceUid: sopInstanceUid,
    priority: 0,
  }
  let file: FileHandle | undefined
  try {
    file = await open(instance.path, 'r').catch(unreadable)
    for await (const { command: response } of association.request(
      context.id,
      command,
      dataSetPieces(file, instance),
    )) {
      const status = response.status ?? 0x0110
      const category = categoryOf(status)
      if (category === 'success' || category === 'warning')
        return { instance, outcome: 'sent', status, sentAs: transferSyntaxUid }
      if (category !== 'pending')
        return { instance, outcome: 'refused', status, errorComment: response.errorComment ?? '' }
    }
    throw new RequestorError('aborted', message('dicom.no-final-answer', { aeTitle: peer.aeTitle }))
  } catch (error) {
    return { instance, outcome: 'failed', error: asError(error), isTried: true }
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
      .catch(unreadable)
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
function unreadable(error: NodeJS.ErrnoException): never {
  throw new Error(`the file cannot be read (${error.code ?? 'unknown fault'})`)
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
