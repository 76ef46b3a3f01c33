import type { Graphic } from '#shared/contract/referencing-objects.ts'
import type { PixelPoint } from './scene.ts'

/** Points of a curve that is drawn by straight lines. */
const CURVE_STEPS = 96
const STEPS_BETWEEN = 12

/** A graphic object as lines, in the units of its points (PS3.3 C.10.5.2). */
export interface GraphicPath {
  readonly points: readonly PixelPoint[]
  readonly isClosed: boolean
}

/** Undefined for a point, which has no lines. */
export function pathOf({
  type,
  points,
}: Pick<Graphic, 'type' | 'points'>): GraphicPath | undefined {
  switch (type) {
    case 'POINT':
      return undefined
    case 'CIRCLE': {
      const [center = [0, 0], edge = [0, 0]] = points
      const radius = Math.hypot(edge[0] - center[0], edge[1] - center[1])
      return { points: ellipse(center, [radius, 0], [0, radius]), isClosed: true }
    }
    case 'ELLIPSE': {
      const [a = [0, 0], b = [0, 0], c = [0, 0], d = [0, 0]] = points
      const center: PixelPoint = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
      const major: PixelPoint = [(b[0] - a[0]) / 2, (b[1] - a[1]) / 2]
      const minor: PixelPoint = [(d[0] - c[0]) / 2, (d[1] - c[1]) / 2]
      return { points: ellipse(center, major, minor), isClosed: true }
    }
    case 'INTERPOLATED':
      return { points: smoothCurve(points), isClosed: isClosed(points) }
    case 'POLYLINE':
      return { points, isClosed: isClosed(points) }
  }
}

const isClosed = (points: readonly PixelPoint[]): boolean => {
  const [first, last] = [points[0], points.at(-1)]
  return points.length > 2 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
}

const ellipse = (center: PixelPoint, one: PixelPoint, other: PixelPoint): readonly PixelPoint[] =>
  Array.from({ length: CURVE_STEPS }, (_, step) => {
    const angle = (step / CURVE_STEPS) * 2 * Math.PI
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    return [center[0] + one[0] * c + other[0] * s, center[1] + one[1] * c + other[1] * s]
  })

/** A curve through all points (Catmull-Rom); the standard leaves the interpolation open. */
function smoothCurve(points: readonly PixelPoint[]): readonly PixelPoint[] {
  if (points.length < 3) return points
  const closed = isClosed(points)
  const at = (index: number): PixelPoint => {
    const last = points.length - 1
    if (closed) return points[((index % last) + last) % last] as PixelPoint
    return points[Math.max(0, Math.min(last, index))] as PixelPoint
  }
  const curve: PixelPoint[] = []
  for (let index = 0; index + 1 < points.length; index++)
    for (let step = 0; step < STEPS_BETWEEN; step++)
      curve.push(
        between(at(index - 1), at(index), at(index + 1), at(index + 2), step / STEPS_BETWEEN),
      )
  curve.push(points.at(-1) as PixelPoint)
  return curve
}

function between(
  before: PixelPoint,
  from: PixelPoint,
  to: PixelPoint,
  behind: PixelPoint,
  t: number,
): PixelPoint {
  const along = (axis: 0 | 1) =>
    0.5 *
    (2 * from[axis] +
      (to[axis] - before[axis]) * t +
      (2 * before[axis] - 5 * from[axis] + 4 * to[axis] - behind[axis]) * t ** 2 +
      (3 * from[axis] - before[axis] - 3 * to[axis] + behind[axis]) * t ** 3)
  return [along(0), along(1)]
}
