import { distanceFrom, pixelAt, planeOf } from '../referencing/plane-mapping.ts'
import type { Vector } from './geometry.ts'
import type { SeriesState, StackImage } from './stack.ts'

/** Rounding of positions and of points that were drawn, in mm. */
const TOLERANCE = 0.1

/**
 * The image of a series on which points in the patient lie, such as those of what was drawn in a
 * plane of its volume; undefined where they lie between images, or beyond one.
 * @param frameOfReferenceUid of the points
 */
export function imageOfPoints(
  points: readonly Vector[],
  frameOfReferenceUid: string,
  { stack }: Pick<SeriesState, 'stack'>,
): StackImage | undefined {
  if (points.length === 0) return undefined
  return stack.find(({ instance, attributes }) => {
    const plane = planeOf(attributes)
    if (!plane || instance.frameOfReferenceUid !== frameOfReferenceUid) return false
    const { rows = 0, columns = 0 } = instance.image ?? {}
    return points.every((point) => {
      if (Math.abs(distanceFrom(plane, point)) > TOLERANCE) return false
      const [x, y] = pixelAt(plane, point)
      return x >= 0 && y >= 0 && x <= columns && y <= rows
    })
  })
}
