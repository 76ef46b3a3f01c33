import { type Curve, levelAt } from './curves.ts'
import type { ValueWindow } from './opening-window.ts'

/** A decoded image with its display parameters. */
export interface ShownImage {
  readonly rows: number
  readonly columns: number
  /** Row and column spacing, if pixels are not square. */
  readonly shape: readonly [number, number] | null
  readonly isColour: boolean
  /** RGB, or grey values after the modality transformation. */
  readonly values: ArrayLike<number>
  readonly window: ValueWindow
  /** LINEAR, LINEAR_EXACT, SIGMOID (PS3.3 C.11.2.1.3). */
  readonly voiLutFunction: string
  /** Replaces the VOI LUT function. */
  readonly curve: Curve | undefined
  /** MONOCHROME1: the lowest value is displayed white. */
  readonly isInverted: boolean
}

export interface SmallPicture {
  readonly width: number
  readonly height: number
  /** RGBA, pixel by pixel. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>
}

/** Maximum of values per axis averaged for one pixel; larger images are sampled. */
const MAX_AVERAGED_VALUES = 6

/** The largest size of a picture in pixels. */
export interface PictureBox {
  readonly width: number
  readonly height: number
}

/** Scales the image down until it fits into the box; never enlarges it. */
export function smallPicture(image: ShownImage, box: PictureBox): SmallPicture {
  const { rows, columns, isColour, values } = image
  const [width, height] = sizeOf(image, box)
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255)
  const levelOf = isColour ? undefined : levelsOf(image)
  const columnParts = Array.from({ length: width }, (_, x) => partOf(x, width, columns))
  for (let y = 0; y < height; y += 1) {
    const verticalPart = partOf(y, height, rows)
    for (const [x, across] of columnParts.entries()) {
      const to = (y * width + x) * 4
      const sums = [0, 0, 0]
      for (const row of verticalPart)
        for (const column of across) {
          const from = row * columns + column
          if (levelOf) sums[0] = (sums[0] as number) + levelOf(values[from] as number)
          else
            for (let channel = 0; channel < 3; channel += 1)
              sums[channel] = (sums[channel] as number) + (values[from * 3 + channel] as number)
        }
      const count = verticalPart.length * across.length
      for (let channel = 0; channel < 3; channel += 1)
        rgba[to + channel] = (sums[levelOf ? 0 : channel] as number) / count
    }
  }
  return { width, height, rgba }
}

function sizeOf({ rows, columns, shape }: ShownImage, box: PictureBox): [number, number] {
  const [down, across] = shape ?? [1, 1]
  const unit = Math.min(down, across)
  const [width, height] = [(columns * across) / unit, (rows * down) / unit]
  const scale = Math.min(1, box.width / width, box.height / height)
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
}

/** The source rows or columns of output pixel `index` of `size`. */
function partOf(index: number, size: number, length: number): readonly number[] {
  const from = Math.min(length - 1, Math.floor((index / size) * length))
  const to = Math.max(from + 1, Math.floor(((index + 1) / size) * length))
  const step = Math.ceil((to - from) / MAX_AVERAGED_VALUES)
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step)
}

/** Brightness of a value, from 0 to 255 (PS3.3 C.11.2.1.2). */
function levelsOf({
  window: { center, width },
  voiLutFunction,
  curve,
  isInverted,
}: ShownImage): (value: number) => number {
  const share = shareOf(center, width, curve ? 'LINEAR' : voiLutFunction)
  return (value) => {
    const level = curve ? levelAt(curve, share(value)) : share(value)
    const bounded = level > 1 ? 255 : level > 0 ? level * 255 : 0
    return isInverted ? 255 - bounded : bounded
  }
}

function shareOf(center: number, width: number, voiLutFunction: string) {
  if (voiLutFunction === 'SIGMOID')
    return (value: number) => 1 / (1 + Math.exp((-4 * (value - center)) / width))
  if (voiLutFunction === 'LINEAR_EXACT')
    return (value: number) => (value - center) / Math.max(width, 1e-6) + 0.5
  return (value: number) => (value - (center - 0.5)) / Math.max(width - 1, 1e-6) + 0.5
}
