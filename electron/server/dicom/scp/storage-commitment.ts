import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { normalizedRequest } from '#server/dicom/dimse/normalized.ts'
import type { StorageCommitmentScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'

/** PS3.4 Annex J, as SCP: a device asks whether what it sent is kept for good. */
export function storageCommitment(
  scp: StorageCommitmentScp,
  { isOn }: { readonly isOn: () => boolean },
): ServiceClass {
  return {
    sopClasses: [],
    // Off: not offered at all, so that no device takes a refusal of one request for the answer to
    // its images.
    offers: (uid) => uid === SOP_CLASS.storageCommitmentPushModel && isOn(),
    transferSyntaxes: [
      TRANSFER_SYNTAX.explicitLittleEndian,
      TRANSFER_SYNTAX.implicitLittleEndian,
      TRANSFER_SYNTAX.explicitBigEndian,
    ],
    acceptsScpRole: false,
    commands: {
      [COMMAND_FIELD['N-ACTION-RQ']]: async (operation) => {
        const { requestedSopInstanceUid, actionTypeId = 0 } = operation.command
        const request = normalizedRequest(operation, requestedSopInstanceUid)
        const result = await scp.action({ ...request, actionTypeId })
        const instance =
          requestedSopInstanceUid === undefined
            ? {}
            : { affectedSopInstanceUid: requestedSopInstanceUid }
        return { result, responses: 0, response: { ...instance, actionTypeId } }
      },
    },
  }
}
