import { Enums, type Types } from '@cornerstonejs/core'
import type { SeriesState } from '../stack.ts'

const idsOfSeries = new WeakMap<SeriesState, readonly string[]>()
/** Image ids of a series; the same array each time, for thousands of them. */
export function imageIdsOf(series: SeriesState): readonly string[] {
  const known = idsOfSeries.get(series)
  if (known) return known
  const ids = series.stack.map(({ imageId }) => imageId)
  idsOfSeries.set(series, ids)
  return ids
}

/** Shows an image of a stack, as it opens. Its image is decoded already. */
export async function mountStack(
  viewport: Types.IStackViewport,
  imageIds: readonly string[],
  index: number,
  isSmooth: boolean,
): Promise<void> {
  await viewport.setStack(imageIds as string[], index)
  viewport.setProperties({
    interpolationType: isSmooth ? Enums.InterpolationType.LINEAR : Enums.InterpolationType.NEAREST,
  })
  viewport.render()
}

/**
 * The parts of Cornerstone's stack viewport that hold its stack (5.14,
 * `RenderingEngine/StackViewport.js`).
 */
interface StackFields {
  imageIds: readonly string[]
  imageKeyToIndexMap: Map<string, number>
  currentImageIdIndex: number
  targetImageIdIndex: number
}

/**
 * Gives a viewport a stack that has grown around the image it shows. `setStack` would load it anew,
 * go black for a moment, and forget the window, zoom and flips; there is no public way.
 */
export function remapStack(viewport: Types.IStackViewport, imageIds: readonly string[]): void {
  const fields = viewport as unknown as StackFields
  const shown = fields.imageIds[fields.currentImageIdIndex]
  fields.imageIds = imageIds
  fields.imageKeyToIndexMap = new Map(
    imageIds.flatMap((imageId, index) => [
      [imageId, index] as const,
      [uriOf(imageId), index] as const,
    ]),
  )
  const index = shown === undefined ? -1 : (fields.imageKeyToIndexMap.get(shown) ?? -1)
  fields.currentImageIdIndex = index
  fields.targetImageIdIndex = index
}

/**
 * The window that is shown is nobody's choice any more: the next image comes with its own. There is
 * no public way without other effects.
 */
export function forgetWindow(viewport: Types.IStackViewport): void {
  Object.assign(viewport, { voiUpdatedWithSetProperties: false })
}

/** Cornerstone's `imageIdToURI`. */
const uriOf = (imageId: string) => imageId.slice(imageId.indexOf(':') + 1)
