/** Tools a mouse button can have. */
export const DRAWING_TOOL_NAMES = [
  'window',
  'pan',
  'zoom',
  'scroll',
  'length',
  'angle',
  'cobb',
  'bidirectional',
  'rectangle',
  'ellipse',
  'freehand',
  'probe',
  'arrow',
  'text',
  'magnify',
  'eraser',
] as const
export type ToolName = (typeof DRAWING_TOOL_NAMES)[number]

/**
 * Cornerstone's names of the tools that draw something which stays. Kept drawings have them: they
 * are not to change.
 */
export const DRAWING_TOOLS: ReadonlySet<string> = new Set([
  'Length',
  'Angle',
  'CobbAngle',
  'Bidirectional',
  'RectangleROI',
  'EllipticalROI',
  'PlanarFreehandROI',
  'Probe',
  'ArrowAnnotate',
  'Label',
])
