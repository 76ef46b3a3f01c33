import { isStorageClass, STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type { CStoreScp } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'

export interface StorageOptions {
  /** Storage classes that DICOM does not define are taken too. */
  readonly acceptsUnknown: () => boolean
}

/**
 * PS3.4 Annex B, as SCP: every storage class, every transfer syntax that carries its own pixels,
 * nothing transcoded.
 */
export function storage(scp: CStoreScp, { acceptsUnknown }: StorageOptions): ServiceClass {
  return {
    sopClasses: [],
    offers: (uid) => isStorageClass(uid, acceptsUnknown()),
    transferSyntaxes: STORAGE_TRANSFER_SYNTAXES,
    acceptsScpRole: false,
    streams: true,
    commands: {
      [COMMAND_FIELD['C-STORE-RQ']]: async ({
        association,
        messageId,
        context,
        command,
        fragments,
        dataSlices,
        signal,
      }) => {
        const sopInstanceUid = command.affectedSopInstanceUid ?? ''
        const result = await scp.store({
          association,
          messageId,
          transferSyntax: context.transferSyntax,
          sopClassUid: command.affectedSopClassUid ?? '',
          sopInstanceUid,
          moveOriginatorAeTitle: command.moveOriginatorAeTitle,
          dataSet: fragments ?? NOTHING,
          release: dataSlices.give,
          signal,
        })
        return { result, responses: 0, response: { affectedSopInstanceUid: sopInstanceUid } }
      },
    },
  }
}

/** Of a request without a data set: for the service to refuse. */
const NOTHING: AsyncIterable<readonly Buffer[]> = { async *[Symbol.asyncIterator]() {} }
