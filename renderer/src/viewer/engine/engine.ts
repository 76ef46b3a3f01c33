import {
  cache,
  getRenderingCapabilities,
  init as initCore,
  RenderingEngine,
} from '@cornerstonejs/core'
import { init as initLoader } from '@cornerstonejs/dicom-image-loader'
import { init as initTools } from '@cornerstonejs/tools'
import type { SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { openClient } from '../../api/client.ts'
import { type Drawings, drawAgain, openDrawings } from './drawings.ts'
import { openFetches } from './fetches.ts'
import { type Frames, openFrames } from './frames.ts'
import type { ImageList } from './images.ts'
import type { KeptAnnotation } from './kept-annotation.ts'
import { provideMetadata } from './metadata.ts'
import type { Pane } from './pane.ts'
import type { PaneInside } from './pane-inside.ts'
import { openPane } from './panes.ts'
import { ScrollTool } from './scroll-tool.ts'
import type { SeriesState } from './stack.ts'
import { synchronisedIndex } from './synchronise.ts'
import { exposeForTests } from './testing.ts'
import { openThumbnails } from './thumbnails.ts'
import { openTimings } from './timings.ts'
import { type Button, openTools, type ToolName } from './tools.ts'
import { openVolumes } from './volumes.ts'

export type { KeptAnnotation } from './kept-annotation.ts'

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
  setSynchronised(how: 'off' | 'position' | 'index'): void
  setReferenceLines(areShown: boolean): void
  /** Crosshairs in the panes that show planes of one volume. */
  setCrosshairs(areShown: boolean): void

  /**
   * A picture of the series' middle image as a data URL; rejects with an `ImageProblem` where there
   * is none. Low priority.
   */
  thumbnail(series: SeriesState, signal?: AbortSignal): Promise<string>

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
    await initCore()
    const cores = navigator.hardwareConcurrency || 2
    initLoader({ maxWebWorkers: Math.max(2, Math.min(4, cores)) })
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
export function startEngine(list: ImageList): Promise<Engine> {
  const known = started.get(list)
  if (known) return known
  const opening = startLibraries().then(
    () => openEngine(list, () => started.delete(list)),
    () => {
      libraries = undefined
      started.delete(list)
      throw new ImageProblem(message('viewer.browser-cannot-draw'))
    },
  )
  started.set(list, opening)
  return opening
}

function openEngine(list: ImageList, onDisposed: () => void): Engine {
  const { timings, note } = openTimings()
  note('opened')
  const stopMetadata = provideMetadata(list)
  const rendering = new RenderingEngine(ENGINE_ID)
  const fetches = openFetches()
  const frames = openFrames(
    list,
    fetches,
    openClient({ fetch: globalThis.fetch.bind(globalThis), origin: '' }),
  )
  const volumes = openVolumes(frames)
  const thumbnails = openThumbnails(frames)
  const panes = new Map<string, PaneInside>()
  const render = () =>
    drawAgain(
      [...panes.values()].filter(({ screen }) => screen?.view()).map(({ paneId }) => paneId),
    )
  const drawings: Drawings = openDrawings(list, render)
  let active = ''
  let areLinesShown = false
  let synchronised: 'off' | 'position' | 'index' = 'off'

  const tools = openTools(ENGINE_ID, (before) =>
    engine.askText
      ? engine.askText(before)
      : Promise.resolve(window.prompt('Text', before) ?? undefined),
  )
  ScrollTool.scroll = (viewportId, images) => panes.get(viewportId)?.scrollBy(images)
  const showLines = () => {
    const source = panes.get(active)
    tools.setReferenceLines(areLinesShown && source?.state().isShown ? active : undefined)
  }
  const follow = (moved: PaneInside) => {
    const from = moved.anchored()
    if (synchronised === 'off' || !from) return
    for (const pane of panes.values()) {
      const other = pane === moved ? undefined : pane.anchored()
      if (!other || pane.state().isPlaying) continue
      const index = synchronisedIndex(synchronised, from, other)
      if (index !== undefined) pane.moveTo(index, 'sync')
    }
  }
  const closeUnusedVolumes = () => {
    const used = new Set(
      [...panes.values()].flatMap((pane) =>
        pane.state().plane ? (pane.state().series?.key ?? []) : [],
      ),
    )
    volumes.closeBut(used)
  }

  const stopFrames = frames.onChange((imageId, what) => {
    for (const pane of panes.values()) pane.onFrame(imageId, what)
    if (what === 'loaded') noteAll(list, frames, () => note('allImages'))
  })
  const stopList = list.subscribe(() => {
    const { studies } = list.state()
    const all = studies.flatMap(({ series }) => series)
    if (all.length > 0) note('listed')
    const byKey = new Map(all.map((series) => [series.key, series]))
    for (const pane of panes.values())
      pane.adopt(
        (series, imageId) =>
          byKey.get(series.key) ??
          all.find(({ stack }) => stack.some((image) => image.imageId === imageId)),
      )
    noteAll(list, frames, () => note('allImages'))
  })
  const stopTesting = exposeForTests(list, frames, timings)

  const engine: Engine = {
    isSoftware: getRenderingCapabilities().softwareRasterizer || !getRenderingCapabilities().webgl,
    pane(paneId) {
      const known = panes.get(paneId)
      if (known) return known
      const pane = openPane(
        {
          engine: rendering,
          frames,
          tools,
          volumes,
          panesInUse: () => [...panes.values()].filter((one) => one.state().series).length,
          onMoved: follow,
          onRendered: () => {
            note('firstImage')
            showLines()
          },
        },
        paneId,
      )
      panes.set(paneId, pane)
      pane.subscribe(closeUnusedVolumes)
      return pane
    },
    dropPane(paneId) {
      panes.get(paneId)?.dispose()
      panes.delete(paneId)
      closeUnusedVolumes()
    },
    setActive(paneId) {
      active = paneId
      showLines()
    },
    setTool: (button, tool) => tools.setTool(button, tool),
    tool: (button) => tools.tool(button),
    setSynchronised(how) {
      synchronised = how
      for (const pane of panes.values()) pane.setAnchor()
      const pane = panes.get(active)
      if (pane) follow(pane)
    },
    setReferenceLines(areShown) {
      areLinesShown = areShown
      showLines()
      render()
    },
    setCrosshairs(areShown) {
      tools.setCrosshairs(areShown)
      render()
    },
    thumbnail: (series, signal) => thumbnails.of(series, signal),
    annotations: (studyInstanceUid) => drawings.of(studyInstanceUid),
    restore: (studyInstanceUid, kept) => drawings.restore(studyInstanceUid, kept),
    toSaved: (kept) => drawings.toSaved(kept),
    onDrawn: (listener) => drawings.onDrawn(listener),
    removeSelected: () => drawings.removeSelected(),
    clearDrawings(paneId) {
      const { series, image } = panes.get(paneId)?.state() ?? {}
      if (series) drawings.removeOn(series, image?.imageId)
    },
    askText: undefined,
    dispose() {
      stopTesting()
      stopList()
      stopFrames()
      for (const pane of panes.values()) pane.dispose()
      panes.clear()
      drawings.close()
      tools.close()
      rendering.destroy()
      volumes.closeBut(new Set())
      frames.close()
      cache.purgeCache()
      stopMetadata()
      onDisposed()
    },
  }
  return engine
}

/** All that the view's own study has was decoded once. */
function noteAll(list: ImageList, frames: Frames, note: () => void): void {
  const { studies, progress } = list.state()
  if (progress.state !== 'done') return
  let count = 0
  for (const { series } of studies)
    for (const { stack, missing, isPrior } of series)
      if (!isPrior) count += stack.length - missing.size
  if (count > 0 && frames.loaded.size >= count) note()
}
