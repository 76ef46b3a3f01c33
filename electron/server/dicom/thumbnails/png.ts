import { crc32, deflateSync } from 'node:zlib'
import type { SmallPicture } from '#shared/pixels/small-picture.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const BIT_DEPTH = 8
const [GREY, RGB] = [0, 2]
/** Each byte less the one above it: neighbouring rows are alike. */
const UP = 2

/** A PNG file (ISO/IEC 15948) of the picture: of grey levels, or of RGB where it has colours. */
export function pngOf({ width, height, rgba }: SmallPicture): Buffer {
  const samples = isGrey(rgba) ? 1 : 3
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BIT_DEPTH, samples === 1 ? GREY : RGB], 8)
  const stride = width * samples
  const rows = Buffer.alloc(height * (stride + 1))
  for (let y = 0; y < height; y += 1) {
    const at = y * (stride + 1)
    rows[at] = UP
    for (let n = 0; n < stride; n += 1) {
      const from = (y * width + Math.floor(n / samples)) * 4 + (n % samples)
      const above = y === 0 ? 0 : (rgba[from - width * 4] as number)
      rows[at + 1 + n] = (rgba[from] as number) - above
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Whether all pixels are shades of grey. */
export function isGrey(rgba: Uint8ClampedArray): boolean {
  for (let at = 0; at < rgba.length; at += 4)
    if (rgba[at] !== rgba[at + 1] || rgba[at] !== rgba[at + 2]) return false
  return true
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
