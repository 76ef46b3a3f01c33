import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { message } from '#shared/messages/message.ts'
import { RequestorError } from './requestor.ts'
import { type Caller, requestService, statusCode } from './service-request.ts'

export interface CommittedInstance {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
}

/** The result of a storage commitment request (PS3.4 J.3.3). */
export interface CommitmentReport {
  readonly transactionUid: string
  readonly committed: readonly CommittedInstance[]
  /** Each with its FailureReason (0008,1197): 0112, 0119, 0110, 0131 … (PS3.3 C.14.1.1). */
  readonly failed: readonly (CommittedInstance & { readonly failureReason: number })[]
}

/**
 * Delivers a commitment result over a separate association, in which the gateway is SCP and
 * requestor (PS3.4 J.3.3.1).
 * @throws {RequestorError} if it could not be delivered and should be retried
 */
export async function sendEventReport(caller: Caller, report: CommitmentReport): Promise<void> {
  const sopClass = SOP_CLASS.storageCommitmentPushModel
  const responses = requestService(
    { ...caller, roles: [{ sopClass, scu: false, scp: true }] },
    {
      sopClass,
      command: {
        commandField: COMMAND_FIELD['N-EVENT-REPORT-RQ'],
        affectedSopInstanceUid: WELL_KNOWN_INSTANCE,
        eventTypeId: report.failed.length === 0 ? EVENT_TYPE.allCommitted : EVENT_TYPE.someFailed,
      },
      dataSet: dataSetOf(report),
      notOfferedMessage: 'dicom.no-commitment-results',
    },
  )
  for await (const { status, category } of responses) {
    if (category === 'success' || category === 'warning') return
    throw new RequestorError(
      'not-accepted',
      message('dicom.commitment-result-refused', {
        aeTitle: caller.peer.aeTitle,
        status: statusCode(status),
      }),
    )
  }
}

/** PS3.4 J.3.5. */
export const WELL_KNOWN_INSTANCE = '1.2.840.10008.1.20.1.1'
/** PS3.4 Table J.3-2. */
const EVENT_TYPE = { allCommitted: 1, someFailed: 2 } as const

/** PS3.4 Table J.3-2: empty sequences are omitted. */
function dataSetOf({ transactionUid, committed, failed }: CommitmentReport): DataSet {
  const failures = failed.map((instance) => ({
    ...referenceOf(instance),
    FailureReason: instance.failureReason,
  }))
  return namedDataSet({
    TransactionUID: transactionUid,
    FailedSOPSequence: failed.length > 0 ? failures : undefined,
    ReferencedSOPSequence: committed.length > 0 ? committed.map(referenceOf) : undefined,
  })
}

const referenceOf = ({ sopClassUid, sopInstanceUid }: CommittedInstance): NamedValues => ({
  ReferencedSOPClassUID: sopClassUid,
  ReferencedSOPInstanceUID: sopInstanceUid,
})
