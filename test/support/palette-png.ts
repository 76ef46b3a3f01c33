import { crc32, deflateSync } from 'node:zlib'
import type { Png } from './png.ts'

const MOST_COLOURS = 256
/**
 * Colours that differ by less look the same: the low bits of a sample that are left out while they
 * are counted.
 */
const SHIFT = 2

/**
 * A picture in at most 256 colours, a third of the bytes (RFC 2083, colour type 3): the commonest
 * ones, each pixel in the nearest of them.
 */
export function palettePng(png: Png): Buffer {
  const pixels = Array.from({ length: png.width * png.height }, (_, at) =>
    numberOf(png.at(at % png.width, Math.floor(at / png.width))),
  )
  const palette = commonest(pixels)
  const places = new Map(palette.map((colour, at) => [colour, at]))
  const placeOf = (colour: number) => {
    const known = places.get(colour)
    if (known !== undefined) return known
    const near = nearest(palette, colour)
    places.set(colour, near)
    return near
  }
  const rows = Buffer.alloc(png.height * (png.width + 1))
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++)
      rows[y * (png.width + 1) + 1 + x] = placeOf(pixels[y * png.width + x] ?? 0)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(png.width, 0)
  header.writeUInt32BE(png.height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(samplesOf))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const numberOf = ([red, green, blue]: readonly [number, number, number]) =>
  (red << 16) | (green << 8) | blue
const samplesOf = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
]

/** One colour of each group of like ones, the commonest groups first. */
function commonest(pixels: readonly number[]): number[] {
  const counts = new Map<number, number>()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const groups = new Map<number, { colour: number; count: number; most: number }>()
  for (const [colour, count] of counts) {
    const key = numberOf(
      samplesOf(colour).map((sample) => sample >> SHIFT) as [number, number, number],
    )
    const group = groups.get(key) ?? { colour, count: 0, most: 0 }
    group.count += count
    if (count > group.most) Object.assign(group, { colour, most: count })
    groups.set(key, group)
  }
  return [...groups.values()]
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST_COLOURS)
    .map(({ colour }) => colour)
}

function nearest(palette: readonly number[], colour: number): number {
  const [red, green, blue] = samplesOf(colour)
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [at, other] of palette.entries()) {
    const [otherRed, otherGreen, otherBlue] = samplesOf(other)
    const far = (red - otherRed) ** 2 + (green - otherGreen) ** 2 + (blue - otherBlue) ** 2
    if (far >= least) continue
    best = at
    least = far
  }
  return best
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
