import type { FrameAttributes } from '#shared/contract/viewed-images.ts'

export type Vector = readonly [number, number, number]
type Orientation = NonNullable<FrameAttributes['orientation']>

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
export const length = (a: Vector): number => Math.hypot(...a)
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/**
 * Unit vector of the rows (where columns grow) and of the columns (where rows grow), PS3.3
 * C.7.6.2.1.1.
 */
export const rowOf = (orientation: Orientation): Vector => [
  orientation[0],
  orientation[1],
  orientation[2],
]
export const columnOf = (orientation: Orientation): Vector => [
  orientation[3],
  orientation[4],
  orientation[5],
]
export const normalOf = (orientation: Orientation): Vector =>
  cross(rowOf(orientation), columnOf(orientation))

/** Two planes are parallel, and their rows too, within a quarter of a degree. */
export function isSameOrientation(a: Orientation, b: Orientation): boolean {
  return dot(rowOf(a), rowOf(b)) > 0.99999 && dot(columnOf(a), columnOf(b)) > 0.99999
}

/**
 * Letters of the side of the body a direction points to, most important first (PS3.3 C.7.6.1.1.1);
 * empty for no direction.
 */
export function letters(direction: Vector): string {
  const size = length(direction)
  if (!(size > 0)) return ''
  const parts = [
    { amount: direction[0] / size, plus: 'L', minus: 'R' },
    { amount: direction[1] / size, plus: 'P', minus: 'A' },
    { amount: direction[2] / size, plus: 'H', minus: 'F' },
  ]
  return parts
    .filter(({ amount }) => Math.abs(amount) > 0.2)
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .map(({ amount, plus, minus }) => (amount > 0 ? plus : minus))
    .join('')
}

const OPPOSITE: Readonly<Record<string, string>> = {
  L: 'R',
  R: 'L',
  A: 'P',
  P: 'A',
  H: 'F',
  F: 'H',
}
/** `LP` for `RA`. */
export const oppositeLetters = (text: string): string =>
  [...text].map((letter) => OPPOSITE[letter] ?? letter).join('')

/**
 * A place in the patient of a pixel; null where the geometry is not known. @param column,row from
 * 0, at the pixel's centre
 */
export function pixelPositionOf(
  attributes: FrameAttributes,
  column: number,
  row: number,
): Vector | null {
  const { position, orientation, spacing } = attributes
  if (!position || !orientation || !spacing) return null
  const [x, y] = [rowOf(orientation), columnOf(orientation)]
  const at = (axis: 0 | 1 | 2) =>
    position[axis] + x[axis] * column * spacing[1] + y[axis] * row * spacing[0]
  return [at(0), at(1), at(2)]
}
