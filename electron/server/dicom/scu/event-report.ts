import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import { openAssociation, type Peer, RequestorError, type RequestorLimits } from './requestor.ts'

export interface CommittedInstance {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
}

/** The result of a storage commitment request (PS3.4 J.3.3). */
export interface CommitmentReport {
  readonly transactionUid: string
  readonly committed: readonly CommittedInstance[]
  /** With FailureReason (0008,1197): 0112, 0119, 0110, 0131 … (PS3.3 C.14.1.1). */
  readonly failed: readonly (CommittedInstance & { readonly failureReason: number })[]
}

/**
 * Delivers a commitment's result over an association of its own, where we are the SCP and the
 * requestor (PS3.4 J.3.3.1).
 * @throws {RequestorError} where it could not be delivered: it is to be tried again.
 */
export type SendEventReport = (
  peer: Peer,
  callingAeTitle: string,
  report: CommitmentReport,
  options?: { readonly limits?: Partial<RequestorLimits>; readonly signal?: AbortSignal },
) => Promise<void>

export const sendEventReport: SendEventReport = async (
  peer,
  callingAeTitle,
  report,
  options = {},
) => {
  const sopClass = SOP_CLASS.storageCommitmentPushModel
  await using association = await openAssociation({
    ...options,
    peer,
    callingAeTitle,
    contexts: [
      {
        abstractSyntax: sopClass,
        transferSyntaxes: [
          TRANSFER_SYNTAX.explicitLittleEndian,
          TRANSFER_SYNTAX.implicitLittleEndian,
        ],
      },
    ],
    roles: [{ sopClass, scu: false, scp: true }],
  })
  const [context] = association.accepted
  // PS3.7 D.3.3.4: without an answer the requestor is the SCU. Devices that take the report all the
  // same leave the answer out.
  if (!context || association.roles.some((role) => role.sopClass === sopClass && !role.scp)) {
    throw new RequestorError(
      'not-accepted',
      `${peer.aeTitle} takes no storage commitment results on a connection that the gateway opens`,
    )
  }
  const command = {
    commandField: COMMAND_FIELD['N-EVENT-REPORT-RQ'],
    affectedSopClassUid: sopClass,
    affectedSopInstanceUid: WELL_KNOWN_INSTANCE,
    eventTypeId: report.failed.length === 0 ? EVENT_TYPE.allCommitted : EVENT_TYPE.someFailed,
  }
  for await (const { command: response } of association.request(
    context.id,
    command,
    writeDataSet(dataSetOf(report), context.transferSyntax),
  )) {
    const status = response.status ?? 0x0110
    if (categoryOf(status) === 'success' || categoryOf(status) === 'warning') return
    const code = status.toString(16).toUpperCase().padStart(4, '0')
    throw new RequestorError(
      'not-accepted',
      `${peer.aeTitle} did not take the storage commitment result: status ${code}`,
    )
  }
}

/** PS3.4 J.3.5. */
const WELL_KNOWN_INSTANCE = '1.2.840.10008.1.20.1.1'
/** PS3.4 Table J.3-2. */
const EVENT_TYPE = { allCommitted: 1, someFailed: 2 } as const

const TAG = {
  referencedSopClassUid: tagOf('ReferencedSOPClassUID') as number,
  referencedSopInstanceUid: tagOf('ReferencedSOPInstanceUID') as number,
  transactionUid: tagOf('TransactionUID') as number,
  failureReason: tagOf('FailureReason') as number,
  failedSopSequence: tagOf('FailedSOPSequence') as number,
  referencedSopSequence: tagOf('ReferencedSOPSequence') as number,
}

/**
 * PS3.4 Table J.3-2: a sequence is left out where it would be empty. Elements are in the order of
 * their tags.
 */
function dataSetOf({ transactionUid, committed, failed }: CommitmentReport): DataSet {
  const failures = failed.map(({ failureReason, ...instance }) => [
    ...referenceOf(instance),
    unsigned(TAG.failureReason, failureReason),
  ])
  return [
    uid(TAG.transactionUid, transactionUid),
    ...(failed.length > 0 ? [{ tag: TAG.failedSopSequence, vr: 'SQ', value: failures }] : []),
    ...(committed.length > 0
      ? [{ tag: TAG.referencedSopSequence, vr: 'SQ', value: committed.map(referenceOf) }]
      : []),
  ]
}

const referenceOf = ({ sopClassUid, sopInstanceUid }: CommittedInstance): Element[] => [
  uid(TAG.referencedSopClassUid, sopClassUid),
  uid(TAG.referencedSopInstanceUid, sopInstanceUid),
]

const uid = (tag: number, value: string): Element => ({
  tag,
  vr: 'UI',
  value: Buffer.from(value, 'latin1'),
})

function unsigned(tag: number, value: number): Element {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return { tag, vr: 'US', value: bytes }
}
