import * as cornerstone from '@cornerstonejs/tools'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { EllipseTool, FreehandTool, LengthTool, RectangleTool } from './region-tools.ts'
import { ScrollTool } from './scroll-tool.ts'
import { TOOLS, type ToolName } from './tool-names.ts'

export type { ToolName } from './tool-names.ts'
export type Button = 'left' | 'middle' | 'right'

const {
  AngleTool,
  ArrowAnnotateTool,
  CobbAngleTool,
  CrosshairsTool,
  EraserTool,
  LabelTool,
  MagnifyTool,
  PanTool,
  ProbeTool,
  ReferenceLinesTool,
  WindowLevelTool,
  ZoomTool,
} = cornerstone

const CLASSES = {
  window: WindowLevelTool,
  pan: PanTool,
  zoom: ZoomTool,
  scroll: ScrollTool,
  length: LengthTool,
  angle: AngleTool,
  cobb: CobbAngleTool,
  rectangle: RectangleTool,
  ellipse: EllipseTool,
  freehand: FreehandTool,
  probe: ProbeTool,
  arrow: ArrowAnnotateTool,
  text: LabelTool,
  magnify: MagnifyTool,
  eraser: EraserTool,
} as const satisfies Record<ToolName, { readonly toolName: string }>

const BUTTONS: Readonly<Record<Button, number>> = {
  left: cornerstone.Enums.MouseBindings.Primary,
  right: cornerstone.Enums.MouseBindings.Secondary,
  middle: cornerstone.Enums.MouseBindings.Auxiliary,
}
const GROUPS = { stack: 'isthmus', plane: 'isthmus-planes' } as const
export type PaneKind = keyof typeof GROUPS

/** Tools of all panes and the buttons they hang on. */
export interface Tools {
  setTool(button: Button, tool: ToolName): void
  tool(button: Button): ToolName
  /** A viewport takes part. */
  join(viewportId: string, kind: PaneKind): void
  leave(viewportId: string): void
  /** The viewport whose plane the others show as a line; undefined: no lines. */
  setReferenceLines(sourceViewportId: string | undefined): void
  setCrosshairs(areShown: boolean): void
  /** A plane has its volume now: crosshairs need at least two that have. */
  planesChanged(): void
  close(): void
}

/** @param askText asks for the text of an arrow or label; undefined where there is to be none */
export function openTools(
  engineId: string,
  askText: (before: string) => Promise<string | undefined>,
): Tools {
  const given: Record<Button, ToolName> = { left: 'window', middle: 'pan', right: 'zoom' }
  const inPlanes = new Set<string>()
  let crosshairs = false
  let lines: string | undefined

  for (const tool of [...Object.values(CLASSES), CrosshairsTool, ReferenceLinesTool])
    cornerstone.addTool(tool)
  const texts = {
    getTextCallback: (done: (text: string | undefined) => void) =>
      void askText('').then((text) => done(text || undefined)),
    changeTextCallback: (
      data: { readonly data?: { readonly text?: string } },
      _: unknown,
      done: (text: string) => void,
    ) => void askText(data.data?.text ?? '').then((text) => text && done(text)),
  }
  const configurations: Partial<Record<ToolName, object>> = {
    arrow: texts,
    text: texts,
    freehand: { calculateStats: true },
    magnify: { magnifySize: 4 },
  }
  const groups = Object.values(GROUPS).map((id) => {
    const group =
      cornerstone.ToolGroupManager.createToolGroup(id) ??
      cornerstone.ToolGroupManager.getToolGroup(id)
    if (!group) throw new ImageProblem(message('viewer.tools-not-made'))
    for (const name of TOOLS) group.addTool(CLASSES[name].toolName, configurations[name] ?? {})
    group.addTool(ReferenceLinesTool.toolName, {})
    if (id === GROUPS.plane)
      group.addTool(CrosshairsTool.toolName, { getReferenceLineColor: colourOfPlane })
    return group
  })

  const bind = () => {
    for (const group of groups) {
      for (const name of TOOLS) {
        const buttons = (Object.keys(BUTTONS) as Button[]).filter(
          (button) => given[button] === name,
        )
        const bindings = [
          ...buttons.map((button) => ({ mouseButton: BUTTONS[button] })),
          ...(given.left === name ? [{ numTouchPoints: 1 }] : []),
          // Whatever the buttons have: two fingers zoom, three move.
          ...(name === 'zoom' ? [{ numTouchPoints: 2 }] : []),
          ...(name === 'pan' ? [{ numTouchPoints: 3 }] : []),
        ]
        const { toolName } = CLASSES[name]
        const isCovered = crosshairs && group.id === GROUPS.plane && given.left === name
        if (bindings.length > 0 && !isCovered) {
          // A second call adds bindings, and takes none away.
          group.setToolPassive(toolName, { removeAllBindings: true })
          group.setToolActive(toolName, { bindings })
        } else group.setToolPassive(toolName, { removeAllBindings: true })
      }
      if (lines === undefined) group.setToolDisabled(ReferenceLinesTool.toolName)
      else {
        group.setToolConfiguration(ReferenceLinesTool.toolName, { sourceViewportId: lines })
        group.setToolEnabled(ReferenceLinesTool.toolName)
      }
    }
    const [, planes] = groups
    if (crosshairs && inPlanes.size > 1)
      planes?.setToolActive(CrosshairsTool.toolName, { bindings: [{ mouseButton: BUTTONS.left }] })
    else planes?.setToolDisabled(CrosshairsTool.toolName)
  }
  bind()

  return {
    setTool(button, tool) {
      given[button] = tool
      bind()
    },
    tool: (button) => given[button],
    join(viewportId, kind) {
      groups[kind === 'stack' ? 0 : 1]?.addViewport(viewportId, engineId)
      if (kind !== 'plane') return
      inPlanes.add(viewportId)
    },
    leave(viewportId) {
      for (const group of groups)
        if (group.getViewportIds().includes(viewportId)) group.removeViewports(engineId, viewportId)
      if (inPlanes.delete(viewportId) && crosshairs) bind()
    },
    setReferenceLines(sourceViewportId) {
      if (lines === sourceViewportId) return
      lines = sourceViewportId
      bind()
    },
    planesChanged() {
      if (crosshairs) bind()
    },
    setCrosshairs(areShown) {
      crosshairs = areShown
      bind()
    },
    close() {
      for (const group of groups) cornerstone.ToolGroupManager.destroyToolGroup(group.id)
    },
  }
}

const PLANE_COLOURS = [
  'rgb(230, 80, 80)',
  'rgb(90, 200, 120)',
  'rgb(90, 150, 240)',
  'rgb(230, 200, 80)',
]
const coloured = new Map<string, string>()
function colourOfPlane(viewportId: string): string {
  const colour =
    coloured.get(viewportId) ?? (PLANE_COLOURS[coloured.size % PLANE_COLOURS.length] as string)
  coloured.set(viewportId, colour)
  return colour
}
