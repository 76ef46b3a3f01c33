import { crc32 } from 'node:zlib'
import type { Context } from '#server/context.ts'
import { fileFor, type PartFile } from '#server/database/image-files.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { instantOf } from '#server/platform/clock.ts'
import { OWN_DEVICE_NAME } from '#shared/contract/images.ts'
import { message } from '#shared/messages/message.ts'
import type { InstanceHeader } from './header.ts'
import { countInstance, insertImageStudy } from './image-study-writing-queries.ts'
import { insertFoundVersion } from './image-version-queries.ts'
import {
  findCurrentInstance,
  hasInstanceOfFile,
  type ImageAttributes,
  type InstanceRecord,
  insertInstance,
} from './instance-queries.ts'

/** An object made by the gateway: a copy of a report, or a secondary capture. */
export interface OwnInstance {
  readonly sopInstanceUid: string
  readonly sopClassUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly modality: string
  /** 1 by default. */
  readonly instanceNumber?: string
  /** Set if the object is an image. */
  readonly image?: ImageAttributes
  /** Intended only for archives, so not counted as an instance of its study. */
  readonly isUncounted?: boolean
  readonly dataSet: DataSet
}

/** Attributes of the file that the row contains. */
interface FileFacts {
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

/** A stored file that was read again. */
export interface FoundFile extends FileFacts {
  readonly header: InstanceHeader
  readonly transferSyntaxUid: string
}

/**
 * Stores objects like received ones: their files are durable before the rows, which are inserted in
 * one transaction. `also` is called with the rows in that transaction. The study stays as it is:
 * the objects do not reopen it or count as images from a device. A new study gets this header and
 * is settled. Objects that are already stored are skipped.
 * @throws StorageFault
 */
export async function storeOwnInstances(
  context: Context,
  wanted: readonly OwnInstance[],
  header: ImageHeader,
  also: (inserted: readonly InstanceRecord[]) => void,
): Promise<void> {
  const { database, imageFiles, uuid } = context
  const isStored = ({ sopInstanceUid }: OwnInstance) =>
    findCurrentInstance(database, sopInstanceUid)
  const parts = new Map<string, PartFile>()
  try {
    const written: { readonly instance: OwnInstance; readonly facts: FileFacts }[] = []
    for (const instance of wanted) {
      if (isStored(instance)) continue
      const file = fileFor(instance.studyInstanceUid, uuid())
      imageFiles.arriving.add(file)
      const part = imageFiles.begin()
      parts.set(file, part)
      written.push({ instance, facts: await write(context, instance, part, file) })
    }
    await database.commitSoon(() => {
      const now = instantOf(context.clock())
      for (const { instance, facts } of written) {
        if (isStored(instance)) continue
        ensureStudy(context, instance.studyInstanceUid, header, now)
        insertOwnInstance(context, instance, facts, header.patientName, now)
      }
      also(wanted.flatMap((instance) => isStored(instance) ?? []))
    })
  } finally {
    for (const [file, part] of parts) {
      if (!hasInstanceOfFile(database, file)) await part.discard()
      imageFiles.arriving.delete(file)
    }
  }
}

/**
 * Inserts the row of a stored file that has none, as a superseded version if the object already
 * exists. `originals`: see `Arrival`. Must be called within a transaction.
 */
export function importOwnInstance(
  context: Context,
  { header, ...facts }: FoundFile,
  originals: readonly string[],
): void {
  const { image, study, ...of } = header
  const now = instantOf(context.clock())
  ensureStudy(context, of.studyInstanceUid, study, now)
  const instance = { ...of, modality: study.modality, ...(image && { image }) }
  const { instanceId } = insertOwnInstance(context, instance, facts, study.patientName, now)
  insertFoundVersion(context.database, { instanceId, header: study }, originals)
}

async function write(
  context: Context,
  { sopClassUid, sopInstanceUid, dataSet }: OwnInstance,
  part: PartFile,
  file: string,
): Promise<FileFacts> {
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const sourceAeTitle = context.settings.get('dimse.aeTitle')
  const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle })
  const bytes = writeDataSet(dataSet, transferSyntaxUid)
  await part.write([meta, bytes])
  await part.finish()
  await part.place(file)
  await part.secure()
  return { file, dataSetOffset: meta.length, bytes: part.bytes, crc32: crc32(bytes) }
}

/**
 * Inserts the row, as a superseded version if the object already exists. Must be called within a
 * transaction.
 */
function insertOwnInstance(
  context: Context,
  instance: Omit<OwnInstance, 'dataSet'>,
  { file, dataSetOffset, bytes, crc32 }: FileFacts,
  patientName: string,
  now: string,
): InstanceRecord {
  const { database } = context
  const { sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, modality } = instance
  const { seriesNumber, seriesDescription, instanceNumber = '1', image = null } = instance
  const state = findCurrentInstance(database, sopInstanceUid) ? 'superseded' : 'current'
  const inserted = insertInstance(database, {
    sopInstanceUid,
    sopClassUid,
    studyInstanceUid,
    seriesInstanceUid,
    transferSyntaxUid: TRANSFER_SYNTAX.explicitLittleEndian,
    file,
    dataSetOffset,
    bytes,
    crc32,
    state,
    reason: null,
    detail: null,
    ...senderOf(context),
    associationId: '',
    receivedAt: now,
    lastSeenAt: now,
    modality,
    instanceNumber,
    scheduledProcedureStepId: '',
    image,
    patientName,
  })
  if (state === 'superseded' || instance.isUncounted) return inserted
  // The time of the study's last image is kept, because completion and the order of lists depend on
  // it.
  const at = findImageStudy(database, studyInstanceUid)?.lastInstanceAt ?? now
  const series = { seriesInstanceUid, modality, seriesNumber, seriesDescription }
  countInstance(database, studyInstanceUid, series, bytes, at, 'current')
  return inserted
}

const senderOf = ({ settings }: Context) => ({
  callingAeTitle: settings.get('dimse.aeTitle'),
  remoteAddress: OWN_ADDRESS,
  deviceName: OWN_DEVICE_NAME,
})

function ensureStudy(context: Context, uid: string, header: ImageHeader, now: string): void {
  if (findImageStudy(context.database, uid)) return
  insertImageStudy(context.database, {
    studyInstanceUid: uid,
    createdAt: now,
    lastInstanceAt: now,
    state: 'settled',
    settledAt: now,
    dueAt: now,
    ...senderOf(context),
    transfer: { how: 'released', detail: null, at: now },
    header,
    handedOut: null,
    mismatch: null,
    isFetched: false,
    enrichment: {
      state: 'not-asked',
      askedAt: null,
      nextAt: null,
      detail: message('images.own-only'),
      warnings: [],
    },
    enrichmentAttempts: 0,
  })
}
