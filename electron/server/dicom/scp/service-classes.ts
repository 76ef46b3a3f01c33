import { isStorageClass, STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { TOO_LONG } from '#server/dicom/dimse/message.ts'
import type {
  CStoreScp,
  MppsScp,
  NormalizedRequest,
  StorageCommitmentScp,
  StorageCommitmentScu,
} from '#server/dicom/dimse/service.ts'
import type {
  Operation,
  OperationHandler,
  ServiceClass,
} from '#server/dicom/dimse/service-class.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'

const UNCOMPRESSED_SYNTAXES = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
]

/** Verification as SCP (PS3.4 Annex A): C-ECHO is always answered with Success. */
export function verification(): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.verification],
    transferSyntaxes: UNCOMPRESSED_SYNTAXES,
    acceptsScpRole: false,
    commands: {
      [COMMAND_FIELD['C-ECHO-RQ']]: async () => ({ result: { status: 0x0000 }, responses: 0 }),
    },
  }
}

/**
 * Storage as SCP (PS3.4 Annex B): every storage class and every transfer syntax with embedded
 * pixels, without transcoding.
 * @param acceptsUnknown whether storage classes that DICOM does not define are accepted too
 * @param compressions the compressions that a peer may receive by C-GET
 */
export function storage(
  scp: CStoreScp,
  acceptsUnknown: () => boolean,
  compressions: () => readonly string[] = () => [],
): ServiceClass {
  return {
    sopClasses: [],
    offers: (uid) => isStorageClass(uid, acceptsUnknown()),
    transferSyntaxes: STORAGE_TRANSFER_SYNTAXES,
    acceptsScpRole: [SOP_CLASS.patientRootGet, SOP_CLASS.studyRootGet],
    scpCompressions: compressions,
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
          dataSet: fragments ?? NO_DATA,
          release: (slice) => dataSlices.give(slice),
          signal,
        })
        return { result, responses: 0, response: { affectedSopInstanceUid: sopInstanceUid } }
      },
    },
  }
}

/** Used for a request without a data set, which the service then refuses. */
const NO_DATA: AsyncIterable<readonly Buffer[]> = { async *[Symbol.asyncIterator]() {} }

/** The service class, whose operations wait for `ready`. The data set is not read meanwhile. */
export function whenReady(ready: Promise<void>, service: ServiceClass): ServiceClass {
  const commands = Object.entries(service.commands).map(([field, perform]) => {
    const waiting: OperationHandler = (operation) => ready.then(() => perform(operation))
    return [field, waiting] as const
  })
  return { ...service, commands: Object.fromEntries(commands) }
}

/** Modality Performed Procedure Step as SCP (PS3.4 Annex F). */
export function mpps(scp: MppsScp): ServiceClass {
  return {
    sopClasses: [SOP_CLASS.modalityPerformedProcedureStep],
    transferSyntaxes: UNCOMPRESSED_SYNTAXES,
    acceptsScpRole: false,
    commands: {
      [COMMAND_FIELD['N-CREATE-RQ']]: async (operation) => {
        const request = normalizedRequest(operation, operation.command.affectedSopInstanceUid)
        const { sopInstanceUid, ...result } = await scp.create(request)
        return { result, responses: 0, response: affectedInstanceField(sopInstanceUid) }
      },
      [COMMAND_FIELD['N-SET-RQ']]: async (operation) => {
        const request = normalizedRequest(operation, operation.command.requestedSopInstanceUid)
        const result = await scp.set(request)
        return { result, responses: 0, response: affectedInstanceField(request.sopInstanceUid) }
      },
    },
  }
}

/**
 * Storage Commitment as SCP (PS3.4 Annex J), and the results that the gateway asked for as SCU.
 * While both are disabled it is not offered at all, so that no device mistakes a refused request
 * for a statement about its images.
 */
export function storageCommitment(
  scp: StorageCommitmentScp,
  isOn: () => boolean,
  scu: StorageCommitmentScu & { isOn(): boolean } = NO_COMMITMENT_SCU,
): ServiceClass {
  return {
    sopClasses: [],
    offers: (uid) => uid === SOP_CLASS.storageCommitmentPushModel && (isOn() || scu.isOn()),
    transferSyntaxes: UNCOMPRESSED_SYNTAXES,
    // An archive that reports a result is the SCP of the association that it opens (PS3.4 J.3.3.1).
    acceptsScpRole: [SOP_CLASS.storageCommitmentPushModel],
    commands: {
      [COMMAND_FIELD['N-ACTION-RQ']]: async (operation) => {
        const { requestedSopInstanceUid, actionTypeId = 0 } = operation.command
        const request = normalizedRequest(operation, requestedSopInstanceUid)
        const result = await scp.action({ ...request, actionTypeId })
        const response = { ...affectedInstanceField(requestedSopInstanceUid), actionTypeId }
        return { result, responses: 0, response }
      },
      [COMMAND_FIELD['N-EVENT-REPORT-RQ']]: async (operation) => {
        const { affectedSopInstanceUid, eventTypeId = 0 } = operation.command
        const request = normalizedRequest(operation, affectedSopInstanceUid)
        const result = await scu.eventReport({ ...request, eventTypeId })
        const response = { ...affectedInstanceField(affectedSopInstanceUid), eventTypeId }
        return { result, responses: 0, response }
      },
    },
  }
}

const NO_COMMITMENT_SCU = { isOn: () => false, eventReport: async () => ({ status: 0x0211 }) }

const affectedInstanceField = (sopInstanceUid: string | undefined) =>
  sopInstanceUid === undefined ? {} : { affectedSopInstanceUid: sopInstanceUid }

/** @throws {DimseError} 0213 if the data set exceeded the limit */
function normalizedRequest(
  { association, messageId, context, dataSet, signal }: Operation,
  sopInstanceUid: string | undefined,
): NormalizedRequest {
  if (dataSet === TOO_LONG) throw new DimseError(0x0213, message('dicom.data-set-too-long'))
  return {
    association,
    messageId,
    transferSyntax: context.transferSyntax,
    sopInstanceUid: sopInstanceUid || undefined,
    dataSet,
    signal,
  }
}
