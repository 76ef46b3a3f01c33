import type { StudyImage } from '#electron/simulator/image-store.ts'
import { type Attributes, part10Head } from '#electron/simulator/part10.ts'

/** Rows and columns. */
export const SIDE = 64

interface BlockSeries {
  readonly studyInstanceUid: string
  readonly number: number
  readonly description: string
  readonly slices: number
  /** Between slices, mm; a pixel is one millimetre. */
  readonly spacing: number
  readonly window: readonly [center: number, width: number]
  /** In HU. @param slice from 0, at the head */
  readonly value: (column: number, row: number, slice: number) => number
}

/** Axial CT slices of 64 × 64 pixels whose values a test decides, and so knows. */
export const blockImages = (series: BlockSeries): StudyImage[] =>
  Array.from({ length: series.slices }, (_, slice) => ({
    sopInstanceUid: `${series.studyInstanceUid}.${series.number}.${slice + 1}`,
    body: sliceOf(series, slice),
  }))

function sliceOf(series: BlockSeries, slice: number): Buffer {
  const { studyInstanceUid, number, description, spacing, window, value } = series
  const corner = -(SIDE - 1) / 2
  const attributes: Attributes = [
    [0x00080005, 'CS', 'ISO_IR 192'],
    [0x00080008, 'CS', 'ORIGINAL\\PRIMARY\\AXIAL'],
    [0x00080020, 'DA', '20261120'],
    [0x00080060, 'CS', 'CT'],
    [0x0008103e, 'LO', description],
    [0x00100010, 'PN', 'TEST^MAJA'],
    [0x00100020, 'LO', 'P-6401'],
    [0x00180050, 'DS', String(spacing)],
    [0x0020000d, 'UI', studyInstanceUid],
    [0x0020000e, 'UI', `${studyInstanceUid}.${number}`],
    [0x00200011, 'IS', String(number)],
    [0x00200013, 'IS', String(slice + 1)],
    [0x00200032, 'DS', `${corner}\\${corner}\\${-slice * spacing}`],
    [0x00200037, 'DS', '1\\0\\0\\0\\1\\0'],
    [0x00200052, 'UI', `${studyInstanceUid}.9`],
    [0x00280002, 'US', 1],
    [0x00280004, 'CS', 'MONOCHROME2'],
    [0x00280010, 'US', SIDE],
    [0x00280011, 'US', SIDE],
    [0x00280030, 'DS', '1\\1'],
    [0x00280100, 'US', 16],
    [0x00280101, 'US', 16],
    [0x00280102, 'US', 15],
    [0x00280103, 'US', 1],
    [0x00281050, 'DS', String(window[0])],
    [0x00281051, 'DS', String(window[1])],
    [0x00281052, 'DS', '0'],
    [0x00281053, 'DS', '1'],
    [0x00281054, 'LO', 'HU'],
  ]
  const pixels = Int16Array.from({ length: SIDE * SIDE }, (_, at) =>
    value(at % SIDE, Math.floor(at / SIDE), slice),
  )
  const uid = `${studyInstanceUid}.${number}.${slice + 1}`
  const head = part10Head('1.2.840.10008.5.1.4.1.1.2', uid, attributes, pixels.byteLength)
  return Buffer.concat([head, Buffer.from(pixels.buffer)])
}
