import { open } from 'node:fs/promises'
import { IMPLEMENTATION } from './uids.ts'
import { withoutPadding } from './vr.ts'

/** The File Meta Information of an instance (PS3.10 §7.1). */
export interface FileMeta {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly transferSyntaxUid: string
  /** Source Application Entity Title (0002,0016): the AE that sent the instance to the gateway. */
  readonly sourceAeTitle: string
}

/** The File Meta Information and the offset of the data set. */
export interface FileMetaRead extends FileMeta {
  /** Number of bytes before the data set: preamble, prefix and group 0002. */
  readonly dataSetOffset: number
}

const PREAMBLE_BYTES = 128
const PREFIX = 'DICM'
/** Length of the group length element including its value. */
const GROUP_LENGTH_BYTES = 12
/** More than any file meta information needs; bounds what is read of files that are not DICOM. */
const MAX_META_BYTES = 64 << 10

const META_ELEMENTS = {
  version: 0x0001,
  sopClassUid: 0x0002,
  sopInstanceUid: 0x0003,
  transferSyntaxUid: 0x0010,
  implementationClassUid: 0x0012,
  implementationVersionName: 0x0013,
  sourceAeTitle: 0x0016,
} as const

/**
 * The bytes of a file before its data set (PS3.10 §7.1): preamble, prefix and group 0002 in
 * Explicit VR Little Endian.
 */
export function fileMeta({
  sopClassUid,
  sopInstanceUid,
  transferSyntaxUid,
  sourceAeTitle,
}: FileMeta): Buffer {
  const group = Buffer.concat([
    VERSION_ELEMENT,
    encodeElement(META_ELEMENTS.sopClassUid, 'UI', sopClassUid),
    encodeElement(META_ELEMENTS.sopInstanceUid, 'UI', sopInstanceUid),
    encodeElement(META_ELEMENTS.transferSyntaxUid, 'UI', transferSyntaxUid),
    encodeElement(META_ELEMENTS.implementationClassUid, 'UI', IMPLEMENTATION.classUid),
    encodeElement(META_ELEMENTS.implementationVersionName, 'SH', IMPLEMENTATION.versionName),
    ...(sourceAeTitle === ''
      ? []
      : [encodeElement(META_ELEMENTS.sourceAeTitle, 'AE', sourceAeTitle)]),
  ])
  const start = Buffer.alloc(PREAMBLE_BYTES + PREFIX.length + GROUP_LENGTH_BYTES)
  start.write(PREFIX, PREAMBLE_BYTES, 'latin1')
  const at = PREAMBLE_BYTES + PREFIX.length
  start.writeUInt16LE(0x0002, at)
  start.write('UL', at + 4, 'latin1')
  start.writeUInt16LE(4, at + 6)
  start.writeUInt32LE(group.length, at + 8)
  return Buffer.concat([start, group])
}

/**
 * Reads the file meta information of a file written by the gateway.
 * @throws {Error} if the file cannot be read or is not a DICOM file; the message contains no path
 */
export async function readFileMeta(path: string): Promise<FileMetaRead> {
  const file = await open(path, 'r')
  try {
    const start = Buffer.alloc(PREAMBLE_BYTES + PREFIX.length + GROUP_LENGTH_BYTES)
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    if (
      bytesRead < start.length ||
      start.toString('latin1', PREAMBLE_BYTES, PREAMBLE_BYTES + 4) !== PREFIX
    )
      throw notDicomError()
    const length = start.readUInt32LE(start.length - 4)
    if (start.readUInt32LE(PREAMBLE_BYTES + 4) !== 0x00000002 || length > MAX_META_BYTES)
      throw notDicomError()
    const group = Buffer.alloc(length)
    const rest = await file.read(group, 0, length, start.length)
    if (rest.bytesRead < length) throw notDicomError()
    const texts = readTexts(group)
    const text = (of: number) => texts.get(of) ?? ''
    return {
      sopClassUid: text(META_ELEMENTS.sopClassUid),
      sopInstanceUid: text(META_ELEMENTS.sopInstanceUid),
      transferSyntaxUid: text(META_ELEMENTS.transferSyntaxUid),
      sourceAeTitle: text(META_ELEMENTS.sourceAeTitle).trim(),
      dataSetOffset: start.length + length,
    }
  } finally {
    await file.close()
  }
}

/** UIDs and AE titles of group 0002, by element number. */
function readTexts(group: Buffer): Map<number, string> {
  const texts = new Map<number, string>()
  let at = 0
  while (at + 8 <= group.length) {
    const vr = group.toString('latin1', at + 4, at + 6)
    const hasLongLength = LONG_LENGTH_VRS.has(vr)
    if (hasLongLength && at + 12 > group.length) throw notDicomError()
    const start = at + (hasLongLength ? 12 : 8)
    const end = start + (hasLongLength ? group.readUInt32LE(at + 8) : group.readUInt16LE(at + 6))
    if (end > group.length) throw notDicomError()
    if (vr === 'UI' || vr === 'AE')
      texts.set(group.readUInt16LE(at + 2), withoutPadding(group.toString('latin1', start, end)))
    at = end
  }
  return texts
}

/** VRs in group 0002 with a 32-bit length. */
const LONG_LENGTH_VRS: ReadonlySet<string> = new Set(['OB', 'UN'])

const notDicomError = (): Error => new Error('not a DICOM file')

const VERSION_ELEMENT = encodeLongElement(META_ELEMENTS.version, 'OB', Buffer.from([0, 1]))

/** PS3.5 §6.2: UIDs are padded with a NUL, other text with a space. */
function encodeElement(number: number, vr: 'UI' | 'SH' | 'AE', text: string): Buffer {
  const value = text.length & 1 ? text + (vr === 'UI' ? '\0' : ' ') : text
  const bytes = Buffer.allocUnsafe(8 + value.length)
  bytes.writeUInt16LE(0x0002, 0)
  bytes.writeUInt16LE(number, 2)
  bytes.write(vr, 4, 'latin1')
  bytes.writeUInt16LE(value.length, 6)
  bytes.write(value, 8, 'latin1')
  return bytes
}

function encodeLongElement(number: number, vr: 'OB', value: Buffer): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16LE(0x0002, 0)
  header.writeUInt16LE(number, 2)
  header.write(vr, 4, 'latin1')
  header.writeUInt32LE(value.length, 8)
  return Buffer.concat([header, value])
}
