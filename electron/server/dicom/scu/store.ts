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

/** An instance as it lies on disk. */
export interface InstanceToSend {
  readonly path: string
  /** Bytes of the file before the data set. */
  readonly dataSetOffset: number
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly transferSyntaxUid: string
}

/** What became of one instance. */
export type SendResult<I extends InstanceToSend> = { readonly instance: I } & (
  | {
      /** The other side has it: Success or a warning (Bxxx). */
      readonly outcome: 'sent'
      readonly status: DimseStatus
      /** Transfer syntax UID. */
      readonly sentAs: string
    }
  | {
      /** It answered, and does not have it. */
      readonly outcome: 'refused'
      readonly status: DimseStatus
      /** Its Error Comment; may be empty. */
      readonly errorComment: string
    }
  | {
      /** It takes the SOP class, but not in the transfer syntax of the file. */
      readonly outcome: 'needs-transcoding'
      /** Transfer syntaxes it takes the class in, of those that were proposed: at least one. */
      readonly accepts: readonly string[]
    }
  | {
      readonly outcome: 'failed'
      readonly error: Error
      /**
       * The association broke down over this very instance, or its file cannot be read; false: it
       * was not even begun.
       */
      readonly isTried: boolean
    }
)

/** A peer that breaks off over so many instances in a row is not called again for the rest. */
const MOST_BREAKS = 3

/**
 * Sends instances by C-STORE (PS3.4 Annex B), one after the other, each in its own transfer syntax,
 * over as few associations as their presentation contexts allow. Gives one result for each instance
 * and never throws. An association that breaks over one instance is opened again for those after
 * it.
 */
export async function* sendInstances<I extends InstanceToSend>(
  caller: Caller,
  given: readonly I[],
): AsyncGenerator<SendResult<I>, void, void> {
  let gaveUp: Error | undefined
  let breaks = 0
  for (const { instances, contexts } of batchesOf(given)) {
    let left = instances
    while (left.length > 0) {
      const association = gaveUp ?? (await openAssociation({ ...caller, contexts }).catch(asError))
      if (association instanceof Error) {
        // Another batch may hold what it does take; whatever else stands in the way stands in the
        // way of all.
        if (!(association instanceof RequestorError && association.kind === 'not-accepted'))
          gaveUp = association
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
          breaks = association.isOpen ? 0 : breaks + 1
          if (breaks === MOST_BREAKS && result.outcome === 'failed') gaveUp = result.error
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
      piecesOf(file, instance),
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

/** Read at a time: some P-DATA-TFs' worth. */
const PIECE = 256 << 10

async function* piecesOf(
  file: FileHandle,
  { dataSetOffset, transferSyntaxUid }: InstanceToSend,
): AsyncGenerator<Buffer, void, void> {
  let position = dataSetOffset
  for (;;) {
    // A piece is on its way to the network while the next one is read, so each has a buffer of its
    // own.
    const { bytesRead, buffer } = await file
      .read(Buffer.allocUnsafe(PIECE), 0, PIECE, position)
      .catch(unreadable)
    if (bytesRead === 0) break
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
  // PS3.5 A.5: a deflated stream of odd length gets one NUL behind it.
  const isOdd = (position - dataSetOffset) % 2 === 1
  if (isOdd && transferSyntaxUid === TRANSFER_SYNTAX.deflatedExplicitLittleEndian)
    yield Buffer.alloc(1)
}

/** Without the path, which has no place in a sentence. */
function unreadable(error: NodeJS.ErrnoException): never {
  throw new Error(`the file cannot be read (${error.code ?? 'unknown fault'})`)
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
