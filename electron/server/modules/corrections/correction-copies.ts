import type { Context } from '#server/context.ts'
import {
  CopyFault,
  type CorrectedValue,
  writeCorrectedCopy,
} from '#server/dicom/data-set/corrected-copy.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { headerOf, type InstanceHeader } from '#server/modules/images/header.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { ensureLocalFile } from '#server/modules/images/local-files.ts'
import {
  readStoredObject,
  tempFolderIn,
  withInflatedFile,
} from '#server/modules/images/stored-object.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import { senderCharacterSetOf } from './study-images.ts'

// The files of corrected copies, before they have rows.

/** A copy to be made. */
export interface CopyRequest {
  /** The instance that it replaces. */
  readonly original: InstanceRecord
  /** The instance whose file is copied. */
  readonly source: InstanceRecord
  readonly values: readonly CorrectedValue[]
}

export interface Copy {
  readonly original: InstanceRecord
  /** The existing row of the copy, which is in quarantine; `undefined` for a new copy. */
  readonly instance?: InstanceRecord
  readonly header: InstanceHeader
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

export const newUid = ({ uuid }: Context) => uidOfUuid(uuid())

/**
 * Assigns new UIDs to the copies, keyed by the UIDs of their sources. The sources are in the study
 * `from`, the copies in `to`.
 */
export function newUidsFor(
  context: Context,
  wanted: readonly CopyRequest[],
  from: string,
  to: string,
): Map<string, string> {
  const uids = new Map<string, string>()
  for (const { source } of wanted) {
    uids.set(source.sopInstanceUid, newUid(context))
    if (!uids.has(source.seriesInstanceUid)) uids.set(source.seriesInstanceUid, newUid(context))
  }
  if (from !== to) uids.set(from, to)
  return uids
}

/**
 * Writes the corrected copy durably and reads it back. `passed` is called with the number of bytes
 * written or read; if it throws, the copy is discarded.
 * @throws ApiError refused; StorageFault
 */
export async function writeCopy(
  context: Context,
  { original, source, values }: CopyRequest,
  file: string,
  uids: ReadonlyMap<string, string>,
  passed: (bytes: number) => void,
): Promise<Copy> {
  const { imageFiles, settings } = context
  const local = await ensureLocalFile(context, source.instanceId)
  const { path, dataSetOffset, transferSyntaxUid, sopClassUid, callingAeTitle } = local
  const meta = fileMeta({
    sopClassUid,
    transferSyntaxUid,
    sourceAeTitle: callingAeTitle,
    sopInstanceUid: uids.get(source.sopInstanceUid) ?? newUid(context),
  })
  const { date, time, offset } = dicomTime(
    instantOf(context.clock()),
    timeZoneOf(settings.get('clinic.timeZone')),
  )
  const correction = {
    values,
    uids,
    deviceCharacterSet: senderCharacterSetOf(context, source),
    at: `${date}${time}${offset}`,
    source: callingAeTitle || settings.get('dimse.aeTitle'),
    aeTitle: settings.get('dimse.aeTitle'),
  }
  const part = imageFiles.begin()
  let hasFinalName = false
  try {
    await part.write([meta])
    const stored = { path, dataSetOffset, transferSyntaxUid }
    await withInflatedFile(stored, tempFolderIn(context.folder), (plain, isDeflated) =>
      writeCorrectedCopy(
        plain,
        correction,
        async (bytes) => {
          passed(bytes.length)
          await part.write([bytes])
        },
        { isDeflated },
      ),
    )
    await part.finish()
    await part.place(file)
    hasFinalName = true
    await part.secure()
  } catch (error) {
    if (!hasFinalName) await part.discard()
    throw error instanceof CopyFault
      ? new ApiError(
          'refused',
          message('corrections.not-correctable', { fault: explanationOf(error) }),
        )
      : error
  }
  const copy = await readBack(context, original, local, file, meta.length)
  passed(copy.bytes)
  return copy
}

/**
 * Reads the copy back and verifies it, so that an incomplete or incorrect copy never replaces an
 * image.
 */
async function readBack(
  context: Context,
  original: InstanceRecord,
  source: InstanceRecord,
  file: string,
  dataSetOffset: number,
): Promise<Copy> {
  const path = context.imageFiles.pathOf(file)
  const { transferSyntaxUid } = source
  const read = await readStoredObject({ path, dataSetOffset, transferSyntaxUid })
  const header = headerOf(read.values, senderCharacterSetOf(context, source))
  const isComplete = read.structure.isComplete || source.structure !== 'complete'
  if (read.values.fault !== undefined || !isComplete || header.sopInstanceUid === '')
    throw new ApiError('refused', message('corrections.copy-not-read-back'))
  return { original, header, file, dataSetOffset, bytes: read.bytes, crc32: read.crc32 }
}
