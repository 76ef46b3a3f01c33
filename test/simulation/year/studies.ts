import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { imageDataSet } from '../../support/instance-file.ts'
import type { Random } from '../random.ts'
import { hashOf } from '../reader.ts'

const MODALITIES = [
  { modality: 'CT', sopClassUid: '1.2.840.10008.5.1.4.1.1.2', images: 20, side: 512 },
  { modality: 'CR', sopClassUid: '1.2.840.10008.5.1.4.1.1.1', images: 2, side: 1700 },
  { modality: 'MR', sopClassUid: '1.2.840.10008.5.1.4.1.1.4', images: 10, side: 680 },
] as const
/** Larger than 16 MiB, so that an object store receives it in parts. */
const MAMMOGRAM = {
  ...{ modality: 'MG', sopClassUid: '1.2.840.10008.5.1.4.1.1.1.2', images: 1, side: 2960 },
} as const

/** An image that a device sends. */
export interface YearImage {
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly path: string
  /** SHA-256 of the data set. */
  readonly dataSet: string
}

/** The archive answers Success to a study with this Study ID, and does not keep it. */
export const LOST = 'LOST'

export interface StudyOptions {
  readonly studyInstanceUid: string
  readonly studyId: string
  readonly isMammogram: boolean
}

/** Writes the images of a study of about 10 MB, whose pixels are noise. */
export function makeStudy(folder: string, options: StudyOptions, random: Random): YearImage[] {
  const { studyInstanceUid, studyId, isMammogram } = options
  const { modality, sopClassUid, images, side } = isMammogram ? MAMMOGRAM : random.pick(MODALITIES)
  const seriesInstanceUid = `${studyInstanceUid}.1`
  return Array.from({ length: images }, (_, index) => {
    const sopInstanceUid = `${seriesInstanceUid}.${index + 1}`
    const value = randomBytes(side * side * 2)
    const elements = imageDataSet({
      ...{ sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, size: side },
      more: { Modality: modality, InstanceNumber: String(index + 1), StudyID: studyId },
    }).map((element) => (element.tag === 0x7fe00010 ? { ...element, value } : element))
    const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
    const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' })
    const path = join(folder, `${sopInstanceUid}.dcm`)
    const dataSet = writeDataSet(elements, transferSyntaxUid)
    writeFileSync(path, Buffer.concat([meta, dataSet]))
    return { sopInstanceUid, studyInstanceUid, path, dataSet: hashOf(dataSet) }
  })
}
