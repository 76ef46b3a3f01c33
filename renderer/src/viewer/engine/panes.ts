import { cache, Enums, getShouldUseCPURendering, type Types } from '@cornerstonejs/core'
import { openCine } from './cine.ts'
import { curvesOf, settleLevels } from './curves.ts'
import { extrasOf } from './image.ts'
import type { SeriesState } from './images.ts'
import { atImage, isExact, isNegative, lookOf, NOTHING } from './look.ts'
import { offeredPresets } from './offered-presets.ts'
import { type OverlayPlanes, openOverlayPlanes } from './overlay-planes.ts'
import type { PaneState, Plane, ValueWindow } from './pane.ts'
import { openActions, openedWindow } from './pane-actions.ts'
import type { PaneInside, PanesWorld } from './pane-inside.ts'
import { pictureOf } from './picture.ts'
import { bytesOf, openPrefetch } from './prefetch.ts'
import { probedAt } from './probe.ts'
import { ImageProblem } from './problem.ts'
import { openScreen, type Screen } from './screen.ts'
import { imageIdsOf, mountStack, remapStack } from './stack-view.ts'
import { rangeOf } from './view.ts'
import { blankUnread } from './volume-texture.ts'

const MISSING = 'The partner announced this image and gave no file of it.'
const RETRY_AFTER = 5000
/** Half of the memory is for what is shown and may be shown soon. */
const PREFETCH_SHARE = 0.5
export function openPane(world: PanesWorld, paneId: string): PaneInside {
  const { frames, volumes } = world
  const listeners = new Set<() => void>()
  const left = new Map<string, string>()
  let state = NOTHING
  let screen: Screen | undefined
  let overlays: OverlayPlanes | undefined
  /** What the viewport holds: a person's view of it stays while its key does. */
  let mounted: { readonly key: string; readonly stack: readonly unknown[] } | undefined
  let kept:
    | { readonly look: Types.ViewPresentation; readonly window: ValueWindow | null; readonly isInverted: boolean; readonly key: string }
    | undefined
  let turn = 0
  let wanted = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined
  let looking: number | undefined
  let anchor = 0
  /** Of the image's look-up tables, the one that a person sees it by; undefined: by none. It opens by the first. */
  let curve: number | undefined = 0
  let direction: 1 | -1 = 1
  const set = (patch: Partial<PaneState>) => {
    const names = Object.keys(patch) as (keyof PaneState)[]
    if (
      names.every(
        (name) => state[name] === patch[name] || (BY_VALUE.has(name) && JSON.stringify(state[name]) === JSON.stringify(patch[name])),
      )
    )
      return
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }
  const prefetch = openPrefetch(frames, (imageIds) => {
    const bytes = bytesOf(state.image?.instance.image ?? null)
    const room = (cache.getMaxCacheSize() * PREFETCH_SHARE) / Math.max(1, world.panesInUse())
    return Math.max(2, Math.min(imageIds.length, Math.floor(room / bytes)))
  })
  const readLook = () => {
    const view = screen?.view()
    if (!view || !state.isShown) return
    if (!state.plane) overlays?.place(view as Types.IStackViewport)
    set(lookOf(view, state, decoded()))
  }
  const look = () => {
    looking ??= requestAnimationFrame(() => {
      looking = undefined
      readLook()
    })
  }
  /** The image that is shown; of a plane, its volume's middle one, which its window is of. */
  const decoded = () => {
    const { series, plane, image } = state
    const id = plane ? series?.stack[series.stack.length >> 1]?.imageId : image?.imageId
    if (id === undefined) return undefined
    // Another pane's scroll may have driven it out of the cache; the viewport still has it.
    const shown = plane || !mounted ? undefined : (screen?.view() as Types.IStackViewport | undefined)?.getCornerstoneImage()
    return frames.cached(id) ?? (shown?.imageId === id ? shown : undefined)
  }
  const changeView = (change: (view: NonNullable<ReturnType<Screen['view']>>) => void) => {
    const view = screen?.view()
    if (!view || !state.isShown) return
    change(view)
    view.render()
    readLook()
  }
  const fail = (mine: number, error: unknown) => {
    if (mine !== turn) return
    const problem = error instanceof ImageProblem ? error : new ImageProblem('The image cannot be shown.')
    screen?.hide(true)
    set({ problem: problem.message, isShown: false })
    if (problem.isPassing) retry = setTimeout(() => void display(), RETRY_AFTER)
  }
  const display = async () => {
    turn += 1
    const mine = turn
    clearTimeout(retry)
    wanted.abort()
    wanted = new AbortController()
    const { series, plane, image } = state
    if (!series) return
    if (plane) return displayPlane(mine, series, plane)
    if (!image) return
    const why = series.missing.has(image.imageId) ? MISSING : frames.problem(image.imageId)
    if (why !== '') return fail(mine, new ImageProblem(why))
    if (!screen?.isReady) return set({ problem: '', isShown: false })
    const follow = () => prefetch.follow(imageIdsOf(series), state.index, direction)
    try {
      if (frames.cached(image.imageId)) follow()
      else {
        set({ problem: '', isShown: false })
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
      settle(state.isInverted)
      overlays?.show(decoded(), extrasOf(decoded()))
      screen.hide(false)
      set({ problem: '', isShown: true })
      readLook()
    } catch (error) {
      fail(mine, error)
    }
  }
  /** Puts a decoded image on the screen. */
  const put = async (series: SeriesState, imageId: string) => {
    if (!screen) return
    const viewport = screen.stack()
    const ids = imageIdsOf(series)
    const index = ids.indexOf(imageId)
    if (mounted?.key !== series.key) {
      mounted = { key: series.key, stack: series.stack }
      await mountStack(viewport, ids, index, state.isSmooth)
      if (kept?.key === series.key) {
        viewport.setViewPresentation(kept.look)
        // A window that nobody has chosen stays each image's own.
        if (kept.window) viewport.setProperties({ voiRange: rangeOf(kept.window, isExact(decoded())) })
        state = { ...state, isInverted: kept.isInverted }
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
    if (getShouldUseCPURendering() && state.window) viewport.setProperties({ voiRange: rangeOf(state.window, isExact(decoded())) })
  }
  /** Brightness by the curve that is chosen, where the image has one. */
  const settle = (isInverted: boolean) => {
    const image = decoded()
    if (!image || image.color || state.plane) return
    const chosen = curve === undefined ? undefined : curvesOf(extrasOf(image))[curve]
    const view = screen?.view() as Types.IStackViewport | undefined
    if (!view) return
    settleLevels(view, chosen, isInverted !== isNegative(state))
    view.render()
    set({ curve: chosen?.name ?? '' })
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
        const window = openedWindow(decoded())
        if (window) viewport.setProperties({ voiRange: rangeOf(window, isExact(decoded())) })
        viewport.setProperties({ invert: isNegative(state) })
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
        problem: '',
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
    if (view && mounted && state.isShown && state.plane === null)
      kept = {
        key: mounted.key,
        look: view.getViewPresentation(),
        window: (view as Types.IStackViewport).getProperties()?.isComputedVOI ? null : state.window,
        isInverted: state.isInverted,
      }
    mounted = undefined
  }

  const cine = openCine({
    isNextThere: () => {
      const { series, index } = state
      const next = series?.stack[(index + 1) % Math.max(1, state.count)]
      return (
        state.plane !== null ||
        !next ||
        frames.cached(next.imageId) !== undefined ||
        frames.problem(next.imageId) !== '' ||
        (series?.missing.has(next.imageId) ?? false)
      )
    },
    next: () => pane.moveTo((state.index + 1) % Math.max(1, state.count), 'person'),
  })
  const openWith = (series: SeriesState, plane: Plane | null, index: number) => {
    prefetch.stop()
    cine.stop()
    if (state.series && state.image) left.set(state.series.key, state.image.imageId)
    unmount()
    screen?.hide(true)
    anchor = index
    direction = 1
    curve = 0
    const { frameTime } = series
    set({
      ...NOTHING,
      series,
      plane,
      ...atImage(series, index),
      ...(plane && { image: null, volume: volumes.progress(series.key) }),
      count: plane ? 0 : series.stack.length,
      isSmooth: state.isSmooth,
      framesPerSecond: frameTime ? Math.max(1, Math.min(60, Math.round(1000 / frameTime))) : 10,
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
          if (state.plane) readSlice()
        },
        onRendered: () => {
          if (!state.isShown) return
          world.onRendered(pane)
          // Its size may have changed before its first picture: letters and zoom are of what is on the screen.
          look()
        },
        onWheel: (images, isZoom) => {
          if (isZoom) pane.zoomBy(images > 0 ? 0.9 : 1 / 0.9)
          else pane.scrollBy(images)
        },
      })
      screen = opened
      overlays = openOverlayPlanes(opened.host)
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
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    show(series, index) {
      if (state.series?.key === series.key && state.plane === null) {
        if (index !== undefined) pane.moveTo(index, 'person')
        return
      }
      const where = left.get(series.key)
      const at = index ?? (where === undefined ? 0 : series.stack.findIndex(({ imageId }) => imageId === where))
      openWith(series, null, Math.max(0, Math.min(series.stack.length - 1, at)))
    },
    showPlane(series, plane) {
      const why = volumes.whyNot(series)
      if (why === '') openWith(series, plane, 0)
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
      set({ ...NOTHING, isSmooth: state.isSmooth })
    },

    scrollTo: (index) => pane.moveTo(index, 'person'),
    scrollBy: (images) => pane.moveTo(state.index + images, 'person'),
    moveTo(index, by) {
      const { series, plane, count } = state
      if (!series) return
      const at = Math.max(0, Math.min(count - 1, index))
      if (at === state.index) return
      if (plane) {
        const view = screen?.view() as Types.IVolumeViewport | undefined
        view?.scroll(at - state.index)
        readSlice()
        return
      }
      direction = at > state.index ? 1 : -1
      set(atImage(series, at))
      void display()
      if (by === 'person') world.onMoved(pane)
    },
    play(framesPerSecond) {
      if (framesPerSecond !== undefined) set({ framesPerSecond })
      if (state.count < 2) return
      set({ isPlaying: true })
      cine.play(state.framesPerSecond)
    },
    stop() {
      cine.stop()
      set({ isPlaying: false })
    },

    presets: () => offeredPresets(state, decoded()),
    ...openActions({
      state: () => state,
      image: decoded,
      change: changeView,
      setSmooth: (isSmooth) => set({ isSmooth }),
      setCurve(index) {
        curve = index
        settle(state.isInverted)
      },
      setInversion: settle,
    }),

    probeAt(x, y) {
      const view = screen?.view()
      if (!view || !state.isShown) return undefined
      return probedAt(view, state, decoded(), extrasOf(decoded())?.modalityLut != null, [x, y])
    },
    async capture(draw) {
      const view = screen?.view()
      if (!view || !screen || !state.isShown) return undefined
      view.render()
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return pictureOf(screen.host, view.getCanvas(), draw)
    },

    adopt(find) {
      const { series, image, plane } = state
      if (!series) return
      const next = find(series, image?.imageId ?? series.stack[0]?.imageId ?? '')
      if (!next || next === series) return
      if (plane) {
        set({ series: next })
        return
      }
      if (mounted?.key === series.key) mounted = { ...mounted, key: next.key }
      const found = next.stack.findIndex(({ imageId }) => imageId === image?.imageId)
      const index = found >= 0 ? found : Math.min(state.index, next.stack.length - 1)
      anchor = Math.max(0, anchor + index - state.index)
      set({ series: next, count: next.stack.length, ...atImage(next, index) })
      const viewport = screen?.view()
      if (found >= 0 && state.isShown && viewport && mounted) {
        mounted = { key: next.key, stack: next.stack }
        remapStack(viewport as Types.IStackViewport, imageIdsOf(next))
        prefetch.follow(imageIdsOf(next), index, direction)
      } else if (found < 0 || state.problem !== '') void display()
      else prefetch.follow(imageIdsOf(next), index, direction)
    },
    onFrame(imageId, what) {
      if (what === 'loaded') {
        if (state.plane && state.series) set({ volume: volumes.progress(state.series.key) })
        return
      }
      if (state.image?.imageId !== imageId) return
      if (what === 'replaced') unmount()
      if (what === 'replaced' || state.problem === '') void display()
    },
    anchored: () => (state.series && !state.plane ? { stack: state.series.stack, index: state.index, anchor } : undefined),
    setAnchor() {
      anchor = state.index
    },
    dispose() {
      pane.clear()
      screen?.close()
      screen = undefined
      listeners.clear()
      if (looking !== undefined) cancelAnimationFrame(looking)
    },
  }
  const readSlice = () => {
    const view = screen?.view() as Types.IVolumeViewport | undefined
    if (view && mounted && state.isShown) set({ index: view.getSliceIndex(), count: view.getNumberOfSlices() })
  }
  return pane
}

/** The next picture of an element's viewport was made; or none within a moment, as of a page that is not seen. */
const rendered = (host: HTMLElement): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      host.removeEventListener(Enums.Events.IMAGE_RENDERED, done)
      resolve()
    }
    const timer = setTimeout(done, 1000)
    host.addEventListener(Enums.Events.IMAGE_RENDERED, done)
  })

/** Small parts that are made anew each time they are read. */
const BY_VALUE: ReadonlySet<keyof PaneState> = new Set(['window', 'edges', 'volume'])
