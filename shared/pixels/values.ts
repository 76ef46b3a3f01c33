import type { FrameAttributes, ImagePixel, InstanceExtras } from '../contract/viewed-images.ts'
import { numbersOf } from './look-up.ts'
import type { Samples } from './stored.ts'

export type Values = Uint8Array | Int16Array | Uint16Array | Float32Array

/**
 * The values of a grayscale frame after the modality transformation (PS3.3 C.11.1), with their
 * minimum and maximum.
 */
interface RescaledValues {
  readonly values: Values
  readonly least: number
  readonly greatest: number
}

/**
 * Applies the modality LUT, or slope and intercept. Integral values that fit are Int16, so that the
 * images of a stack have one type; 8-bit stored values without a transformation remain Uint8.
 */
export function rescaledValues(
  samples: Samples,
  pixel: ImagePixel,
  attributes: FrameAttributes,
  extras: InstanceExtras | undefined,
): RescaledValues {
  const table = extras?.modalityLut
  if (table) {
    const numbers = numbersOf(table)
    const last = numbers.length - 1
    return typed(samples, (value) => {
      const index = value - table.firstValue
      return numbers[index < 0 ? 0 : index > last ? last : index] ?? 0
    })
  }
  const slope = attributes.slope ?? 1
  const intercept = attributes.intercept ?? 0
  if (slope === 1 && intercept === 0) {
    if (samples instanceof Uint8Array && pixel.bitsAllocated <= 8)
      return { values: samples, ...rangeOf(samples) }
    if (samples instanceof Int16Array || samples instanceof Float32Array)
      return { values: samples, ...rangeOf(samples) }
  }
  const isFloat = samples instanceof Float32Array || samples instanceof Float64Array
  if (!isFloat && Number.isInteger(slope) && Number.isInteger(intercept))
    return rescaledIntegers(samples, slope, intercept)
  return typed(samples, (value) => value * slope + intercept)
}

/**
 * The range of padding values after rescale (PS3.3 C.7.5.1.1.2): minimum and maximum; undefined if
 * there are none.
 */
export function rescaledPadding(
  pixel: ImagePixel | null,
  { slope, intercept }: FrameAttributes,
  hasTable: boolean,
): readonly [number, number] | undefined {
  if (!pixel?.padding || hasTable) return undefined
  const [first, limit] = pixel.padding
  const ends = [first, limit ?? first].map((stored) => stored * (slope ?? 1) + (intercept ?? 0))
  return [Math.min(...ends), Math.max(...ends)]
}

/** The stored value of a value; undefined if a look-up table was applied. */
export function storedValueOf(
  value: number,
  attributes: FrameAttributes,
  hasTable: boolean,
): number | undefined {
  const slope = attributes.slope ?? 1
  if (hasTable || slope === 0) return undefined
  return Math.round((value - (attributes.intercept ?? 0)) / slope)
}

/** Whole numbers stay whole: their type follows from the range, before any is calculated. */
function rescaledIntegers(samples: Samples, slope: number, intercept: number): RescaledValues {
  const range = rangeOf(samples)
  const ends = [range.least * slope + intercept, range.greatest * slope + intercept]
  const [least, greatest] = [Math.min(...ends), Math.max(...ends)]
  const isInt16 = least >= -32768 && greatest <= 32767
  const isAsStored = slope === 1 && intercept === 0
  // The same bits, so that a large image is not copied.
  if (isInt16 && isAsStored && samples instanceof Uint16Array)
    return {
      values: new Int16Array(samples.buffer, samples.byteOffset, samples.length),
      ...{ least, greatest },
    }
  const values = isInt16
    ? new Int16Array(samples.length)
    : least >= 0 && greatest <= 65535
      ? new Uint16Array(samples.length)
      : new Float32Array(samples.length)
  for (let n = 0; n < samples.length; n += 1) values[n] = (samples[n] as number) * slope + intercept
  return { values, least, greatest }
}

function typed(samples: Samples, map: (value: number) => number): RescaledValues {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let isWhole = true
  const wide = new Float32Array(samples.length)
  for (let n = 0; n < samples.length; n += 1) {
    const value = map(samples[n] as number)
    wide[n] = value
    if (value < least) least = value
    if (value > greatest) greatest = value
    if (isWhole && value !== Math.trunc(value)) isWhole = false
  }
  const values: Values =
    isWhole && least >= -32768 && greatest <= 32767
      ? Int16Array.from(wide)
      : isWhole && least >= 0 && greatest <= 65535
        ? Uint16Array.from(wide)
        : wide
  return { values, ...inRange(least, greatest) }
}

function rangeOf(samples: Samples): Pick<RescaledValues, 'least' | 'greatest'> {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (let n = 0; n < samples.length; n += 1) {
    const value = samples[n] as number
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  return inRange(least, greatest)
}

const inRange = (least: number, greatest: number) =>
  least <= greatest ? { least, greatest } : { least: 0, greatest: 1 }
