import { dot, isSameOrientation, length, minus, normalOf, type Vector } from './geometry.ts'
import type { StackImage } from './stack.ts'

const LEAST_SLICES = 5
/** Distances between neighbours may differ by this share of the usual one. */
const SPACING_TOLERANCE = 0.03
/** Slices may be shifted within their plane by this, mm: more is a tilted gantry. */
const SHIFT = 0.5

/**
 * Why a stack, in the order of its positions, is no volume: one sentence; empty where it is one.
 */
export function volumeFault(stack: readonly StackImage[], missing: number): string {
  const first = stack[0]
  if (!first) return 'It has no images.'
  if (stack.length < LEAST_SLICES) return `It has fewer than ${LEAST_SLICES} slices.`
  if (missing > 0) return `${missing} of its images cannot be had.`
  const shape = first.instance.image
  const orientation = first.attributes.orientation
  if (!shape || !orientation || !first.attributes.spacing)
    return 'Its images do not say where in the patient they lie.'
  if (shape.samplesPerPixel > 1 || shape.photometricInterpretation === 'PALETTE COLOR')
    return 'Its images are in colour.'
  const frameOfReference = first.instance.frameOfReferenceUid
  if (frameOfReference === '') return 'Its images name no frame of reference.'
  const normal = normalOf(orientation)
  const places: Vector[] = []
  for (const { instance, attributes } of stack) {
    if (instance.image?.rows !== shape.rows || instance.image.columns !== shape.columns)
      return 'Its images differ in size.'
    if (instance.frameOfReferenceUid !== frameOfReference)
      return 'Its images are of more than one frame of reference.'
    if (!attributes.position || !attributes.orientation)
      return 'Not all of its images say where in the patient they lie.'
    if (!isSameOrientation(attributes.orientation, orientation))
      return 'Its slices are not parallel.'
    if (Math.abs((attributes.spacing?.[0] ?? 0) - first.attributes.spacing[0]) > 0.001)
      return 'Its images differ in pixel spacing.'
    places.push(attributes.position)
  }
  const depths = places.map((place) => dot(minus(place, places[0] as Vector), normal))
  const steps = depths.slice(1).map((depth, index) => depth - (depths[index] as number))
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1] as number
  if (Math.abs(usual) < 0.001) return 'Several of its images lie at one place.'
  if (steps.some((step) => Math.abs(step - usual) > Math.abs(usual) * SPACING_TOLERANCE + 0.01))
    return 'Its slices are not equally spaced.'
  const last = places.at(-1) as Vector
  const along = minus(last, places[0] as Vector)
  const shift = Math.sqrt(Math.max(0, length(along) ** 2 - dot(along, normal) ** 2))
  return shift > SHIFT ? 'Its slices were taken with a tilted gantry.' : ''
}
