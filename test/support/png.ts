import { inflateSync } from 'node:zlib'

/** A picture: 8 bits a sample, grey, RGB or RGBA, not interlaced. */
export interface Png {
  readonly width: number
  readonly height: number
  /** Red, green, blue of a pixel, from the top left one (0, 0). */
  at(x: number, y: number): readonly [number, number, number]
}

/** By the colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 6: 4 }

/** Reads a PNG (RFC 2083) as Playwright and the gateway make them. */
export function readPng(bytes: Buffer): Png {
  const chunks: Buffer[] = []
  let [width, height, samples] = [0, 0, 0]
  for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))
    if (type === 'IDAT') chunks.push(data)
    if (type !== 'IHDR') continue
    ;[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
    samples = SAMPLES[data[9] as number] ?? 0
    if (data[8] !== 8 || samples === 0 || data[12] !== 0) throw new Error('a PNG of another kind')
  }
  const raw = inflateSync(Buffer.concat(chunks))
  const stride = width * samples
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const from = y * (stride + 1)
    const row = pixels.subarray(y * stride, (y + 1) * stride)
    row.set(raw.subarray(from + 1, from + 1 + stride))
    const above = y > 0 ? pixels.subarray((y - 1) * stride, y * stride) : Buffer.alloc(stride)
    unfilter(raw[from] ?? 0, row, above, samples)
  }
  const sample = (at: number) => pixels[at] ?? 0
  return {
    width,
    height,
    at(x, y) {
      const from = y * stride + x * samples
      return samples === 1
        ? [sample(from), sample(from), sample(from)]
        : [sample(from), sample(from + 1), sample(from + 2)]
    },
  }
}

type Predict = (left: number, up: number, upLeft: number) => number
/** What each filter but 0, which predicts nothing, expects of a byte (RFC 2083 §6). */
const PREDICTIONS: Readonly<Record<number, Predict>> = {
  1: (left) => left,
  2: (_, up) => up,
  3: (left, up) => (left + up) >> 1,
  4: paeth,
}

/** Adds to each byte of a row what its filter predicts. */
function unfilter(filter: number, row: Buffer, above: Buffer, samples: number): void {
  const predict = PREDICTIONS[filter]
  if (!predict) return
  for (let x = 0; x < row.length; x++) {
    const left = x < samples ? 0 : (row[x - samples] as number)
    const upLeft = x < samples ? 0 : (above[x - samples] as number)
    row[x] = (row[x] as number) + predict(left, above[x] as number, upLeft)
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const a = Math.abs(up - upLeft)
  const b = Math.abs(left - upLeft)
  const c = Math.abs(left + up - 2 * upLeft)
  return a <= b && a <= c ? left : b <= c ? up : upLeft
}
