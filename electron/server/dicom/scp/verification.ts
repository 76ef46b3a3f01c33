import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { CEchoScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'

const ALWAYS: CEchoScp = { echo: async () => ({ status: 0x0000 }) }

/** PS3.4 Annex A, as SCP: C-ECHO, answered Success unless the port says otherwise. */
export function verification(scp: CEchoScp = ALWAYS): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.verification],
    transferSyntaxes: [
      TRANSFER_SYNTAX.explicitLittleEndian,
      TRANSFER_SYNTAX.implicitLittleEndian,
      TRANSFER_SYNTAX.explicitBigEndian,
    ],
    acceptsScpRole: false,
    commands: {
      [COMMAND_FIELD['C-ECHO-RQ']]: async ({ association, messageId }) => ({
        result: await scp.echo({ association, messageId }),
        responses: 0,
      }),
    },
  }
}
