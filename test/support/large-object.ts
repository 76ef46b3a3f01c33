import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { imageDataSet } from './instance-file.ts'

/** Ultrasound Multi-frame Image Storage. */
export const MULTI_FRAME = '1.2.840.10008.5.1.4.1.1.3.1'
export const LARGE = {
  ...{
    sopInstanceUid: '2.25.530.1.1',
    sopClassUid: MULTI_FRAME,
    studyInstanceUid: '2.25.530',
    seriesInstanceUid: '2.25.530.1',
  },
} as const

const PIXEL_DATA = 0x7fe00010
const FRAME_BYTES = 512 * 512 * 2

/**
 * The data set of a multi-frame image in Explicit VR Little Endian, made as it is read: no frame is
 * like the next.
 */
export async function* largeObject(pixelBytes: number): AsyncGenerator<Buffer> {
  const header = imageDataSet({
    ...LARGE,
    size: 512,
    more: { NumberOfFrames: String(pixelBytes / FRAME_BYTES), Modality: 'US' },
  })
  // Its tag, OW, two reserved bytes and its length.
  const pixelData = Buffer.from('e07f10004f57000000000000', 'hex')
  pixelData.writeUInt32LE(pixelBytes, 8)
  yield writeDataSet(
    header.filter(({ tag }) => tag !== PIXEL_DATA),
    TRANSFER_SYNTAX.explicitLittleEndian,
  )
  yield pixelData
  for (let frame = 0; frame < pixelBytes / FRAME_BYTES; frame++)
    yield Buffer.alloc(FRAME_BYTES, Buffer.from(`frame ${frame} `))
}
