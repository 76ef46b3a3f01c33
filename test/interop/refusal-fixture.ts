import { join } from 'node:path'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD, type CommandSet } from '#server/dicom/dimse/command-set.ts'
import { dashboard, type FeedLine, type Status } from '#shared/contract/dashboard.ts'
import { dashboardImages, type ImageStudySummary } from '#shared/contract/images.ts'
import { englishText } from '#shared/messages/english.ts'
import type { StartedGateway } from '../support/gateway.ts'
import { CT_IMAGE_STORAGE, imageDataSet, type MadeInstance } from '../support/instance-file.ts'
import {
  associateRq,
  ECHO_CONTEXT,
  type Proposal,
  Requestor,
  WORKLIST_CONTEXT,
} from '../support/requestor.ts'
import { filesBelow, type Stored, storedIn } from './storage-fixture.ts'

const { explicitLittleEndian } = TRANSFER_SYNTAX

export const IMAGE_CONTEXT = {
  id: 5,
  abstractSyntax: CT_IMAGE_STORAGE,
  transferSyntaxes: [explicitLittleEndian],
}
export const IMAGES: Proposal = { contexts: [ECHO_CONTEXT, IMAGE_CONTEXT] }
export const WORKLIST: Proposal = { contexts: [ECHO_CONTEXT, WORKLIST_CONTEXT] }
export const STEPS: Proposal = {
  contexts: [
    {
      id: 7,
      abstractSyntax: SOP_CLASS.modalityPerformedProcedureStep,
      transferSyntaxes: [explicitLittleEndian],
    },
  ],
}

export const TAG = {
  sopClassUid: 0x00080016,
  sopInstanceUid: 0x00080018,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
}

/** An image on the wire, without the elements that are named. */
export function imageBytes(made: MadeInstance, without: readonly number[] = []): Buffer {
  return writeDataSet(
    imageDataSet(made).filter(({ tag }) => !without.includes(tag)),
    explicitLittleEndian,
  )
}

/** The n-th image of a study. */
export function imageOf(
  studyInstanceUid: string,
  number: number,
  size = 16,
): MadeInstance & { readonly sopInstanceUid: string } {
  const seriesInstanceUid = `${studyInstanceUid}.1`
  return {
    studyInstanceUid,
    seriesInstanceUid,
    sopInstanceUid: `${seriesInstanceUid}.${number}`,
    size,
  }
}

export const storeRq = (
  affectedSopInstanceUid: string,
  more: Partial<CommandSet> = {},
): CommandSet => ({
  commandField: COMMAND_FIELD['C-STORE-RQ'],
  affectedSopClassUid: CT_IMAGE_STORAGE,
  affectedSopInstanceUid,
  messageId: 7,
  priority: 0,
  hasDataSet: true,
  ...more,
})

/** C-STORE; `A900 comment`. */
export async function store(
  requestor: Requestor,
  command: CommandSet,
  dataSet?: Buffer,
  contextId = IMAGE_CONTEXT.id,
): Promise<string> {
  requestor.sendMessage(contextId, command, dataSet)
  const answer = (await requestor.message()).command
  const status = (answer.status ?? -1).toString(16).toUpperCase().padStart(4, '0')
  return answer.errorComment === undefined ? status : `${status} ${answer.errorComment.trim()}`
}

export const storeImage = (
  requestor: Requestor,
  made: MadeInstance & { readonly sopInstanceUid: string },
): Promise<string> => store(requestor, storeRq(made.sopInstanceUid), imageBytes(made))

/** `accepted`, or the codes of the rejection: `2/3/2`. */
export async function asked(port: number, proposal: Proposal): Promise<string> {
  await using requestor = await Requestor.connect(port)
  requestor.sendPdu(associateRq(proposal))
  const answer = await requestor.next()
  if (answer.type === 'A-ASSOCIATE-AC') {
    await requestor.release()
    return 'accepted'
  }
  return answer.type === 'A-ASSOCIATE-RJ'
    ? `${answer.result}/${answer.source}/${answer.reason}`
    : answer.type
}

export const kept = ({ folder }: StartedGateway): Stored[] => storedIn(join(folder, 'images'))
/** Files that were begun and not finished. */
export const unfinished = ({ folder }: StartedGateway): string[] =>
  filesBelow(join(folder, 'spool'))

export const statusOf = ({ call }: StartedGateway): Promise<Status> => call(dashboard.status, {})
/** Lines of the feed, the newest first. */
export const feedOf = async ({ call }: StartedGateway): Promise<readonly FeedLine[]> =>
  (await call(dashboard.feed, { query: { limit: 100 } })).lines
export const feedTexts = async (started: StartedGateway): Promise<string[]> =>
  (await feedOf(started)).map(({ text }) => englishText(text))

/** A study as the window lists it; undefined where it has none of its images. */
export async function studyOf(
  { call }: StartedGateway,
  studyInstanceUid: string,
): Promise<ImageStudySummary | undefined> {
  const { studies } = await call(dashboardImages.list, {
    query: { limit: 100, search: studyInstanceUid },
  })
  return studies.find((study) => study.studyInstanceUid === studyInstanceUid)
}
