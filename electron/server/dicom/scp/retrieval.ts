import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE_BIT } from '#server/dicom/dimse/command-set.ts'
import { TOO_LONG, writeMessage } from '#server/dicom/dimse/message.ts'
import type {
  Retrieval,
  RetrievalRequest,
  RetrievalScp,
  SendOnAssociation,
  SubOperationResult,
} from '#server/dicom/dimse/service.ts'
import type { Completion, Operation, ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { DimseError, type DimseResult } from '#server/dicom/dimse/status.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { sendOnAssociation } from './association-store.ts'

const IDENTIFIER_SYNTAXES = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
]

/** C-MOVE as SCP, of both information models (PS3.4 C.4.2). */
export const moveService = (scp: RetrievalScp): ServiceClass => ({
  sopClasses: [SOP_CLASS.patientRootMove, SOP_CLASS.studyRootMove],
  transferSyntaxes: IDENTIFIER_SYNTAXES,
  acceptsScpRole: false,
  commands: {
    [COMMAND_FIELD['C-MOVE-RQ']]: (operation) => {
      const { moveDestination = '' } = operation.command
      return retrieve(scp, operation, new Progress(operation), { moveDestination })
    },
  },
})

/** C-GET as SCP, of both information models (PS3.4 C.4.3). */
export const getService = (scp: RetrievalScp): ServiceClass => ({
  sopClasses: [SOP_CLASS.patientRootGet, SOP_CLASS.studyRootGet],
  transferSyntaxes: IDENTIFIER_SYNTAXES,
  acceptsScpRole: false,
  commands: {
    [COMMAND_FIELD['C-GET-RQ']]: (operation) => {
      const progress = new Progress(operation)
      // A pending response is sent in the same write as the next instance.
      const send: SendOnAssociation = (instances) =>
        sendOnAssociation(operation, instances, () => progress.takeUnsent())
      return retrieve(scp, operation, progress, { send })
    },
  },
})

async function retrieve(
  scp: RetrievalScp,
  operation: Operation,
  progress: Progress,
  to: RetrievalRequest['to'],
): Promise<Completion> {
  const { association, messageId, context, dataSet, signal, limits } = operation
  if (dataSet === TOO_LONG)
    throw new DimseError(
      0xa900,
      message('dicom.identifier-longer', { bytes: limits.identifierBytes }),
    )
  const retrieval = await scp.retrieve({
    ...{ association, messageId, sopClassUid: context.abstractSyntax },
    ...{ transferSyntax: context.transferSyntax, identifier: dataSet, to, signal },
  })
  progress.remaining = retrieval.instances
  const failure = await perform(retrieval, operation, progress, 'moveDestination' in to)
  return progress.completion(failure)
}

/** @returns the final response if the service failed */
async function perform(
  retrieval: Retrieval,
  { signal, send, failure }: Operation,
  progress: Progress,
  isMove: boolean,
): Promise<DimseResult | undefined> {
  const results = retrieval.perform()
  try {
    // Ends the sub-operations of a request that is cancelled between two of them.
    for (
      let step = await nextResult(results, signal);
      step;
      step = await nextResult(results, signal)
    ) {
      progress.add(step)
      // PS3.4 C.4.2.3.1: a pending response for each sub-operation. That of the last one is left
      // out, because the final response follows.
      if (progress.remaining === 0) continue
      progress.pend()
      if (isMove && !(await send(progress.takeUnsent()[0] as Buffer))) break
    }
    return undefined
  } catch (error) {
    return failure(error)
  } finally {
    await results.return()
  }
}

async function nextResult(
  results: ReturnType<Retrieval['perform']>,
  signal: AbortSignal,
): Promise<SubOperationResult | undefined> {
  if (signal.aborted) return undefined
  const step = await results.next()
  return step.done ? undefined : step.value
}

const FAILED_SOP_INSTANCE_UID_LIST = tagOf('FailedSOPInstanceUIDList') as number

/** The counts of the sub-operations, and the responses that report them (PS3.7 §9.1.4.1.7). */
class Progress {
  remaining = 0
  readonly #operation: Operation
  readonly #counts = { completed: 0, failed: 0, warning: 0 }
  readonly #failedUids: string[] = []
  #reason: SubOperationResult['reason']
  #responses = 0
  #unsent: Buffer | undefined

  constructor(operation: Operation) {
    this.#operation = operation
  }

  add({ sopInstanceUid, outcome, reason }: SubOperationResult): void {
    this.remaining--
    this.#counts[outcome]++
    if (outcome !== 'failed') return
    this.#failedUids.push(sopInstanceUid)
    this.#reason ??= reason
  }

  /** Encodes a pending response with the current counts. */
  pend(): void {
    const { command, context, messageId, maximumLength } = this.#operation
    const response: CommandSet = {
      affectedSopClassUid: context.abstractSyntax,
      commandField: command.commandField | RESPONSE_BIT,
      messageIdBeingRespondedTo: messageId,
      hasDataSet: false,
      status: 0xff00,
      remainingSuboperations: this.remaining,
      ...this.#countElements(),
    }
    this.#responses++
    this.#unsent = writeMessage(context.id, response, undefined, maximumLength)
  }

  takeUnsent(): readonly Buffer[] {
    const unsent = this.#unsent
    this.#unsent = undefined
    return unsent ? [unsent] : []
  }

  completion(failure: DimseResult | undefined): Completion {
    const result = failure ?? this.#result()
    const isCancelled = result.status === 0xfe00
    return {
      result,
      responses: this.#responses,
      unsent: this.#unsent,
      response: {
        ...this.#countElements(),
        // PS3.7 §9.1.4.1.7: only a pending or cancelled response has the remaining ones.
        ...(isCancelled && { remainingSuboperations: this.remaining }),
      },
      ...(this.#failedUids.length > 0 && { identifier: this.#identifier() }),
    }
  }

  /** PS3.4 Tables C.4-2 and C.4-3. */
  #result(): DimseResult {
    const { completed, failed, warning } = this.#counts
    if (this.remaining > 0) return { status: 0xfe00 }
    if (failed === 0 && warning === 0) return { status: 0x0000 }
    const comment = this.#reason && { errorComment: englishText(this.#reason) }
    return { status: completed + warning === 0 ? 0xa702 : 0xb000, ...comment }
  }

  #countElements() {
    const { completed, failed, warning } = this.#counts
    return {
      completedSuboperations: completed,
      failedSuboperations: failed,
      warningSuboperations: warning,
    }
  }

  #identifier(): Buffer {
    const value = Buffer.from(this.#failedUids.join('\\'), 'latin1')
    const dataSet: DataSet = [{ tag: FAILED_SOP_INSTANCE_UID_LIST, vr: 'UI', value }]
    return writeDataSet(dataSet, this.#operation.context.transferSyntax)
  }
}
