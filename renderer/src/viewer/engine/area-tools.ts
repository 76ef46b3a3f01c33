import { EllipticalROITool, RectangleROITool } from '@cornerstonejs/tools'

type Index = readonly number[]

/** The boxes between two corners and of the image have something in common. */
const overlapsImage = (a: Index, b: Index, dimensions: Index): boolean =>
  dimensions.every(
    (size, axis) =>
      Math.max(a[axis] ?? 0, b[axis] ?? 0) >= 0 && Math.min(a[axis] ?? 0, b[axis] ?? 0) < size,
  )

// Cornerstone gives no values of an area that reaches beyond the image. It takes them from what is
// inside, if it is only let: the area is that of the whole shape.

export class EllipseTool extends EllipticalROITool {
  override _isInsideVolume = overlapsImage as EllipticalROITool['_isInsideVolume']
}

export class RectangleTool extends RectangleROITool {
  override _isInsideVolume = overlapsImage as RectangleROITool['_isInsideVolume']
}
