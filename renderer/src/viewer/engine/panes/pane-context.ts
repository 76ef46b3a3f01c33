import type { RenderingEngine, Types } from '@cornerstonejs/core'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import type { PlaneScene } from '../../referencing/plane-scene.ts'
import type { Scene } from '../../referencing/scene.ts'
import type { Frames } from '../frames.ts'
import type { Pane, PaneState, ProbedValue, Rendering, Slab, WindowPreset } from '../pane.ts'
import type { SeriesState } from '../stack.ts'
import type { ScrollAnchor } from '../synchronise.ts'
import type { Tools } from '../tools.ts'
import type { View } from '../view.ts'
import type { Volumes } from '../volumes.ts'
import type { KeptDisplay } from './kept-display.ts'
import type { ViewportResizer } from './resizing.ts'
import type { Screen } from './screen.ts'

/** A pane as the engine sees it. */
export interface EnginePane extends Pane {
  /** The list knows more of the series: the shown image stays, and the stack grows around it. */
  adopt(find: (series: SeriesState, imageId: string) => SeriesState | undefined): void
  /** An image was decoded, has a problem, or is another now. */
  onFrame(imageId: string, what: FrameEvent): void
  /** @param by who moves: a pane that follows another pulls no others */
  moveTo(index: number, by: MoveSource): void
  anchored(): ScrollAnchor | undefined
  setAnchor(): void
  readonly screen: Screen | undefined
  dispose(): void
}

export type FrameEvent = 'loaded' | 'problem' | 'replaced'
export type MoveSource = 'person' | 'sync'

/** What panes share. */
export interface SharedPaneContext {
  readonly engine: RenderingEngine
  readonly frames: Frames
  readonly tools: Tools
  readonly volumes: Volumes
  readonly resizing: ViewportResizer
  /** Panes that show a stack: they share the memory. */
  readonly panesInUse: () => number
  readonly onMoved: (pane: EnginePane) => void
  /** A series was opened at its first image. */
  readonly onOpened: (pane: EnginePane) => void
  readonly onRendered: (pane: EnginePane) => void
}

/** What the functions of one pane work on. */
export interface PaneContext {
  readonly paneId: string
  readonly world: SharedPaneContext
  readonly state: () => PaneState
  readonly set: (patch: Partial<PaneState>) => void
  /** As `set`; listeners are notified by the next `set`. */
  readonly setQuietly: (patch: Partial<PaneState>) => void
  /** Image id at which each series was left, by the key of the series. */
  readonly leftAt: Map<string, string>
  /** How a person saw the stack whose viewport was taken away last. */
  keptLook: KeptDisplay | undefined
  /** What referencing objects draw over the image that it names. */
  scene: Scene | null
  /** What they draw over the plane of a volume. */
  planeScene: PlaneScene | null
  /** Undefined while the pane is attached nowhere. */
  screen: Screen | undefined
  /** Undefined where nothing is shown. */
  content: PaneContent | undefined
  /** Ends whatever the display of the content waits for. */
  displaying: AbortController
  /** Brings onto the screen what the state says; what was begun before is given up. */
  readonly redisplay: () => void
}

/**
 * One way of showing a series in a pane: `stack-content.ts` shows its images, `plane-content.ts` a
 * plane of its volume, `volume-content.ts` the volume as a whole. It ends with its series: another
 * series, or another plane, is a new content.
 */
export interface PaneContent {
  /**
   * Brings onto the screen what the state says; does nothing while the pane has no size. After an
   * `await` it changes nothing where the signal is aborted.
   * @throws ImageProblem where it cannot be shown
   */
  display(signal: AbortSignal): Promise<void>
  /** The viewport goes, or shows something else from now on. */
  unmount(): void
  /** Nothing of it is wanted any more; called after `unmount`. */
  close(): void
  /** The camera moved, by whomever. */
  onCamera(): void
  /** What the viewport knows of how it looks. */
  look(view: View): Partial<PaneState>
  /** The decoded image that is shown; of a volume, its middle one, which its window is of. */
  image(): Types.IImage | undefined
  /** @param index of `count` */
  moveTo(index: number): void
  /** It can be shown at once, or never: a film need not wait for it. */
  isReady(index: number): boolean
  /** The series is known as this from now on. */
  adopt(series: SeriesState): void
  onFrame(imageId: string, what: FrameEvent): void
  /** Empty where there is no window to choose. */
  presets(): readonly WindowPreset[]
  setInversion(isInverted: boolean): void
  /** As it opened, but for what is drawn on it. */
  reset(view: View): void
  /** Interpolated between pixels or not, as the state says. */
  setSmooth(view: View): void
  probeAt(view: View, point: Types.Point2): ProbedValue | undefined

  // What only some kinds have.

  /** Where another pane that is scrolled along has been scrolled from. */
  anchored?(): ScrollAnchor | undefined
  setAnchor?(): void
  /** Brightness by one of the image's look-up tables; undefined: by none. */
  setCurve?(index: number | undefined): void
  /** See `Pane.present`; null: as sent from now on. */
  present?(state: PresentationState | null): void
  /** As the presentation state says, whatever a person has changed. */
  presentAgain?(): void
  /** What referencing objects draw is something else. */
  sceneChanged?(): void
  setSlab?(slab: Slab): void
  renderings?(): readonly Rendering[]
  setRendering?(rendering: Rendering): void
}
