import { namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { message } from '#shared/messages/message.ts'
import { type CommittedInstance, WELL_KNOWN_INSTANCE } from './event-report.ts'
import { RequestorError } from './requestor.ts'
import { type Caller, requestService, statusCode } from './service-request.ts'

/** A storage commitment request (PS3.4 J.3.2). */
export interface CommitmentToRequest {
  readonly transactionUid: string
  readonly instances: readonly CommittedInstance[]
}

/**
 * Asks the peer to commit the instances (N-ACTION). The result arrives later, over an association
 * that the peer opens.
 * @throws {RequestorError} if the peer cannot be asked or refuses the request
 */
export async function requestCommitment(
  caller: Caller,
  { transactionUid, instances }: CommitmentToRequest,
): Promise<void> {
  const responses = requestService(caller, {
    sopClass: SOP_CLASS.storageCommitmentPushModel,
    command: {
      commandField: COMMAND_FIELD['N-ACTION-RQ'],
      requestedSopClassUid: SOP_CLASS.storageCommitmentPushModel,
      requestedSopInstanceUid: WELL_KNOWN_INSTANCE,
      actionTypeId: REQUEST_STORAGE_COMMITMENT,
    },
    dataSet: namedDataSet({
      TransactionUID: transactionUid,
      ReferencedSOPSequence: instances.map(({ sopClassUid, sopInstanceUid }) => ({
        ReferencedSOPClassUID: sopClassUid,
        ReferencedSOPInstanceUID: sopInstanceUid,
      })),
    }),
    notOfferedMessage: 'dicom.no-storage-commitment',
  })
  for await (const { status, category } of responses) {
    if (category === 'success' || category === 'warning') return
    throw new RequestorError(
      'not-accepted',
      message('dicom.commitment-refused', {
        aeTitle: caller.peer.aeTitle,
        status: statusCode(status),
      }),
    )
  }
}

/** PS3.4 Table J.3-1. */
const REQUEST_STORAGE_COMMITMENT = 1
