import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { normalizedRequest } from '#server/dicom/dimse/normalized.ts'
import type { MppsScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'

/** PS3.4 Annex F, as SCP: a device reports the steps it performs. */
export function mpps(scp: MppsScp): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.modalityPerformedProcedureStep],
    transferSyntaxes: [
      TRANSFER_SYNTAX.explicitLittleEndian,
      TRANSFER_SYNTAX.implicitLittleEndian,
      TRANSFER_SYNTAX.explicitBigEndian,
    ],
    acceptsScpRole: false,
    commands: {
      [COMMAND_FIELD['N-CREATE-RQ']]: async (operation) => {
        const { sopInstanceUid, ...result } = await scp.create(
          normalizedRequest(operation, operation.command.affectedSopInstanceUid),
        )
        return {
          result,
          responses: 0,
          response: sopInstanceUid === undefined ? {} : { affectedSopInstanceUid: sopInstanceUid },
        }
      },
      [COMMAND_FIELD['N-SET-RQ']]: async (operation) => {
        const request = normalizedRequest(operation, operation.command.requestedSopInstanceUid)
        const result = await scp.set(request)
        return {
          result,
          responses: 0,
          response:
            request.sopInstanceUid === undefined
              ? {}
              : { affectedSopInstanceUid: request.sopInstanceUid },
        }
      },
    },
  }
}
