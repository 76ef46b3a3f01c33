import { dot, normalOf, type Vector } from './geometry.ts'
import type { StackImage } from './stack.ts'

/** Slices count as parallel up to 25 degrees. */
const PARALLEL = 0.9

/** Where a pane was when panes were tied together. */
export interface ScrollAnchor {
  readonly stack: readonly StackImage[]
  readonly index: number
  readonly anchor: number
}

/** Depth of an image along a direction; undefined where its place is not known. */
function depthOf(image: StackImage | undefined, normal: Vector): number | undefined {
  const position = image?.attributes.position
  return position ? dot(position, normal) : undefined
}

/**
 * The image of `other` that belongs to the active one's: the nearest place in one frame of
 * reference; else as many millimetres from the anchor as the active pane has moved; else as many
 * images. Undefined where the planes cross.
 */
export function synchronisedIndex(
  how: 'position' | 'index',
  active: ScrollAnchor,
  other: ScrollAnchor,
): number | undefined {
  const indexByOffset = Math.max(
    0,
    Math.min(other.stack.length - 1, other.anchor + active.index - active.anchor),
  )
  if (how === 'index') return indexByOffset
  const now = active.stack[active.index]
  const otherImage = other.stack[other.index]
  const orientation = otherImage?.attributes.orientation
  if (!now?.attributes.orientation || !orientation) return indexByOffset
  const normal = normalOf(orientation)
  if (Math.abs(dot(normal, normalOf(now.attributes.orientation))) < PARALLEL) return undefined
  const currentDepth = depthOf(now, normal)
  if (currentDepth === undefined) return indexByOffset
  const isOneFrame =
    now.instance.frameOfReferenceUid !== '' &&
    now.instance.frameOfReferenceUid === otherImage.instance.frameOfReferenceUid
  if (isOneFrame) return nearest(other.stack, normal, currentDepth)
  const from = depthOf(active.stack[active.anchor], normal)
  const otherFrom = depthOf(other.stack[other.anchor], normal)
  return from === undefined || otherFrom === undefined
    ? indexByOffset
    : nearest(other.stack, normal, otherFrom + currentDepth - from)
}

function nearest(stack: readonly StackImage[], normal: Vector, place: number): number | undefined {
  let best: number | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [index, image] of stack.entries()) {
    const depth = depthOf(image, normal)
    if (depth === undefined || Math.abs(depth - place) >= least) continue
    least = Math.abs(depth - place)
    best = index
  }
  return best
}
