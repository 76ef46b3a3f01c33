import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { ProposedContext } from '#server/dicom/upper-layer/pdu.ts'
import { CT, encoded, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import {
  committed,
  cStore,
  type DeviceRequest,
  N_ACTION,
  nCreate,
  nSet,
} from './device-requests.ts'
import { associated, type Proposal } from './requestor.ts'

/** What a modality got for an answer. */
export interface Answered {
  /** Four hex digits. */
  readonly status: string
  readonly comment: string
  readonly sopInstanceUid: string
  /** PS3.7 C.4, Error ID. */
  readonly errorId: number | undefined
}

/**
 * One association of a modality, which does with it all that it does with a worklist row: images,
 * performed steps, commitment.
 */
export interface Modality extends AsyncDisposable {
  /** C-STORE of a CT image. */
  store(image: Values): Promise<Answered>
  /** As `store`, in Implicit VR Little Endian. */
  storeImplicit(image: Values): Promise<Answered>
  /** C-STORE of a CT image that is encoded already (Explicit VR Little Endian). */
  storeBytes(sopInstanceUid: string, dataSet: Buffer): Promise<Answered>
  /** MPPS N-CREATE; without a UID the gateway makes one. */
  begin(sopInstanceUid: string | undefined, step: Values): Promise<Answered>
  /** MPPS N-SET. */
  set(sopInstanceUid: string, changes: Values): Promise<Answered>
  /** N-ACTION of storage commitment (PS3.4 J.3.2), of CT images. */
  askCommitment(transactionUid: string, sopInstanceUids: readonly string[]): Promise<Answered>
  release(): Promise<void>
  /** TCP RST. */
  vanish(): void
  /** Sends an image and ends the connection without waiting for the answer. */
  storeAndLeave(image: Values): void
}

const context = (id: number, abstractSyntax: string): ProposedContext => ({
  id,
  abstractSyntax,
  transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian],
})
const IMAGES = context(1, CT)
const IMPLICIT_IMAGES: ProposedContext = {
  ...context(7, CT),
  transferSyntaxes: [TRANSFER_SYNTAX.implicitLittleEndian],
}
const STEPS = context(3, SOP_CLASS.modalityPerformedProcedureStep)
const COMMITMENT = context(5, SOP_CLASS.storageCommitmentPushModel)

/** Associates with a gateway on this PC. */
export async function openModality(port: number, proposal: Proposal = {}): Promise<Modality> {
  const association = await associated(port, {
    ...proposal,
    contexts: [IMAGES, STEPS, COMMITMENT, IMPLICIT_IMAGES],
  })
  let messageId = 0

  function send({ id }: ProposedContext, command: DeviceRequest, dataSet: Buffer): void {
    messageId++
    association.sendMessage(id, { ...command, messageId, hasDataSet: true }, dataSet)
  }

  async function request(
    context: ProposedContext,
    command: DeviceRequest,
    dataSet: Buffer,
  ): Promise<Answered> {
    send(context, command, dataSet)
    const { command: response } = await association.message()
    const {
      status = -1,
      errorComment: comment = '',
      affectedSopInstanceUid: sopInstanceUid = '',
      errorId,
    } = response
    return {
      status: status.toString(16).toUpperCase().padStart(4, '0'),
      comment,
      sopInstanceUid,
      errorId,
    }
  }

  const storeBytes = (sopInstanceUid: string, dataSet: Buffer) =>
    request(IMAGES, cStore(sopInstanceUid), dataSet)

  return {
    store: (image) => storeBytes(String(image.SOPInstanceUID), encoded(image)),
    storeImplicit: (image) =>
      request(
        IMPLICIT_IMAGES,
        cStore(String(image.SOPInstanceUID)),
        encoded(image, TRANSFER_SYNTAX.implicitLittleEndian),
      ),
    storeBytes,
    begin: (sopInstanceUid, step) => request(STEPS, nCreate(sopInstanceUid), encoded(step)),
    set: (sopInstanceUid, changes) => request(STEPS, nSet(sopInstanceUid), encoded(changes)),
    askCommitment: (transactionUid, sopInstanceUids) =>
      request(COMMITMENT, N_ACTION, committed(transactionUid, sopInstanceUids)),
    async release() {
      await association.release()
    },
    storeAndLeave(image) {
      send(IMAGES, cStore(String(image.SOPInstanceUID)), encoded(image))
      association.halfClose()
    },
    vanish: () => association.reset(),
    [Symbol.asyncDispose]: () => association[Symbol.asyncDispose](),
  }
}
