import type { Types } from '@cornerstonejs/core'
import { type Curve, MOST_LEVELS } from '#shared/pixels/curves.ts'

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
    // vtk's own 1024 colours are too few for a steep curve.
    if (curve) actor?.getMapper().setColorTextureWidth?.(MOST_LEVELS)
    const levels = curve?.levels ?? [0, 1]
    lines.setNodes(
      Array.from(levels, (level, n) => {
        const grey = shade(level)
        return {
          x: lower + (n / (levels.length - 1)) * (upper - lower),
          r: grey,
          g: grey,
          b: grey,
          midpoint: 0.5,
          sharpness: 0,
        }
      }),
    )
  }
  drawn.set(lines, { curve, isInverted })
}
