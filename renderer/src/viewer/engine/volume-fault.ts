import { type Message, message } from '#shared/messages/message.ts'
import { dot, isSameOrientation, length, normalOf, subtract, type Vector } from './geometry.ts'
import type { StackImage } from './stack.ts'

const MIN_SLICES = 5
/** Distances between neighbours may differ by this share of the usual one. */
const SPACING_TOLERANCE = 0.03
/** Slices may be shifted within their plane by this, mm: more is a tilted gantry. */
const MAX_SHIFT_MM = 0.5

/**
 * Why a stack, in the order of its positions, is no volume; null where it is one.
 */
export function volumeFault(stack: readonly StackImage[], missing: number): Message | null {
  const first = stack[0]
  if (!first) return message('viewer.volume-without-images')
  if (stack.length < MIN_SLICES) return message('viewer.volume-few-slices', { least: MIN_SLICES })
  if (missing > 0) return message('viewer.volume-missing-images', { missing })
  const shape = first.instance.image
  const orientation = first.attributes.orientation
  if (!shape || !orientation || !first.attributes.spacing)
    return message('viewer.volume-without-positions')
  if (shape.samplesPerPixel > 1 || shape.photometricInterpretation === 'PALETTE COLOR')
    return message('viewer.volume-in-colour')
  const frameOfReference = first.instance.frameOfReferenceUid
  if (frameOfReference === '') return message('viewer.volume-without-frame-of-reference')
  const normal = normalOf(orientation)
  const places: Vector[] = []
  for (const { instance, attributes } of stack) {
    if (instance.image?.rows !== shape.rows || instance.image.columns !== shape.columns)
      return message('viewer.volume-sizes-differ')
    if (instance.frameOfReferenceUid !== frameOfReference)
      return message('viewer.volume-frames-of-reference-differ')
    if (!attributes.position || !attributes.orientation)
      return message('viewer.volume-some-without-positions')
    if (!isSameOrientation(attributes.orientation, orientation))
      return message('viewer.volume-not-parallel')
    if (Math.abs((attributes.spacing?.[0] ?? 0) - first.attributes.spacing[0]) > 0.001)
      return message('viewer.volume-spacings-differ')
    places.push(attributes.position)
  }
  const depths = places.map((place) => dot(subtract(place, places[0] as Vector), normal))
  const steps = depths.slice(1).map((depth, index) => depth - (depths[index] as number))
  const medianStep = [...steps].sort((a, b) => a - b)[steps.length >> 1] as number
  if (Math.abs(medianStep) < 0.001) return message('viewer.volume-same-place')
  if (
    steps.some(
      (step) => Math.abs(step - medianStep) > Math.abs(medianStep) * SPACING_TOLERANCE + 0.01,
    )
  )
    return message('viewer.volume-unevenly-spaced')
  const last = places.at(-1) as Vector
  const along = subtract(last, places[0] as Vector)
  const shift = Math.sqrt(Math.max(0, length(along) ** 2 - dot(along, normal) ** 2))
  return shift > MAX_SHIFT_MM ? message('viewer.volume-tilted') : null
}
