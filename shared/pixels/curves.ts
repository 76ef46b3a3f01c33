import type { InstanceExtras } from '../contract/viewed-images.ts'
import { type Message, message, verbatim } from '../messages/message.ts'
import { type LookUpTable, numbersOf } from './look-up.ts'
import type { ValueWindow } from './opening-window.ts'

/** A VOI LUT (PS3.3 C.11.2): brightness by value, in place of a linear window. */
export interface Curve {
  readonly name: Message
  /**
   * The first and last mapped value, after the modality transformation; beyond them the curve is
   * constant.
   */
  readonly lower: number
  readonly upper: number
  /** Brightness from 0 to 1, in equal steps from `lower` to `upper`. */
  readonly levels: Float32Array
}

/**
 * The greatest number of levels: those of 12 bits. Graphics cards have textures of several colours
 * for each of them (`levels.ts`).
 */
export const MAX_LEVELS = 4096

const known = new WeakMap<InstanceExtras, readonly Curve[]>()
/** The curves of an image; the first is used initially. */
export function curvesOf(extras: InstanceExtras | undefined): readonly Curve[] {
  if (!extras) return []
  const made =
    known.get(extras) ??
    extras.voiLuts.flatMap((table, index, all) => curveOf(table, index, all.length) ?? [])
  known.set(extras, made)
  return made
}

function curveOf(table: LookUpTable, index: number, count: number): Curve | undefined {
  const numbers = numbersOf(table)
  if (numbers.length < 2) return undefined
  const largest = numbers.reduce((a, b) => Math.max(a, b), 0)
  // A table whose entries exceed its declared bits uses as many bits as it needs.
  const white = Math.max(2 ** table.bits - 1, 2 ** Math.ceil(Math.log2(largest + 1)) - 1)
  // Only the range in which the curve changes, so that the displayed window is meaningful.
  const first = Math.max(0, numbers.findIndex((number) => number !== numbers[0]) - 1)
  const last = Math.min(
    numbers.length - 1,
    numbers.findLastIndex((number) => number !== numbers.at(-1)) + 1,
  )
  const [from, to] = last > first ? [first, last] : [0, numbers.length - 1]
  const steps = Math.min(MAX_LEVELS, to - from + 1)
  const levels = Float32Array.from({ length: steps }, (_, n) => {
    const at = from + (n / (steps - 1)) * (to - from)
    const [below = 0, above = below] = [numbers[Math.floor(at)], numbers[Math.ceil(at)]]
    return (below + (above - below) * (at - Math.floor(at))) / white
  })
  const name = table.explanation.trim()
    ? verbatim(table.explanation.trim())
    : message('viewer.curve-of-image', { count, number: index + 1 })
  return { name, lower: table.firstValue + from, upper: table.firstValue + to, levels }
}

/** The window that spans the curve. */
export const windowOfCurve = ({ lower, upper }: Curve, isExact: boolean): ValueWindow =>
  isExact
    ? { center: (lower + upper) / 2, width: upper - lower }
    : { center: (lower + upper + 1) / 2, width: upper - lower + 1 }

/**
 * Brightness (0 to 1) at a position in a window stretched over the curve. @param share 0 at the
 * lower end, 1 at the upper
 */
export function levelAt({ levels }: Curve, share: number): number {
  const at = Math.max(0, Math.min(1, share)) * (levels.length - 1)
  const below = levels[Math.floor(at)] ?? 0
  const above = levels[Math.ceil(at)] ?? below
  return below + (above - below) * (at - Math.floor(at))
}
