import type { Types } from '@cornerstonejs/core'
import { message } from '#shared/messages/message.ts'
import type { Rendering } from '../pane.ts'
import { isSoftware } from '../software.ts'
import { edgesOf } from '../view.ts'
import { applyRendering, renderingsOf } from '../volume-renderings.ts'
import { openedWindow } from './pane-actions.ts'
import type { PaneContent, PaneContext } from './pane-context.ts'
import { EMPTY_PANE_STATE } from './pane-display.ts'
import { middleImageOf } from './volume-images.ts'

/** What the functions of a volume in a pane work on. */
interface VolumeContext {
  readonly pane: PaneContext
  /** The volume that the viewport holds. */
  volumeId: string | undefined
}

/** A series as a volume, coloured by its values and seen from outside. */
export function openVolumeContent(pane: PaneContext): PaneContent {
  const volumeContext: VolumeContext = { pane, volumeId: undefined }
  return {
    display: (signal) => display(volumeContext, signal),
    unmount() {
      volumeContext.volumeId = undefined
    },
    close: () => undefined,
    onCamera: () => undefined,
    look: (view) => ({
      ...NO_WINDOW,
      edges: edgesOf(view, null),
      notes: isSoftware() ? COARSE_NOTES : EMPTY_PANE_STATE.notes,
    }),
    image: () => middleImageOf(pane),
    moveTo: () => undefined,
    isReady: () => true,
    adopt: (series) => pane.set({ series }),
    onFrame: (_imageId, what) => what === 'loaded' && countSlices(volumeContext),
    presets: () => [],
    setInversion: () => undefined,
    reset(view) {
      view.setCamera(FROM_FRONT)
      view.resetCamera()
    },
    setSmooth: () => undefined,
    renderings: () => renderingsOf(pane.state().unit),
    setRendering: (rendering) => applyColours(volumeContext, rendering),
    // A pixel shows no one voxel.
    probeAt: () => undefined,
  }
}

const { window, isInverted, rotation, magnification } = EMPTY_PANE_STATE
const NO_WINDOW = { window, isInverted, rotation, magnification }
/** Times the usual distance of samples: what takes a minute otherwise takes some seconds. */
const COARSE_SAMPLING_FACTOR = 5
const COARSE_NOTES = [message('viewer.rendering-coarse')]
/** From the patient's front, feet below. */
const FROM_FRONT: Types.ICamera = { viewPlaneNormal: [0, -1, 0], viewUp: [0, 0, 1] }

const viewportOf = ({ pane }: VolumeContext) =>
  pane.screen?.view() as Types.IVolumeViewport | undefined

async function display(volumeContext: VolumeContext, signal: AbortSignal): Promise<void> {
  const { pane } = volumeContext
  const { series, rendering, unit } = pane.state()
  if (!series) return
  if (!pane.screen?.isReady) return pane.set({ isShown: false })
  const { volumes } = pane.world
  const volume = await volumes.open(series)
  if (signal.aborted || !pane.screen) return
  const progress = volumes.progress(series.key)
  pane.set({ volume: progress })
  // Each picture takes long without a graphics card, and one of half a volume shows a wrong body.
  if (!progress || progress.read < progress.of) return
  const viewport = pane.screen.volume()
  if (volumeContext.volumeId !== volume.volumeId) {
    volumeContext.volumeId = volume.volumeId
    await viewport.setVolumes([{ volumeId: volume.volumeId }])
    if (signal.aborted) return
    viewport.setCamera(FROM_FRONT)
    viewport.resetCamera()
    if (isSoftware()) viewport.setSampleDistanceMultiplier(COARSE_SAMPLING_FACTOR)
  }
  const chosen = rendering ?? renderingsOf(unit)[0]
  if (chosen) applyColours(volumeContext, chosen)
  viewport.render()
  pane.screen.hide(false)
  pane.set({ problem: null, isShown: true })
}

function applyColours(volumeContext: VolumeContext, { name }: Rendering): void {
  const { pane } = volumeContext
  const { unit } = pane.state()
  const rendering = renderingsOf(unit).find((one) => one.name.code === name.code)
  const actor = viewportOf(volumeContext)?.getDefaultActor()?.actor as Types.VolumeActor | undefined
  if (!rendering || !actor) return
  applyRendering(actor, rendering, unit, openedWindow(middleImageOf(pane)))
  pane.set({ rendering })
}

function countSlices({ pane }: VolumeContext): void {
  const { series, volume: before, isShown } = pane.state()
  if (!series || isShown) return
  const volume = pane.world.volumes.progress(series.key)
  pane.set({ volume })
  if (volume && volume.read === volume.of && before?.read !== volume.read) pane.redisplay()
}
