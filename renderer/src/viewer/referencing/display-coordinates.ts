import type { DisplayedArea, PresentationState } from '#shared/contract/referencing-objects.ts'
import type { StackImage } from '../engine/stack.ts'
import { appliesTo } from './belonging.ts'
import type { PixelPoint } from './scene.ts'

/** The item of a list that applies to an image: one that names it before one for all images. */
export function itemFor<T extends { readonly references: DisplayedArea['references'] }>(
  items: readonly T[],
  image: Pick<StackImage, 'sopInstanceUid' | 'frame'>,
): T | undefined {
  const fitting = items.filter(({ references }) => appliesTo(references, image))
  return fitting.find(({ references }) => references.length > 0) ?? fitting[0]
}

/** The displayed area of an image, or all of it: outer corners, as displayed (PS3.3 C.10.4). */
export function displayedCorners(
  state: PresentationState,
  image: Pick<StackImage, 'sopInstanceUid' | 'frame' | 'instance'>,
): readonly [topLeft: PixelPoint, bottomRight: PixelPoint] {
  const area = itemFor(state.areas, image)
  if (!area) {
    const { columns = 1, rows = 1 } = image.instance.image ?? {}
    return displayed(state, [1, 1], [columns, rows])
  }
  return [outer(area.topLeft, area.bottomRight), outer(area.bottomRight, area.topLeft)]
}

/** Corners of the image after rotation and flip. */
function displayed(
  { rotation, isFlipped }: PresentationState,
  [left, top]: PixelPoint,
  [right, bottom]: PixelPoint,
): readonly [PixelPoint, PixelPoint] {
  const isMirrored = isFlipped
  // Where the column and the row of the first pixel stand after a clockwise rotation.
  const isColumnReversed = rotation === 180 || rotation === 270
  const isRowReversed = rotation === 90 || rotation === 180
  // A flip exchanges the ends of what runs across the screen: columns, or rows on their side.
  const isOnItsSide = rotation === 90 || rotation === 270
  const columnReversed = isColumnReversed !== (isMirrored && !isOnItsSide)
  const rowReversed = isRowReversed !== (isMirrored && isOnItsSide)
  const first: PixelPoint = [columnReversed ? right : left, rowReversed ? bottom : top]
  const last: PixelPoint = [columnReversed ? left : right, rowReversed ? top : bottom]
  return [outer(first, last), outer(last, first)]
}

/** From the number of a pixel to its corner that is farther from the other pixel. */
const outer = (pixel: PixelPoint, other: PixelPoint): PixelPoint => [
  pixel[0] <= other[0] ? pixel[0] - 1 : pixel[0],
  pixel[1] <= other[1] ? pixel[1] - 1 : pixel[1],
]

/** From fractions of the displayed area to columns and rows (PS3.3 C.10.5.1.2, DISPLAY). */
export function fromDisplay(
  { rotation }: Pick<PresentationState, 'rotation'>,
  [topLeft, bottomRight]: readonly [PixelPoint, PixelPoint],
  [x, y]: PixelPoint,
): PixelPoint {
  // On its side, columns of the image run down the screen.
  const isOnItsSide = rotation === 90 || rotation === 270
  const [across, down] = isOnItsSide ? [y, x] : [x, y]
  return [
    topLeft[0] + across * (bottomRight[0] - topLeft[0]),
    topLeft[1] + down * (bottomRight[1] - topLeft[1]),
  ]
}
