import type { ImagePixel, InstanceExtras } from '../contract/viewed-images.ts'
import { isColour, rgbOf } from './colours.ts'
import { curvesOf, windowOfCurve } from './curves.ts'
import {
  type FrameHeader,
  openingWindow,
  rangeOfValues,
  type ValueWindow,
  voiFunctionOf,
} from './opening-window.ts'
import type { Samples, StoredPixels } from './stored.ts'
import { rescaledValues, type Values } from './values.ts'

/** Stored values as returned by a decoder. */
export interface DecodedPixels extends StoredPixels {
  /** Whether the data is RGB, regardless of the photometric interpretation. */
  readonly isRgb: boolean
}

/** RGB, or values after the modality transformation with their initial window. */
export interface ShownValues {
  readonly values: Values
  readonly least: number
  readonly greatest: number
  readonly window: ValueWindow
}

const COLOUR = { least: 0, greatest: 255, window: { center: 128, width: 256 } }

/** @throws ImageProblem */
export function shownValues(
  stored: StoredPixels | DecodedPixels,
  pixel: ImagePixel,
  of: FrameHeader,
  modality: string,
  extras: InstanceExtras | undefined,
): ShownValues {
  if (isColour(pixel)) {
    const isRgb = 'isRgb' in stored && stored.isRgb
    const form = isRgb ? { ...pixel, photometricInterpretation: 'RGB', bitsStored: 8 } : pixel
    return { values: rgbOf(stored, form, extras), ...COLOUR }
  }
  const { values, least, greatest } = rescaledValues(stored.samples, pixel, of.attributes, extras)
  const [curve] = curvesOf(extras)
  const window = curve
    ? windowOfCurve(curve, voiFunctionOf(of, values) === 'LINEAR_EXACT')
    : opening(stored.samples, values, of, modality, [least, greatest], extras)
  return { values, least, greatest, window }
}

/** The window of an image without VOI LUT; coloured pixels have no gray level. */
function opening(
  samples: Samples,
  values: Values,
  of: FrameHeader,
  modality: string,
  [least, greatest]: readonly [number, number],
  extras: InstanceExtras | undefined,
): ValueWindow {
  const hasTable = extras?.modalityLut != null
  const { threshold } = extras?.supplement ?? {}
  if (threshold === undefined) return openingWindow(of, modality, values, least, greatest, hasTable)
  const gray = values.filter((_, n) => (samples[n] as number) < threshold)
  const [black, white] = rangeOfValues(gray, [0, 1])
  return openingWindow(of, modality, gray, black, white, hasTable)
}
