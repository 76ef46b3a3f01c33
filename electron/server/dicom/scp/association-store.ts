import type { FileToSend } from '#server/dicom/dimse/service.ts'
import type { Operation } from '#server/dicom/dimse/service-class.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import {
  asError,
  contextFor,
  resultOfResponse,
  type SendResult,
  storeRequest,
} from '#server/dicom/scu/store.ts'
import type { AcceptedContext } from '#server/dicom/upper-layer/presentation-contexts.ts'
import { message } from '#shared/messages/message.ts'
import { FramedFile } from './framed-file.ts'

/**
 * Sends instances by C-STORE on the association of a C-GET (PS3.4 C.4.3.3), one after the other and
 * each in its own transfer syntax. The next file is opened and its first bytes are read while the
 * peer stores the current one. Yields one result for each instance and never throws.
 * @param takeUnsent returns messages to be sent in the same write as the next instance
 */
export async function* sendOnAssociation<I extends FileToSend>(
  operation: Operation,
  instances: readonly I[],
  takeUnsent: () => readonly Buffer[],
): AsyncGenerator<SendResult<I>, void, void> {
  let at = 0
  const prepareNext = () => {
    const instance = instances[at++]
    return instance && prepare(operation, instance)
  }
  let preparing = prepareNext()
  try {
    while (preparing) {
      const prepared = await preparing
      preparing = prepareNext()
      if ('result' in prepared) yield prepared.result
      else yield await store(operation, prepared, takeUnsent())
    }
  } finally {
    const unused = await preparing
    if (unused && 'file' in unused) await unused.file[Symbol.asyncDispose]()
  }
}

interface PreparedInstance<I> {
  readonly instance: I
  readonly context: AcceptedContext
  readonly file: FramedFile
}

/** Never rejects. */
async function prepare<I extends FileToSend>(
  { association, peerAsScp, maximumLength, retrievalSlices: slices, limits }: Operation,
  instance: I,
): Promise<PreparedInstance<I> | { readonly result: SendResult<I> }> {
  const contextOrResult = contextFor(peerAsScp, instance, association.callingAeTitle)
  if ('result' in contextOrResult) return contextOrResult
  const { context } = contextOrResult
  const { retrievalSliceBytes: sliceBytes } = limits
  const framing = { contextId: context.id, maximumLength, slices, sliceBytes }
  try {
    return { instance, context, file: await FramedFile.open(instance, framing) }
  } catch (error) {
    return { result: { instance, outcome: 'failed', error: asError(error), wasAttempted: true } }
  }
}

async function store<I extends FileToSend>(
  { association, subOperations }: Operation,
  { instance, context, file }: PreparedInstance<I>,
  before: readonly Buffer[],
): Promise<SendResult<I>> {
  try {
    const command = storeRequest(instance)
    const response = await subOperations.request(context, command, file, before)
    const result = response && resultOfResponse(instance, response)
    if (result) return result
    const { callingAeTitle: aeTitle } = association
    throw new RequestorError('aborted', message('dicom.no-final-answer', { aeTitle }))
  } catch (error) {
    return { instance, outcome: 'failed', error: asError(error), wasAttempted: true }
  } finally {
    await file[Symbol.asyncDispose]()
  }
}
