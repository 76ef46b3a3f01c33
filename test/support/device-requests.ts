import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { CT, encoded } from '../electron/server/modules/images/intake-fixture.ts'

/** A request of a device, which gets its message id when it is sent. */
export type DeviceRequest = Omit<CommandSet, 'messageId' | 'hasDataSet'>

/** PS3.4 J.3.5. */
const COMMITMENT_INSTANCE = '1.2.840.10008.1.20.1.1'

export const cStore = (affectedSopInstanceUid: string): DeviceRequest => ({
  ...{
    commandField: COMMAND_FIELD['C-STORE-RQ'],
    affectedSopClassUid: CT,
    affectedSopInstanceUid,
    priority: 0,
  },
})

/** MPPS: without a UID the gateway gives it one. */
export const nCreate = (affectedSopInstanceUid?: string): DeviceRequest => ({
  commandField: COMMAND_FIELD['N-CREATE-RQ'],
  affectedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
  ...(affectedSopInstanceUid !== undefined && { affectedSopInstanceUid }),
})

export const nSet = (requestedSopInstanceUid: string): DeviceRequest => ({
  commandField: COMMAND_FIELD['N-SET-RQ'],
  requestedSopClassUid: SOP_CLASS.modalityPerformedProcedureStep,
  requestedSopInstanceUid,
})

/** Asks for storage commitment, of what `committed` names. */
export const N_ACTION: DeviceRequest = {
  commandField: COMMAND_FIELD['N-ACTION-RQ'],
  requestedSopClassUid: SOP_CLASS.storageCommitmentPushModel,
  requestedSopInstanceUid: COMMITMENT_INSTANCE,
  actionTypeId: 1,
}

export const committed = (TransactionUID: string, sopInstanceUids: readonly string[]): Buffer =>
  encoded({
    TransactionUID,
    ReferencedSOPSequence: sopInstanceUids.map((uid) => ({
      ReferencedSOPClassUID: CT,
      ReferencedSOPInstanceUID: uid,
    })),
  })
