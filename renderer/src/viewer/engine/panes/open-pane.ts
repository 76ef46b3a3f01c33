import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { type Cine, openCine } from '../cine.ts'
import type { Pane, PaneState, Plane, Slab } from '../pane.ts'
import { pictureOf } from '../picture.ts'
import type { SeriesState } from '../stack.ts'
import type { View } from '../view.ts'
import { openActions } from './pane-actions.ts'
import type {
  EnginePane,
  MoveSource,
  PaneContent,
  PaneContext,
  SharedPaneContext,
} from './pane-context.ts'
import { EMPTY_PANE_STATE, openedStateAt } from './pane-display.ts'
import { openPaneState } from './pane-state.ts'
import { openPlaneContent } from './plane-content.ts'
import { openScreen } from './screen.ts'
import { openStackContent } from './stack-content.ts'
import { openVolumeContent } from './volume-content.ts'

const RETRY_DELAY_MS = 5000

/**
 * A place on the screen. What is the same for whatever it shows is here: where it is attached, when
 * its content is displayed, and what a person does to it. How a series becomes a picture is the
 * content's (`PaneContent`).
 */
export function openPane(world: SharedPaneContext, paneId: string): EnginePane {
  const paneState = openPaneState()
  const { state, subscribe } = paneState
  const context = paneContext(world, paneId, paneState)
  const cine: Cine = openCine({
    isNextThere: () => context.content?.isReady(following(context)) ?? true,
    next: () => pane.moveTo(following(context), 'person'),
  })
  const change = (what: (view: View) => void) => changeView(context, what)
  const pane: EnginePane = {
    ...{ paneId, state, subscribe },
    get screen() {
      return context.screen
    },
    attach: (element) => attach(context, pane, element),
    show: (series, index) => show(context, pane, cine, series, index),
    showPlane: (series, plane) => showPlane(context, cine, series, plane),
    showVolume: (series) => showVolume(context, cine, series),
    clear: () => clear(context, cine),
    scrollTo: (index) => pane.moveTo(index, 'person'),
    scrollBy: (images) => pane.moveTo(state().index + images, 'person'),
    moveTo: (index, by) => moveTo(context, pane, index, by),
    play: (framesPerSecond) => play(context, cine, framesPerSecond),
    stop: () => stop(context, cine),
    presets: () => context.content?.presets() ?? [],
    ...openActions(context, change),
    present: (next) => applyPresentation(context, pane, next),
    setScene: (scene) => changeScene(context, { scene }),
    setPlaneScene: (planeScene) => changeScene(context, { planeScene }),
    probeAt: (x, y) => probeAt(context, x, y),
    capture: (draw) => capture(context, draw),
    adopt: (find) => adopt(context, find),
    onFrame: (imageId, what) => context.content?.onFrame(imageId, what),
    anchored: () => context.content?.anchored?.(),
    setAnchor: () => context.content?.setAnchor?.(),
    dispose() {
      pane.clear()
      context.screen?.close()
      context.screen = undefined
      paneState.forgetListeners()
    },
  }
  return pane
}

function paneContext(
  world: SharedPaneContext,
  paneId: string,
  { state, set, setQuietly }: ReturnType<typeof openPaneState>,
): PaneContext {
  const context: PaneContext = {
    ...{ paneId, world, state, set, setQuietly, leftAt: new Map() },
    keptLook: undefined,
    scene: null,
    planeScene: null,
    screen: undefined,
    content: undefined,
    displaying: new AbortController(),
    redisplay: () => void display(context),
  }
  return context
}

function changeScene(
  context: PaneContext,
  change: Partial<Pick<PaneContext, 'scene' | 'planeScene'>>,
): void {
  Object.assign(context, change)
  context.content?.sceneChanged?.()
}

function probeAt({ screen, content, state }: PaneContext, x: number, y: number) {
  const view = screen?.view()
  return view && state().isShown ? content?.probeAt(view, [x, y]) : undefined
}

/** Where a film goes on: at the end, from the beginning. */
const following = ({ state }: PaneContext) => (state().index + 1) % Math.max(1, state().count)

/** Draws into an element from now on. @returns the way to detach */
function attach(context: PaneContext, pane: EnginePane, element: HTMLDivElement): () => void {
  const { world, state, set } = context
  if (context.screen) {
    context.content?.unmount()
    context.screen.close()
  }
  const scheduleRead = readScheduler(context)
  const screen = openScreen(world, context.paneId, element, {
    onReady: context.redisplay,
    onViewChange() {
      scheduleRead()
      context.content?.onCamera()
    },
    onRendered() {
      if (!state().isShown) return
      world.onRendered(pane)
      // Its size may have changed before its first picture: letters and zoom are of what is on the
      // screen.
      scheduleRead()
    },
    onWheel(images, isZoom) {
      if (isZoom) pane.zoomBy(images > 0 ? 0.9 : 1 / 0.9)
      else pane.scrollBy(images)
    },
  })
  context.screen = screen
  return () => {
    if (context.screen === screen) {
      context.content?.unmount()
      context.displaying.abort()
      context.screen = undefined
      set({ isShown: false })
    }
    screen.close()
  }
}

async function display(context: PaneContext): Promise<void> {
  context.displaying.abort()
  context.displaying = new AbortController()
  const { signal } = context.displaying
  try {
    await context.content?.display(signal)
    if (!signal.aborted) readDisplay(context)
  } catch (error) {
    if (!signal.aborted) fail(context, error, signal)
  }
}

/** Says why there is no image; tries again where that may pass by itself. */
function fail(context: PaneContext, error: unknown, signal: AbortSignal): void {
  const problem =
    error instanceof ImageProblem ? error : new ImageProblem(message('viewer.image-not-shown'))
  context.screen?.hide(true)
  context.set({ problem: problem.explanation, isShown: false })
  if (!problem.isTransient) return
  const retry = setTimeout(context.redisplay, RETRY_DELAY_MS)
  signal.addEventListener('abort', () => clearTimeout(retry), { once: true })
}

function applyPresentation(
  { content, state }: PaneContext,
  pane: Pane,
  next: PresentationState | null,
) {
  const wasPresented = state().presentation !== null
  content?.present?.(next)
  if (wasPresented && next === null) pane.reset()
}

/** Takes over what the viewport knows: window, zoom, sides of the body. */
function readDisplay({ screen, content, state, set }: PaneContext): void {
  const view = screen?.view()
  if (view && content && state().isShown) set(content.look(view))
}

/** Reads with the next picture of the screen: many events come between two of them. */
function readScheduler(context: PaneContext): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      readDisplay(context)
    })
  }
}

function changeView(context: PaneContext, change: (view: View) => void): void {
  const view = context.screen?.view()
  if (!view || !context.state().isShown) return
  change(view)
  view.render()
  readDisplay(context)
}

function show(
  context: PaneContext,
  pane: EnginePane,
  cine: Cine,
  series: SeriesState,
  index: number | undefined,
): void {
  const { state, leftAt } = context
  if (state().series?.key === series.key && state().kind === 'stack') {
    if (index !== undefined) pane.scrollTo(index)
    return
  }
  const left = leftAt.get(series.key)
  const at =
    index ?? (left === undefined ? 0 : series.stack.findIndex(({ imageId }) => imageId === left))
  const first = Math.max(0, Math.min(series.stack.length - 1, at))
  open(context, cine, openStackContent(context, first), openedStateAt(series, 'stack', first))
  if (index === undefined && left === undefined) context.world.onOpened(pane)
}

function showPlane(context: PaneContext, cine: Cine, series: SeriesState, plane: Plane) {
  const why = context.world.volumes.whyNot(series)
  if (why !== null) return why
  // The slab thickness that the user chose is kept when another series is shown.
  const slab = context.state().slab ?? SLICE
  open(context, cine, openPlaneContent(context, plane), {
    ...openedStateAt(series, 'plane', 0),
    ...{ plane, slab },
  })
  return null
}

const SLICE: Slab = { kind: 'slice', millimetres: 0 }

function showVolume(context: PaneContext, cine: Cine, series: SeriesState) {
  const why = context.world.volumes.whyNot(series)
  if (why === null)
    open(context, cine, openVolumeContent(context), openedStateAt(series, 'volume', 0))
  return why
}

function open(context: PaneContext, cine: Cine, content: PaneContent, opened: PaneState): void {
  const { state, set, leftAt, world } = context
  const { series: before, image: shown, isSmooth } = state()
  if (before && shown) leftAt.set(before.key, shown.imageId)
  leave(context, cine)
  context.content = content
  const { series, kind } = opened
  const volume = kind !== 'stack' && series ? world.volumes.progress(series.key) : null
  set({ ...opened, isSmooth, volume })
  context.redisplay()
}

function clear(context: PaneContext, cine: Cine): void {
  leave(context, cine)
  context.set({ ...EMPTY_PANE_STATE, isSmooth: context.state().isSmooth })
}

function leave(context: PaneContext, cine: Cine): void {
  cine.stop()
  context.displaying.abort()
  context.content?.unmount()
  context.content?.close()
  context.content = undefined
  context.screen?.hide(true)
}

function moveTo(context: PaneContext, pane: EnginePane, index: number, by: MoveSource): void {
  const { content, state, world } = context
  const at = Math.max(0, Math.min(state().count - 1, index))
  if (!content || at === state().index) return
  content.moveTo(at)
  if (by === 'person' && content.anchored?.()) world.onMoved(pane)
}

function play({ state, set }: PaneContext, cine: Cine, framesPerSecond: number | undefined): void {
  if (framesPerSecond !== undefined) set({ framesPerSecond })
  if (state().count < 2) return
  set({ isPlaying: true })
  cine.play(state().framesPerSecond)
}

function stop({ set }: PaneContext, cine: Cine): void {
  cine.stop()
  set({ isPlaying: false })
}

async function capture({ screen, state }: PaneContext, draw: Parameters<Pane['capture']>[0]) {
  const view = screen?.view()
  if (!view || !screen || !state().isShown) return undefined
  view.render()
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  return pictureOf(screen.host, view.getCanvas(), draw)
}

function adopt({ content, state }: PaneContext, find: Parameters<EnginePane['adopt']>[0]): void {
  const { series, image } = state()
  if (!series) return
  const next = find(series, image?.imageId ?? series.stack[0]?.imageId ?? '')
  if (next && next !== series) content?.adopt(next)
}
