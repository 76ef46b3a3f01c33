import { randomFillSync } from 'node:crypto'
import { part10Head } from '../../electron/simulator/part10.ts'

/** A mammogram of 4000 × 5000 pixels of 12 bits: a bright shape with noise. */
export function mammogram(studyInstanceUid) {
  const [columns, rows] = [4000, 5000]
  const noise = randomFillSync(Buffer.alloc(columns * 2))
  const pixels = Buffer.alloc(columns * rows * 2)
  for (let row = 0; row < rows; row++) {
    const reach = columns * 0.8 * Math.sqrt(1 - ((row - rows / 2) / (rows / 2)) ** 2)
    for (let column = 0; column < columns; column++) {
      const value = column < reach ? 1200 + (column * 1800) / columns : 40
      pixels.writeUInt16LE(
        (value + (noise[(column * 7 + row * 13) % noise.length] >> 2)) | 0,
        (row * columns + column) * 2,
      )
    }
  }
  const head = part10Head(
    '1.2.840.10008.5.1.4.1.1.1.2',
    `${studyInstanceUid}.2.1`,
    [
      [0x00080008, 'CS', 'ORIGINAL\\PRIMARY'],
      [0x00080020, 'DA', '20261120'],
      [0x00080030, 'TM', '101500'],
      [0x00080060, 'CS', 'MG'],
      [0x00080068, 'CS', 'FOR PRESENTATION'],
      [0x00100010, 'PN', 'TEST^MAMMO'],
      [0x00100020, 'LO', 'TEST-MG'],
      [0x0020000d, 'UI', studyInstanceUid],
      [0x0020000e, 'UI', `${studyInstanceUid}.2`],
      [0x00200011, 'IS', '1'],
      [0x00200013, 'IS', '1'],
      [0x00200020, 'CS', 'A\\F'],
      [0x00200062, 'CS', 'L'],
      [0x00280002, 'US', 1],
      [0x00280004, 'CS', 'MONOCHROME2'],
      [0x00280010, 'US', rows],
      [0x00280011, 'US', columns],
      [0x00280100, 'US', 16],
      [0x00280101, 'US', 12],
      [0x00280102, 'US', 11],
      [0x00280103, 'US', 0],
      [0x00281050, 'DS', '1800'],
      [0x00281051, 'DS', '3200'],
    ],
    pixels.length,
  )
  return [head, pixels]
}
