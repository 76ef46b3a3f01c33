import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Context } from '#server/context.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { DicomwebAnswer } from '#server/http/dicomweb-route.ts'
import { fetchAhead } from '#server/modules/images/local-files.ts'
import { type AcceptedRepresentation, isOfType } from './accept.ts'
import type { ConvertedFiles } from './converted-files.ts'
import { notAcceptableError, notFoundError } from './faults.ts'
import { canConvert, DICOM, isLossy } from './media-types.ts'
import { multipart, type Part, singlePartBody } from './multipart.ts'
import {
  instanceFile,
  listStoredInstances,
  type ResourcePath,
  type StoredInstance,
} from './stored-instances.ts'

const CHUNK_BYTES = 1 << 18
/** Files up to this size are read as a whole. */
const MAX_WHOLE_READ_BYTES = 2 << 20

/** An instance and the transfer syntax in which it is sent. */
interface InstanceToSend {
  readonly instance: StoredInstance
  readonly transferSyntax: string
}

/**
 * Retrieves a study, a series or an instance as DICOM files (PS3.18 10.4.1.1.1). A file is sent as
 * it is stored if the caller accepts its transfer syntax. Without a `transfer-syntax` parameter the
 * caller accepts Explicit VR Little Endian, to which everything is converted that the modality did
 * not compress with a loss (PS3.18 8.7.3.5.2).
 * @throws ApiError not-found; not-acceptable: none of the instances can be sent as requested
 */
export async function retrieveInstances(
  context: Context,
  converted: ConvertedFiles,
  path: ResourcePath,
  accepted: readonly AcceptedRepresentation[],
): Promise<DicomwebAnswer> {
  const instances = listStoredInstances(context.database, path)
  if (instances.length === 0) throw notFoundError()
  const wanted = accepted.filter((each) => isOfType(each, DICOM))
  const sent = instances.flatMap((instance) => {
    const transferSyntax = syntaxToSend(instance.transferSyntaxUid, wanted)
    return transferSyntax === undefined ? [] : [{ instance, transferSyntax }]
  })
  if (sent.length === 0) throw notAcceptableError()
  const isMultipart = wanted.some((each) => each.isMultipart)
  // PS3.18 10.4.3: some of the instances cannot be sent as requested.
  const status = sent.length < instances.length ? 206 : 200
  const [only, ...others] = sent
  if (only) {
    // A study that cannot be fetched is refused before the status is sent.
    using stored = await instanceFile(context, only.instance)
    // So is a conversion that fails; the copy is kept for the response.
    if (isConverted(only))
      await (await converted.lend(stored, only.transferSyntax))[Symbol.asyncDispose]()
  }
  if (isMultipart) {
    if (only && others.length === 0 && isShort(only)) {
      using stored = await instanceFile(context, only.instance)
      const file = await readFile(stored.path)
      return { status, ...singlePartBody(DICOM, { 'Content-Type': typeOf(only) }, file) }
    }
    const parts = partsOf(context, converted, sent)
    return { status, ...multipart(DICOM, parts) }
  }
  if (!only || others.length > 0 || path.sopInstanceUid === undefined) throw notAcceptableError()
  const content = contentOf(context, converted, only)
  return { contentType: typeOf(only), body: Readable.from(content, { objectMode: false }) }
}

/** Undefined if it cannot be sent as requested. */
export function syntaxToSend(
  stored: string,
  wanted: readonly AcceptedRepresentation[],
): string | undefined {
  const acceptedSyntaxes = wanted.map(({ transferSyntax }) => transferSyntax)
  if (acceptedSyntaxes.includes('*') || acceptedSyntaxes.includes(stored)) return stored
  for (const syntax of acceptedSyntaxes) {
    const to = syntax ?? TRANSFER_SYNTAX.explicitLittleEndian
    if (to === stored) return stored
    const mayConvert = canConvert(stored, to)
    if (syntax === undefined && (isLossy(stored) || !mayConvert)) return stored
    if (mayConvert) return to
  }
  return undefined
}

async function* partsOf(
  context: Context,
  converted: ConvertedFiles,
  sent: readonly InstanceToSend[],
): AsyncGenerator<Part> {
  const instances = sent.map(({ instance }) => instance)
  for (const [index, each] of sent.entries()) {
    fetchAhead(context, instances, index)
    yield {
      headers: { 'Content-Type': typeOf(each) },
      content: contentOf(context, converted, each),
    }
  }
}

async function* contentOf(
  context: Context,
  converted: ConvertedFiles,
  { instance, transferSyntax }: InstanceToSend,
): AsyncGenerator<Buffer> {
  using stored = await instanceFile(context, instance)
  if (!isConverted({ instance, transferSyntax })) {
    if (isShort({ instance, transferSyntax })) yield await readFile(stored.path)
    else yield* createReadStream(stored.path, { highWaterMark: CHUNK_BYTES })
    return
  }
  await using copy = await converted.lend(stored, transferSyntax)
  yield* createReadStream(copy.path, { highWaterMark: CHUNK_BYTES })
}

/** Whether it is sent as it is stored, by one read: several times as fast as a stream. */
const isShort = (sent: InstanceToSend): boolean =>
  !isConverted(sent) && sent.instance.bytes <= MAX_WHOLE_READ_BYTES

const isConverted = ({ instance, transferSyntax }: InstanceToSend): boolean =>
  transferSyntax !== instance.transferSyntaxUid

const typeOf = ({ transferSyntax }: InstanceToSend): string =>
  `${DICOM}; transfer-syntax=${transferSyntax}`
