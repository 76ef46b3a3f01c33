import type { RenderingEngine } from '@cornerstonejs/core'
import type { Frames } from './frames.ts'
import type { Pane } from './pane.ts'
import type { Screen } from './screen.ts'
import type { SeriesState } from './stack.ts'
import type { Anchored } from './synchronise.ts'
import type { Tools } from './tools.ts'
import type { Volumes } from './volumes.ts'

/** A pane as the engine sees it. */
export interface PaneInside extends Pane {
  /** The list knows more of the series: the shown image stays, and the stack grows around it. */
  adopt(find: (series: SeriesState, imageId: string) => SeriesState | undefined): void
  /** An image was decoded, has a problem, or is another now. */
  onFrame(imageId: string, what: 'loaded' | 'problem' | 'replaced'): void
  /** @param by who moves: a pane that follows another pulls no others */
  moveTo(index: number, by: 'person' | 'sync'): void
  anchored(): Anchored | undefined
  setAnchor(): void
  readonly screen: Screen | undefined
  dispose(): void
}

/** What panes share. */
export interface PanesWorld {
  readonly engine: RenderingEngine
  readonly frames: Frames
  readonly tools: Tools
  readonly volumes: Volumes
  /** Panes that show a stack: they share the memory. */
  readonly panesInUse: () => number
  readonly onMoved: (pane: PaneInside) => void
  readonly onRendered: (pane: PaneInside) => void
}
