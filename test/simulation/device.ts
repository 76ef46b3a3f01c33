import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { writeMessage } from '#server/dicom/dimse/message.ts'
import type { ProposedContext } from '#server/dicom/upper-layer/pdu.ts'
import { CT, encoded, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import {
  ask,
  EXPLICIT,
  identifierOf,
  text,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import {
  committed,
  cStore,
  type DeviceRequest,
  N_ACTION,
  nCreate,
  nSet,
} from '../support/device-requests.ts'
import { associated, type Requestor } from '../support/requestor.ts'
import type { FoundRow } from './ledger.ts'

/** A console that talks to the gateway over sockets of this process. */
export interface Device {
  readonly aeTitle: string
  readonly hidesStarted: boolean
  /** What its last worklist has. */
  rows: readonly FoundRow[]
  /** Asks for the days, `YYYYMMDD`. */
  find(
    port: number,
    from: string,
    to: string,
  ): Promise<{ readonly status: string; readonly rows: readonly FoundRow[] }>
  /** C-STORE of a CT image; its status. */
  store(port: number, sopInstanceUid: string, dataSet: Buffer): Promise<string>
  /**
   * Sends the image as far as `share`, then resets the connection; all of it where that is 1,
   * without waiting for the answer.
   */
  storeCutOff(port: number, sopInstanceUid: string, dataSet: Buffer, share: number): Promise<void>
  begin(port: number, sopInstanceUid: string, step: Values): Promise<string>
  set(port: number, sopInstanceUid: string, changes: Values): Promise<string>
  commit(port: number, transactionUid: string, sopInstanceUids: readonly string[]): Promise<string>
  /** Releases the association it keeps open. */
  release(): Promise<void>
  readonly isOpen: boolean
  /** The other end is no more. */
  hangUp(): void
}

const explicit = (id: number, abstractSyntax: string): ProposedContext => ({
  id,
  abstractSyntax,
  transferSyntaxes: [TRANSFER_SYNTAX.explicitLittleEndian],
})
const FIND = explicit(3, SOP_CLASS.modalityWorklistFind)
const IMAGES = explicit(5, CT)
const STEPS = explicit(7, SOP_CLASS.modalityPerformedProcedureStep)
const COMMITMENT = explicit(9, SOP_CLASS.storageCommitmentPushModel)
/** What a gateway takes at once, at least. */
const PDU_BYTES = 16_384

export function openDevice(aeTitle: string, hidesStarted = false): Device {
  let kept: Requestor | undefined
  let messageId = 0

  const association = async (port: number): Promise<Requestor> => {
    kept ??= await associated(port, {
      callingAeTitle: aeTitle,
      contexts: [FIND, IMAGES, STEPS, COMMITMENT],
    })
    return kept
  }

  function hangUp(): void {
    kept?.reset()
    kept = undefined
  }

  /** One that the gateway has closed meanwhile is opened anew, once. */
  async function over<T>(port: number, work: (requestor: Requestor) => Promise<T>): Promise<T> {
    const wasOpen = kept !== undefined
    try {
      return await work(await association(port))
    } catch (error) {
      hangUp()
      if (!wasOpen) throw error
      return await work(await association(port))
    }
  }

  const request = (
    port: number,
    { id }: ProposedContext,
    command: DeviceRequest,
    dataSet: Buffer,
  ) =>
    over(port, async (requestor) => {
      requestor.sendMessage(id, { ...command, messageId: ++messageId, hasDataSet: true }, dataSet)
      const { status = -1 } = (await requestor.message()).command
      return hex(status)
    })

  return {
    aeTitle,
    hidesStarted,
    rows: [],
    find: (port, from, to) =>
      over(port, async (requestor) => {
        const keys = ask(
          {},
          {
            ScheduledProcedureStepStartDate: from === to ? from : `${from}-${to}`,
            ScheduledProcedureStepStatus: '',
          },
        )
        const { identifiers, final } = await requestor.find(identifierOf(keys), ++messageId)
        return { status: hex(final.status ?? -1), rows: identifiers.map(rowOf) }
      }),
    store: (port, sopInstanceUid, dataSet) =>
      request(port, IMAGES, cStore(sopInstanceUid), dataSet),
    async storeCutOff(port, sopInstanceUid, dataSet, share) {
      const requestor = await association(port)
      const bytes = writeMessage(
        IMAGES.id,
        { ...cStore(sopInstanceUid), messageId: ++messageId, hasDataSet: true },
        dataSet,
        PDU_BYTES,
      )
      requestor.send(bytes.subarray(0, Math.ceil(bytes.length * share)))
      if (share < 1) return hangUp()
      requestor.halfClose()
      kept = undefined
    },
    begin: (port, sopInstanceUid, step) =>
      request(port, STEPS, nCreate(sopInstanceUid), encoded(step)),
    set: (port, sopInstanceUid, changes) =>
      request(port, STEPS, nSet(sopInstanceUid), encoded(changes)),
    commit: (port, transactionUid, sopInstanceUids) =>
      request(port, COMMITMENT, N_ACTION, committed(transactionUid, sopInstanceUids)),
    async release() {
      const open = kept
      kept = undefined
      await open?.release().catch(() => undefined)
      await open?.[Symbol.asyncDispose]()
    },
    get isOpen() {
      return kept !== undefined
    },
    hangUp,
  }
}

const hex = (status: number): string => status.toString(16).toUpperCase().padStart(4, '0')

function rowOf(identifier: Buffer): FoundRow {
  const row = readDataSet(identifier, EXPLICIT)
  const value = (keyword: string) => (text(row, keyword) ?? '').trim()
  return {
    studyInstanceUid: value('StudyInstanceUID'),
    stepId: value('ScheduledProcedureStepID'),
    accessionNumber: value('AccessionNumber'),
    patientId: value('PatientID'),
    patientName: value('PatientName'),
    description: value('ScheduledProcedureStepDescription'),
    day: value('ScheduledProcedureStepStartDate'),
    time: value('ScheduledProcedureStepStartTime'),
    status: value('ScheduledProcedureStepStatus'),
  }
}
