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
  { modality: 'MR', sopClassUid: '1.2.840.10008.5.1.4.1.1.4', images: 40, side: 320 },
] as const

/** An image that a device sends. */
export interface YearImage {
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly path: string
  /** SHA-256 of the pixel data. */
  readonly pixels: string
}

/** Writes the images of a study of about 10 MB, whose pixels are noise. */
export function makeStudy(folder: string, studyInstanceUid: string, random: Random): YearImage[] {
  const { modality, sopClassUid, images, side } = random.pick(MODALITIES)
  const seriesInstanceUid = `${studyInstanceUid}.1`
  return Array.from({ length: images }, (_, index) => {
    const sopInstanceUid = `${seriesInstanceUid}.${index + 1}`
    const value = randomBytes(side * side * 2)
    const dataSet = imageDataSet({
      ...{ sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, size: side },
      more: { Modality: modality, InstanceNumber: String(index + 1) },
    }).map((element) => (element.tag === 0x7fe00010 ? { ...element, value } : element))
    const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
    const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' })
    const path = join(folder, `${sopInstanceUid}.dcm`)
    writeFileSync(path, Buffer.concat([meta, writeDataSet(dataSet, transferSyntaxUid)]))
    return { sopInstanceUid, studyInstanceUid, path, pixels: hashOf(value) }
  })
}
