import type { Types } from '@cornerstonejs/core'
import type { Plane } from '../pane.ts'
import { openPlaneSceneLayer, type PlaneSceneLayer } from '../plane-scene-layer.ts'
import { probeVolume } from '../probe.ts'
import { applySlab } from '../slab.ts'
import { blankUnread } from '../volume-texture.ts'
import { offeredPresets } from './offered-presets.ts'
import { applyOpenedWindow, setInterpolation } from './pane-actions.ts'
import type { PaneContent, PaneContext } from './pane-context.ts'
import { displayStateOf, isNegative } from './pane-display.ts'
import { nextRender } from './screen.ts'
import { middleImageOf } from './volume-images.ts'

/** What the functions of a plane in a pane work on. */
interface PlaneContext {
  readonly pane: PaneContext
  readonly plane: Plane
  /** The volume that the viewport holds. */
  volumeId: string | undefined
  layer: PlaneSceneLayer | undefined
}

/** A series as a volume, cut in a plane. */
export function openPlaneContent(pane: PaneContext, plane: Plane): PaneContent {
  const planeContext: PlaneContext = { pane, plane, volumeId: undefined, layer: undefined }
  const image = () => middleImageOf(pane)
  return {
    display: (signal) => display(planeContext, signal),
    unmount() {
      planeContext.volumeId = undefined
      planeContext.layer?.close()
      planeContext.layer = undefined
    },
    close: () => undefined,
    onCamera: () => readSlice(planeContext),
    look(view) {
      planeContext.layer?.place(view as Types.IVolumeViewport)
      return displayStateOf(view, pane.state(), image())
    },
    image,
    moveTo(index) {
      viewportOf(planeContext)?.scroll(index - pane.state().index)
      readSlice(planeContext)
    },
    isReady: () => true,
    adopt: (series) => pane.set({ series }),
    onFrame(_imageId, what) {
      const { series } = pane.state()
      if (what === 'loaded' && series) pane.set({ volume: pane.world.volumes.progress(series.key) })
    },
    presets: () => offeredPresets(pane.state(), image()),
    setInversion(isInverted) {
      viewportOf(planeContext)?.setProperties({ invert: isInverted !== isNegative(pane.state()) })
    },
    reset(view) {
      view.resetCamera()
      applyOpenedWindow(view, image())
    },
    setSmooth(view) {
      setInterpolation(view, pane.state().isSmooth)
      applyThickness(planeContext)
    },
    setSlab(slab) {
      pane.set({ slab })
      applyThickness(planeContext)
    },
    sceneChanged: () => planeContext.layer?.setScene(pane.planeScene),
    probeAt(view, point) {
      const { unit, slab } = pane.state()
      return probeVolume(view as Types.IVolumeViewport, unit, point, slab)
    },
  }
}

const viewportOf = ({ pane }: PlaneContext) =>
  pane.screen?.view() as Types.IVolumeViewport | undefined

async function display(planeContext: PlaneContext, signal: AbortSignal): Promise<void> {
  const { pane, plane } = planeContext
  const { series } = pane.state()
  if (!series) return
  if (!pane.screen?.isReady) return pane.set({ isShown: false })
  const { tools, volumes } = pane.world
  const volume = await volumes.open(series)
  if (signal.aborted || !pane.screen) return
  const viewport = pane.screen.plane(plane)
  if (planeContext.volumeId !== volume.volumeId) {
    planeContext.volumeId = volume.volumeId
    await viewport.setVolumes([{ volumeId: volume.volumeId }])
    applyOpenedWindow(viewport, middleImageOf(pane))
    viewport.setProperties({ invert: isNegative(pane.state()) })
    setInterpolation(viewport, pane.state().isSmooth)
    applyThickness(planeContext)
    tools.planesChanged()
    // The texture is made with the first picture, which nobody is to see.
    const first = nextRender(pane.screen.host)
    viewport.render()
    await first
    if (signal.aborted) return
    blankUnread(volume)
  }
  if (signal.aborted) return
  planeContext.layer ??= openPlaneSceneLayer(pane.screen.host)
  planeContext.layer.setScene(pane.planeScene)
  viewport.render()
  pane.screen.hide(false)
  pane.set({
    problem: null,
    isShown: true,
    index: viewport.getSliceIndex(),
    count: viewport.getNumberOfSlices(),
    volume: volumes.progress(series.key),
  })
}

function applyThickness(planeContext: PlaneContext): void {
  const viewport = viewportOf(planeContext)
  const { slab, isSmooth } = planeContext.pane.state()
  if (viewport && slab && planeContext.volumeId !== undefined) applySlab(viewport, slab, isSmooth)
}

function readSlice(planeContext: PlaneContext): void {
  const view = viewportOf(planeContext)
  if (view && planeContext.volumeId !== undefined && planeContext.pane.state().isShown)
    planeContext.pane.set({ index: view.getSliceIndex(), count: view.getNumberOfSlices() })
}
