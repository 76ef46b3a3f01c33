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
  if (modality === 'CT' && unitOf(image, modality) === 'HU') return { center: 40, width: 400 }
  return automaticWindow(
    values,
    least,
    greatest,
    rescaledPadding(image.instance.image, image.attributes, hasTable),
  )
}

/**
 * A window from the 1st to the 99th percentile of the values. @param padding the least and greatest
 * padding value
 */
export function automaticWindow(
  values: Values,
  least: number,
  greatest: number,
  padding?: readonly [number, number],
): ValueWindow {
  const [from, to] = padding ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
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
  const [low, high] = [least + at(0.01) * size, least + (at(0.99) + 1) * size]
  const isWhole = !(values instanceof Float32Array)
  return {
    center: isWhole ? Math.round((low + high) / 2) : (low + high) / 2,
    width: isWhole ? Math.max(1, Math.round(high - low)) : high - low,
  }
}
