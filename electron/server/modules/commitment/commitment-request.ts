import type { DataSet } from '#server/dicom/data-set/coding.ts'
import type { NormalizedRequest } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { CommitmentItem } from '#server/modules/images/commitment-queries.ts'
import { classifyUid } from '#server/modules/images/header.ts'
import {
  itemsOf,
  numberIn,
  readNormalizedDataSet,
  TAG,
  textIn,
} from '#server/modules/procedure-steps/performed-data.ts'
import { message } from '#shared/messages/message.ts'

/** Action Type ID of Request Storage Commitment (PS3.4 J.3.2.1.1). */
const REQUEST_STORAGE_COMMITMENT = 1

/** Tags of a result (PS3.4 Table J.3-2). */
const FAILED_SOP_SEQUENCE = 0x00081198
const FAILURE_REASON = 0x00081197

export type ActionRequest = NormalizedRequest & { readonly actionTypeId: number }

export type InstanceReference = Pick<CommitmentItem, 'sopClassUid' | 'sopInstanceUid'>

/**
 * Parses the request.
 * @throws DimseError if the request is malformed or for another action
 */
export function parseRequest({ actionTypeId, dataSet: bytes, transferSyntax }: ActionRequest) {
  if (actionTypeId !== REQUEST_STORAGE_COMMITMENT)
    throw new DimseError(0x0123, message('commitment.no-such-action'))
  const dataSet = readNormalizedDataSet(bytes, transferSyntax)
  const transactionUid = textIn(dataSet, TAG.transactionUid)
  if (transactionUid === '')
    throw new DimseError(0x0121, message('commitment.no-transaction-uid'), [TAG.transactionUid])
  // PS3.7 §10.1.4.1.10: invalid argument value.
  if (classifyUid(transactionUid) === 'unfit')
    throw new DimseError(0x0115, message('commitment.transaction-uid-unfit'), [TAG.transactionUid])
  const items = itemsOf(dataSet, TAG.referencedSopSequence)
    .map((item) => ({
      sopClassUid: textIn(item, TAG.referencedSopClassUid),
      sopInstanceUid: textIn(item, TAG.referencedSopInstanceUid),
    }))
    .filter(({ sopInstanceUid }) => sopInstanceUid !== '')
  if (items.length === 0)
    throw new DimseError(0x0121, message('commitment.no-images'), [TAG.referencedSopSequence])
  return { transactionUid, items }
}

/** The instances that a result (PS3.4 Table J.3-2) confirms and refuses. */
export function resultOf(dataSet: DataSet): {
  /** SOP class and instance UID, separated by a space. */
  readonly committed: ReadonlySet<string>
  /** Failure reasons by SOP Instance UID. */
  readonly failures: ReadonlyMap<string, number>
} {
  const committed = itemsOf(dataSet, TAG.referencedSopSequence).map(
    (item) =>
      `${textIn(item, TAG.referencedSopClassUid)} ${textIn(item, TAG.referencedSopInstanceUid)}`,
  )
  const failures = itemsOf(dataSet, FAILED_SOP_SEQUENCE).map(
    (item) => [textIn(item, TAG.referencedSopInstanceUid), numberIn(item, FAILURE_REASON)] as const,
  )
  return { committed: new Set(committed), failures: new Map(failures) }
}

/** Whether both lists contain the same instances, in any order and with any repetitions. */
export function isSameRequest(
  kept: readonly CommitmentItem[],
  named: readonly InstanceReference[],
): boolean {
  const keysOf = (items: readonly InstanceReference[]) =>
    [...new Set(items.map(({ sopClassUid, sopInstanceUid }) => `${sopClassUid} ${sopInstanceUid}`))]
      .sort()
      .join('\n')
  return keysOf(kept) === keysOf(named)
}
