import { createReadStream } from 'node:fs'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { createHeaderReader, textOf } from '#server/dicom/data-set/header-reader.ts'

const SOP_INSTANCE_UID = 0x00080018

/**
 * The SOP Instance UID in a file's data set, which the one in its meta information need not be; ''
 * where it has none.
 * @throws {Error} where the file cannot be read or is no DICOM file.
 */
export async function sopInstanceUidOf(path: string): Promise<string> {
  const { transferSyntaxUid, dataSetOffset } = await readFileMeta(path)
  const reader = createHeaderReader(transferSyntaxUid, [SOP_INSTANCE_UID])
  for await (const bytes of createReadStream(path, { start: dataSetOffset })) {
    reader.push(bytes as Buffer)
    if (reader.isDone) break
  }
  return textOf(reader.end(), SOP_INSTANCE_UID)
}
