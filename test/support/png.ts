import { inflateSync } from 'node:zlib'

/** A picture of a browser: 8 bits a sample, RGB or RGBA, not interlaced. */
export interface Png {
  readonly width: number
  readonly height: number
  /** Red, green, blue of a pixel, from the top left one (0, 0). */
  at(x: number, y: number): readonly [number, number, number]
}

/** Reads a PNG (RFC 2083) as Playwright makes them. */
export function readPng(bytes: Buffer): Png {
  const chunks: Buffer[] = []
  let [width, height, samples] = [0, 0, 0]
  for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))
    if (type === 'IDAT') chunks.push(data)
    if (type !== 'IHDR') continue
    ;[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
    samples = data[9] === 6 ? 4 : 3
    if (data[8] !== 8 || (data[9] !== 6 && data[9] !== 2) || data[12] !== 0) throw new Error('a PNG of another kind')
  }
  const raw = inflateSync(Buffer.concat(chunks))
  const stride = width * samples
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const left = x >= samples ? (pixels[y * stride + x - samples] ?? 0) : 0
      const up = y > 0 ? (pixels[(y - 1) * stride + x] ?? 0) : 0
      const upLeft = x >= samples && y > 0 ? (pixels[(y - 1) * stride + x - samples] ?? 0) : 0
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, up, upLeft)
    }
  }
  const sample = (at: number) => pixels[at] ?? 0
  return {
    width,
    height,
    at(x, y) {
      const from = y * stride + x * samples
      return [sample(from), sample(from + 1), sample(from + 2)]
    },
  }
}

function predicted(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [a, b, c] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)]
  return a <= b && a <= c ? left : b <= c ? up : upLeft
}
