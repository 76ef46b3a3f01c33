import type { Context } from '#server/context.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { FileToSend } from '#server/dicom/dimse/service.ts'
import type { DicomwebAnswer } from '#server/http/dicomweb-route.ts'
import { wholeFrameOf } from '#server/modules/viewer/image-file.ts'
import type { OpenFiles } from '#server/modules/viewer/open-files.ts'
import { type AcceptedRepresentation, isOfType } from './accept.ts'
import type { ConvertedFiles } from './converted-files.ts'
import { malformedParameterError, notAcceptableError, notFoundError } from './faults.ts'
import {
  canConvert,
  frameSyntaxOf,
  frameTypeOf,
  OCTET_STREAM,
  standardMediaType,
} from './media-types.ts'
import { multipart, type Part, singlePartBody } from './multipart.ts'
import { StoredFrames } from './stored-frames.ts'
import { findStoredInstance, instanceFile, type ResourcePath } from './stored-instances.ts'

/** Frames of one request. */
const MAX_FRAMES = 10_000

/** The transfer syntax of a media type of frames if the caller names none (PS3.18 8.7.3). */
const DEFAULT_SYNTAXES: Readonly<Record<string, string>> = {
  [OCTET_STREAM]: TRANSFER_SYNTAX.explicitLittleEndian,
  'image/jpeg': '1.2.840.10008.1.2.4.70',
  'image/jls': '1.2.840.10008.1.2.4.80',
  'image/jp2': '1.2.840.10008.1.2.4.90',
  'image/dicom-rle': '1.2.840.10008.1.2.5',
}

/**
 * Retrieves frames of an instance (PS3.18 10.4.1.1.6). Compressed frames are sent as they are stored
 * if the caller accepts that; their part has the media type of their compression.
 */
export class FrameRetrieval {
  readonly #context: Context
  readonly #files: OpenFiles
  readonly #converted: ConvertedFiles
  readonly #stored: StoredFrames

  constructor(context: Context, files: OpenFiles, converted: ConvertedFiles) {
    this.#context = context
    this.#files = files
    this.#converted = converted
    this.#stored = new StoredFrames(files)
  }

  /**
   * @param list frame numbers from 1, separated by commas
   * @throws ApiError malformed, not-found, not-acceptable; refused: the file is faulty
   */
  async retrieve(
    path: Required<ResourcePath>,
    list: string,
    accepted: readonly AcceptedRepresentation[],
    url: string,
  ): Promise<DicomwebAnswer> {
    const numbers = frameNumbers(list)
    const instance = findStoredInstance(this.#context.database, path)
    if (!instance) throw notFoundError()
    const target = frameSyntaxToSend(instance.transferSyntaxUid, accepted)
    if (!target) throw notAcceptableError()
    const { syntax, isMultipart } = target
    using stored = await instanceFile(this.#context, instance)
    const read = (number: number) => this.#read(stored, syntax, number)
    const type = frameTypeOf(syntax)
    const headersOf = (number: number) => ({
      'Content-Type': `${type}; transfer-syntax=${frameSyntaxOf(syntax)}`,
      'Content-Location': `${url}/${number}`,
    })
    const [first = 1, ...others] = numbers
    if (isMultipart && others.length === 0 && syntax === instance.transferSyntaxUid) {
      const frame = await this.#stored.locate(stored, first)
      if (frame) return await this.#stored.onePart(frame, type, headersOf(first))
    }
    // Read before the status is sent, which says that the frames exist.
    const bytes = await read(first)
    if (!isMultipart) {
      if (others.length > 0) throw notAcceptableError()
      return { contentType: headersOf(first)['Content-Type'], body: bytes }
    }
    if (others.length === 0) return singlePartBody(type, headersOf(first), bytes)
    const keep = () => this.#context.imageFiles.inUse.keep([instance.instanceId])
    async function* parts(): AsyncGenerator<Part> {
      using _kept = keep()
      yield { headers: headersOf(first), content: bytes }
      for (const number of others) yield { headers: headersOf(number), content: await read(number) }
    }
    return multipart(type, parts())
  }

  async #read(from: FileToSend, syntax: string, number: number): Promise<Buffer> {
    if (syntax === from.transferSyntaxUid) return await this.#frame(from.path, number)
    await using copy = await this.#converted.lend(from, syntax)
    return await this.#frame(copy.path, number)
  }

  #frame(path: string, number: number): Promise<Buffer> {
    return this.#files.use(path, async (file) => (await wholeFrameOf(file, number)).body)
  }
}

/** Frames of these cannot be sent as they are stored. */
const UNSENDABLE_SYNTAXES: ReadonlySet<string> = new Set([
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
])

/** Undefined if the frames cannot be sent as requested. */
export function frameSyntaxToSend(
  stored: string,
  accepted: readonly AcceptedRepresentation[],
): { readonly syntax: string; readonly isMultipart: boolean } | undefined {
  const type = frameTypeOf(stored)
  if (!UNSENDABLE_SYNTAXES.has(stored))
    for (const each of accepted) {
      const syntax = each.transferSyntax
      const isStored = syntax === '*' || syntax === stored || syntax === frameSyntaxOf(stored)
      // Many clients write `application/octet-stream` and mean whatever is stored.
      const isAcceptedType =
        isOfType({ ...each, type: standardMediaType(each.type) }, type) ||
        (each.type === OCTET_STREAM && isStored)
      if (isAcceptedType && (isStored || syntax === undefined))
        return { syntax: stored, isMultipart: each.isMultipart }
    }
  for (const each of accepted) {
    const wanted = each.type === '*/*' ? OCTET_STREAM : standardMediaType(each.type)
    const named = each.transferSyntax === '*' ? undefined : each.transferSyntax
    const syntax = named ?? DEFAULT_SYNTAXES[wanted]
    if (syntax !== undefined && frameTypeOf(syntax) === wanted && canConvert(stored, syntax))
      return { syntax, isMultipart: each.isMultipart }
  }
  return undefined
}

function frameNumbers(list: string): number[] {
  const numbers = list.split(',', MAX_FRAMES + 1).map(Number)
  const isValid = numbers.every((number) => Number.isSafeInteger(number) && number > 0)
  if (!isValid || numbers.length > MAX_FRAMES) throw malformedParameterError('frames')
  return numbers
}
