import {
  AngleTool,
  ArrowAnnotateTool,
  addTool,
  CobbAngleTool,
  CrosshairsTool,
  Enums,
  EraserTool,
  LabelTool,
  MagnifyTool,
  PanTool,
  ProbeTool,
  ReferenceLinesTool,
  ToolGroupManager,
  TrackballRotateTool,
  type Types,
  WindowLevelTool,
  ZoomTool,
} from '@cornerstonejs/tools'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { areaLines, axesLines } from './measurement-text.ts'
import type { ContentKind } from './pane.ts'
import {
  BidirectionalTool,
  EllipseTool,
  FreehandTool,
  LengthTool,
  RectangleTool,
} from './region-tools.ts'
import { ScrollTool } from './scroll-tool.ts'
import { DRAWING_TOOL_NAMES, DRAWING_TOOLS, type ToolName } from './tool-names.ts'

export type { ToolName } from './tool-names.ts'
export type Button = 'left' | 'middle' | 'right'

const TOOL_CLASSES = {
  window: WindowLevelTool,
  pan: PanTool,
  zoom: ZoomTool,
  scroll: ScrollTool,
  length: LengthTool,
  angle: AngleTool,
  cobb: CobbAngleTool,
  bidirectional: BidirectionalTool,
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
  left: Enums.MouseBindings.Primary,
  right: Enums.MouseBindings.Secondary,
  middle: Enums.MouseBindings.Auxiliary,
}
/** Tool groups of Cornerstone: what can be done differs by what a pane shows. */
const GROUPS: Readonly<Record<ContentKind, string>> = {
  stack: 'isthmus',
  plane: 'isthmus-planes',
  volume: 'isthmus-volumes',
}
const KINDS = Object.keys(GROUPS) as ContentKind[]

/** Tools of all panes and the buttons they hang on. */
export interface Tools {
  setTool(button: Button, tool: ToolName): void
  tool(button: Button): ToolName
  /** A viewport takes part. */
  join(viewportId: string, kind: ContentKind): void
  leave(viewportId: string): void
  /** The viewport whose plane the others show as a line; undefined: no lines. */
  setReferenceLines(sourceViewportId: string | undefined): void
  setCrosshairs(areShown: boolean): void
  /** A plane has its volume now: crosshairs need at least two that have. */
  planesChanged(): void
  close(): void
}

type Group = Types.IToolGroup
type TextPrompt = (before: string) => Promise<string | undefined>

/** What the functions of the tools work on. */
interface ToolsContext {
  readonly groups: Readonly<Record<ContentKind, Group>>
  readonly given: Record<Button, ToolName>
  readonly planes: Set<string>
  hasCrosshairs: boolean
  /** The viewport whose plane others show as a line. */
  lines: string | undefined
}

/** @param askText asks for the text of an arrow or label; undefined where there is to be none */
export function openTools(engineId: string, askText: TextPrompt): Tools {
  for (const tool of [...Object.values(TOOL_CLASSES), ...TOOLS_WITHOUT_BUTTON]) addTool(tool)
  const context: ToolsContext = {
    groups: {
      stack: flatGroup('stack', askText),
      plane: planeGroup(askText),
      volume: volumeGroup(),
    },
    given: { left: 'window', middle: 'pan', right: 'zoom' },
    planes: new Set(),
    hasCrosshairs: false,
    lines: undefined,
  }
  const { groups, given, planes } = context
  bindTools(context)
  return {
    setTool(button, tool) {
      given[button] = tool
      bindTools(context)
    },
    tool: (button) => given[button],
    join(viewportId, kind) {
      groups[kind].addViewport(viewportId, engineId)
      if (kind === 'plane') planes.add(viewportId)
      // Cornerstone begins to follow the size of a volume's element when its tool is set again.
      if (kind === 'volume') bindTools(context)
    },
    leave(viewportId) {
      for (const group of Object.values(groups))
        if (group.getViewportIds().includes(viewportId)) group.removeViewports(engineId, viewportId)
      if (planes.delete(viewportId) && context.hasCrosshairs) bindTools(context)
    },
    setReferenceLines(sourceViewportId) {
      if (context.lines === sourceViewportId) return
      context.lines = sourceViewportId
      bindTools(context)
    },
    planesChanged() {
      if (context.hasCrosshairs) bindTools(context)
    },
    setCrosshairs(areShown) {
      context.hasCrosshairs = areShown
      bindTools(context)
    },
    close() {
      for (const kind of KINDS) ToolGroupManager.destroyToolGroup(GROUPS[kind])
    },
  }
}

/** Tools that no button has by itself. */
const TOOLS_WITHOUT_BUTTON = [CrosshairsTool, ReferenceLinesTool, TrackballRotateTool]

function newGroup(kind: ContentKind): Group {
  const group =
    ToolGroupManager.createToolGroup(GROUPS[kind]) ?? ToolGroupManager.getToolGroup(GROUPS[kind])
  if (!group) throw new ImageProblem(message('viewer.tools-not-made'))
  return group
}

function flatGroup(kind: 'stack' | 'plane', askText: TextPrompt): Group {
  const group = newGroup(kind)
  const configurations = configurationsOf(askText)
  for (const name of DRAWING_TOOL_NAMES)
    group.addTool(TOOL_CLASSES[name].toolName, configurations[name] ?? {})
  group.addTool(ReferenceLinesTool.toolName, {})
  return group
}

function planeGroup(askText: TextPrompt): Group {
  const group = flatGroup('plane', askText)
  group.addTool(CrosshairsTool.toolName, { getReferenceLineColor: colourOfPlane })
  return group
}

function volumeGroup(): Group {
  const group = newGroup('volume')
  for (const name of ['pan', 'zoom'] as const) group.addTool(TOOL_CLASSES[name].toolName)
  group.addTool(TrackballRotateTool.toolName)
  return group
}

function configurationsOf(askText: TextPrompt): Partial<Record<ToolName, object>> {
  const texts = {
    getTextCallback: (done: (text: string | undefined) => void) =>
      void askText('').then((text) => done(text || undefined)),
    changeTextCallback: (
      data: { readonly data?: { readonly text?: string } },
      _: unknown,
      done: (text: string) => void,
    ) => void askText(data.data?.text ?? '').then((text) => text && done(text)),
  }
  return {
    arrow: texts,
    text: texts,
    bidirectional: { getTextLines: axesLines },
    rectangle: { getTextLines: areaLines },
    ellipse: { getTextLines: areaLines },
    freehand: { calculateStats: true, getTextLines: areaLines },
    magnify: { magnifySize: 4 },
  }
}

/** Hangs the tools on the buttons that they are given. */
function bindTools(context: ToolsContext): void {
  const { groups, given, lines, hasCrosshairs, planes } = context
  // Crosshairs take the button of what moves the picture, and leave that of what draws on it.
  const isDrawingTool =
    given.left === 'eraser' || DRAWING_TOOLS.has(TOOL_CLASSES[given.left].toolName)
  for (const kind of ['stack', 'plane'] as const) {
    const group = groups[kind]
    const isCovered = hasCrosshairs && kind === 'plane' && !isDrawingTool
    for (const name of DRAWING_TOOL_NAMES) {
      const bindings = isCovered && given.left === name ? [] : bindingsOf(given, name)
      setBindings(group, TOOL_CLASSES[name].toolName, bindings)
    }
    if (lines === undefined) group.setToolDisabled(ReferenceLinesTool.toolName)
    else {
      group.setToolConfiguration(ReferenceLinesTool.toolName, { sourceViewportId: lines })
      group.setToolEnabled(ReferenceLinesTool.toolName)
    }
  }
  const { toolName } = CrosshairsTool
  if (!hasCrosshairs || planes.size < 2) groups.plane.setToolDisabled(toolName)
  else if (isDrawingTool) groups.plane.setToolEnabled(toolName)
  else groups.plane.setToolActive(toolName, { bindings: [{ mouseButton: BUTTONS.left }] })
  bindVolumeTools(context)
}

/** A volume is turned by whatever tool would do nothing to it. */
function bindVolumeTools({ groups: { volume }, given }: ToolsContext): void {
  for (const name of ['pan', 'zoom'] as const)
    setBindings(volume, TOOL_CLASSES[name].toolName, bindingsOf(given, name))
  const turns = given.left !== 'pan' && given.left !== 'zoom'
  const left = [{ mouseButton: BUTTONS.left }, { numTouchPoints: 1 }]
  setBindings(volume, TrackballRotateTool.toolName, turns ? left : [])
}

type Binding = Types.IToolBinding

function bindingsOf(given: Readonly<Record<Button, ToolName>>, name: ToolName): Binding[] {
  const buttons = (Object.keys(BUTTONS) as Button[]).filter((button) => given[button] === name)
  return [
    ...buttons.map((button) => ({ mouseButton: BUTTONS[button] })),
    ...(given.left === name ? [{ numTouchPoints: 1 }] : []),
    // Whatever the buttons have: two fingers zoom, three move.
    ...(name === 'zoom' ? [{ numTouchPoints: 2 }] : []),
    ...(name === 'pan' ? [{ numTouchPoints: 3 }] : []),
  ]
}

function setBindings(group: Group, toolName: string, bindings: Binding[]): void {
  // A second call of `setToolActive` adds bindings, and takes none away.
  group.setToolPassive(toolName, { removeAllBindings: true })
  if (bindings.length > 0) group.setToolActive(toolName, { bindings })
}

const PLANE_COLOURS = [
  'rgb(230, 80, 80)',
  'rgb(90, 200, 120)',
  'rgb(90, 150, 240)',
  'rgb(230, 200, 80)',
]
const colourByViewport = new Map<string, string>()
function colourOfPlane(viewportId: string): string {
  const colour =
    colourByViewport.get(viewportId) ??
    (PLANE_COLOURS[colourByViewport.size % PLANE_COLOURS.length] as string)
  colourByViewport.set(viewportId, colour)
  return colour
}
