import { Readable } from 'node:stream'
import type { Context } from '#server/context.ts'
import { type JsonDataSet, jsonOfHeader } from '#server/dicom/data-set/dicom-json.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { readWholeHeader, type WholeHeader } from '#server/dicom/data-set/whole-header.ts'
import type { DicomwebAnswer } from '#server/http/dicomweb-route.ts'
import { withApiErrors } from '#server/modules/viewer/image-file.ts'
import { OpenFile } from '#server/modules/viewer/open-files.ts'
import type { ConvertedFiles, LentCopy } from './converted-files.ts'
import { notFoundError } from './faults.ts'
import {
  instanceFile,
  listStoredInstances,
  type ResourcePath,
  type StoredInstance,
} from './stored-instances.ts'

/** Available Transfer Syntax UID (0008,3002), by which viewers know a video. */
const AVAILABLE_TRANSFER_SYNTAX = '00083002'

/**
 * The attributes of the instances of a study, a series, or one instance (PS3.18 10.4.1.1.2), in the
 * DICOM JSON Model.
 * @param base the URL of the service
 * @param contentType that of JSON which the caller accepts
 * @throws ApiError not-found
 */
export function retrieveMetadata(
  context: Context,
  converted: ConvertedFiles,
  path: ResourcePath,
  base: string,
  contentType: string,
): DicomwebAnswer {
  const instances = listStoredInstances(context.database, path)
  if (instances.length === 0) throw notFoundError()
  async function* pieces() {
    let before = '['
    for (const instance of instances) {
      const json = await jsonOfInstance(context, converted, instance, base)
      yield before + JSON.stringify(json)
      before = ','
    }
    yield ']'
  }
  return { contentType, body: Readable.from(pieces(), { objectMode: false }) }
}

export const urlOfInstance = (
  base: string,
  { studyInstanceUid, seriesInstanceUid, sopInstanceUid }: StoredInstance,
): string =>
  `${base}/studies/${studyInstanceUid}/series/${seriesInstanceUid}/instances/${sopInstanceUid}`

async function jsonOfInstance(
  context: Context,
  converted: ConvertedFiles,
  instance: StoredInstance,
  base: string,
): Promise<JsonDataSet> {
  const url = `${urlOfInstance(base, instance)}/bulkdata/`
  const json = await withHeader(context, converted, instance, (header) =>
    jsonOfHeader(header, (path) => url + path),
  )
  // In the order of tags, in which the members of a JSON object are written.
  const own = { [AVAILABLE_TRANSFER_SYNTAX]: { vr: 'UI', Value: [instance.transferSyntaxUid] } }
  return Object.fromEntries(
    Object.entries({ ...json, ...own }).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/**
 * Runs `work` on the header of a stored file, which is inflated first if necessary.
 * @throws ApiError refused: the file is faulty; errors of the disk
 */
export async function withHeader<T>(
  context: Context,
  converted: ConvertedFiles,
  instance: StoredInstance,
  work: (header: WholeHeader, file: OpenFile) => T | Promise<T>,
): Promise<T> {
  await using plain = await plainFile(context, converted, instance)
  await using file = await OpenFile.open(plain.path)
  const header = withApiErrors(() => readWholeHeader(file.source))
  return await work(header, file)
}

/** The stored file or, if that is deflated, a copy that is not. */
export async function plainFile(
  context: Context,
  converted: ConvertedFiles,
  instance: StoredInstance,
): Promise<LentCopy> {
  await using onError = new AsyncDisposableStack()
  const stored = onError.use(await instanceFile(context, instance))
  const { path } =
    instance.transferSyntaxUid === TRANSFER_SYNTAX.deflatedExplicitLittleEndian
      ? onError.use(await converted.lend(stored, TRANSFER_SYNTAX.explicitLittleEndian))
      : stored
  const held = onError.move()
  return { path, [Symbol.asyncDispose]: () => held.disposeAsync() }
}
