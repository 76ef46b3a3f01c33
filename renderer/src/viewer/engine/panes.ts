import { cache, getShouldUseCPURendering, type Types } from '@cornerstonejs/core'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { curvesOf } from '#shared/pixels/curves.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { itemFor } from '../referencing/display-coordinates.ts'
import type { Scene } from '../referencing/scene.ts'
import { openCine } from './cine.ts'
import { extrasOf } from './image.ts'
import { type KeptLook, keptLookOf, restoreLook } from './kept-look.ts'
import { settleLevels } from './levels.ts'
import { atImage, isExact, isNegative, lookOf, NOTHING, openedAt } from './look.ts'
import { offeredPresets } from './offered-presets.ts'
import { type OverlayPlanes, openOverlayPlanes } from './overlay-planes.ts'
import type { Plane } from './pane.ts'
import { giveOpenedWindow, openActions } from './pane-actions.ts'
import type { PaneInside, PanesWorld } from './pane-inside.ts'
import { openPaneState } from './pane-state.ts'
import { pictureOf } from './picture.ts'
import { openPrefetch, roomFor } from './prefetch.ts'
import { type PresentedLook, presentedLook, showDisplayedArea } from './presentation.ts'
import { probedAt } from './probe.ts'
import { openSceneLayer, type SceneLayer } from './scene-layer.ts'
import { openScreen, rendered, type Screen } from './screen.ts'
import type { SeriesState } from './stack.ts'
import { imageIdsOf, mountStack, remapStack } from './stack-view.ts'
import { rangeOf } from './view.ts'
import { blankUnread } from './volume-texture.ts'

const MISSING = message('viewer.image-without-file')
const RETRY_AFTER = 5000

/** One pane: what it shows, how a person moves through it, and what is read ahead for it. */
export function openPane(world: PanesWorld, paneId: string): PaneInside {
  const { frames, volumes } = world
  const left = new Map<string, string>()
  const { state, set, setUntold, subscribe, forgetListeners } = openPaneState()
  let screen: Screen | undefined
  let overlays: OverlayPlanes | undefined
  let sceneLayer: SceneLayer | undefined
  let scene: Scene | null = null
  /** Undefined: as sent, or the person has chosen another curve since. */
  let presented: PresentedLook | undefined
  /** How the presentation state shows the image, in a form to be compared. */
  let presentedAs = ''
  /** What the viewport holds: a person's view of it stays while its key does. */
  let mounted: { readonly key: string; readonly stack: readonly unknown[] } | undefined
  let kept: KeptLook | undefined
  let turn = 0
  let wanted = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined
  let looking: number | undefined
  let anchor = 0
  /**
   * Of the image's look-up tables, the one that a person sees it by; undefined: by none. It opens
   * by the first.
   */
  let curve: number | undefined = 0
  let direction: 1 | -1 = 1
  const prefetch = openPrefetch(frames, () =>
    roomFor(state().image?.instance.image ?? null, cache.getMaxCacheSize(), world.panesInUse()),
  )
  const readLook = () => {
    const view = screen?.view()
    if (!view || !state().isShown) return
    if (!state().plane) {
      overlays?.place(view as Types.IStackViewport)
      sceneLayer?.place(view as Types.IStackViewport)
    }
    set(lookOf(view, state(), decoded()))
  }
  const look = () => {
    looking ??= requestAnimationFrame(() => {
      looking = undefined
      readLook()
    })
  }
  /** The image that is shown; of a plane, its volume's middle one, which its window is of. */
  const decoded = () => {
    const { series, plane, image } = state()
    const id = plane ? series?.stack[series.stack.length >> 1]?.imageId : image?.imageId
    if (id === undefined) return undefined
    // Another pane's scroll may have driven it out of the cache; the viewport still has it.
    const shown =
      plane || !mounted
        ? undefined
        : (screen?.view() as Types.IStackViewport | undefined)?.getCornerstoneImage()
    return frames.cached(id) ?? (shown?.imageId === id ? shown : undefined)
  }
  /** Why an image cannot be shown. */
  const whyNot = (series: SeriesState, imageId: string) =>
    series.missing.has(imageId) ? MISSING : frames.problem(imageId)
  const changeView = (change: (view: NonNullable<ReturnType<Screen['view']>>) => void) => {
    const view = screen?.view()
    if (!view || !state().isShown) return
    change(view)
    view.render()
    readLook()
  }
  const fail = (mine: number, error: unknown) => {
    if (mine !== turn) return
    const problem =
      error instanceof ImageProblem ? error : new ImageProblem(message('viewer.image-not-shown'))
    screen?.hide(true)
    set({ problem: problem.explanation, isShown: false })
    if (problem.isPassing) retry = setTimeout(() => void display(), RETRY_AFTER)
  }
  const display = async () => {
    turn += 1
    const mine = turn
    clearTimeout(retry)
    wanted.abort()
    wanted = new AbortController()
    const { series, plane, image } = state()
    if (!series) return
    if (plane) return displayPlane(mine, series, plane)
    if (!image) return
    const why = whyNot(series, image.imageId)
    if (why) return fail(mine, new ImageProblem(why))
    if (!screen?.isReady) return set({ problem: null, isShown: false })
    const follow = () => prefetch.follow(imageIdsOf(series), state().index, direction)
    try {
      if (frames.cached(image.imageId)) follow()
      else {
        set({ problem: null, isShown: false })
        const isFirst = mounted?.key !== series.key
        if (isFirst) screen.hide(true)
        const loading = frames.load(image.imageId, 'shown', wanted.signal)
        // The first image of a series has the line for itself.
        if (!isFirst) follow()
        await loading
        if (isFirst && mine === turn) follow()
      }
      if (mine !== turn || !screen) return
      await put(series, image.imageId)
      if (mine !== turn) return
      settle(state().isInverted)
      showLayers()
      screen.hide(false)
      set({ problem: null, isShown: true })
      readLook()
    } catch (error) {
      fail(mine, error)
    }
  }
  const showLayers = () => {
    const { image, presentation } = state()
    if (!image) return
    // A presentation state says which overlay planes are shown (PS3.3 C.11.7).
    const extras = presentation ? undefined : extrasOf(decoded())
    overlays?.show(decoded(), extras, image.instance.regions)
    sceneLayer?.show(image, decoded())
  }
  const present = (next: PresentationState | null) => {
    const { image, isShown, presentation: before } = state()
    const view = screen?.view() as Types.IStackViewport | undefined
    const pixels = decoded()
    if (!view || !isShown || !image || !pixels || state().plane) return
    if (!next) {
      if (!before) return
      presented = undefined
      presentedAs = ''
      set({ presentation: null, presentationProblem: null })
      showLayers()
      pane.reset()
      return
    }
    const look = presentedLook(next, image, pixels)
    const as = JSON.stringify([look.range, look.isInverted, itemFor(next.areas, image)])
    const isSame = next === before && as === presentedAs
    set({ presentation: next, presentationProblem: look.problem })
    showLayers()
    if (isSame) return
    presented = look
    presentedAs = as
    showPresented()
  }
  /** As the presentation state says, whatever a person has changed. */
  const showPresented = () =>
    changeView((view) => {
      const { presentation, image } = state()
      if (!presentation || !image || !presented) return
      const stack = view as Types.IStackViewport
      showDisplayedArea(stack, presentation, image)
      if (!presented.range) return
      stack.setProperties({ voiRange: presented.range })
      settle(presented.isInverted !== isNegative(state()))
    })
  /** Puts a decoded image on the screen. */
  const put = async (series: SeriesState, imageId: string) => {
    if (!screen) return
    const viewport = screen.stack()
    const ids = imageIdsOf(series)
    const index = ids.indexOf(imageId)
    if (mounted?.key !== series.key) {
      mounted = { key: series.key, stack: series.stack }
      await mountStack(viewport, ids, index, state().isSmooth)
      if (kept?.key === series.key) {
        restoreLook(viewport, kept, isExact(decoded()))
        setUntold({ isInverted: kept.isInverted })
        viewport.render()
      }
      kept = undefined
      return
    }
    if (mounted.stack !== series.stack) {
      mounted = { key: series.key, stack: series.stack }
      remapStack(viewport, ids)
    }
    await viewport.setImageIdIndex(index)
    // Without WebGL, Cornerstone forgets the window with each image.
    const { window } = state()
    if (getShouldUseCPURendering() && window)
      viewport.setProperties({ voiRange: rangeOf(window, isExact(decoded())) })
  }
  /** Brightness by the curve that is chosen, where the image has one. */
  const settle = (isInverted: boolean) => {
    const image = decoded()
    if (!image || image.color || state().plane) return
    const own = curve === undefined ? undefined : curvesOf(extrasOf(image))[curve]
    const chosen = presented ? presented.curve : own
    const view = screen?.view() as Types.IStackViewport | undefined
    if (!view) return
    settleLevels(view, chosen, isInverted !== isNegative(state()))
    view.render()
    set({ curve: chosen?.name ?? null })
  }
  const displayPlane = async (mine: number, series: SeriesState, plane: Plane) => {
    if (!screen?.isReady) return set({ isShown: false })
    try {
      overlays?.close()
      const volume = await volumes.open(series)
      if (mine !== turn || !screen) return
      const viewport = screen.plane(plane)
      if (mounted?.key !== volume.volumeId) {
        mounted = { key: volume.volumeId, stack: [] }
        await viewport.setVolumes([{ volumeId: volume.volumeId }])
        giveOpenedWindow(viewport, decoded())
        viewport.setProperties({ invert: isNegative(state()) })
        world.tools.planesChanged()
        // The texture is made with the first picture, which nobody is to see.
        const first = rendered(screen.host)
        viewport.render()
        await first
        if (mine !== turn) return
        blankUnread(volume)
      }
      if (mine !== turn) return
      viewport.render()
      screen.hide(false)
      set({
        problem: null,
        isShown: true,
        index: viewport.getSliceIndex(),
        count: viewport.getNumberOfSlices(),
        volume: volumes.progress(series.key),
      })
      readLook()
    } catch (error) {
      fail(mine, error)
    }
  }
  const unmount = () => {
    const view = screen?.view()
    if (view && mounted && state().isShown && state().plane === null)
      kept = keptLookOf(view, mounted.key, state())
    mounted = undefined
  }

  const cine = openCine({
    isNextThere: () => {
      const { series, plane, index, count } = state()
      const next = series?.stack[(index + 1) % Math.max(1, count)]
      if (!series || plane || !next) return true
      return frames.cached(next.imageId) !== undefined || whyNot(series, next.imageId) !== null
    },
    next: () => pane.moveTo((state().index + 1) % Math.max(1, state().count), 'person'),
  })
  const openWith = (series: SeriesState, plane: Plane | null, index: number) => {
    prefetch.stop()
    cine.stop()
    const { series: before, image: shown, isSmooth } = state()
    if (before && shown) left.set(before.key, shown.imageId)
    unmount()
    screen?.hide(true)
    anchor = index
    direction = 1
    curve = 0
    presented = undefined
    presentedAs = ''
    set({
      ...openedAt(series, plane, index),
      isSmooth,
      ...(plane && { volume: volumes.progress(series.key) }),
    })
    void display()
  }

  const pane: PaneInside = {
    paneId,
    get screen() {
      return screen
    },
    attach(element) {
      screen?.close()
      mounted = undefined
      const opened: Screen = openScreen(world.engine, world.tools, paneId, element, {
        onReady: () => void display(),
        onLook: () => {
          look()
          if (state().plane) readSlice()
        },
        onRendered: () => {
          if (!state().isShown) return
          world.onRendered(pane)
          // Its size may have changed before its first picture: letters and zoom are of what is on
          // the screen.
          look()
        },
        onWheel: (images, isZoom) => {
          if (isZoom) pane.zoomBy(images > 0 ? 0.9 : 1 / 0.9)
          else pane.scrollBy(images)
        },
      })
      screen = opened
      overlays = openOverlayPlanes(opened.host)
      sceneLayer = openSceneLayer(opened.host)
      sceneLayer.setScene(scene)
      presentedAs = ''
      return () => {
        if (screen === opened) {
          unmount()
          turn += 1
          wanted.abort()
          screen = undefined
          set({ isShown: false })
        }
        opened.close()
      }
    },
    state,
    subscribe,

    show(series, index) {
      if (state().series?.key === series.key && state().plane === null) {
        if (index !== undefined) pane.moveTo(index, 'person')
        return
      }
      const where = left.get(series.key)
      const at =
        index ??
        (where === undefined ? 0 : series.stack.findIndex(({ imageId }) => imageId === where))
      openWith(series, null, Math.max(0, Math.min(series.stack.length - 1, at)))
    },
    showPlane(series, plane) {
      const why = volumes.whyNot(series)
      if (why === null) openWith(series, plane, 0)
      return why
    },
    clear() {
      prefetch.stop()
      cine.stop()
      unmount()
      turn += 1
      wanted.abort()
      clearTimeout(retry)
      screen?.hide(true)
      set({ ...NOTHING, isSmooth: state().isSmooth })
    },

    scrollTo: (index) => pane.moveTo(index, 'person'),
    scrollBy: (images) => pane.moveTo(state().index + images, 'person'),
    moveTo(index, by) {
      const { series, plane, count } = state()
      if (!series) return
      const at = Math.max(0, Math.min(count - 1, index))
      if (at === state().index) return
      if (plane) {
        const view = screen?.view() as Types.IVolumeViewport | undefined
        view?.scroll(at - state().index)
        readSlice()
        return
      }
      direction = at > state().index ? 1 : -1
      set(atImage(series, at))
      void display()
      if (by === 'person') world.onMoved(pane)
    },
    play(framesPerSecond) {
      if (framesPerSecond !== undefined) set({ framesPerSecond })
      if (state().count < 2) return
      set({ isPlaying: true })
      cine.play(state().framesPerSecond)
    },
    stop() {
      cine.stop()
      set({ isPlaying: false })
    },

    present,
    setScene(next) {
      scene = next
      sceneLayer?.setScene(next)
    },
    presets: () => offeredPresets(state(), decoded()),
    ...openActions({
      state,
      image: decoded,
      change: changeView,
      setSmooth: (isSmooth) => set({ isSmooth }),
      setCurve(index) {
        curve = index
        presented = undefined
        settle(state().isInverted)
      },
      setInversion: settle,
    }),

    probeAt(x, y) {
      const view = screen?.view()
      if (!view || !state().isShown) return undefined
      return probedAt(view, state(), decoded(), extrasOf(decoded())?.modalityLut != null, [x, y])
    },
    async capture(draw) {
      const view = screen?.view()
      if (!view || !screen || !state().isShown) return undefined
      view.render()
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return pictureOf(screen.host, view.getCanvas(), draw)
    },

    adopt(find) {
      const { series, image, plane } = state()
      if (!series) return
      const next = find(series, image?.imageId ?? series.stack[0]?.imageId ?? '')
      if (!next || next === series) return
      if (plane) {
        set({ series: next })
        return
      }
      if (mounted?.key === series.key) mounted = { ...mounted, key: next.key }
      const found = next.stack.findIndex(({ imageId }) => imageId === image?.imageId)
      const index = found >= 0 ? found : Math.min(state().index, next.stack.length - 1)
      anchor = Math.max(0, anchor + index - state().index)
      set({ series: next, count: next.stack.length, ...atImage(next, index) })
      const viewport = screen?.view()
      if (found >= 0 && state().isShown && viewport && mounted) {
        mounted = { key: next.key, stack: next.stack }
        remapStack(viewport as Types.IStackViewport, imageIdsOf(next))
        prefetch.follow(imageIdsOf(next), index, direction)
      } else if (found < 0 || state().problem) void display()
      else prefetch.follow(imageIdsOf(next), index, direction)
    },
    onFrame(imageId, what) {
      if (what === 'loaded') {
        const { series, plane } = state()
        if (plane && series) set({ volume: volumes.progress(series.key) })
        return
      }
      if (state().image?.imageId !== imageId) return
      if (what === 'replaced') unmount()
      if (what === 'replaced' || !state().problem) void display()
    },
    anchored() {
      const { series, plane, index } = state()
      return series && !plane ? { stack: series.stack, index, anchor } : undefined
    },
    setAnchor() {
      anchor = state().index
    },
    dispose() {
      pane.clear()
      screen?.close()
      screen = undefined
      forgetListeners()
      if (looking !== undefined) cancelAnimationFrame(looking)
    },
  }
  const readSlice = () => {
    const view = screen?.view() as Types.IVolumeViewport | undefined
    if (view && mounted && state().isShown)
      set({ index: view.getSliceIndex(), count: view.getNumberOfSlices() })
  }
  return pane
}
