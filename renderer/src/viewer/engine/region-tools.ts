import { type Types as Core, metaData, utilities } from '@cornerstonejs/core'
import {
  BidirectionalTool as CornerstoneBidirectionalTool,
  LengthTool as CornerstoneLengthTool,
  PlanarFreehandROITool,
  type Types,
  utilities as toolUtilities,
} from '@cornerstonejs/tools'
import type { UltrasoundRegion } from '#shared/contract/viewed-images.ts'
import { EllipseTool as AreaOfEllipse, RectangleTool as AreaOfRectangle } from './area-tools.ts'

/** The name of the module with the regions of an image (`modules.ts`). */
export const REGIONS_MODULE = 'isthmusUltrasoundRegions'

type ImageData = NonNullable<ReturnType<CornerstoneLengthTool['getTargetImageData']>>
type CalculateStats = (annotation: Types.Annotation, ...rest: readonly unknown[]) => unknown

/** The parts of Cornerstone's measuring tools that are used here (5.14, `tools/annotation`). */
interface MeasuringTool {
  _calculateCachedStats: CalculateStats
  _throttledCalculateCachedStats: CalculateStats
  getTargetImageData(targetId: string): ImageData | undefined
}
// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants it of a class that a mixin extends (TS2545)
type ToolClass = new (...args: any[]) => object

/**
 * Measures in millimetres what lies within one calibrated region of an ultrasound image (PS3.3
 * C.8.5.5), and anything else on such an image in pixels. Cornerstone's own support of regions says
 * centimetres, and takes the area of a freehand shape from outside of them.
 */
function withRegions<T extends ToolClass>(Tool: T): T {
  return class extends Tool {
    #measured: Types.Annotation | undefined

    // biome-ignore lint/suspicious/noExplicitAny: TypeScript wants it of a mixin (TS2545)
    constructor(...args: any[]) {
      super(...args)
      const tool = this as unknown as MeasuringTool
      const calculate = tool._calculateCachedStats.bind(tool)
      const imageOf = tool.getTargetImageData.bind(tool)
      tool._calculateCachedStats = (annotation, ...rest) => {
        this.#measured = annotation
        try {
          const calculated = calculate(annotation, ...rest)
          if (tool instanceof PlanarFreehandROITool) scaleAreas(annotation, imageOf)
          return calculated
        } finally {
          this.#measured = undefined
        }
      }
      tool._throttledCalculateCachedStats = toolUtilities.throttle(
        tool._calculateCachedStats,
        100,
        { trailing: true },
      ) as CalculateStats
      tool.getTargetImageData = (targetId) => {
        const image = imageOf(targetId)
        const spacing = image && this.#measured && spacingOf(targetId, image, this.#measured)
        return image && spacing ? withSpacing(image, spacing) : image
      }
    }
  }
}

/** Of rows and columns; undefined of a drawing that is not wholly within one region. */
function spacingOf(
  targetId: string,
  { imageData }: ImageData,
  { data }: Types.Annotation,
): UltrasoundRegion['spacing'] | undefined {
  const regions = metaData.get(REGIONS_MODULE, targetId.replace(/^imageId:/, '')) as
    | readonly UltrasoundRegion[]
    | undefined
  if (!regions?.length) return undefined
  const places = (data.contour?.polyline ?? data.handles?.points ?? []).map((point) =>
    utilities.transformWorldToIndexContinuous(imageData, point),
  )
  return regions.find(({ left, top, right, bottom }) =>
    places.every(
      ([column = -1, row = -1]) =>
        // A pixel reaches half a pixel to either side of its centre.
        column >= left - 0.5 && column <= right + 0.5 && row >= top - 0.5 && row <= bottom + 0.5,
    ),
  )?.spacing
}

/**
 * The area of a freehand shape comes in squares of the picture's units, whatever its image says of
 * its spacing.
 */
function scaleAreas(
  annotation: Types.Annotation,
  imageOf: (targetId: string) => ImageData | undefined,
): void {
  const all = annotation.data.cachedStats as Record<string, FreehandStats | undefined> | undefined
  for (const [targetId, stats] of Object.entries(all ?? {})) {
    const image = imageOf(targetId)
    const spacing = image && spacingOf(targetId, image, annotation)
    if (!stats || stats.area === undefined || !spacing) continue
    const [column = 1, row = 1] = image.spacing
    stats.area *= (spacing[0] * spacing[1]) / (column * row)
    for (const named of stats.statsArray ?? []) if (named.name === 'area') named.value = stats.area
  }
}
interface FreehandStats {
  area?: number
  readonly statsArray?: readonly { readonly name: string; value: unknown }[]
}

const withSpacing = (
  image: ImageData,
  [rows, columns]: UltrasoundRegion['spacing'],
): ImageData => ({
  ...image,
  hasPixelSpacing: true,
  spacing: [columns, rows, 1] satisfies Core.Point3,
})

export const BidirectionalTool = withRegions(CornerstoneBidirectionalTool)
export const LengthTool = withRegions(CornerstoneLengthTool)
export const EllipseTool = withRegions(AreaOfEllipse)
export const RectangleTool = withRegions(AreaOfRectangle)
export const FreehandTool = withRegions(PlanarFreehandROITool)
