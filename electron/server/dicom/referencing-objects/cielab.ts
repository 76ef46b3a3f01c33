import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { Colour } from '#shared/contract/referencing-objects.ts'

/** D50, the white point of the profile connection space (PS3.3 C.10.7.1.1). */
const WHITE_POINT = [0.9642, 1, 0.8249] as const
/** XYZ with white point D50 to linear sRGB, adapted to D65 by Bradford's method. */
const XYZ_TO_RGB = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
] as const

/** Reads a CIELab value; null if it is missing. */
export function colourOf(values: AttributeValues, tag: number): Colour | null {
  const [lightness, a, b] = values.vector(tag, 3) ?? []
  if (lightness === undefined || a === undefined || b === undefined) return null
  return cielabColour(lightness, a, b)
}

/** Converts an encoded CIELab value, 0 to 65535 each (PS3.3 C.10.7.1.1), to sRGB. */
export function cielabColour(lightness: number, a: number, b: number): Colour {
  const y = ((lightness / 65_535) * 100 + 16) / 116
  const x = y + ((a / 65_535) * 255 - 128) / 500
  const z = y - ((b / 65_535) * 255 - 128) / 200
  const xyz = [x, y, z].map((part, axis) => linearOf(part) * (WHITE_POINT[axis] ?? 1))
  const [red = 0, green = 0, blue = 0] = XYZ_TO_RGB.map((row) =>
    byteOf(row.reduce((sum, factor, axis) => sum + factor * (xyz[axis] ?? 0), 0)),
  )
  return [red, green, blue]
}

/** A grayscale value from 0 to 65535 as a colour. */
export function greyOf(value: number): Colour {
  const grey = Math.max(0, Math.min(255, Math.round((value / 65_535) * 255)))
  return [grey, grey, grey]
}

const linearOf = (value: number): number =>
  value > 6 / 29 ? value ** 3 : 3 * (6 / 29) ** 2 * (value - 4 / 29)

/** IEC 61966-2-1. */
function byteOf(linear: number): number {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055
  return Math.max(0, Math.min(255, Math.round(value * 255)))
}
