import { echo } from '#server/dicom/scu/query.ts'
import { type Peer, RequestorError } from '#server/dicom/scu/requestor.ts'
import { findWorklist, type WorklistExam, type WorklistKeys } from '#server/dicom/scu/worklist.ts'
import { StartError } from '#server/http/start-error.ts'
import { verbatim } from '#shared/messages/message.ts'

export type { WorklistExam } from '#server/dicom/scu/worklist.ts'

/**
 * Result of a simulated connection of a modality: durations of the C-ECHO and the worklist query,
 * and the exams.
 */
export interface SimulatedConnection {
  /** Milliseconds. */
  readonly echoMs: number
  readonly worklistMs: number
  readonly exams: readonly WorklistExam[]
}

/**
 * Simulates a modality: sends a C-ECHO, then a worklist query.
 * @throws StartError with one sentence that describes the fault and its remedy
 */
export async function connectAsModality(
  peer: Peer,
  aeTitle: string,
  keys: WorklistKeys,
): Promise<SimulatedConnection> {
  try {
    const startedAt = performance.now()
    await echo({ peer, callingAeTitle: aeTitle })
    const echoedAt = performance.now()
    const exams = await findWorklist({ peer, callingAeTitle: aeTitle }, keys)
    return { echoMs: echoedAt - startedAt, worklistMs: performance.now() - echoedAt, exams }
  } catch (error) {
    if (!(error instanceof RequestorError)) throw error
    const remedy =
      error.kind === 'rejected'
        ? ` The request is shown in the window now. Approve ${aeTitle} under Devices or in the setup, then run this command again.`
        : ''
    throw new StartError(verbatim(`${error.message.replace(/\.$/, '')}.${remedy}`))
  }
}
