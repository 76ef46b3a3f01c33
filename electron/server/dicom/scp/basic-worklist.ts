import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { CFindScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { find } from './find.ts'

/** The transfer syntaxes of identifiers, in order of preference. */
export const IDENTIFIER_SYNTAXES = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
] as const

/** Modality Worklist C-FIND as SCP (PS3.4 Annex K). */
export function basicWorklist(scp: CFindScp): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.modalityWorklistFind],
    transferSyntaxes: IDENTIFIER_SYNTAXES,
    acceptsScpRole: false,
    commands: { [COMMAND_FIELD['C-FIND-RQ']]: (operation) => find(scp, operation) },
  }
}
