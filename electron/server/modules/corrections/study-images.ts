import { open } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { perDatabase } from '#server/database/database.ts'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { headerOf, headerReaderOf, type InstanceHeader } from '#server/modules/images/header.ts'
import { type InstanceRecord, listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { ensureLocalFile } from '#server/modules/images/local-files.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

// Reads the images of studies and the headers of their files.

const CHUNK_BYTES = 256 << 10
/** Headers by instance id. Files never change, so the entries stay valid. */
const headerCacheOf = perDatabase(() => new LRUCache<number, InstanceHeader>({ max: 20_000 }))

export const senderCharacterSetOf = (
  context: Context,
  { callingAeTitle, remoteAddress }: InstanceRecord,
) => characterSetOf(recogniseDevice(context, callingAeTitle, remoteAddress))

/**
 * Finds an image study.
 * @throws ApiError not-found
 */
export function requireImageStudy(database: Database, studyInstanceUid: string) {
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) throw new ApiError('not-found', message('images.no-study'))
  return study
}

export const isReceived = ({ remoteAddress }: InstanceRecord) => remoteAddress !== OWN_ADDRESS

/**
 * The images of a study, including captures. Copies of reports are about the patient for whom they
 * were signed, and rejection notes are not images; neither are corrected.
 */
export const imagesOf = (database: Database, studyInstanceUid: string) =>
  listStudyInstances(database, studyInstanceUid).filter(
    (instance) => isReceived(instance) || instance.image !== null,
  )

/**
 * Reads the header of the instance's file.
 * @throws ApiError unavailable if the file cannot be read
 */
export async function headerOfInstance(
  context: Context,
  instance: InstanceRecord,
): Promise<InstanceHeader> {
  const headers = headerCacheOf(context.database)
  const known = headers.get(instance.instanceId)
  if (known) return known
  const local = await ensureLocalFile(context, instance.instanceId)
  const reader = headerReaderOf(local.transferSyntaxUid)
  try {
    await using file = await open(local.path, 'r')
    const bytes = Buffer.alloc(CHUNK_BYTES)
    for (let at = local.dataSetOffset; !reader.isDone; ) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      if (bytesRead === 0) break
      reader.push(bytes.subarray(0, bytesRead))
      at += bytesRead
    }
  } catch {
    throw new ApiError('unavailable', message('corrections.file-unreadable'))
  }
  const header = headerOf(reader.end(), senderCharacterSetOf(context, instance))
  headers.set(instance.instanceId, header)
  return header
}

export async function headersOf(
  context: Context,
  records: readonly InstanceRecord[],
): Promise<InstanceHeader[]> {
  const found: InstanceHeader[] = []
  for (const record of records) found.push(await headerOfInstance(context, record))
  return found
}
