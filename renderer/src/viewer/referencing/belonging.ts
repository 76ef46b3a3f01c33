import type {
  ImageReference,
  PresentationState,
  Segmentation,
  StructureSet,
} from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { dot, normalOf, type Vector } from '../engine/geometry.ts'
import type { StackImage } from '../engine/stack.ts'
import {
  type Affine,
  distanceFrom,
  IDENTITY,
  type ImagePlane,
  isParallel,
  planeMapping,
  planeOf,
} from './plane-mapping.ts'

// An object must never be drawn on an image that it does not belong to: a finding at the wrong
// place, or of another patient, could cause a wrong treatment. Everything here errs on the side of
// not drawing, and says why.

/** Whether one of the references is to the image, and to its frame. */
export const isReferenced = (
  references: readonly ImageReference[],
  { sopInstanceUid, frame }: Pick<StackImage, 'sopInstanceUid' | 'frame'>,
): boolean =>
  references.some(
    (one) =>
      one.sopInstanceUid === sopInstanceUid && (one.frames === null || one.frames.includes(frame)),
  )

/** An item of a presentation state that has no references applies to all of its images. */
export const appliesTo = (
  references: readonly ImageReference[],
  image: Pick<StackImage, 'sopInstanceUid' | 'frame'>,
): boolean => references.length === 0 || isReferenced(references, image)

/**
 * The graphic annotations of a presentation state on an image. @param drawn Tracking UIDs of the
 * drawings that are shown already: those of a state that the gateway saved are among them
 */
export const annotationsOn = (
  { annotations }: PresentationState,
  image: Pick<StackImage, 'sopInstanceUid' | 'frame'>,
  drawn: ReadonlySet<string>,
): PresentationState['annotations'] =>
  annotations.filter(
    ({ references, trackingUid }) => appliesTo(references, image) && !drawn.has(trackingUid),
  )

/** An image with half the distance to the planes beside it, in mm. */
export interface PlacedImage {
  readonly image: StackImage
  readonly plane: ImagePlane | undefined
  readonly reach: number
}

const LONE_REACH_MM = 0.5
/** Rounding of positions in files. */
const TOLERANCE = 0.01

/**
 * An image of a stack with its plane. What lies within half the distance to the next plane, and
 * within its slice, belongs to it.
 */
export function placedImage(image: StackImage, stack: readonly StackImage[]): PlacedImage {
  const plane = planeOf(image.attributes)
  if (!plane) return { image, plane, reach: 0 }
  let gap = Number.POSITIVE_INFINITY
  for (const { attributes } of stack) {
    const { position } = attributes
    const distance = position ? Math.abs(distanceFrom(plane, position)) : 0
    if (distance > TOLERANCE && distance < gap) gap = distance
  }
  const { sliceThickness } = image.attributes
  const limits = [gap / 2, ...(sliceThickness ? [sliceThickness / 2] : [])]
  const reach = Math.min(...limits)
  return {
    image,
    plane,
    reach: Math.max(TOLERANCE, Number.isFinite(reach) ? reach : LONE_REACH_MM),
  }
}

/** Half-open, so that what lies halfway belongs to one of two images. */
const isWithin = (distance: number, reach: number): boolean =>
  distance > -reach + TOLERANCE / 2 && distance <= reach + TOLERANCE / 2

/** Whether two frame of reference UIDs allow coordinates of one in the other. */
const isSameFrameOfReference = (one: string, other: string): boolean => one !== '' && one === other

/** A frame of a segmentation on an image. */
export interface PlacedFrame {
  /** From 1. */
  readonly frame: number
  readonly segment: number
  /** From its columns and rows to those of the image. */
  readonly matrix: Affine
}

/** What of an object is on an image, and why the rest that names the image is not. */
export interface PlacedItems<T> {
  readonly items: readonly T[]
  readonly refusals: readonly Message[]
}

/** The frames of a segmentation that are on an image: of each segment the nearest one. */
export function framesOn(
  segmentation: Segmentation,
  placed: PlacedImage,
): PlacedItems<PlacedFrame> {
  const found = new Map<number, PlacedFrame & { readonly distance: number }>()
  const refusals = new Map<string, Message>()
  for (const [index, frame] of segmentation.frames.entries()) {
    if (frame.segment < 0) continue
    const place = placeOfFrame(segmentation, frame, placed)
    if (!place) continue
    if ('code' in place) {
      refusals.set(place.code, place)
      continue
    }
    const before = found.get(frame.segment)
    if (before && Math.abs(before.distance) <= Math.abs(place.distance)) continue
    found.set(frame.segment, { frame: index + 1, segment: frame.segment, ...place })
  }
  return { items: [...found.values()], refusals: [...refusals.values()] }
}

/** Undefined if the frame is elsewhere; a message if it names the image and cannot be on it. */
function placeOfFrame(
  { frameOfReferenceUid, pixel }: Segmentation,
  frame: Segmentation['frames'][number],
  { image, plane, reach }: PlacedImage,
): { readonly matrix: Affine; readonly distance: number } | Message | undefined {
  const isImageReferenced = isReferenced(frame.references, image)
  const own = planeOf(frame)
  if (own && plane) {
    const ofImage = image.instance.frameOfReferenceUid
    const isUnknown = frameOfReferenceUid === '' || ofImage === ''
    if (!isUnknown && frameOfReferenceUid !== ofImage)
      return isImageReferenced ? message('viewer.overlay-other-frame-of-reference') : undefined
    // Without a frame of reference, coordinates of two series have nothing to do with each other.
    if (isUnknown && !isImageReferenced) return undefined
    const distance = distanceFrom(plane, own.position)
    if (isParallel(own, plane) && isWithin(distance, reach))
      return { matrix: planeMapping(own, plane), distance }
    return isImageReferenced ? message('viewer.overlay-contradicts-image') : undefined
  }
  if (!isImageReferenced) return undefined
  const { rows, columns } = image.instance.image ?? { rows: 0, columns: 0 }
  if (rows !== pixel.rows || columns !== pixel.columns) return message('viewer.overlay-other-size')
  return { matrix: IDENTITY, distance: 0 }
}

/** A contour on an image. */
export interface PlacedContour {
  readonly roi: StructureSet['rois'][number]
  readonly contour: StructureSet['rois'][number]['contours'][number]
}

/** The contours of a structure set that are on an image: of each region those of its nearest plane. */
export function contoursOn(set: StructureSet, placed: PlacedImage): PlacedItems<PlacedContour> {
  const { image, plane, reach } = placed
  const refusals = new Map<string, Message>()
  const items: PlacedContour[] = []
  if (!plane) {
    const isAsked = set.rois.some(({ contours }) =>
      contours.some(({ references }) => isReferenced(references, image)),
    )
    return { items, refusals: isAsked ? [message('viewer.overlay-image-without-plane')] : [] }
  }
  const normal = normalOf(plane.orientation)
  const depth = dot(normal, plane.position)
  for (const roi of set.rois) {
    const isSame = isSameFrameOfReference(
      roi.frameOfReferenceUid,
      image.instance.frameOfReferenceUid,
    )
    const isUnknown = roi.frameOfReferenceUid === '' || image.instance.frameOfReferenceUid === ''
    let nearest = Number.POSITIVE_INFINITY
    const near: (PlacedContour & { readonly distance: number })[] = []
    for (const contour of roi.contours) {
      const isImageReferenced = isReferenced(contour.references, image)
      if (!isSame && !isImageReferenced) continue
      if (!isSame && !isUnknown) {
        const refusal = message('viewer.overlay-other-frame-of-reference')
        refusals.set(refusal.code, refusal)
        continue
      }
      const [least, greatest] = depthsOf(contour.points, normal)
      if (isWithin(least - depth, reach) && isWithin(greatest - depth, reach)) {
        const distance = Math.max(Math.abs(least - depth), Math.abs(greatest - depth))
        near.push({ roi, contour, distance })
        nearest = Math.min(nearest, distance)
      } else if (isImageReferenced) {
        const refusal = message('viewer.overlay-contradicts-image')
        refusals.set(refusal.code, refusal)
      }
    }
    items.push(...near.filter(({ distance }) => distance <= nearest + TOLERANCE))
  }
  return { items, refusals: [...refusals.values()] }
}

const depths = new WeakMap<readonly number[], { key: string; range: readonly [number, number] }>()
/** The least and the greatest coordinate of points along a direction, kept for the last one. */
function depthsOf(points: readonly number[], normal: Vector): readonly [number, number] {
  const key = normal.join()
  const known = depths.get(points)
  if (known?.key === key) return known.range
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let n = 0; n + 2 < points.length; n += 3) {
    const depth =
      (points[n] as number) * normal[0] +
      (points[n + 1] as number) * normal[1] +
      (points[n + 2] as number) * normal[2]
    if (depth < least) least = depth
    if (depth > greatest) greatest = depth
  }
  const range = [least, greatest] as const
  depths.set(points, { key, range })
  return range
}
