import { open } from 'node:fs/promises'
import { characterSetOf } from '#server/dicom/character-sets/character-set.ts'
import { ApiError } from '#shared/errors.ts'
import { headerOf, headerReaderOf, type InstanceHeader } from './header.ts'
import type { ImageStudyRecord } from './image-study-queries.ts'
import type { InstanceRecord } from './instance-queries.ts'
import type { IntakeDeps } from './ports.ts'
import { OWN_ADDRESS } from './study-identity.ts'

const CHUNK_BYTES = 256 << 10
/** Headers of images that are remembered; files never change. */
const MOST_HEADERS = 20_000

export type StudyImages = ReturnType<typeof openStudyImages>

/** The images of studies, and what their files say. */
export function openStudyImages({
  store,
  recogniseDevice,
}: Pick<IntakeDeps, 'store' | 'recogniseDevice'>) {
  const { imageFiles, imageStudies, instances } = store
  const headers = new Map<number, InstanceHeader>()

  const deviceSetOf = ({ callingAeTitle, remoteAddress }: InstanceRecord) =>
    characterSetOf(recogniseDevice(callingAeTitle, remoteAddress))

  /** @throws ApiError not-found */
  function existing(studyInstanceUid: string): ImageStudyRecord {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) throw new ApiError('not-found', 'There are no images of such a study.')
    return study
  }

  /**
   * Images of a study, its captures among them; copies of reports, which are about whom they were
   * signed for, and rejection notes stay.
   */
  const imagesOf = (studyInstanceUid: string) =>
    instances
      .ofStudy(studyInstanceUid)
      .filter(({ remoteAddress, image }) => remoteAddress !== OWN_ADDRESS || image !== null)

  /** @throws ApiError unavailable: its file cannot be read */
  async function headerOfInstance(instance: InstanceRecord): Promise<InstanceHeader> {
    const known = headers.get(instance.instanceId)
    if (known) return known
    const reader = headerReaderOf(instance.transferSyntaxUid)
    try {
      await using file = await open(imageFiles.pathOf(instance.file), 'r')
      const bytes = Buffer.alloc(CHUNK_BYTES)
      for (let at = instance.dataSetOffset; !reader.isDone; ) {
        const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
        if (bytesRead === 0) break
        reader.push(bytes.subarray(0, bytesRead))
        at += bytesRead
      }
    } catch {
      throw new ApiError('unavailable', 'The file of an image of this study cannot be read.')
    }
    const header = headerOf(reader.end(), deviceSetOf(instance))
    if (headers.size >= MOST_HEADERS) headers.delete(headers.keys().next().value ?? 0)
    headers.set(instance.instanceId, header)
    return header
  }

  async function headersOf(records: readonly InstanceRecord[]): Promise<InstanceHeader[]> {
    const found: InstanceHeader[] = []
    for (const record of records) found.push(await headerOfInstance(record))
    return found
  }

  return { existing, imagesOf, headerOfInstance, headersOf, deviceSetOf }
}

export const isReceived = ({ remoteAddress }: InstanceRecord) => remoteAddress !== OWN_ADDRESS
