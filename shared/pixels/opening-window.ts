import type { FrameAttributes, ViewedInstance } from '../contract/viewed-images.ts'
import { rescaledPadding, type Values } from './values.ts'

/** Window center and width, in units of the values. */
export interface ValueWindow {
  readonly center: number
  readonly width: number
}

/** The header attributes that determine how the values of a frame are displayed. */
export interface FrameHeader {
  readonly instance: Pick<ViewedInstance, 'image' | 'imageType' | 'rescaleType' | 'voiLutFunction'>
  /** Of this frame. */
  readonly attributes: FrameAttributes
}

/**
 * How values become gray levels (PS3.3 C.11.2.1.3). Fractions have windows of less than 1, of which
 * LINEAR knows nothing: they have LINEAR_EXACT, unless the file gives a window for LINEAR.
 */
export function voiFunctionOf({ instance, attributes }: FrameHeader, values: Values): VoiFunction {
  const own = instance.voiLutFunction
  if (own === 'SIGMOID' || own === 'LINEAR_EXACT') return own
  const [width = 0] = attributes.windowWidth
  return values instanceof Float32Array && width <= 1 ? 'LINEAR_EXACT' : 'LINEAR'
}
export type VoiFunction = 'LINEAR' | 'LINEAR_EXACT' | 'SIGMOID'

/** The unit of the values after rescale; empty if unknown. */
export function unitOf({ instance, attributes }: FrameHeader, modality: string): string {
  if (instance.rescaleType !== '' && instance.rescaleType !== 'US') return instance.rescaleType
  if (modality !== 'CT' || instance.imageType.includes('LOCALIZER')) return ''
  return attributes.intercept !== null ? 'HU' : ''
}

/**
 * The initial window of an image without a VOI LUT: the first one in the file, or one computed from
 * the values. @param hasTable whether the values come from a look-up table
 */
export function openingWindow(
  image: FrameHeader,
  modality: string,
  values: Values,
  least: number,
  greatest: number,
  hasTable = false,
): ValueWindow {
  const [center] = image.attributes.windowCenter
  const [width] = image.attributes.windowWidth
  // PS3.3 C.11.2.1.2.1: a width below 1 is invalid, except for LINEAR_EXACT and SIGMOID.
  if (
    center !== undefined &&
    width !== undefined &&
    width > 0 &&
    (width >= 1 || image.instance.voiLutFunction !== '')
  )
    return { center, width }
  // Also of an image whose pixels are all 1.
  if (image.instance.image?.bitsStored === 1 && least >= 0 && greatest <= 1 && !hasTable)
    return BINARY_WINDOW
  if (modality === 'CT' && unitOf(image, modality) === 'HU') return { center: 40, width: 400 }
  return automaticWindow(
    values,
    least,
    greatest,
    rescaledPadding(image.instance.image, image.attributes, hasTable),
    voiFunctionOf(image, values) === 'LINEAR_EXACT',
  )
}

/** 0 is black, 1 is white. */
const BINARY_WINDOW: ValueWindow = { center: 1, width: 2 }

/**
 * A window from the 1st to the 99th percentile of the values, or if nearly all of them are alike,
 * over their range. @param padding the least and greatest padding value
 * @param isExact as LINEAR_EXACT has it
 */
export function automaticWindow(
  values: Values,
  least: number,
  greatest: number,
  padding?: readonly [number, number],
  isExact = values instanceof Float32Array,
): ValueWindow {
  const [from, to] = padding ?? NO_PADDING
  const steps = 1024
  const size = (greatest - least) / steps
  if (!(size > 0)) return { center: least + 0.5, width: 1 }
  const counts = new Uint32Array(steps)
  // A sample of ten thousand values is sufficient.
  const stride = Math.max(1, Math.floor(values.length / 10_000))
  let total = 0
  for (let n = 0; n < values.length; n += stride) {
    const value = values[n] as number
    if (value >= from && value <= to) continue
    const step = Math.min(steps - 1, Math.floor((value - least) / size))
    counts[step] = (counts[step] as number) + 1
    total += 1
  }
  const at = (share: number) => {
    let passed = 0
    for (let step = 0; step < steps; step += 1) {
      passed += counts[step] as number
      if (passed >= total * share) return step
    }
    return steps - 1
  }
  const [first, last] = [at(0.01), at(0.99)]
  const [low, high] =
    last > first
      ? [least + first * size, least + (last + 1) * size]
      : rangeOfValues(values, [least, greatest], [from, to])
  if (isExact) return { center: (low + high) / 2, width: high - low }
  const [black, white] =
    values instanceof Float32Array ? [low, high] : [Math.round(low), Math.round(high)]
  // PS3.3 C.11.2.1.2.1: a width of n has n whole values from black to white.
  return { center: (black + white + 1) / 2, width: white - black + 1 }
}

const NO_PADDING = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const

/** The least and the greatest value that is no padding; `otherwise` if there is none. */
export function rangeOfValues(
  values: Values,
  otherwise: readonly [number, number],
  [from, to]: readonly [number, number] = NO_PADDING,
): readonly [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value >= from && value <= to) continue
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  return least <= greatest ? [least, greatest] : otherwise
}
