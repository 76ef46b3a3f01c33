import type { FrameAttributes } from '#shared/contract/viewed-images.ts'
import { columnOf, dot, normalOf, rowOf, subtract, type Vector } from '../engine/geometry.ts'

/** `x' = a·x + c·y + e`, `y' = b·x + d·y + f`, as `setTransform` of a canvas has them. */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

export const IDENTITY: Affine = [1, 0, 0, 1, 0, 0]

/** First `inner`, then `outer`. */
export const composeAffine = (outer: Affine, inner: Affine): Affine => [
  outer[0] * inner[0] + outer[2] * inner[1],
  outer[1] * inner[0] + outer[3] * inner[1],
  outer[0] * inner[2] + outer[2] * inner[3],
  outer[1] * inner[2] + outer[3] * inner[3],
  outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
  outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
]

export const at = (matrix: Affine, x: number, y: number): [number, number] => [
  matrix[0] * x + matrix[2] * y + matrix[4],
  matrix[1] * x + matrix[3] * y + matrix[5],
]

/** The way back. */
export function inverse([a, b, c, d, e, f]: Affine): Affine {
  const area = a * d - b * c
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area]
}

/** Where an image lies in the patient (PS3.3 C.7.6.2). */
export interface ImagePlane {
  readonly position: Vector
  readonly orientation: NonNullable<FrameAttributes['orientation']>
  /** Distance between rows, and between columns, in mm. */
  readonly spacing: readonly [number, number]
}

/** Undefined if a part of it is not known. */
export function planeOf({
  position,
  orientation,
  spacing,
}: Pick<FrameAttributes, 'position' | 'orientation' | 'spacing'>): ImagePlane | undefined {
  return position && orientation && spacing ? { position, orientation, spacing } : undefined
}

/** The cosine of a quarter of a degree. */
const PARALLEL = 0.99999

/** Whether two planes have the same normal, in either direction. */
export const isParallel = (one: ImagePlane, other: ImagePlane): boolean =>
  Math.abs(dot(normalOf(one.orientation), normalOf(other.orientation))) > PARALLEL

/** Distance of a place from a plane in mm, positive along its normal. */
export const distanceFrom = (plane: ImagePlane, place: Vector): number =>
  dot(normalOf(plane.orientation), subtract(place, plane.position))

/**
 * Column and row of a place on a plane, as fractions from the outer corner of the first pixel; its
 * distance from the plane is ignored.
 */
export function pixelAt(plane: ImagePlane, place: Vector): [number, number] {
  const from = subtract(place, plane.position)
  return [
    dot(from, rowOf(plane.orientation)) / plane.spacing[1] + 0.5,
    dot(from, columnOf(plane.orientation)) / plane.spacing[0] + 0.5,
  ]
}

/** The affine map that takes each place to where the given one takes it. */
export function affineOf(map: (x: number, y: number) => readonly [number, number]): Affine {
  const [origin, right, below] = [map(0, 0), map(1, 0), map(0, 1)]
  return [
    right[0] - origin[0],
    right[1] - origin[1],
    below[0] - origin[0],
    below[1] - origin[1],
    origin[0],
    origin[1],
  ]
}

/** Maps columns and rows of a plane to those of another one that is parallel to it. */
export function planeMapping(from: ImagePlane, to: ImagePlane): Affine {
  const [row, column] = [rowOf(from.orientation), columnOf(from.orientation)]
  const placeAt = (x: number, y: number): Vector => {
    const part = (axis: 0 | 1 | 2) =>
      from.position[axis] +
      row[axis] * (x - 0.5) * from.spacing[1] +
      column[axis] * (y - 0.5) * from.spacing[0]
    return [part(0), part(1), part(2)]
  }
  return affineOf((x, y) => pixelAt(to, placeAt(x, y)))
}
