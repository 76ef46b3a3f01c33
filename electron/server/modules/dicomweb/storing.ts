import type { Context } from '#server/context.ts'
import {
  ByteWindow,
  MissingBytesError,
  ViewedFileFault,
} from '#server/dicom/data-set/byte-window.ts'
import { DataSetInterruptedError } from '#server/dicom/data-set/data-set-stream.ts'
import type { JsonAttribute, JsonDataSet } from '#server/dicom/data-set/dicom-json.ts'
import { type FileStart, readFileStart } from '#server/dicom/data-set/file-start.ts'
import { HeaderReader, textOf } from '#server/dicom/data-set/header-reader.ts'
import { isStorageClass, STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import type { AssociationInfo, CStoreScp } from '#server/dicom/dimse/service.ts'
import type { DicomwebAnswer, DicomwebCall } from '#server/http/dicomweb-route.ts'
import { TAG } from '#server/modules/images/header.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { DICOM, DICOM_JSON } from './media-types.ts'
import { readParts, type UploadedPart } from './uploads.ts'

/** PS3.18 Table I.2-2, PS3.4 Table B.2-1. */
const FAILURE_REASONS = {
  processing: 0x0110,
  sopClass: 0x0122,
  transferSyntax: 0xc122,
  otherStudy: 0xa900,
  notUnderstood: 0xc000,
} as const

/** Bytes in which the file meta information, and the identifying attributes, must end. */
const MAX_START_BYTES = 1 << 20

/** The outcome of one part. */
interface PartOutcome {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  /** DIMSE status; 0 if it is stored. */
  readonly status: number
}

/**
 * Stores the instances of an upload (PS3.18 10.5), as if a device had sent them: what is reported as
 * stored is durable.
 * @param studyInstanceUid the study to which all of them must belong
 * @throws ApiError media-type, malformed
 */
export async function storeInstances(
  context: Context,
  receiver: CStoreScp,
  completion: Pick<StudyCompletion, 'associationClosed'>,
  call: DicomwebCall,
  studyInstanceUid: string | undefined,
): Promise<DicomwebAnswer> {
  const association = associationOf(context, call)
  const outcomes: PartOutcome[] = []
  let isComplete = false
  try {
    const parts = await readParts(call.contentType, call.body, async (part, index) => {
      const outcome = await storePart(context, receiver, association, call, part, studyInstanceUid)
      outcomes[index] = outcome
    })
    if (parts === 0) throw new ApiError('malformed', message('dicomweb.upload-empty'))
    isComplete = true
  } finally {
    completion.associationClosed(association.associationId, {
      kind: isComplete ? 'released' : 'aborted',
      detail: isComplete ? null : message('dicomweb.upload-interrupted'),
    })
  }
  return answerOf(outcomes, call.baseUrl)
}

/**
 * How an upload appears where the images of devices are listed. Each API key is a sender of its own,
 * because an instance is only replaced by its own sender.
 */
function associationOf(
  { settings }: Context,
  { caller, requestId, remoteAddress }: DicomwebCall,
): AssociationInfo {
  return {
    associationId: requestId,
    callingAeTitle: `WEB-${caller.apiKeyId.slice(0, 8).toUpperCase()}`,
    calledAeTitle: settings.get('dimse.aeTitle'),
    remoteAddress,
  }
}

/** Stores a part of a `multipart/related` body, as if a device had sent it. */
export async function storePart(
  { settings }: Pick<Context, 'settings'>,
  receiver: CStoreScp,
  association: AssociationInfo,
  { signal }: Pick<DicomwebCall, 'signal'>,
  { type, content }: UploadedPart,
  studyWanted: string | undefined,
  requestedInstanceId?: number,
): Promise<PartOutcome> {
  const pieces = content[Symbol.asyncIterator]()
  const start = await startOf(pieces)
  const uids = start ? start.uids : NO_UIDS
  const failedOutcome = (status: number): PartOutcome => ({ ...uids, status })
  if (!start || (type() !== '' && type() !== DICOM))
    return failedOutcome(FAILURE_REASONS.notUnderstood)
  const { transferSyntaxUid } = start.file
  if (!isStorageClass(uids.sopClassUid, settings.get('intake.acceptUnknownClasses')))
    return failedOutcome(
      uids.sopClassUid === '' ? FAILURE_REASONS.notUnderstood : FAILURE_REASONS.sopClass,
    )
  if (!STORAGE_TRANSFER_SYNTAXES.includes(transferSyntaxUid))
    return failedOutcome(FAILURE_REASONS.transferSyntax)
  if (studyWanted !== undefined && studyWanted !== uids.studyInstanceUid)
    return failedOutcome(FAILURE_REASONS.otherStudy)
  const { status } = await receiver.store({
    ...{ association, messageId: 1, transferSyntax: transferSyntaxUid, signal },
    ...{ sopClassUid: uids.sopClassUid, sopInstanceUid: uids.sopInstanceUid },
    moveOriginatorAeTitle: undefined,
    ...(requestedInstanceId !== undefined && { requestedInstanceId }),
    dataSet: dataSetOf(start.rest, pieces),
    release: () => undefined,
  })
  return failedOutcome(status)
}

const NO_UIDS = { sopClassUid: '', sopInstanceUid: '', studyInstanceUid: '', seriesInstanceUid: '' }

interface PartStart {
  readonly file: FileStart
  readonly uids: typeof NO_UIDS
  /** The bytes of the data set that have been read. */
  readonly rest: Buffer
}

/** Reads until the identifying attributes are known; undefined if it is not a DICOM file. */
async function startOf(pieces: AsyncIterator<Buffer>): Promise<PartStart | undefined> {
  const read: Buffer[] = []
  let length = 0
  let isWhole = false
  const readMore = async (): Promise<Buffer | undefined> => {
    const next = await nextPiece(pieces)
    if (next.done) isWhole = true
    else {
      read.push(next.value)
      length += next.value.length
    }
    return next.done ? undefined : next.value
  }
  let file: FileStart | undefined
  while (!file && length <= MAX_START_BYTES) {
    await readMore()
    file = fileStartOf(Buffer.concat(read), isWhole)
    if (isWhole && !file) return undefined
  }
  if (!file) return undefined
  const reader = new HeaderReader(file.transferSyntaxUid, IDENTIFYING_TAGS)
  reader.push(Buffer.concat(read).subarray(file.dataSetOffset))
  while (!reader.isDone && length - file.dataSetOffset <= MAX_START_BYTES) {
    const next = await readMore()
    if (!next) break
    reader.push(next)
  }
  const values = reader.end()
  const uids = {
    sopClassUid: textOf(values, TAG.sopClassUid),
    sopInstanceUid: textOf(values, TAG.sopInstanceUid),
    studyInstanceUid: textOf(values, TAG.studyInstanceUid),
    seriesInstanceUid: textOf(values, TAG.seriesInstanceUid),
  }
  return { file, uids, rest: Buffer.concat(read).subarray(file.dataSetOffset) }
}

const IDENTIFYING_TAGS = [
  TAG.sopClassUid,
  TAG.sopInstanceUid,
  TAG.studyInstanceUid,
  TAG.seriesInstanceUid,
]

/** Undefined if more bytes are needed, or if it is not a DICOM file. */
function fileStartOf(bytes: Buffer, isWhole: boolean): FileStart | undefined {
  const read = (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length))
  const source = { length: bytes.length, isWhole, read }
  try {
    return readFileStart(new ByteWindow(source), isWhole ? bytes.length : undefined)
  } catch (error) {
    if (error instanceof MissingBytesError || error instanceof ViewedFileFault) return undefined
    throw error
  }
}

async function* dataSetOf(
  first: Buffer,
  pieces: AsyncIterator<Buffer>,
): AsyncGenerator<readonly Buffer[]> {
  if (first.length > 0) yield [first]
  for (;;) {
    const next = await nextPiece(pieces)
    if (next.done) return
    yield [next.value]
  }
}

/** @throws DataSetInterruptedError if the upload ends within the part */
async function nextPiece(pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer, unknown>> {
  try {
    return await pieces.next()
  } catch {
    throw new DataSetInterruptedError('the upload ended within a part')
  }
}

/** PS3.18 10.5.3: what was stored and what was not, in the DICOM JSON Model. */
function answerOf(outcomes: readonly PartOutcome[], base: string): DicomwebAnswer {
  const stored = outcomes.filter(({ status }) => status === 0)
  const failed = outcomes.filter(({ status }) => status !== 0)
  const studies = new Set(stored.map(({ studyInstanceUid }) => studyInstanceUid))
  const [study] = studies
  const json: JsonDataSet = {
    ...(studies.size === 1 && { '00081190': uri(`${base}/studies/${study}`) }),
    ...(failed.length > 0 && {
      '00081198': sequence(
        failed.map((each) => ({
          ...referenceTo(each),
          '00081197': { vr: 'US', Value: [each.status] },
        })),
      ),
    }),
    ...(stored.length > 0 && {
      '00081199': sequence(
        stored.map((each) => ({
          ...referenceTo(each),
          '00081190': uri(
            `${base}/studies/${each.studyInstanceUid}/series/${each.seriesInstanceUid}/instances/${each.sopInstanceUid}`,
          ),
        })),
      ),
    }),
  }
  const status = failed.length === 0 ? 200 : stored.length > 0 ? 202 : 409
  return { status, contentType: DICOM_JSON, body: Buffer.from(JSON.stringify(json)) }
}

const referenceTo = ({ sopClassUid, sopInstanceUid }: PartOutcome): JsonDataSet => ({
  '00081150': uid(sopClassUid),
  '00081155': uid(sopInstanceUid),
})
const uid = (value: string): JsonAttribute => ({
  vr: 'UI',
  ...(value !== '' && { Value: [value] }),
})
const uri = (value: string): JsonAttribute => ({ vr: 'UR', Value: [value] })
const sequence = (items: readonly JsonDataSet[]): JsonAttribute => ({ vr: 'SQ', Value: items })
