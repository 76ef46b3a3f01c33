import type { PresentationState } from '../contract/referencing-objects.ts'
import type { FrameAttributes, ImagePixel } from '../contract/viewed-images.ts'
import { type Message, message } from '../messages/message.ts'
import { type Curve, MAX_LEVELS } from './curves.ts'
import { type LookUpTable, numbersOf } from './look-up.ts'

/** What a presentation state makes of the values of an image. */
export interface PresentedGrayscale {
  /** The values of the darkest and the brightest level, or of the other way round if inverted. */
  readonly lower: number
  readonly upper: number
  /** Undefined if brightness is a straight line from `lower` to `upper`. */
  readonly levels: Float32Array | undefined
  /** Whether low values are bright, whatever the image's photometric interpretation says. */
  readonly isInverted: boolean
}

/** The image whose values, after its own modality transformation, are presented. */
export interface PresentedImage {
  readonly pixel: ImagePixel
  readonly attributes: Pick<FrameAttributes, 'slope' | 'intercept'>
  readonly modalityLut: LookUpTable | null
}

type Voi = PresentationState['voi'][number]
type Mapping = (value: number) => number

/**
 * The grayscale transformations of a presentation state (PS3.4 N.2) as brightness by value. Returns
 * a message if they cannot be applied to the image.
 * @param voi the item of its VOI LUT sequence that applies to the image; undefined if none does
 */
export function presentedGrayscale(
  state: PresentationState,
  voi: Voi | undefined,
  image: PresentedImage,
): PresentedGrayscale | Message {
  const toState = stateValues(state, image)
  if (!toState) return message('viewer.presentation-modality-lut')
  const { map, range } = toState
  const isStraight =
    toState.isLinear && !voi?.lut && !state.presentationLut && voi?.function !== 'SIGMOID'
  const [low, high] = voi ? domainOf(voi) : range
  if (isStraight) {
    // Both ends as values of the image: a straight line stays one.
    const [lower, upper] = [toState.back(low), toState.back(high)]
    const isDescending = lower > upper
    return {
      lower: Math.min(lower, upper),
      upper: Math.max(lower, upper),
      levels: undefined,
      isInverted: state.isInverse !== isDescending,
    }
  }
  const voiLevel = voi ? voiLevels(voi) : linearRamp(range)
  const present = presentationLevels(state.presentationLut)
  const ends = toState.isLinear ? [toState.back(low), toState.back(high)] : toState.values
  const [lower, upper] = [Math.min(...ends), Math.max(...ends)]
  const steps = Math.max(2, Math.min(MAX_LEVELS, Math.round(upper - lower) + 1))
  const levels = Float32Array.from({ length: steps }, (_, n) =>
    present(voiLevel(map(lower + (n / (steps - 1)) * (upper - lower)))),
  )
  return { lower, upper, levels, isInverted: state.isInverse }
}

/** A curve for `levels`, named after the presentation state. */
export const curveOfPresented = (
  { lower, upper, levels }: PresentedGrayscale,
  name: Message,
): Curve | undefined => levels && { name, lower, upper, levels }

/** From the values of the image to those of the modality transformation of the state. */
function stateValues(state: PresentationState, { pixel, attributes, modalityLut }: PresentedImage) {
  const stored = storedRange(pixel)
  if (modalityLut) {
    // Its stored values are lost: only the same table, as copied from the image, can be applied.
    if (state.modalityLut?.data !== modalityLut.data) return undefined
    const range = [0, 2 ** modalityLut.bits - 1] as const
    const same: Mapping = (value) => value
    return { map: same, back: same, isLinear: true, range, values: range }
  }
  const slope = attributes.slope ?? 1
  const intercept = attributes.intercept ?? 0
  if (slope === 0) return undefined
  const toStored: Mapping = (value) => (value - intercept) / slope
  const fromStored: Mapping = (value) => value * slope + intercept
  if (state.modalityLut) {
    const table = tableLookup(state.modalityLut)
    const { firstValue, entries, bits } = state.modalityLut
    return {
      map: (value: number) => table(toStored(value)),
      back: fromStored,
      isLinear: false,
      range: [0, 2 ** bits - 1] as const,
      values: [fromStored(firstValue), fromStored(firstValue + entries - 1)] as const,
    }
  }
  const { slope: factor, intercept: offset } = state.rescale ?? { slope: 1, intercept: 0 }
  if (factor === 0) return undefined
  const ends = stored.map((value) => value * factor + offset)
  return {
    map: (value: number) => toStored(value) * factor + offset,
    back: (value: number) => fromStored((value - offset) / factor),
    isLinear: true,
    range: [Math.min(...ends), Math.max(...ends)] as const,
    values: stored.map(fromStored),
  }
}

/** The least and the greatest stored value that the header allows. */
const storedRange = ({ bitsStored, pixelRepresentation }: ImagePixel): [number, number] =>
  pixelRepresentation === 1
    ? [-(2 ** (bitsStored - 1)), 2 ** (bitsStored - 1) - 1]
    : [0, 2 ** bitsStored - 1]

/** Values beyond which brightness no longer changes. */
function domainOf({ lut, window, function: kind }: Voi): readonly [number, number] {
  if (lut) return [lut.firstValue, lut.firstValue + lut.entries - 1]
  const { center, width } = window ?? { center: 0.5, width: 1 }
  if (kind === 'SIGMOID') return [center - 2 * width, center + 2 * width]
  if (kind === 'LINEAR_EXACT') return [center - width / 2, center + width / 2]
  return [center - 0.5 - (width - 1) / 2, center - 0.5 + (width - 1) / 2]
}

/** Brightness from 0 to 1 by value (PS3.3 C.11.2). */
function voiLevels(voi: Voi): Mapping {
  if (voi.lut) {
    const table = tableLookup(voi.lut)
    const white = maxLevelOf(voi.lut)
    return (value) => table(value) / white
  }
  const { center, width } = voi.window ?? { center: 0.5, width: 1 }
  if (voi.function === 'SIGMOID')
    return (value) => 1 / (1 + Math.exp((-4 * (value - center)) / width))
  return linearRamp(domainOf(voi))
}

const linearRamp =
  ([low, high]: readonly [number, number]): Mapping =>
  (value) =>
    high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : value > high ? 1 : 0

/** PS3.3 C.11.4: the input is scaled to the entries of the table. */
function presentationLevels(table: LookUpTable | null): Mapping {
  if (!table) return (level) => level
  const numbers = numbersOf(table)
  const white = maxLevelOf(table)
  return (level) => (numbers[Math.round(level * (numbers.length - 1))] ?? 0) / white
}

function tableLookup(table: LookUpTable): Mapping {
  const numbers = numbersOf(table)
  const last = numbers.length - 1
  return (value) => numbers[Math.max(0, Math.min(last, Math.round(value) - table.firstValue))] ?? 0
}

const maxLevelOf = ({ bits }: LookUpTable): number => 2 ** bits - 1
