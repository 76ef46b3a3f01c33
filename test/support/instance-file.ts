import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

/** A small image of an invented patient. */
export interface MadeInstance {
  readonly sopInstanceUid?: string
  readonly sopClassUid?: string
  readonly studyInstanceUid?: string
  readonly seriesInstanceUid?: string
  readonly transferSyntaxUid?: string
  readonly patientName?: string
  /** Rows and columns. */
  readonly size?: number
  /** By keyword, text only. */
  readonly more?: Readonly<Record<string, string>>
}

/** An instance on disk, as the C-STORE of `dicom/scu/store.ts` takes it. */
export interface InstanceFile {
  readonly path: string
  readonly dataSetOffset: number
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly transferSyntaxUid: string
  /** As it goes over the wire. */
  readonly dataSet: Buffer
}

export const CT_IMAGE_STORAGE = '1.2.840.10008.5.1.4.1.1.2'

/** Text in ISO_IR 100; an image of 16 bits where each row is a ramp. */
export function imageDataSet(made: MadeInstance = {}): DataSet {
  const { size = 16 } = made
  const texts: Record<string, string> = {
    SpecificCharacterSet: 'ISO_IR 100',
    SOPClassUID: made.sopClassUid ?? CT_IMAGE_STORAGE,
    SOPInstanceUID: made.sopInstanceUid ?? '2.25.100.1.1',
    StudyDate: '20260310',
    StudyTime: '101500',
    AccessionNumber: 'A-4711',
    Modality: 'CT',
    StudyDescription: 'CT Schädel',
    PatientName: made.patientName ?? 'Müller^Jörg',
    PatientID: 'P-0815',
    PatientBirthDate: '19640229',
    PatientSex: 'M',
    StudyInstanceUID: made.studyInstanceUid ?? '2.25.100',
    SeriesInstanceUID: made.seriesInstanceUid ?? '2.25.100.1',
    StudyID: '1',
    SeriesNumber: '1',
    InstanceNumber: '1',
    PhotometricInterpretation: 'MONOCHROME2',
    ...made.more,
  }
  const numbers: Record<string, number> = {
    ...{
      SamplesPerPixel: 1,
      Rows: size,
      Columns: size,
      BitsAllocated: 16,
      BitsStored: 16,
      HighBit: 15,
      PixelRepresentation: 0,
    },
  }
  const pixels = Buffer.alloc(size * size * 2)
  for (let at = 0; at < size * size; at++) pixels.writeUInt16LE(((at % size) * 7) & 0xffff, at * 2)
  const elements: Element[] = [
    ...Object.entries(texts).map(([keyword, text]) =>
      element(keyword, Buffer.from(text, 'latin1')),
    ),
    ...Object.entries(numbers).map(([keyword, number]) =>
      element(keyword, Buffer.from([number & 0xff, number >> 8])),
    ),
    { tag: 0x7fe00010, vr: 'OW', value: pixels },
  ]
  return elements.sort((a, b) => a.tag - b.tag)
}

/** Writes the image into a folder as a DICOM file (PS3.10). */
export function writeInstance(folder: string, made: MadeInstance = {}): InstanceFile {
  const sopClassUid = made.sopClassUid ?? CT_IMAGE_STORAGE
  const sopInstanceUid = made.sopInstanceUid ?? '2.25.100.1.1'
  const transferSyntaxUid = made.transferSyntaxUid ?? TRANSFER_SYNTAX.explicitLittleEndian
  const dataSet = writeDataSet(imageDataSet(made), transferSyntaxUid)
  const meta = fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'CT1' })
  const path = join(folder, `${sopInstanceUid}.dcm`)
  writeFileSync(path, Buffer.concat([meta, dataSet]))
  return {
    path,
    dataSetOffset: meta.length,
    sopClassUid,
    sopInstanceUid,
    transferSyntaxUid,
    dataSet,
  }
}

function element(keyword: string, value: Buffer): Element {
  const tag = tagOf(keyword)
  if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
  return { tag, vr: vrOf(tag), value }
}
