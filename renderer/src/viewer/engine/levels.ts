import type { Types } from '@cornerstonejs/core'
import type { Curve } from '#shared/pixels/curves.ts'

interface Node {
  readonly x: number
  readonly r: number
  readonly g: number
  readonly b: number
  readonly midpoint: number
  readonly sharpness: number
}
/** The parts of vtk's colour transfer function that are used here. */
interface TransferFunction {
  getRange(): readonly [number, number]
  getNodes?(): readonly Node[]
  get(name: 'nodes'): { readonly nodes: readonly Node[] }
  setNodes(nodes: Node[]): void
}

const drawn = new WeakMap<
  object,
  { readonly curve: Curve | undefined; readonly isInverted: boolean }
>()

/**
 * Puts brightness right on what a stack's viewport shows: by the curve or a straight line over its
 * window, inverted or not. Cornerstone 5.14 knows no look-up tables, and forgets an inversion where
 * it makes a new actor for an image of another shape.
 */
export function settleLevels(
  view: Types.IStackViewport,
  curve: Curve | undefined,
  isInverted: boolean,
): void {
  const actor = view.getDefaultActor()?.actor as
    | {
        getProperty(): { getRGBTransferFunction(index: number): TransferFunction | undefined }
        getMapper(): { setColorTextureWidth?(width: number): void }
      }
    | undefined
  const lines = actor?.getProperty().getRGBTransferFunction(0)
  const fields = view as unknown as { invert: boolean }
  if (!lines) {
    // Without WebGL there are no curves.
    view.setProperties({ invert: isInverted })
    return
  }
  const { nodes } = lines.get('nodes')
  const before = drawn.get(lines) ?? {
    curve: undefined,
    isInverted: (nodes[0]?.r ?? 0) > (nodes.at(-1)?.r ?? 1),
  }
  fields.invert = isInverted
  if (before.curve === curve && before.isInverted === isInverted) return
  const [lower, upper] = lines.getRange()
  const shade = (level: number) => (isInverted ? 1 - level : level)
  if (before.curve === curve) {
    lines.setNodes(nodes.map((node) => ({ ...node, r: 1 - node.r, g: 1 - node.g, b: 1 - node.b })))
  } else {
    // As wide as the graphics card allows: vtk's own 1024 colours are too few for a steep curve.
    if (curve) actor?.getMapper().setColorTextureWidth?.(0)
    const levels = Array.from(curve?.levels ?? [0, 1], shade)
    const size = (upper - lower) / (levels.length - 1)
    lines.setNodes(
      (curve ? stepped(levels) : levels.map((grey, at) => ({ at, grey }))).map(({ at, grey }) => ({
        ...{ x: lower + at * size, r: grey, g: grey, b: grey },
        ...{ midpoint: 0.5, sharpness: 0 },
      })),
    )
  }
  drawn.set(lines, { curve, isInverted })
}

/** A step of more than a gray level of the screen. */
const STEP = 1 / 255
/** The texture may have the colour of up to a fifth of a value beside the one that is drawn. */
const STEP_SHARPNESS = 0.4

/** Levels by their index, with steps halfway between two of them instead of slopes. */
const stepped = (levels: readonly number[]): { at: number; grey: number }[] =>
  levels.flatMap((grey, at) => {
    const next = levels[at + 1] ?? grey
    return Math.abs(next - grey) <= STEP
      ? [{ at, grey }]
      : [
          { at, grey },
          { at: at + STEP_SHARPNESS, grey },
          { at: at + 1 - STEP_SHARPNESS, grey: next },
        ]
  })
