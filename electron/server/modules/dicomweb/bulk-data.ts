import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Context } from '#server/context.ts'
import { UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'
import type { FoundElement, FoundItem } from '#server/dicom/data-set/found-elements.ts'
import { swapNumbers, VR } from '#server/dicom/data-set/vr.ts'
import type { WholeHeader } from '#server/dicom/data-set/whole-header.ts'
import { encapsulatedVideo, type Span } from '#server/dicom/pixel-data/encapsulated-content.ts'
import type { DicomwebAnswer } from '#server/http/dicomweb-route.ts'
import { wholeFrameOf, withApiErrors } from '#server/modules/viewer/image-file.ts'
import type { OpenFiles } from '#server/modules/viewer/open-files.ts'
import { type AcceptedRepresentation, isOfType } from './accept.ts'
import type { ConvertedFiles } from './converted-files.ts'
import { notAcceptableError, notFoundError } from './faults.ts'
import { frameTypeOf, OCTET_STREAM } from './media-types.ts'
import { plainFile, withHeader } from './metadata.ts'
import { multipart, type Part } from './multipart.ts'
import {
  findStoredInstance,
  instanceFile,
  type ResourcePath,
  type StoredInstance,
} from './stored-instances.ts'

/** A multiple of the width of every number. */
const CHUNK_BYTES = 1 << 18

/** Where the value of an attribute is in a file. */
interface ValueLocation {
  readonly spans: readonly Span[]
  /** Width of numbers that are stored in big endian; otherwise 1. */
  readonly swappedWidth: 1 | 2 | 4 | 8
  readonly type: string
  /** Compressed frames, which are parts of their own; 0 for other values. */
  readonly frames: number
}

/**
 * Retrieves the value of an attribute whose metadata has only a URI (PS3.18 10.4.1.1.5): its bytes
 * in little endian or, for compressed pixel data, one part for each frame.
 * @param valuePath tags and item numbers, as `jsonOfHeader` names them
 * @throws ApiError not-found, not-acceptable; refused: the file is faulty
 */
export async function retrieveBulkData(
  context: Context,
  files: OpenFiles,
  converted: ConvertedFiles,
  path: Required<ResourcePath>,
  valuePath: string,
  accepted: readonly AcceptedRepresentation[],
): Promise<DicomwebAnswer> {
  const instance = findStoredInstance(context.database, path)
  if (!instance) throw notFoundError()
  const location = await withHeader(context, converted, instance, (header, { source, viewed }) => {
    const element = elementAt(header, valuePath.split('/'))
    if (!element || element.items) throw notFoundError()
    if (element.length !== UNDEFINED_LENGTH) return locatedValue(element)
    const type = frameTypeOf(instance.transferSyntaxUid)
    const emptyLocation = { spans: [], swappedWidth: 1, frames: 0 } as const
    if (type.startsWith('video/'))
      return { ...emptyLocation, type, spans: withApiErrors(() => encapsulatedVideo(source)).spans }
    withApiErrors(() => viewed.header())
    return { ...emptyLocation, type, frames: viewed.frames }
  })
  const { type, frames } = location
  const wanted = accepted.find((each) => isOfType(each, type) || isOfType(each, OCTET_STREAM))
  if (!wanted) throw notAcceptableError()
  if (frames > 0) {
    if (!wanted.isMultipart) throw notAcceptableError()
    return multipart(type, framesOf(context, files, instance, type, frames))
  }
  const content = contentOf(context, converted, instance, location)
  if (!wanted.isMultipart)
    return { contentType: type, body: Readable.from(content, { objectMode: false }) }
  async function* onlyPart(): AsyncGenerator<Part> {
    yield { headers: { 'Content-Type': type }, content }
  }
  return multipart(type, onlyPart())
}

function locatedValue({ at, length, vr, bigEndian }: FoundElement): ValueLocation {
  const swappedWidth = bigEndian ? (VR.get(vr)?.width ?? 1) : 1
  return { spans: [{ at, length }], swappedWidth, type: OCTET_STREAM, frames: 0 }
}

async function* framesOf(
  context: Context,
  files: OpenFiles,
  instance: StoredInstance,
  type: string,
  frames: number,
): AsyncGenerator<Part> {
  using stored = await instanceFile(context, instance)
  const { path, transferSyntaxUid } = stored
  const headers = { 'Content-Type': `${type}; transfer-syntax=${transferSyntaxUid}` }
  for (let number = 1; number <= frames; number++) {
    const { body } = await files.use(path, (open) => wholeFrameOf(open, number))
    yield { headers, content: body }
  }
}

async function* contentOf(
  context: Context,
  converted: ConvertedFiles,
  instance: StoredInstance,
  { spans, swappedWidth }: ValueLocation,
): AsyncGenerator<Buffer> {
  await using plain = await plainFile(context, converted, instance)
  for (const { at, length } of spans) {
    if (length === 0) continue
    const range = { start: at, end: at + length - 1, highWaterMark: CHUNK_BYTES }
    for await (const chunk of createReadStream(plain.path, range) as AsyncIterable<Buffer>)
      yield swapNumbers(chunk, swappedWidth)
  }
}

/** @param path tags and item numbers alternately */
function elementAt(
  { found: { elements, pixels } }: WholeHeader,
  path: readonly string[],
): FoundElement | undefined {
  if (path.length === 1 && pixels?.tag === tagIn(path[0])) return pixels
  let item: FoundItem | undefined = elements
  for (let at = 0; at < path.length - 1; at += 2)
    item = item?.get(tagIn(path[at]))?.items?.[Number(path[at + 1]) - 1]
  return path.length % 2 === 1 ? item?.get(tagIn(path.at(-1))) : undefined
}

const tagIn = (text: string | undefined): number =>
  /^[0-9A-Fa-f]{8}$/.test(text ?? '') ? Number.parseInt(text ?? '', 16) : Number.NaN
