import { z } from 'zod'
import { idOf } from './drawings-merge.ts'
import type { ToolName } from './engine/tools.ts'

/** Cornerstone's names of the tools that draw what stays. */
const TOOLS = {
  Length: 'length',
  Angle: 'angle',
  CobbAngle: 'cobb',
  Bidirectional: 'bidirectional',
  RectangleROI: 'rectangle',
  EllipticalROI: 'ellipse',
  PlanarFreehandROI: 'freehand',
  Probe: 'probe',
  ArrowAnnotate: 'arrow',
  Label: 'text',
} as const satisfies Readonly<Record<string, ToolName>>
const isTool = (name: string): name is keyof typeof TOOLS => Object.hasOwn(TOOLS, name)

/** Of a kept drawing, what a list says of it. The rest is the engine's. */
const Kept = z.object({
  tool: z.string(),
  sopInstanceUid: z.string(),
  frame: z.int().positive(),
  data: z
    .object({ text: z.string().catch(''), label: z.string().catch('') })
    .catch({ text: '', label: '' }),
})
export interface Drawing {
  readonly id: string
  readonly tool: ToolName
  /** Empty where it was drawn in a plane of a volume. */
  readonly sopInstanceUid: string
  readonly frame: number
  /** What a person wrote; empty where nothing. */
  readonly text: string
}

/** Undefined where it is none that this version knows: it is kept all the same. */
export function drawingOf(kept: unknown): Drawing | undefined {
  const read = Kept.safeParse(kept)
  if (!read.success || !isTool(read.data.tool)) return undefined
  const { tool, data, sopInstanceUid, frame } = read.data
  return { id: idOf(kept), tool: TOOLS[tool], sopInstanceUid, frame, text: data.text || data.label }
}
