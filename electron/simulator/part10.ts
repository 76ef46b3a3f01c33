// The minimum of DICOM files (PS3.10 §7) that a partner needs to create files and to describe them
// in a manifest. Not used for data from devices or other systems, which the gateway reads with
// `server/dicom`.

/**
 * Text, UIDs and number strings according to their VR; numbers for US, SS, UL and FD; items for SQ.
 */
export type Value = string | number | readonly number[] | Buffer | readonly Attributes[]
export type Attributes = readonly (readonly [tag: number, vr: string, value: Value])[]

const EXPLICIT_LITTLE_ENDIAN = '1.2.840.10008.1.2.1'
const IMPLICIT_LITTLE_ENDIAN = '1.2.840.10008.1.2'
const LONG_LENGTH_VRS = new Set([
  'OB',
  'OD',
  'OF',
  'OL',
  'OV',
  'OW',
  'SQ',
  'UC',
  'UN',
  'UR',
  'UT',
  'SV',
  'UV',
])
const PIXEL_DATA = 0x7fe00010
const UNDEFINED_LENGTH = 0xffffffff

/**
 * The start of a file in Explicit VR Little Endian, to be followed by the pixels.
 * @param pixels length of the pixel data in bytes, an even number; 0 for a file without any
 */
export function part10Head(
  sopClassUid: string,
  sopInstanceUid: string,
  attributes: Attributes,
  pixels: number,
): Buffer {
  const meta = encode([
    [0x00020001, 'OB', Buffer.from([0, 1])],
    [0x00020002, 'UI', sopClassUid],
    [0x00020003, 'UI', sopInstanceUid],
    [0x00020010, 'UI', EXPLICIT_LITTLE_ENDIAN],
    [0x00020012, 'UI', '2.25.20261122'],
  ])
  const own: Attributes = [
    [0x00080016, 'UI', sopClassUid],
    [0x00080018, 'UI', sopInstanceUid],
  ]
  const data = encode([...own, ...attributes].toSorted(([a], [b]) => a - b))
  return Buffer.concat([
    Buffer.alloc(128),
    Buffer.from('DICM'),
    encode([[0x00020000, 'UL', meta.length]]),
    meta,
    data,
    ...(pixels > 0 ? [head(PIXEL_DATA, 'OW', pixels)] : []),
  ])
}

const encode = (attributes: Attributes): Buffer =>
  Buffer.concat(
    attributes.flatMap(([tag, vr, value]) => {
      const bytes = bytesOf(vr, value)
      return [head(tag, vr, bytes.length), bytes]
    }),
  )

function head(tag: number, vr: string, length: number): Buffer {
  const bytes = Buffer.alloc(LONG_LENGTH_VRS.has(vr) ? 12 : 8)
  bytes.writeUInt16LE(tag >>> 16, 0)
  bytes.writeUInt16LE(tag & 0xffff, 2)
  bytes.write(vr, 4, 'latin1')
  if (LONG_LENGTH_VRS.has(vr)) bytes.writeUInt32LE(length, 8)
  else bytes.writeUInt16LE(length, 6)
  return bytes
}

const NUMBER_WRITERS: Readonly<
  Record<
    string,
    { readonly bytes: number; readonly write: (to: Buffer, value: number, at: number) => void }
  >
> = {
  US: { bytes: 2, write: (to, value, at) => to.writeUInt16LE(value, at) },
  SS: { bytes: 2, write: (to, value, at) => to.writeInt16LE(value, at) },
  UL: { bytes: 4, write: (to, value, at) => to.writeUInt32LE(value, at) },
  FD: { bytes: 8, write: (to, value, at) => to.writeDoubleLE(value, at) },
}

function bytesOf(vr: string, value: Value): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') {
    const text = Buffer.from(value, 'utf8')
    return text.length % 2 === 0
      ? text
      : Buffer.concat([text, Buffer.from(vr === 'UI' ? [0] : ' ')])
  }
  if (vr === 'SQ') {
    return Buffer.concat(
      (value as readonly Attributes[]).flatMap((item) => {
        const bytes = encode(item)
        const start = Buffer.from([0xfe, 0xff, 0x00, 0xe0, 0, 0, 0, 0])
        start.writeUInt32LE(bytes.length, 4)
        return [start, bytes]
      }),
    )
  }
  const numbers = [value].flat() as number[]
  const { bytes, write } = NUMBER_WRITERS[vr] ?? { bytes: 0, write: () => {} }
  if (bytes === 0) throw new RangeError(`no number is written as ${vr}`)
  const buffer = Buffer.alloc(numbers.length * bytes)
  for (const [index, number] of numbers.entries()) write(buffer, number, index * bytes)
  return buffer
}

/**
 * The top-level elements before the pixel data, by tag; empty if the file is invalid or ends before
 * it.
 */
export function readHeader(file: Buffer): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>()
  if (file.toString('latin1', 128, 132) !== 'DICM') return found
  let isExplicit = true
  let isMeta = true
  for (let at = 132; at + 8 <= file.length; ) {
    const group = file.readUInt16LE(at)
    if (isMeta && group !== 2) {
      isMeta = false
      isExplicit = textOf(found.get(0x00020010)) !== IMPLICIT_LITTLE_ENDIAN
    }
    const tag = group * 0x10000 + file.readUInt16LE(at + 2)
    const isLong = isExplicit && LONG_LENGTH_VRS.has(file.toString('latin1', at + 4, at + 6))
    if (isLong && at + 12 > file.length) break
    const length = !isExplicit
      ? file.readUInt32LE(at + 4)
      : isLong
        ? file.readUInt32LE(at + 8)
        : file.readUInt16LE(at + 6)
    const from = at + (isLong ? 12 : 8)
    if (tag >= PIXEL_DATA || length === UNDEFINED_LENGTH || from + length > file.length) break
    found.set(tag, file.subarray(from, from + length))
    at = from + length
  }
  return found
}

export const textOf = (bytes: Buffer | undefined): string =>
  bytes
    ?.toString('utf8')
    .replace(/[\0 ]+$/, '')
    .trim() ?? ''
