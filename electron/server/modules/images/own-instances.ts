import { crc32 } from 'node:zlib'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { InstanceHeader } from './header.ts'
import { fileFor, type PartFile } from './image-files.ts'
import type { ImageHeader } from './image-study-queries.ts'
import type { ImageAttributes, InstanceRecord } from './instance-queries.ts'
import type { IntakeDeps } from './ports.ts'
import { OWN_ADDRESS } from './study-identity.ts'

/** An object that the gateway itself made: the copy of a report, a secondary capture. */
export interface OwnInstance {
  readonly sopInstanceUid: string
  readonly sopClassUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly modality: string
  /** 1 where it is not given. */
  readonly instanceNumber?: string
  /** Of one that is an image. */
  readonly image?: ImageAttributes
  /** For archives alone: it does not count as an instance of its study. */
  readonly isUncounted?: boolean
  readonly dataSet: DataSet
}

export interface OwnInstancesDeps extends Pick<IntakeDeps, 'store' | 'clock' | 'uuid' | 'setting'> {
  /** Files that are about to have a row (`Intake.arriving`). */
  readonly arriving: Set<string>
}

export interface OwnInstances {
  /**
   * Keeps the objects like received ones: their files are durable before they have rows, and all
   * rows are of one transaction, in which `also` is told them. Their study is what it was: they
   * neither open it nor count as images of a device; where it has none, it begins with this header
   * and is settled. One that is here already is not kept twice. @throws StorageFault
   */
  keep(
    instances: readonly OwnInstance[],
    header: ImageHeader,
    also: (kept: readonly InstanceRecord[]) => void,
  ): Promise<void>
  /**
   * Within a transaction: a kept file that has no row any more has one again; where the object is
   * here, as a version that counts no more. `originals`: see `Arrival`.
   */
  adopt(found: FoundFile, originals: readonly string[]): void
}

/** Who sent it, in the rows of studies and instances. */
const OWN_NAME = 'This gateway'
const NO_IMAGES = 'No device has sent images of it: it holds only what the gateway made.'

/** What the row of an object says of its file. */
interface FileFacts {
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

/** A kept file that was read again. */
export interface FoundFile extends FileFacts {
  readonly header: InstanceHeader
  readonly transferSyntaxUid: string
}

/** A file on the disk that has no row yet. */
interface Written extends FileFacts {
  readonly instance: OwnInstance
  readonly part: PartFile
}

export function openOwnInstances({
  store,
  clock,
  uuid,
  setting,
  arriving,
}: OwnInstancesDeps): OwnInstances {
  const { corrections, database, imageFiles, imageStudies, instances } = store

  async function write(instance: OwnInstance, parts: PartFile[], file: string): Promise<Written> {
    const { sopClassUid, sopInstanceUid } = instance
    const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
    const meta = fileMeta({
      sopClassUid,
      sopInstanceUid,
      transferSyntaxUid,
      sourceAeTitle: setting('dimse.aeTitle'),
    })
    const dataSet = writeDataSet(instance.dataSet, transferSyntaxUid)
    const part = imageFiles.begin()
    parts.push(part)
    await part.write([meta, dataSet])
    await part.finish()
    await part.place(file)
    await part.secure()
    return {
      instance,
      part,
      file,
      dataSetOffset: meta.length,
      bytes: part.bytes,
      crc32: crc32(dataSet),
    }
  }

  /** In a transaction; of an object that is here already a version that counts no more. */
  function row(
    instance: Omit<OwnInstance, 'dataSet'>,
    facts: FileFacts,
    patientName: string,
    now: string,
  ): InstanceRecord {
    const state = instances.current(instance.sopInstanceUid) ? 'superseded' : 'current'
    const { seriesNumber, seriesDescription, instanceNumber = '1', image = null } = instance
    const { sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, modality } = instance
    const { file, dataSetOffset, bytes, crc32 } = facts
    const kept = instances.insert({
      ...{ sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, modality },
      ...{ file, dataSetOffset, bytes, crc32 },
      transferSyntaxUid: TRANSFER_SYNTAX.explicitLittleEndian,
      ...{ state, reason: null, detail: '' },
      ...sender(),
      ...{
        associationId: '',
        receivedAt: now,
        lastSeenAt: now,
        instanceNumber,
        scheduledProcedureStepId: '',
        image,
        patientName,
      },
    })
    if (state === 'superseded' || instance.isUncounted) return kept
    // The time of the study's last image stays: by it a study that receives is settled, and lists
    // of images are put in order.
    const at = imageStudies.get(studyInstanceUid)?.lastInstanceAt ?? now
    imageStudies.count(
      studyInstanceUid,
      { seriesInstanceUid, modality, seriesNumber, seriesDescription },
      bytes,
      at,
      'current',
    )
    return kept
  }

  const sender = () => ({
    callingAeTitle: setting('dimse.aeTitle'),
    remoteAddress: OWN_ADDRESS,
    deviceName: OWN_NAME,
  })

  function studyOf(studyInstanceUid: string, header: ImageHeader, now: string): void {
    if (imageStudies.get(studyInstanceUid)) return
    imageStudies.insert({
      ...{
        studyInstanceUid,
        createdAt: now,
        lastInstanceAt: now,
        state: 'settled',
        settledAt: now,
        dueAt: now,
      },
      ...sender(),
      transfer: { how: 'released', detail: '', at: now },
      ...{ header, handedOut: null, mismatch: null, isFetched: false },
      enrichment: {
        state: 'not-asked',
        askedAt: null,
        nextAt: null,
        detail: NO_IMAGES,
        warnings: [],
      },
      enrichmentAttempts: 0,
    })
  }

  return {
    async keep(wanted, header, also) {
      const parts: PartFile[] = []
      const files: string[] = []
      try {
        const written: Written[] = []
        for (const instance of wanted) {
          if (instances.current(instance.sopInstanceUid)) continue
          const file = fileFor(instance.studyInstanceUid, uuid())
          files.push(file)
          arriving.add(file)
          written.push(await write(instance, parts, file))
        }
        await database.commitSoon(() => {
          const now = instantOf(clock())
          for (const each of written) {
            if (instances.current(each.instance.sopInstanceUid)) continue
            studyOf(each.instance.studyInstanceUid, header, now)
            row(each.instance, each, header.patientName, now)
          }
          also(wanted.flatMap(({ sopInstanceUid }) => instances.current(sopInstanceUid) ?? []))
        })
      } finally {
        for (const [at, file] of files.entries()) {
          if (!instances.has(file)) await parts[at]?.discard()
          arriving.delete(file)
        }
      }
    },
    adopt({ header, ...facts }, originals) {
      const { image, study, ...of } = header
      const now = instantOf(clock())
      studyOf(of.studyInstanceUid, study, now)
      const { instanceId } = row(
        { ...of, modality: study.modality, ...(image && { image }) },
        facts,
        study.patientName,
        now,
      )
      corrections.noteFound({ instanceId, header: study }, originals)
    },
  }
}
