import { cache, getShouldUseCPURendering, type Types } from '@cornerstonejs/core'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { curvesOf } from '#shared/pixels/curves.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { itemFor } from '../../referencing/display-coordinates.ts'
import { extrasOf } from '../image.ts'
import { settleLevels } from '../levels.ts'
import { openPrefetch, type Prefetch, prefetchCapacity } from '../prefetch.ts'
import {
  type PresentedBrightness,
  presentedBrightness,
  showDisplayedArea,
} from '../presentation.ts'
import { probeImage } from '../probe.ts'
import type { SeriesState, StackImage } from '../stack.ts'
import { rangeOf } from '../view.ts'
import { type ImageLayers, openImageLayers } from './image-layers.ts'
import { keptDisplayOf, restoreDisplay } from './kept-display.ts'
import { offeredPresets } from './offered-presets.ts'
import { applyOpenedWindow, setInterpolation } from './pane-actions.ts'
import type { FrameEvent, PaneContent, PaneContext } from './pane-context.ts'
import { displayStateOf, isExact, isNegative, stateAtImage } from './pane-display.ts'
import { forgetWindow, imageIdsOf, mountStack, remapStack } from './stack-view.ts'

const MISSING_FILE = message('viewer.image-without-file')

/** What the functions of a stack in a pane work on. */
interface StackContext {
  readonly pane: PaneContext
  readonly prefetch: Prefetch
  /** What the viewport holds: how a person sees it stays while its key does. */
  mounted: { readonly key: string; readonly stack: readonly StackImage[] } | undefined
  layers: ImageLayers | undefined
  /** Index at which panes were linked. */
  anchor: number
  /** Of the scroll. */
  direction: 1 | -1
  /** Of the image's look-up tables, the one that brightness is by; undefined: by none. */
  curve: number | undefined
  /** Brightness by a presentation state, until a person chooses another curve. */
  presented: PresentedBrightness | undefined
  /** How the presentation state shows the image, in a form to be compared. */
  presentedAs: string
}

/** The images of a series one after the other, as they are. */
export function openStackContent(pane: PaneContext, index: number): PaneContent {
  const stack = stackContext(pane, index)
  const image = () => shownImage(stack)
  return {
    display: (signal) => display(stack, signal),
    unmount: () => unmount(stack),
    close: () => stack.prefetch.stop(),
    onCamera: () => undefined,
    look(view) {
      stack.layers?.place(view as Types.IStackViewport)
      return displayStateOf(view, pane.state(), image())
    },
    image,
    moveTo: (to) => moveTo(stack, to),
    isReady: (at) => isReady(stack, at),
    adopt: (series) => adopt(stack, series),
    onFrame: (imageId, what) => onFrame(stack, imageId, what),
    anchored() {
      const { series, index: at } = pane.state()
      return series ? { stack: series.stack, index: at, anchor: stack.anchor } : undefined
    },
    setAnchor() {
      stack.anchor = pane.state().index
    },
    presets: () => offeredPresets(pane.state(), image()),
    setCurve(curve) {
      stack.curve = curve
      stack.presented = undefined
      applyBrightness(stack, pane.state().isInverted)
    },
    setInversion: (isInverted) => applyBrightness(stack, isInverted),
    reset(view) {
      view.resetCamera()
      applyOpenedWindow(view, image())
      forgetWindow(view as Types.IStackViewport)
      stack.curve = 0
    },
    present: (state) => applyPresentation(stack, state),
    presentAgain() {
      stack.presentedAs = ''
      applyPresentation(stack, pane.state().presentation)
    },
    sceneChanged: () => stack.layers?.setScene(pane.scene),
    setSmooth: (view) => setInterpolation(view, pane.state().isSmooth),
    probeAt(view, point) {
      const { image: of, unit } = pane.state()
      return probeImage(view as Types.IStackViewport, of, unit, image(), point)
    },
  }
}

function stackContext(pane: PaneContext, index: number): StackContext {
  const { frames, panesInUse } = pane.world
  const frameCapacity = () => {
    const pixel = pane.state().image?.instance.image ?? null
    return prefetchCapacity(pixel, cache.getMaxCacheSize(), panesInUse())
  }
  return {
    pane,
    prefetch: openPrefetch(frames, frameCapacity),
    mounted: undefined,
    layers: undefined,
    anchor: index,
    direction: 1,
    curve: 0,
    presented: undefined,
    presentedAs: '',
  }
}

const viewportOf = ({ pane }: StackContext) =>
  pane.screen?.view() as Types.IStackViewport | undefined

/** Why an image cannot be shown. */
const problemOf = ({ pane }: StackContext, series: SeriesState, imageId: string) =>
  series.missing.has(imageId) ? MISSING_FILE : pane.world.frames.problem(imageId)

function shownImage(stack: StackContext): Types.IImage | undefined {
  const id = stack.pane.state().image?.imageId
  if (id === undefined) return undefined
  // The scroll of another pane may have driven it out of the cache; the viewport still has it.
  const shown = stack.mounted ? viewportOf(stack)?.getCornerstoneImage() : undefined
  return stack.pane.world.frames.cached(id) ?? (shown?.imageId === id ? shown : undefined)
}

function moveTo(stack: StackContext, to: number): void {
  const { pane } = stack
  const { series, index: from } = pane.state()
  stack.direction = to > from ? 1 : -1
  if (!series) return
  pane.set(stateAtImage(series, to))
  pane.redisplay()
}

/** Whether an image can be shown at once, or never can. */
function isReady(stack: StackContext, at: number): boolean {
  const { series } = stack.pane.state()
  const next = series?.stack[at]
  if (!series || !next) return true
  const isCached = stack.pane.world.frames.cached(next.imageId) !== undefined
  return isCached || problemOf(stack, series, next.imageId) !== null
}

async function display(stack: StackContext, signal: AbortSignal): Promise<void> {
  const { pane } = stack
  const { series, image } = pane.state()
  if (!series || !image) return
  const why = problemOf(stack, series, image.imageId)
  if (why) throw new ImageProblem(why)
  if (!pane.screen?.isReady) return pane.set({ problem: null, isShown: false })
  await load(stack, series, image.imageId, signal)
  if (signal.aborted || !pane.screen) return
  await put(stack, series, image.imageId)
  if (signal.aborted || !pane.screen) return
  applyBrightness(stack, pane.state().isInverted)
  stack.layers ??= openImageLayers(pane.screen.host)
  stack.layers.setScene(pane.scene)
  stack.layers.show(image, shownImage(stack), pane.state().presentation !== null)
  pane.screen.hide(false)
  pane.set({ problem: null, isShown: true })
}

/** Has an image decoded, and those around it after it. */
async function load(
  stack: StackContext,
  series: SeriesState,
  imageId: string,
  signal: AbortSignal,
): Promise<void> {
  const { pane } = stack
  const { frames } = pane.world
  if (frames.cached(imageId)) return readAhead(stack, series)
  pane.set({ problem: null, isShown: false })
  const isFirst = stack.mounted?.key !== series.key
  if (isFirst) pane.screen?.hide(true)
  const loading = frames.load(imageId, 'shown', signal)
  // The first image of a series is fetched alone, so that it comes soonest.
  if (!isFirst) readAhead(stack, series)
  await loading
  if (isFirst && !signal.aborted) readAhead(stack, series)
}

const readAhead = ({ pane, prefetch, direction }: StackContext, series: SeriesState) =>
  prefetch.follow(imageIdsOf(series), pane.state().index, direction)

/** Puts a decoded image on the screen. */
async function put(stack: StackContext, series: SeriesState, imageId: string): Promise<void> {
  const { pane } = stack
  const viewport = pane.screen?.stack()
  if (!viewport) return
  const ids = imageIdsOf(series)
  const index = ids.indexOf(imageId)
  if (stack.mounted?.key !== series.key) return mount(stack, viewport, series, index)
  if (stack.mounted.stack !== series.stack) {
    stack.mounted = { key: series.key, stack: series.stack }
    remapStack(viewport, ids)
  }
  await viewport.setImageIdIndex(index)
  // Without WebGL, Cornerstone forgets the window with each image.
  const { window } = pane.state()
  if (getShouldUseCPURendering() && window)
    viewport.setProperties({ voiRange: rangeOf(window, isExact(shownImage(stack))) })
}

async function mount(
  stack: StackContext,
  viewport: Types.IStackViewport,
  series: SeriesState,
  index: number,
): Promise<void> {
  const { pane } = stack
  stack.mounted = { key: series.key, stack: series.stack }
  await mountStack(viewport, imageIdsOf(series), index, pane.state().isSmooth)
  const { keptLook } = pane
  if (keptLook?.key === series.key) {
    restoreDisplay(viewport, keptLook, isExact(shownImage(stack)))
    pane.setQuietly({ isInverted: keptLook.isInverted })
    viewport.render()
  }
  pane.keptLook = undefined
}

function unmount(stack: StackContext): void {
  const { pane, mounted } = stack
  const view = pane.screen?.view()
  if (view && mounted && pane.state().isShown)
    pane.keptLook = keptDisplayOf(view, mounted.key, pane.state())
  stack.mounted = undefined
  stack.presentedAs = ''
  stack.layers?.close()
  stack.layers = undefined
}

/** Brightness by the curve that is chosen, where the image has one. */
function applyBrightness(stack: StackContext, isInverted: boolean): void {
  const { pane } = stack
  const image = shownImage(stack)
  const view = viewportOf(stack)
  if (!image || image.color || !view) return
  const own = stack.curve === undefined ? undefined : curvesOf(extrasOf(image))[stack.curve]
  const chosen = stack.presented ? stack.presented.curve : own
  settleLevels(view, chosen, isInverted !== isNegative(pane.state()))
  view.render()
  pane.set({ curve: chosen?.name ?? null })
}

/** Shows the image by a presentation state, or no longer by one. */
function applyPresentation(stack: StackContext, next: PresentationState | null): void {
  const { pane } = stack
  const { image: of, isShown, presentation: before } = pane.state()
  const view = viewportOf(stack)
  const image = shownImage(stack)
  if (!view || !isShown || !of || !image) return
  const shownBrightness = next && presentedBrightness(next, of, image)
  const as = next
    ? JSON.stringify([shownBrightness?.range, shownBrightness?.isInverted, itemFor(next.areas, of)])
    : ''
  const isSame = next === before && as === stack.presentedAs
  pane.set({ presentation: next, presentationProblem: shownBrightness?.problem ?? null })
  stack.layers?.show(of, image, next !== null)
  if (isSame) return
  stack.presentedAs = as
  stack.presented = shownBrightness?.range ? shownBrightness : undefined
  if (!next) return
  showDisplayedArea(view, next, of)
  if (shownBrightness?.range) {
    view.setProperties({ voiRange: shownBrightness.range })
    applyBrightness(stack, shownBrightness.isInverted !== isNegative(pane.state()))
  }
  view.render()
}

/** The series has grown: the image that is shown stays, at its new place. */
function adopt(stack: StackContext, next: SeriesState): void {
  const { pane } = stack
  const { series, image, index: before, isShown, problem } = pane.state()
  if (stack.mounted && stack.mounted.key === series?.key)
    stack.mounted = { ...stack.mounted, key: next.key }
  const found = next.stack.findIndex(({ imageId }) => imageId === image?.imageId)
  const index = found >= 0 ? found : Math.min(before, next.stack.length - 1)
  stack.anchor = Math.max(0, stack.anchor + index - before)
  pane.set({ series: next, count: next.stack.length, ...stateAtImage(next, index) })
  const viewport = viewportOf(stack)
  if (found >= 0 && isShown && viewport && stack.mounted) {
    stack.mounted = { key: next.key, stack: next.stack }
    remapStack(viewport, imageIdsOf(next))
    readAhead(stack, next)
  } else if (found < 0 || problem) pane.redisplay()
  else readAhead(stack, next)
}

function onFrame(stack: StackContext, imageId: string, what: FrameEvent): void {
  const { pane } = stack
  const { image, problem } = pane.state()
  if (what === 'loaded' || image?.imageId !== imageId) return
  if (what === 'replaced') unmount(stack)
  if (what === 'replaced' || !problem) pane.redisplay()
}
