// Invented instances for the measurement: a DICOM file for each, with the pixels of a modality.
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const STORAGE = '1.2.840.10008.5.1.4.1.1.'
/**
 * A usual study of each modality: instances, rows, columns, bytes of a pixel. Uncompressed, as most
 * devices send.
 */
export const STUDIES = {
  CT: { instances: 400, rows: 512, columns: 512, bytes: 2, sopClass: `${STORAGE}2` },
  MR: { instances: 300, rows: 256, columns: 256, bytes: 2, sopClass: `${STORAGE}4` },
  DX: { instances: 2, rows: 2500, columns: 2048, bytes: 2, sopClass: `${STORAGE}1.1` },
  US: { instances: 30, rows: 600, columns: 800, bytes: 3, sopClass: `${STORAGE}6.1` },
  MG: { instances: 4, rows: 4096, columns: 3328, bytes: 2, sopClass: `${STORAGE}1.2` },
}

export const pixelBytes = ({ rows, columns, bytes }) => rows * columns * bytes

/** A UID of a random number (PS3.5 B.2). */
const newUid = () => `2.25.${BigInt(`0x${randomBytes(16).toString('hex')}`)}`

/** Writes the first `count` instances of a study; returns the bytes of their files. */
export function writeStudy(folder, modality, count) {
  mkdirSync(folder, { recursive: true })
  const [study, series] = [newUid(), newUid()]
  const { rows, columns, bytes, sopClass } = STUDIES[modality]
  const patient = randomBytes(4).toString('hex').toUpperCase()
  const pixels = randomBytes(pixelBytes(STUDIES[modality]))
  let written = 0
  for (let number = 1; number <= count; number++) {
    const instance = newUid()
    const dataSet = Buffer.concat([
      text(0x0008, 0x0016, 'UI', sopClass),
      text(0x0008, 0x0018, 'UI', instance),
      text(0x0008, 0x0020, 'DA', '20260310'),
      text(0x0008, 0x0030, 'TM', '090000'),
      text(0x0008, 0x0050, 'SH', ''),
      text(0x0008, 0x0060, 'CS', modality),
      text(0x0008, 0x0090, 'PN', ''),
      text(0x0010, 0x0010, 'PN', `Invented^P${patient}`),
      text(0x0010, 0x0020, 'LO', `CAP-${patient}`),
      text(0x0010, 0x0030, 'DA', '19700101'),
      text(0x0010, 0x0040, 'CS', 'O'),
      text(0x0020, 0x000d, 'UI', study),
      text(0x0020, 0x000e, 'UI', series),
      text(0x0020, 0x0010, 'SH', '1'),
      text(0x0020, 0x0011, 'IS', '1'),
      text(0x0020, 0x0013, 'IS', String(number)),
      short(0x0028, 0x0002, bytes === 3 ? 3 : 1),
      text(0x0028, 0x0004, 'CS', bytes === 3 ? 'RGB' : 'MONOCHROME2'),
      ...(bytes === 3 ? [short(0x0028, 0x0006, 0)] : []),
      short(0x0028, 0x0010, rows),
      short(0x0028, 0x0011, columns),
      short(0x0028, 0x0100, bytes === 3 ? 8 : 16),
      short(0x0028, 0x0101, bytes === 3 ? 8 : 12),
      short(0x0028, 0x0102, bytes === 3 ? 7 : 11),
      short(0x0028, 0x0103, 0),
      long(0x7fe0, 0x0010, bytes === 3 ? 'OB' : 'OW', pixels),
    ])
    const meta = Buffer.concat([
      long(0x0002, 0x0001, 'OB', Buffer.from([0, 1])),
      text(0x0002, 0x0002, 'UI', sopClass),
      text(0x0002, 0x0003, 'UI', instance),
      text(0x0002, 0x0010, 'UI', '1.2.840.10008.1.2.1'),
      text(0x0002, 0x0012, 'UI', '2.25.1'),
    ])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(meta.length)
    const group = element(0x0002, 0x0000, 'UL', length)
    const file = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), group, meta, dataSet])
    writeFileSync(join(folder, `${number}.dcm`), file)
    written += file.length
  }
  return written
}

function element(group, number, vr, value) {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(group, 0)
  head.writeUInt16LE(number, 2)
  head.write(vr, 4, 'latin1')
  head.writeUInt16LE(value.length, 6)
  return Buffer.concat([head, value])
}

function long(group, number, vr, value) {
  const head = Buffer.alloc(12)
  head.writeUInt16LE(group, 0)
  head.writeUInt16LE(number, 2)
  head.write(vr, 4, 'latin1')
  head.writeUInt32LE(value.length, 8)
  return Buffer.concat([head, value])
}

function text(group, number, vr, value) {
  const bytes = Buffer.from(value, 'latin1')
  const padding = Buffer.alloc(bytes.length % 2, vr === 'UI' ? 0 : 0x20)
  return element(group, number, vr, Buffer.concat([bytes, padding]))
}

function short(group, number, value) {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return element(group, number, 'US', bytes)
}
