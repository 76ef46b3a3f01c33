import {
  cache,
  getShouldUseCPURendering,
  init as initCore,
  RenderingEngine,
} from '@cornerstonejs/core'
import { init as initTools } from '@cornerstonejs/tools'
import type { SavedDrawing } from '#shared/contract/saved-drawings.ts'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { StoredPixels } from '#shared/pixels/stored.ts'
import { openClient } from '../../api/client.ts'
import { Drawings, drawAgain } from './drawings.ts'
import type { Fetches } from './fetches.ts'
import { Frames } from './frames.ts'
import type { ImageList } from './images.ts'
import type { KeptAnnotation } from './kept-annotation.ts'
import { provideMetadata } from './metadata.ts'
import type { Pane } from './pane.ts'
import { openPane } from './panes/open-pane.ts'
import type { EnginePane, SharedPaneContext } from './panes/pane-context.ts'
import {
  openPaneLinks,
  type PaneLinks,
  type ScrolledStack,
  type SynchronisationMode,
} from './panes/pane-links.ts'
import { openViewportResizer } from './panes/resizing.ts'
import { ScrollTool } from './scroll-tool.ts'
import { isSoftware } from './software.ts'
import { softwareEngine } from './software-engine.ts'
import type { SeriesState } from './stack.ts'
import { openThumbnails } from './thumbnails.ts'
import { type Button, openTools, type ToolName, type Tools } from './tools.ts'
import { openVolumes } from './volumes.ts'

export type { KeptAnnotation } from './kept-annotation.ts'
export type { ScrolledStack as Scrolled } from './panes/pane-links.ts'

/** The engine behind the panes of a view's page. One on a page. */
export interface Engine {
  /** True where pictures are made by the processor; then they come slower. */
  readonly isSoftware: boolean
  /** The pane of that name, made at its first call. */
  pane(paneId: string): Pane
  /** Forgets a pane that the layout has no longer. */
  dropPane(paneId: string): void
  /** The pane whose plane the reference lines of others show, and which others follow. */
  setActive(paneId: string): void

  /**
   * Gives a mouse button (`left` is also one finger) its tool. Wheel and two fingers keep theirs:
   * scroll, and zoom with pan.
   */
  setTool(button: Button, tool: ToolName): void
  tool(button: Button): ToolName
  /**
   * position: panes show the slice nearest to the active one's in one frame of reference; those of
   * another, such as a prior's, move by as many millimetres as the active one has since this call.
   * index: all scroll by as many images.
   */
  setSynchronised(how: SynchronisationMode): void
  /** Told where a person has scrolled a stack of this window. @returns the way to stop */
  onScrolled(listener: (moved: ScrolledStack) => void): () => void
  /** Panes follow the scroll of another window, as they would one of this window. */
  followOther(moved: ScrolledStack): void
  setReferenceLines(areShown: boolean): void
  /** Crosshairs in the panes that show planes of one volume. */
  setCrosshairs(areShown: boolean): void

  /**
   * A picture of the series' middle image as a data URL; rejects with an `ImageProblem` where there
   * is none. Low priority.
   */
  thumbnail(series: SeriesState, signal?: AbortSignal): Promise<string>

  /** Has an image decoded that is likely to be shown soon. */
  prepare(imageId: string): void
  /** Images that this page has decoded so far: they are shown without waiting for the gateway. */
  decodedImages(): number
  /** Told when their number changes. @returns the way to stop */
  onDecoded(listener: () => void): () => void
  /**
   * Stored values of a frame that is no image, such as one of a segmentation.
   * @throws ImageProblem
   */
  storedFrame(sopInstanceUid: string, frame: number, pixel: ImagePixel): Promise<StoredPixels>

  /** What is drawn on a study. */
  annotations(studyInstanceUid: string): readonly KeptAnnotation[]
  /** Takes the place of what is drawn on the study; what cannot be read is left out. */
  restore(studyInstanceUid: string, kept: readonly unknown[]): void
  /**
   * A kept drawing as it is saved to the study; undefined if it cannot be, or if its image is not
   * listed yet.
   */
  toSaved(kept: unknown): SavedDrawing | undefined
  /**
   * Told half a second after somebody has drawn, moved or removed; not of `restore`. @returns the
   * way to stop
   */
  onDrawn(listener: (studyInstanceUid: string) => void): () => void
  /** Removes the selected drawings; where none is selected, nothing. */
  removeSelected(): void
  /** Removes all that is drawn on what the pane shows. */
  clearDrawings(paneId: string): void
  /**
   * Text of an arrow or label is asked by this; undefined: nothing is drawn. Without it, the
   * browser's prompt.
   */
  askText: ((before: string) => Promise<string | undefined>) | undefined

  dispose(): void
}

const ENGINE_ID = 'isthmus'
const MEGABYTE = 2 ** 20
/** Memory for decoded images, by the gigabytes the browser admits to. */
const CACHE_BYTES = [
  { upTo: 2, bytes: 192 * MEGABYTE },
  { upTo: 4, bytes: 320 * MEGABYTE },
  { upTo: Number.POSITIVE_INFINITY, bytes: 512 * MEGABYTE },
]

let libraries: Promise<void> | undefined
/** Cornerstone's own parts, once on a page. */
function startLibraries(): Promise<void> {
  libraries ??= (async () => {
    // Each WebGL context takes part of a second to make where there is no graphics card.
    await initCore({ rendering: { webGlContextCount: 1 } } as Parameters<typeof initCore>[0])
    await initTools()
    const { deviceMemory = 8 } = navigator as Navigator & { readonly deviceMemory?: number }
    cache.setMaxCacheSize(
      CACHE_BYTES.find(({ upTo }) => deviceMemory <= upTo)?.bytes ?? 512 * MEGABYTE,
    )
    // Cornerstone keeps promises of images that nobody listens to; what failed is told by whoever
    // shows it.
    window.addEventListener('unhandledrejection', (event) => {
      if (event.reason instanceof ImageProblem) event.preventDefault()
    })
  })()
  return libraries
}

const started = new WeakMap<ImageList, Promise<Engine>>()
/**
 * Starts the engine; once on a page: the same list gives the same engine (React StrictMode).
 * @throws ImageProblem where the browser cannot
 */
export function startEngine(list: ImageList, fetches: Fetches): Promise<Engine> {
  const known = started.get(list)
  if (known) return known
  const opening = startLibraries().then(
    () => openEngine(list, fetches, () => started.delete(list)),
    () => {
      libraries = undefined
      started.delete(list)
      throw new ImageProblem(message('viewer.browser-cannot-draw'))
    },
  )
  started.set(list, opening)
  return opening
}

function openEngine(list: ImageList, fetches: Fetches, onDisposed: () => void): Engine {
  const stopMetadata = provideMetadata(list)
  const panes = new Map<string, EnginePane>()
  const tools = openTools(ENGINE_ID, (before) =>
    engine.askText
      ? engine.askText(before)
      : Promise.resolve(window.prompt('Text', before) ?? undefined),
  )
  ScrollTool.scroll = (viewportId, images) => panes.get(viewportId)?.scrollBy(images)
  const links = openPaneLinks(panes, tools)
  const world = createSharedContext(list, fetches, panes, tools, links)
  const render = () => drawAgain(viewportsOf(panes))
  const drawings = new Drawings(list, render)
  const stopUpdates = updatePanes(list, world, panes)

  const engine: Engine = {
    isSoftware: isSoftware(),
    pane: (paneId) => panes.get(paneId) ?? addPane(world, panes, paneId),
    dropPane(paneId) {
      panes.get(paneId)?.dispose()
      panes.delete(paneId)
      closeUnusedVolumes(world, panes)
    },
    setActive: (paneId) => links.setActive(paneId),
    setTool: (button, tool) => tools.setTool(button, tool),
    tool: (button) => tools.tool(button),
    setSynchronised: (how) => links.setSynchronised(how),
    onScrolled: (listener) => links.onScrolled(listener),
    followOther: (moved) => followOtherWindow(list, links, moved),
    setReferenceLines(areShown) {
      links.setReferenceLines(areShown)
      render()
    },
    setCrosshairs(areShown) {
      tools.setCrosshairs(areShown)
      render()
    },
    ...imageActions(world.frames),
    ...drawingActions(drawings, panes),
    askText: undefined,
    dispose() {
      stopUpdates()
      for (const pane of panes.values()) pane.dispose()
      panes.clear()
      drawings.close()
      tools.close()
      closeSharedContext(world)
      stopMetadata()
      onDisposed()
    },
  }
  return engine
}

type Panes = Map<string, EnginePane>

function followOtherWindow(
  list: ImageList,
  links: PaneLinks,
  { seriesKey, index, anchor }: ScrolledStack,
): void {
  const all = list.state().studies.flatMap(({ series }) => series)
  const stack = all.find(({ key }) => key === seriesKey)?.stack
  if (stack && index < stack.length)
    links.followFrom({ stack, index, anchor: Math.min(anchor, stack.length - 1) })
}

/** What is done with images without a pane. */
function imageActions(
  frames: Frames,
): Pick<Engine, 'thumbnail' | 'prepare' | 'decodedImages' | 'onDecoded' | 'storedFrame'> {
  const thumbnails = openThumbnails(frames)
  return {
    thumbnail: (series, signal) => thumbnails.of(series, signal),
    // Whoever shows the image says why it cannot be shown.
    prepare: (imageId) => void frames.load(imageId, 'near').catch(() => undefined),
    decodedImages: () => frames.loaded.size,
    onDecoded: (listener) => frames.onChange(listener),
    storedFrame: (sopInstanceUid, frame, pixel) => frames.stored(sopInstanceUid, frame, pixel),
  }
}

type DrawingActions = Pick<
  Engine,
  'annotations' | 'restore' | 'toSaved' | 'onDrawn' | 'removeSelected' | 'clearDrawings'
>

const drawingActions = (drawings: Drawings, panes: Panes): DrawingActions => ({
  annotations: (studyInstanceUid) => drawings.of(studyInstanceUid),
  restore: (studyInstanceUid, kept) => drawings.restore(studyInstanceUid, kept),
  toSaved: (kept) => drawings.toSaved(kept),
  onDrawn: (listener) => drawings.onDrawn(listener),
  removeSelected: () => drawings.removeSelected(),
  clearDrawings(paneId) {
    const { series, image } = panes.get(paneId)?.state() ?? {}
    if (series) drawings.removeOn(series, image?.imageId)
  },
})

/** What all panes draw with. */
function createSharedContext(
  list: ImageList,
  fetches: Fetches,
  panes: Panes,
  tools: Tools,
  links: PaneLinks,
): SharedPaneContext {
  // Without any WebGL, Cornerstone draws in its own way.
  const drawsImages = isSoftware() && !getShouldUseCPURendering()
  const engine = drawsImages ? softwareEngine(ENGINE_ID) : new RenderingEngine(ENGINE_ID)
  const client = openClient({ fetch: globalThis.fetch.bind(globalThis), origin: '' })
  const frames = new Frames(list, fetches, client)
  return {
    ...{ engine, frames, tools },
    volumes: openVolumes(frames),
    resizing: openViewportResizer(engine),
    panesInUse: () => [...panes.values()].filter((one) => one.state().series).length,
    onMoved: links.moved,
    onOpened: links.join,
    onRendered: links.showLines,
  }
}

function closeSharedContext({ engine, frames, volumes, resizing }: SharedPaneContext): void {
  resizing.close()
  engine.destroy()
  volumes.closeBut(new Set())
  frames.close()
  cache.purgeCache()
}

function addPane(world: SharedPaneContext, panes: Panes, paneId: string): EnginePane {
  const pane = openPane(world, paneId)
  panes.set(paneId, pane)
  pane.subscribe(() => closeUnusedVolumes(world, panes))
  return pane
}

function closeUnusedVolumes({ volumes }: SharedPaneContext, panes: Panes): void {
  const shown = [...panes.values()].map((pane) => pane.state())
  volumes.closeBut(
    new Set(shown.flatMap(({ kind, series }) => (kind !== 'stack' && series?.key) || [])),
  )
}

const viewportsOf = (panes: Panes): readonly string[] =>
  [...panes.values()].filter(({ screen }) => screen?.view()).map(({ paneId }) => paneId)

/** Notifies panes of what is decoded, and of series that have grown. @returns the way to stop */
function updatePanes(list: ImageList, { frames }: SharedPaneContext, panes: Panes): () => void {
  const stopFrames = frames.onChange((imageId, what) => {
    for (const pane of panes.values()) pane.onFrame(imageId, what)
  })
  const stopList = list.subscribe(() => {
    const all = list.state().studies.flatMap(({ series }) => series)
    const byKey = new Map(all.map((series) => [series.key, series]))
    for (const pane of panes.values())
      pane.adopt(
        (series, imageId) =>
          byKey.get(series.key) ??
          all.find(({ stack }) => stack.some((image) => image.imageId === imageId)),
      )
  })
  return () => {
    stopList()
    stopFrames()
  }
}
