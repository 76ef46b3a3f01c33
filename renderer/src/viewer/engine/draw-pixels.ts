import type { Affine } from '../referencing/plane-mapping.ts'

/** Values of an image, row by row; of a colour image, three for each pixel. */
export interface Pixels {
  readonly values: ArrayLike<number>
  readonly rows: number
  readonly columns: number
}

/** Colours by value: the first at `lower`, the last at `upper`, as RGBA in the PC's byte order. */
export interface ColourTable {
  readonly lower: number
  readonly upper: number
  readonly colours: Uint32Array
}

/** What is drawn on, as RGBA in the PC's byte order. */
export interface Target {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
}

export const BLACK = 0xff000000

/**
 * Draws an image as a graphics card does: each pixel of the target takes the value at its centre,
 * between pixels of the image interpolated or not, and the value becomes a colour afterwards. What
 * lies outside of the image is black.
 * @param toImage from pixels of the target to columns and rows, both 0 at their outer corners;
 *   turned by quarters alone
 */
export function drawPixels(
  target: Target,
  toImage: Affine,
  image: Pixels,
  { lower, upper, colours }: ColourTable,
  isSmooth: boolean,
): void {
  const { pixels, width } = target
  const { values } = image
  const [across, down] = axesOf(target, toImage, image, 1)
  const { from, end, nearest } = across
  const last = colours.length - 1
  const scale = last / (upper - lower)
  const line = new Float32Array(width)
  pixels.fill(BLACK)
  for (let y = down.from; y < down.end; y++) {
    if (isSmooth) interpolate(line, values, across, down, y, 0)
    else {
      const row = down.nearest[y] as number
      for (let x = from; x < end; x++) line[x] = values[row + (nearest[x] as number)] as number
    }
    for (let x = from, to = y * width + from; x < end; x++, to++) {
      const shade = ((line[x] as number) - lower) * scale + 0.5
      pixels[to] = colours[shade >= last ? last : shade > 0 ? shade | 0 : 0] as number
    }
  }
}

/** As `drawPixels`, of a colour image. @param range values that are dark and full */
export function drawColours(
  target: Target,
  toImage: Affine,
  image: Pixels,
  { lower, upper }: Pick<ColourTable, 'lower' | 'upper'>,
  isSmooth: boolean,
): void {
  const { pixels, width } = target
  const { values } = image
  const [across, down] = axesOf(target, toImage, image, 3)
  const { from, end, nearest } = across
  const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length * 4)
  const scale = 255 / (upper - lower)
  const line = new Float32Array(width)
  pixels.fill(BLACK)
  for (let y = down.from; y < down.end; y++) {
    for (let part = 0; part < 3; part++) {
      const row = (down.nearest[y] as number) + part
      if (isSmooth) interpolate(line, values, across, down, y, part)
      else for (let x = from; x < end; x++) line[x] = values[row + (nearest[x] as number)] as number
      for (let x = from, to = 4 * (y * width + from) + part; x < end; x++, to += 4)
        bytes[to] = ((line[x] as number) - lower) * scale
    }
  }
}

/** The values of a line of the target, each by the four pixels of the image around it. */
function interpolate(
  line: Float32Array,
  values: ArrayLike<number>,
  { from, end, offsets, shares, step }: Axis,
  down: Axis,
  y: number,
  part: number,
): void {
  const above = (down.offsets[y] as number) + part
  const below = above + down.step
  const share = down.shares[y] as number
  for (let x = from; x < end; x++) {
    const offset = offsets[x] as number
    const across = shares[x] as number
    const left = values[above + offset] as number
    const lowerLeft = values[below + offset] as number
    const upper = left + ((values[above + offset + step] as number) - left) * across
    const lower = lowerLeft + ((values[below + offset + step] as number) - lowerLeft) * across
    line[x] = upper + (lower - upper) * share
  }
}

/** Where the pixels of a line or column of the target lie in the image, along one side of it. */
interface Axis {
  /** The pixels of the target that the image reaches, `end` excluded. */
  readonly from: number
  readonly end: number
  /** Offset in the values, of the pixel that each one lies in. */
  readonly nearest: Int32Array
  /**
   * Offset of the pixel whose centre is before each one, the share of the next one in it, and the
   * distance to that in the values. Beyond the outermost centres it is as at them.
   */
  readonly offsets: Int32Array
  readonly shares: Float32Array
  readonly step: number
}

function axesOf(
  { width, height }: Target,
  [a, b, c, d, e, f]: Affine,
  { rows, columns }: Pixels,
  parts: number,
): readonly [across: Axis, down: Axis] {
  const line = parts * columns
  const isTurned = Math.abs(a) < Math.abs(b)
  return isTurned
    ? [axisOf(width, f, b, rows, line), axisOf(height, e, c, columns, parts)]
    : [axisOf(width, e, a, columns, parts), axisOf(height, f, d, rows, line)]
}

/** @param size of the image. @param stride from one of its pixels to the next, in the values */
function axisOf(length: number, start: number, step: number, size: number, stride: number): Axis {
  const nearest = new Int32Array(length)
  const offsets = new Int32Array(length)
  const shares = new Float32Array(length)
  let [from, end] = [length, 0]
  for (let n = 0; n < length; n++) {
    const sourceIndex = start + (n + 0.5) * step
    if (sourceIndex < 0 || sourceIndex >= size) continue
    if (from > n) from = n
    end = n + 1
    const centre = Math.max(0, Math.min(size - 1, sourceIndex - 0.5))
    const before = Math.max(0, Math.min(size - 2, Math.floor(centre)))
    nearest[n] = Math.floor(sourceIndex) * stride
    offsets[n] = before * stride
    shares[n] = centre - before
  }
  return { from, end, nearest, offsets, shares, step: size > 1 ? stride : 0 }
}
