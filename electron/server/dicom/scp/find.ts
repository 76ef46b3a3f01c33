import { TOO_LONG } from '#server/dicom/dimse/message.ts'
import { sendPending } from '#server/dicom/dimse/pending-responses.ts'
import type { CFindScp, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { Completion, Operation } from '#server/dicom/dimse/service-class.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'

type PendingAnswers = AsyncGenerator<EncodedIdentifiers, DimseResult, void>
type Step = IteratorResult<EncodedIdentifiers, DimseResult>

// PS3.4 Tables C.4-1 and K.4-1
const CANCELLED: DimseResult = { status: 0xfe00 }

/** Performs a C-FIND request: of the worklist (PS3.4 K.4.1) or of Query/Retrieve (PS3.4 C.4.1). */
export async function find(scp: CFindScp, operation: Operation): Promise<Completion> {
  const { association, messageId, context, dataSet, signal, limits } = operation
  if (dataSet === TOO_LONG)
    throw new DimseError(
      0xa900,
      message('dicom.identifier-longer', { bytes: limits.identifierBytes }),
    )
  const answers = scp.find({
    association,
    messageId,
    sopClassUid: context.abstractSyntax,
    transferSyntax: context.transferSyntax,
    options: context.options,
    identifier: dataSet,
    signal,
  })
  const progress: Progress = { responses: 0, unsent: undefined }
  try {
    while (!signal.aborted) {
      const nextAnswer = answers.next()
      const answer =
        (await availableNow(nextAnswer)) ?? (await nextStep(nextAnswer, progress, operation))
      if (!answer)
        return {
          result: await cancelledResult(answers, nextAnswer, limits.cancelSeconds),
          ...progress,
        }
      if (answer.done) return { result: answer.value, ...progress }
      await flush(progress, operation)
      const { responses, unsent } = await sendPending(answer.value, operation)
      progress.responses += responses
      progress.unsent = unsent
    }
    return { result: await cancelledResult(answers, undefined, limits.cancelSeconds), ...progress }
  } catch (error) {
    return { result: operation.failure(error), ...progress }
  }
}

interface Progress {
  responses: number
  unsent: Buffer | undefined
}

/**
 * The next result of the service, if it is available within this turn of the event loop, so that a
 * few rows and their final response are sent in one write.
 */
function availableNow(nextAnswer: Promise<Step>): Promise<Step | undefined> {
  return new Promise((resolve, reject) => {
    const immediate = setImmediate(resolve, undefined)
    nextAnswer.then((step) => {
      clearImmediate(immediate)
      resolve(step)
    }, reject)
  })
}

/**
 * The next result of the service; `undefined` if the search was cancelled first. Rows already
 * available are sent without waiting for a slow service.
 */
async function nextStep(
  asked: Promise<Step>,
  progress: Progress,
  operation: Operation,
): Promise<Step | undefined> {
  const { signal } = operation
  await flush(progress, operation)
  if (signal.aborted) return undefined
  const aborted = Promise.withResolvers<undefined>()
  const abort = () => aborted.resolve(undefined)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([asked, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function flush(progress: Progress, operation: Operation): Promise<void> {
  const { unsent } = progress
  if (!unsent) return
  progress.unsent = undefined
  if (await operation.send(unsent)) operation.slices.give(unsent)
}

/**
 * The result of a cancelled search: that of the service if it returns one within `seconds`,
 * otherwise Cancel.
 */
async function cancelledResult(
  answers: PendingAnswers,
  asked: Promise<Step> | undefined,
  seconds: number,
): Promise<DimseResult> {
  const limit = Promise.withResolvers<DimseResult>()
  const timer = setTimeout(() => limit.resolve(CANCELLED), seconds * 1000)
  try {
    return await Promise.race([finalResult(answers, asked), limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function finalResult(
  answers: PendingAnswers,
  asked: Promise<Step> | undefined,
): Promise<DimseResult> {
  try {
    const step = await asked
    if (step?.done) return step.value
    const last = await answers.return(CANCELLED)
    return last.done ? last.value : CANCELLED
  } catch {
    // The service failed because it was cancelled: an aborted partner request throws.
    return CANCELLED
  }
}
