import { tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, type DimseStatus } from '#server/dicom/dimse/status.ts'
import { openAssociation, type Peer, RequestorError, type RequestorLimits } from './requestor.ts'

/** Sub-operations of a C-MOVE (PS3.7 §9.1.4.1): C-STOREs of the other side to us. */
export interface MoveProgress {
  readonly remaining: number
  readonly completed: number
  readonly failed: number
  readonly warning: number
}

export interface MoveResult extends MoveProgress {
  /** All instances came: Success. */
  readonly isComplete: boolean
  readonly status: DimseStatus
  /** One sentence for a person. */
  readonly detail: string
}

export interface MoveOptions {
  readonly peer: Peer
  readonly callingAeTitle: string
  /**
   * Where the other side sends the instances: its list of nodes must have host and port of this AE
   * title.
   */
  readonly destinationAeTitle: string
  readonly studyInstanceUid: string
  readonly limits?: Partial<RequestorLimits>
  /**
   * Cancels (C-CANCEL): what is on its way still comes. Where no final answer follows within
   * `cancelSeconds`, the association is aborted.
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Between two responses of a C-MOVE: some systems are silent until all has been sent, or until a
 * tape is mounted.
 */
export const RESPONSE_SECONDS = 600

/**
 * Has a study sent (PS3.4 C.4.2, Study Root): progress at each pending response, the end as the
 * generator's result.
 * @throws {RequestorError} where the association fails.
 */
export async function* moveStudy(
  options: MoveOptions,
): AsyncGenerator<MoveProgress, MoveResult, void> {
  const { peer, callingAeTitle, destinationAeTitle, studyInstanceUid, signal } = options
  // Once there is an association it is cancelled, not aborted.
  const untilOpen = new AbortController()
  const giveUp = () => untilOpen.abort()
  if (signal?.aborted) giveUp()
  else signal?.addEventListener('abort', giveUp)
  await using association = await openAssociation({
    peer,
    callingAeTitle,
    signal: untilOpen.signal,
    ...(options.limits && { limits: options.limits }),
    contexts: [{ abstractSyntax: SOP_CLASS.studyRootMove, transferSyntaxes: IN_ORDER }],
  })
  signal?.removeEventListener('abort', giveUp)
  const [context] = association.accepted
  if (!context)
    throw new RequestorError(
      'not-accepted',
      `${peer.aeTitle} does not send studies (C-MOVE, Study Root)`,
    )
  const identifier = writeDataSet(
    [
      { tag: QUERY_RETRIEVE_LEVEL, vr: 'CS', value: Buffer.from('STUDY') },
      { tag: STUDY_INSTANCE_UID, vr: 'UI', value: Buffer.from(studyInstanceUid, 'latin1') },
    ],
    context.transferSyntax,
  )
  const command = {
    commandField: COMMAND_FIELD['C-MOVE-RQ'],
    affectedSopClassUid: SOP_CLASS.studyRootMove,
    moveDestination: destinationAeTitle,
    priority: 0,
  }
  const waiting = {
    responseSeconds: options.limits?.responseSeconds ?? RESPONSE_SECONDS,
    ...(signal && { cancel: signal }),
  }
  let progress: MoveProgress = { remaining: 0, completed: 0, failed: 0, warning: 0 }
  for await (const { command: response } of association.request(
    context.id,
    command,
    identifier,
    waiting,
  )) {
    const status = response.status ?? 0x0110
    progress = progressOf(response, progress)
    if (categoryOf(status) === 'pending') yield progress
    else
      return {
        ...progress,
        isComplete: status === 0x0000 && progress.failed === 0,
        status,
        detail: detailOf(response, status, progress, options),
      }
  }
  throw new RequestorError('aborted', `${peer.aeTitle} gave no final answer`)
}

const IN_ORDER = [TRANSFER_SYNTAX.explicitLittleEndian, TRANSFER_SYNTAX.implicitLittleEndian]
const QUERY_RETRIEVE_LEVEL = tagOf('QueryRetrieveLevel') as number
const STUDY_INSTANCE_UID = tagOf('StudyInstanceUID') as number

/**
 * PS3.7 §9.1.4.1.7: the counts may be left out; what was known still holds. In a final response
 * nothing remains but after C-CANCEL.
 */
function progressOf(response: CommandSet, before: MoveProgress): MoveProgress {
  const isPending = categoryOf(response.status ?? 0x0110) === 'pending'
  return {
    remaining: response.remainingSuboperations ?? (isPending ? before.remaining : 0),
    completed: response.completedSuboperations ?? before.completed,
    failed: response.failedSuboperations ?? before.failed,
    warning: response.warningSuboperations ?? before.warning,
  }
}

/** PS3.4 Table C.4-2. */
const DETAILS: Readonly<Record<DimseStatus, (options: MoveOptions) => string>> = {
  42753: ({ peer }) => `${peer.aeTitle} is out of resources: it could not count the images`,
  42754: ({ peer, destinationAeTitle }) =>
    `${peer.aeTitle} could not send here: check the host and port it has for ${destinationAeTitle}, and that this gateway takes its images`,
  43009: ({ peer, destinationAeTitle }) =>
    `${peer.aeTitle} does not know ${destinationAeTitle} as a destination: add it there, with the host and port of this gateway`,
  43264: ({ peer }) => `${peer.aeTitle} does not understand the request`,
  290: ({ peer }) => `${peer.aeTitle} does not send studies (C-MOVE, Study Root)`,
  292: ({ peer, callingAeTitle }) =>
    `${peer.aeTitle} does not let ${callingAeTitle} retrieve: allow it there`,
}

function detailOf(
  response: CommandSet,
  status: DimseStatus,
  progress: MoveProgress,
  options: MoveOptions,
): string {
  const { completed, failed, warning } = progress
  const category = categoryOf(status)
  if (category === 'cancel') return `cancelled after ${completed + warning} images`
  if (status === 0x0000 && completed + warning + failed === 0)
    return `${options.peer.aeTitle} has no images of this study`
  if (category === 'success' || category === 'warning') {
    return failed === 0
      ? `${completed + warning} images came`
      : `${completed + warning} images came, ${failed} could not be sent`
  }
  const known = DETAILS[status]?.(options)
  const comment = response.errorComment ? `: ${response.errorComment}` : ''
  return (
    known ??
    `${options.peer.aeTitle} refused, status ${status.toString(16).toUpperCase().padStart(4, '0')}${comment}`
  )
}
