import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { tagOf, vrOf } from '#server/dicom/data-set/dictionary.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type ByteSource, readFrame, ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-header.ts'

export const EXPLICIT: string = TRANSFER_SYNTAX.explicitLittleEndian
export const JPEG = '1.2.840.10008.1.2.4.50'
export const RLE = '1.2.840.10008.1.2.5'
export const MR = '1.2.840.10008.5.1.4.1.1.4'

/** Bytes of a file, of which as many are there as `length` says. */
export class TestSource implements ByteSource {
  readonly bytes: Buffer
  length: number
  isWhole: boolean
  /** Bytes that were read. */
  bytesRead = 0
  constructor(bytes: Buffer, length = bytes.length, isWhole = true) {
    this.bytes = bytes
    this.length = length
    this.isWhole = isWhole
  }
  read(at: number, length: number): Buffer {
    if (at < 0 || length < 0 || at + length > this.length)
      throw new RangeError('a read of what is not there')
    this.bytesRead += length
    return Buffer.from(this.bytes.subarray(at, at + length))
  }
}

export function uint16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, index * 2)
  return bytes
}

export function doubles(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) bytes.writeDoubleLE(value, index * 8)
  return bytes
}

/** A gray image of 8 bits, 4 rows and 6 columns, of a patient who does not exist. */
export const IMAGE: NamedValues = {
  SpecificCharacterSet: 'ISO_IR 192',
  SOPClassUID: MR,
  SOPInstanceUID: '2.25.3',
  StudyInstanceUID: '2.25.1',
  SeriesInstanceUID: '2.25.2',
  PatientName: 'Пробная^Анна',
  Rows: uint16(4),
  Columns: uint16(6),
  SamplesPerPixel: uint16(1),
  BitsAllocated: uint16(8),
  BitsStored: uint16(8),
  HighBit: uint16(7),
  PixelRepresentation: uint16(0),
  PhotometricInterpretation: 'MONOCHROME2',
}

export const meta = (transferSyntaxUid = EXPLICIT): Buffer =>
  fileMeta({ sopClassUid: MR, sopInstanceUid: '2.25.3', transferSyntaxUid, sourceAeTitle: '' })

export interface FileOf {
  readonly transferSyntaxUid?: string
  /** VR of the pixel data. */
  readonly pixelVr?: string
}

/** A file of `values`, whose PixelData is native. */
export function fileOf(
  values: NamedValues,
  { transferSyntaxUid = EXPLICIT, pixelVr = 'OB' }: FileOf = {},
): Buffer {
  return Buffer.concat([
    meta(transferSyntaxUid),
    writeDataSet(withVr(namedDataSet(values), pixelVr), transferSyntaxUid),
  ])
}

const withVr = (dataSet: DataSet, vr: string): DataSet =>
  dataSet.map((element) => (element.tag === 0x7fe00010 ? { ...element, vr } : element))

/** A file with encapsulated pixel data: its offset table, and a fragment each. */
export function encapsulatedFile(
  values: NamedValues,
  fragments: readonly Buffer[],
  { transferSyntaxUid = JPEG, table = [] as readonly number[], isEnded = true } = {},
): Buffer {
  const bot = Buffer.alloc(table.length * 4)
  for (const [index, offset] of table.entries()) bot.writeUInt32LE(offset, index * 4)
  return Buffer.concat([
    meta(transferSyntaxUid),
    writeDataSet(namedDataSet(values), EXPLICIT),
    Buffer.from('e07f10004f420000ffffffff', 'hex'),
    ...[bot, ...fragments].map(item),
    isEnded ? Buffer.from('feffdde000000000', 'hex') : Buffer.alloc(0),
  ])
}

export function item(value: Buffer): Buffer {
  const header = Buffer.from('feff00e000000000', 'hex')
  header.writeUInt32LE(value.length, 4)
  return Buffer.concat([header, value])
}

/** A picture of JPEG as far as a gateway sees it; it ends with EOI and is of even length. */
export const jpeg = (name: string): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(name), Buffer.from('ffd9', 'hex')])

export const opened = (bytes: Buffer): { file: ViewedFile; source: TestSource } => {
  const source = new TestSource(bytes)
  return { file: new ViewedFile(source), source }
}

export function headerOf(bytes: Buffer): ViewedHeader {
  const header = opened(bytes).file.header()
  if (!header) throw new Error('the header of a whole file has not come')
  return header
}

/** All frames of a file, or what is said of one. */
export function framesOf(bytes: Buffer): (Buffer | string)[] {
  const { file, source } = opened(bytes)
  return Array.from({ length: file.header()?.instance.frames ?? 0 }, (_, index) => {
    try {
      const frame = file.frame(index + 1)
      return frame ? readFrame(source, frame) : 'not yet'
    } catch (error) {
      return (error as Error).message
    }
  })
}

/**
 * An attribute by its keyword, as bytes of Explicit VR Little Endian with any length, which need
 * not be true.
 */
export function element(
  keyword: string,
  value: Buffer,
  length = value.length,
  vr = vrOf(tagOf(keyword) ?? 0),
): Buffer {
  const tag = tagOf(keyword) ?? 0
  const isLong = ['OB', 'OW', 'SQ', 'UN', 'UT', 'OF', 'OD'].includes(vr)
  const header = Buffer.alloc(isLong ? 12 : 8)
  header.writeUInt16LE(tag >>> 16, 0)
  header.writeUInt16LE(tag & 0xffff, 2)
  header.write(vr, 4, 'latin1')
  if (isLong) header.writeUInt32LE(length, 8)
  else header.writeUInt16LE(length, 6)
  return Buffer.concat([header, value])
}
