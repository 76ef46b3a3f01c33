import type { SmallPicture } from '#shared/pixels/small-picture.ts'
import { dcCode, HUFFMAN_SEGMENT, type HuffmanCode, huffmanCodes } from './jpeg-huffman.ts'
import { isGrey } from './png.ts'

// A baseline encoder of our own: that of the codec packages writes beyond its buffer for small or
// noisy pictures.

/** ISO/IEC 10918-1 Table K.1 and K.2, in zigzag order: the steps of luminance and chrominance. */
const LUMINANCE_STEPS = [
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37,
  29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
  95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
]
const CHROMINANCE_STEPS = [17, 18, 18, 24, 21, 24, 47, 26, 26, 47, ...Array<number>(54).fill(99)]
/** The place within a block of each coefficient in zigzag order. */
const ZIGZAG = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]
/** Row `u`: the cosines of the coefficient `u` (A.3.3), with its scale. */
const COSINES = Float64Array.from({ length: 64 }, (_, at) => {
  const [u, x] = [at >> 3, at & 7]
  return (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16)
})

/**
 * A JPEG file (ISO/IEC 10918-1, baseline, without subsampling) of the picture: of grey levels, or of
 * colours where it has any.
 * @param quality from 1 to 100, as libjpeg scales the steps of Annex K
 */
export function jpegOf(picture: SmallPicture, quality: number): Buffer {
  const { width, height, rgba } = picture
  const steps = [LUMINANCE_STEPS, CHROMINANCE_STEPS].map((table) => scaledSteps(table, quality))
  const components = isGrey(rgba) ? 1 : 3
  const bits = new BitWriter()
  const previous = [0, 0, 0]
  const block = new Float64Array(64)
  const zigzag = new Int32Array(64)
  for (let top = 0; top < height; top += 8)
    for (let left = 0; left < width; left += 8)
      for (let component = 0; component < components; component++) {
        const kind = component === 0 ? 0 : 1
        readBlock(picture, left, top, components === 1 ? -1 : component, block)
        transform(block)
        quantize(block, steps[kind] as number[], zigzag)
        writeBlock(bits, zigzag, previous[component] as number, kind)
        previous[component] = zigzag[0] as number
      }
  return Buffer.concat([
    FILE_START,
    ...tables(steps),
    frame(width, height, components),
    bits.end(),
    FILE_END,
  ])
}

/** @param component of YCbCr; -1 for a grey level */
function readBlock(
  { width, height, rgba }: SmallPicture,
  left: number,
  top: number,
  component: number,
  block: Float64Array,
): void {
  for (let at = 0; at < 64; at++) {
    // The edge is repeated beyond the picture.
    const x = Math.min(width - 1, left + (at & 7))
    const y = Math.min(height - 1, top + (at >> 3))
    const from = (y * width + x) * 4
    const [r, g, b] = [rgba[from] as number, rgba[from + 1] as number, rgba[from + 2] as number]
    // JFIF 1.02: components of 8 bits, which are shifted to signed numbers (A.3.1).
    if (component < 0) block[at] = r - 128
    else if (component === 0) block[at] = 0.299 * r + 0.587 * g + 0.114 * b - 128
    else if (component === 1) block[at] = -0.168736 * r - 0.331264 * g + 0.5 * b
    else block[at] = 0.5 * r - 0.418688 * g - 0.081312 * b
  }
}

const scratch = new Float64Array(64)

/** The forward DCT (A.3.3), first of rows, then of columns. */
function transform(block: Float64Array): void {
  for (let y = 0; y < 64; y += 8)
    for (let u = 0; u < 8; u++) {
      let sum = 0
      for (let x = 0; x < 8; x++) sum += (block[y + x] as number) * (COSINES[u * 8 + x] as number)
      scratch[y + u] = sum
    }
  for (let u = 0; u < 8; u++)
    for (let v = 0; v < 8; v++) {
      let sum = 0
      for (let y = 0; y < 8; y++)
        sum += (scratch[y * 8 + u] as number) * (COSINES[v * 8 + y] as number)
      block[v * 8 + u] = sum
    }
}

function quantize(block: Float64Array, steps: readonly number[], zigzag: Int32Array): void {
  for (let at = 0; at < 64; at++) {
    const value = Math.round((block[ZIGZAG[at] as number] as number) / (steps[at] as number))
    // Table F.2: no larger coefficients have a code.
    zigzag[at] = at === 0 ? value : Math.max(-1023, Math.min(1023, value))
  }
}

/** F.1.2: the difference of the DC coefficients, then runs of zeros and coefficients. */
function writeBlock(bits: BitWriter, zigzag: Int32Array, previousDc: number, kind: number): void {
  const ac = huffmanCodes[kind]?.ac ?? []
  const difference = (zigzag[0] as number) - previousDc
  const size = sizeOf(difference)
  bits.writeCode(dcCode(kind, size))
  bits.write(bitsOf(difference, size), size)
  let zeros = 0
  for (let at = 1; at < 64; at++) {
    const value = zigzag[at] as number
    if (value === 0) {
      zeros++
      continue
    }
    for (; zeros > 15; zeros -= 16) bits.writeCode(ac[0xf0])
    const length = sizeOf(value)
    bits.writeCode(ac[(zeros << 4) | length])
    bits.write(bitsOf(value, length), length)
    zeros = 0
  }
  if (zeros > 0) bits.writeCode(ac[0])
}

/** Bits of the magnitude (F.1.2.1.2). */
const sizeOf = (value: number): number => 32 - Math.clz32(Math.abs(value))
/** Negative numbers are in ones’ complement. */
const bitsOf = (value: number, size: number): number =>
  value < 0 ? value + (1 << size) - 1 : value

const scaledSteps = (table: readonly number[], quality: number): number[] => {
  const percent = quality < 50 ? 5000 / quality : 200 - quality * 2
  return table.map((step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))))
}

/** SOI, and APP0 of JFIF 1.01 with square pixels. */
const FILE_START = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')
const FILE_END = Buffer.from('ffd9', 'hex')

const segment = (marker: number, content: readonly number[]): Buffer =>
  Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff, ...content])

const tables = (steps: readonly number[][]): Buffer[] => [
  ...steps.map((table, index) => segment(0xdb, [index, ...table])),
  segment(0xc4, HUFFMAN_SEGMENT),
]

/** SOF0 and SOS: each component with the tables of its kind. */
function frame(width: number, height: number, components: number): Buffer {
  const ids = Array.from({ length: components }, (_, index) => index)
  const kindOf = (index: number) => (index === 0 ? 0 : 1)
  return Buffer.concat([
    segment(0xc0, [
      ...[8, height >> 8, height & 0xff, width >> 8, width & 0xff, components],
      ...ids.flatMap((index) => [index + 1, 0x11, kindOf(index)]),
    ]),
    segment(0xda, [
      ...[components, ...ids.flatMap((index) => [index + 1, kindOf(index) * 0x11])],
      ...[0, 63, 0],
    ]),
  ])
}

/** Entropy-coded bits, with a zero after each byte of ones (F.1.2.3). */
class BitWriter {
  #bytes: Buffer = Buffer.alloc(64 << 10)
  #length = 0
  #bits = 0
  #count = 0

  writeCode(code: HuffmanCode | undefined): void {
    if (!code) throw new RangeError('a coefficient without a Huffman code')
    this.write(code.bits, code.length)
  }

  write(bits: number, length: number): void {
    this.#bits = (this.#bits << length) | bits
    this.#count += length
    for (; this.#count >= 8; this.#count -= 8) this.#put((this.#bits >> (this.#count - 8)) & 0xff)
    this.#bits &= (1 << this.#count) - 1
  }

  /** Fills the last byte with ones. */
  end(): Buffer {
    if (this.#count > 0) this.write((1 << (8 - this.#count)) - 1, 8 - this.#count)
    return this.#bytes.subarray(0, this.#length)
  }

  #put(byte: number): void {
    if (this.#length + 2 > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    this.#bytes[this.#length++] = byte
    if (byte === 0xff) this.#bytes[this.#length++] = 0
  }
}
