import { type Peer, RequestorError } from './dimse/requestor.ts'
import { echo } from './scu/query.ts'
import { findWorklist, type WorklistExam, type WorklistKeys } from './scu/worklist.ts'
import { StartError } from './start-error.ts'

export type { WorklistExam } from './scu/worklist.ts'

/** What a modality sees when it is set up: whether its echo is answered, then its worklist. */
export interface ModalityVisit {
  /** Milliseconds. */
  readonly echoMs: number
  readonly worklistMs: number
  readonly exams: readonly WorklistExam[]
}

/** Plays a modality: C-ECHO, then its worklist. @throws StartError one sentence that names the fault and what to do */
export async function visitAsModality(peer: Peer, aeTitle: string, keys: WorklistKeys): Promise<ModalityVisit> {
  try {
    const began = performance.now()
    await echo(peer, aeTitle)
    const echoed = performance.now()
    const exams = await findWorklist(peer, aeTitle, keys)
    return { echoMs: echoed - began, worklistMs: performance.now() - echoed, exams }
  } catch (error) {
    if (!(error instanceof RequestorError)) throw error
    const remedy =
      error.kind === 'rejected' ? ` It is in the window now: let ${aeTitle} in under Devices, or in the set-up, then run this again.` : ''
    throw new StartError(`${error.message.replace(/\.$/, '')}.${remedy}`)
  }
}
