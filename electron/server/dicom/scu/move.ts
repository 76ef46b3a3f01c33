import { tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, type DimseStatus, type StatusCategory } from '#server/dicom/dimse/status.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { RequestorError } from './requestor.ts'
import { type Caller, requestService, statusCode } from './service-request.ts'

/** Progress of the sub-operations of a C-MOVE (PS3.7 §9.1.4.1). */
export interface MoveProgress {
  readonly remaining: number
  readonly completed: number
  readonly failed: number
  readonly warning: number
}

export interface MoveResult extends MoveProgress {
  /** Whether all instances were received, with status Success. */
  readonly isComplete: boolean
  readonly status: DimseStatus
  /** Completes a sentence for the user. */
  readonly detail: Message
}

/**
 * Between two responses of a C-MOVE. Some systems are silent until everything has been sent, or
 * until a tape has been mounted.
 */
export const RESPONSE_SECONDS = 600

/**
 * Has a study sent (PS3.4 C.4.2, Study Root), to the caller by default. Yields progress at each
 * pending response and returns the result. The peer must know the host and port of the destination
 * AE. The signal of `caller` sends C-CANCEL; instances in transit still arrive. If no final
 * response follows within `cancelSeconds`, the association is aborted.
 * @throws {RequestorError} if the association fails
 */
export async function* moveStudy(
  caller: Caller,
  studyInstanceUid: string,
  destinationAeTitle = caller.callingAeTitle,
): AsyncGenerator<MoveProgress, MoveResult, void> {
  const { signal: cancel, ...rest } = caller
  const identifier = [
    { tag: QUERY_RETRIEVE_LEVEL, vr: 'CS', value: Buffer.from('STUDY') },
    { tag: STUDY_INSTANCE_UID, vr: 'UI', value: Buffer.from(studyInstanceUid, 'latin1') },
  ]
  const responses = requestService(
    rest,
    {
      sopClass: SOP_CLASS.studyRootMove,
      command: {
        commandField: COMMAND_FIELD['C-MOVE-RQ'],
        moveDestination: destinationAeTitle,
        priority: 0,
      },
      dataSet: identifier,
      notOfferedMessage: 'dicom.no-moves',
    },
    {
      responseSeconds: caller.limits?.responseSeconds ?? RESPONSE_SECONDS,
      cancel,
    },
  )
  let progress: MoveProgress = { remaining: 0, completed: 0, failed: 0, warning: 0 }
  for await (const { command, status, category } of responses) {
    progress = progressOf(command, category, progress)
    if (category === 'pending') yield progress
    else {
      const isComplete = status === 0x0000 && progress.failed === 0
      const { peer, callingAeTitle } = caller
      const detail = detailOf(command, status, progress, {
        aeTitle: peer.aeTitle,
        caller: callingAeTitle,
        destination: destinationAeTitle,
      })
      return { ...progress, isComplete, status, detail }
    }
  }
  const { aeTitle } = caller.peer
  throw new RequestorError('aborted', message('dicom.no-final-answer', { aeTitle }))
}

const QUERY_RETRIEVE_LEVEL = tagOf('QueryRetrieveLevel') as number
const STUDY_INSTANCE_UID = tagOf('StudyInstanceUID') as number

/**
 * PS3.7 §9.1.4.1.7: counts may be omitted; the last known ones then apply. In a final response
 * nothing remains except after C-CANCEL.
 */
function progressOf(
  response: CommandSet,
  category: StatusCategory,
  before: MoveProgress,
): MoveProgress {
  return {
    remaining: response.remainingSuboperations ?? (category === 'pending' ? before.remaining : 0),
    completed: response.completedSuboperations ?? before.completed,
    failed: response.failedSuboperations ?? before.failed,
    warning: response.warningSuboperations ?? before.warning,
  }
}

/** PS3.4 Table C.4-2. */
const DETAILS: Readonly<Record<DimseStatus, (names: MoveNames) => Message>> = {
  42753: ({ aeTitle }) => message('dicom.move-not-counted', { aeTitle }),
  42754: ({ aeTitle, destination }) => message('dicom.move-not-sent', { aeTitle, destination }),
  43009: ({ aeTitle, destination }) => message('dicom.move-unknown', { aeTitle, destination }),
  43264: ({ aeTitle }) => message('dicom.move-not-understood', { aeTitle }),
  290: ({ aeTitle }) => message('dicom.no-moves', { aeTitle }),
  292: ({ aeTitle, caller }) => message('dicom.move-not-allowed', { aeTitle, caller }),
}

/** AE titles of a C-MOVE: of the peer, the caller and the destination. */
interface MoveNames {
  readonly aeTitle: string
  readonly caller: string
  readonly destination: string
}

function detailOf(
  { errorComment = '' }: CommandSet,
  status: DimseStatus,
  { completed, failed, warning }: MoveProgress,
  names: MoveNames,
): Message {
  const { aeTitle } = names
  const received = completed + warning
  const category = categoryOf(status)
  if (category === 'cancel') return message('dicom.move-cancelled', { count: received })
  if (status === 0x0000 && received + failed === 0) return message('dicom.move-empty', { aeTitle })
  if (category === 'success' || category === 'warning') {
    return failed === 0
      ? message('dicom.move-came', { count: received })
      : message('dicom.move-came-partly', { count: received, failed })
  }
  const known = DETAILS[status]?.(names)
  if (known) return known
  const code = statusCode(status)
  return errorComment === ''
    ? message('dicom.move-refused', { aeTitle, status: code })
    : message('dicom.move-refused-because', { aeTitle, status: code, comment: errorComment })
}
