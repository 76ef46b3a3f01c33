// An ICC input device profile (ICC.1:2001-04) of sRGB (IEC 61966-2-1), which color presentation
// states need (PS3.3 C.11.15).

/** Chromaticities of the primaries and of the white point, adapted to D50, as XYZ. */
const COLORANTS = {
  wtpt: [0.9642, 1, 0.8249],
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const
const CURVE_ENTRIES = 256
const HEADER_BYTES = 128

const s15Fixed16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65536))
  return bytes
}
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const xyz = (values: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), ...values.map(s15Fixed16)])

function description(text: string): Buffer {
  const ascii = Buffer.from(`${text}\0`, 'latin1')
  // No Unicode and no Macintosh description.
  return Buffer.concat([
    ...[Buffer.from('desc\0\0\0\0', 'latin1'), uint32(ascii.length), ascii],
    Buffer.alloc(4 + 4 + 2 + 1 + 67),
  ])
}

function buildCurve(): Buffer {
  const entries = Buffer.alloc(CURVE_ENTRIES * 2)
  for (let index = 0; index < CURVE_ENTRIES; index++) {
    const value = index / (CURVE_ENTRIES - 1)
    const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    entries.writeUInt16BE(Math.round(linear * 65535), index * 2)
  }
  return Buffer.concat([Buffer.from('curv\0\0\0\0', 'latin1'), uint32(CURVE_ENTRIES), entries])
}

function buildProfile(): Buffer {
  const values: [signature: string, value: Buffer][] = [
    ['desc', description('sRGB')],
    ['cprt', Buffer.from('text\0\0\0\0No copyright\0', 'latin1')],
    ...Object.entries(COLORANTS).map(([name, value]): [string, Buffer] => [name, xyz(value)]),
  ]
  // The three channels have one curve.
  const sharedCurve = buildCurve()
  const table: Buffer[] = []
  const data: Buffer[] = []
  let at = HEADER_BYTES + 4 + (values.length + 3) * 12
  const append = (signatures: readonly string[], value: Buffer) => {
    for (const signature of signatures)
      table.push(Buffer.from(signature, 'latin1'), uint32(at), uint32(value.length))
    const padded = Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])
    data.push(padded)
    at += padded.length
  }
  for (const [signature, value] of values) append([signature], value)
  append(['rTRC', 'gTRC', 'bTRC'], sharedCurve)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(at, 0)
  header.writeUInt32BE(0x02100000, 8)
  header.write('scnrRGB XYZ ', 12, 'latin1')
  // The date of the format, because the profile is the same in every object.
  for (const [index, part] of [2001, 4, 1, 0, 0, 0].entries())
    header.writeUInt16BE(part, 24 + 2 * index)
  header.write('acsp', 36, 'latin1')
  for (const [index, part] of COLORANTS.wtpt.entries())
    s15Fixed16(part).copy(header, 68 + 4 * index)
  return Buffer.concat([header, uint32(values.length + 3), ...table, ...data])
}

/** The bytes of the profile; their number is even. */
export const SRGB_PROFILE: Buffer = buildProfile()
