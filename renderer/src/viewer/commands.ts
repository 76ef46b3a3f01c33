import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { HELP_TARGET } from '../ui/help.ts'
import { aloneToggled, withLayout, withPaneStepped, withSeriesStepped } from './board.ts'
import type { DrawingsKeeper } from './drawings-keeper.ts'
import type { Engine } from './engine/engine.ts'
import type { ImageList } from './engine/images.ts'
import type { Pane } from './engine/pane.ts'
import type { ToolName } from './engine/tools.ts'
import { hangingSeriesIn } from './hangables.ts'
import type { Command } from './key-map.ts'
import { openSecondWindow } from './second-window.ts'
import { slabAfter } from './slabs.ts'
import {
  activePaneId,
  type Drawer,
  LINK_MODES,
  PLANES,
  type ViewerState,
  type ViewerStore,
} from './viewer-store.ts'

/** What commands work on. */
export interface CommandContext {
  readonly viewerStore: ViewerStore
  readonly engine: Engine
  readonly list: ImageList
  readonly drawings: Pick<DrawingsKeeper, 'toggleKeyImage'>
}

/** Does a command, for the active pane where it is about a pane. */
export function run(command: Command, reach: CommandContext): void {
  ACTIONS[command]({
    ...reach,
    state: reach.viewerStore.state(),
    pane: reach.engine.pane(activePaneId(reach.viewerStore.state())),
  })
}

interface ActionContext extends CommandContext {
  readonly state: ViewerState
  readonly pane: Pane
}
type Action = (doing: ActionContext) => void

/** The page of the documentation about the viewer. */
export const HELP = { href: '/help/viewer.html', target: HELP_TARGET }

const ZOOM_STEP = 1.2
const scrollAction =
  (images: number): Action =>
  ({ pane }) =>
    pane.scrollBy(images)
const layoutAction =
  (rows: number, columns: number): Action =>
  ({ viewerStore }) =>
    setLayout(viewerStore, rows, columns)
const drawerAction =
  (name: Drawer): Action =>
  ({ viewerStore, state }) =>
    viewerStore.set({ drawer: state.drawer === name ? null : name })
const toolAction =
  (name: ToolName): Action =>
  ({ viewerStore }) =>
    viewerStore.set({ tool: name })
const presetAction =
  (number: number): Action =>
  ({ viewerStore, pane }) => {
    const { series } = pane.state()
    if (!series) return
    const rendering = pane.renderings()[number - 1]
    if (rendering) return pane.setRendering(rendering)
    const chosen = pane.presets().find(({ keys }) => keys?.includes(number))
    if (chosen) return pane.setWindow(chosen)
    const { modality } = series.series
    viewerStore.set({
      statusMessage: { text: t('ui.viewer.toolbar.noPresetKey', { number, modality }) },
    })
  }

const ACTIONS: Readonly<Record<Command, Action>> = {
  next: scrollAction(1),
  previous: scrollAction(-1),
  tenOn: scrollAction(10),
  tenBack: scrollAction(-10),
  first: ({ pane }) => pane.scrollTo(0),
  last: ({ pane }) => pane.scrollTo(Math.max(0, pane.state().count - 1)),
  seriesNext: (doing) => stepSeries(doing, 1),
  seriesPrevious: (doing) => stepSeries(doing, -1),
  paneNext: (doing) => stepPane(doing, 1),
  panePrevious: (doing) => stepPane(doing, -1),
  alone: ({ viewerStore, state }) =>
    state.planesOf === null && viewerStore.hang((board) => aloneToggled(board)),
  layout1: layoutAction(1, 1),
  layout2: layoutAction(1, 2),
  layout3: layoutAction(2, 2),
  layout4: layoutAction(2, 3),
  layout5: layoutAction(3, 3),
  layout6: layoutAction(4, 4),
  toolWindow: toolAction('window'),
  toolPan: toolAction('pan'),
  toolZoom: toolAction('zoom'),
  toolScroll: toolAction('scroll'),
  toolLength: toolAction('length'),
  toolAngle: toolAction('angle'),
  toolCobb: toolAction('cobb'),
  toolBidirectional: toolAction('bidirectional'),
  toolRectangle: toolAction('rectangle'),
  toolEllipse: toolAction('ellipse'),
  toolFreehand: toolAction('freehand'),
  toolProbe: toolAction('probe'),
  toolArrow: toolAction('arrow'),
  toolText: toolAction('text'),
  toolMagnify: toolAction('magnify'),
  toolEraser: toolAction('eraser'),
  preset1: presetAction(1),
  preset2: presetAction(2),
  preset3: presetAction(3),
  preset4: presetAction(4),
  preset5: presetAction(5),
  preset6: presetAction(6),
  preset7: presetAction(7),
  preset8: presetAction(8),
  preset9: presetAction(9),
  rotate: ({ pane }) => pane.rotate(90),
  rotateBack: ({ pane }) => pane.rotate(-90),
  flipHorizontally: ({ pane }) => pane.flip('horizontally'),
  flipVertically: ({ pane }) => pane.flip('vertically'),
  invert: ({ pane }) => pane.invert(),
  zoomIn: ({ pane }) => pane.zoomBy(ZOOM_STEP),
  zoomOut: ({ pane }) => pane.zoomBy(1 / ZOOM_STEP),
  fit: ({ pane }) => pane.fit(),
  oneToOne: ({ pane }) => pane.oneToOne(),
  smooth: ({ pane }) => pane.smooth(!pane.state().isSmooth),
  reset: ({ pane }) => pane.reset(),
  slab: ({ pane }) => {
    const { slab } = pane.state()
    if (slab) pane.setSlab(slabAfter(slab))
  },
  volume: ({ viewerStore, state, pane }) => {
    const { series } = pane.state()
    // The pane that keys are for may be the one that goes.
    if (state.planesOf !== null) viewerStore.set({ hasVolume: !state.hasVolume, activePlane: 0 })
    else if (series?.isVolume)
      viewerStore.set({ planesOf: series.key, activePlane: 0, hasVolume: true })
  },
  planes: ({ viewerStore, state, pane }) => {
    const { series } = pane.state()
    if (state.planesOf !== null) viewerStore.set({ planesOf: null })
    else if (series?.isVolume)
      viewerStore.set({ planesOf: series.key, activePlane: 0, hasVolume: false })
  },
  cine: ({ viewerStore, pane }) => {
    if (pane.state().isPlaying) return pane.stop()
    if (pane.state().count < 2) return
    viewerStore.set({ hasCine: true })
    pane.play()
  },
  link: ({ viewerStore, state }) =>
    viewerStore.set({
      link: LINK_MODES[(LINK_MODES.indexOf(state.link) + 1) % LINK_MODES.length] ?? 'off',
    }),
  lines: ({ viewerStore, state }) => viewerStore.set({ hasLines: !state.hasLines }),
  overlay: ({ viewerStore, state }) => viewerStore.set({ hasOverlay: !state.hasOverlay }),
  anonymous: ({ viewerStore, state }) => viewerStore.set({ isAnonymous: !state.isAnonymous }),
  keyImage: ({ pane, drawings }) => {
    const { series, image, plane } = pane.state()
    if (series && image && !plane)
      drawings.toggleKeyImage(series.studyInstanceUid, image.sopInstanceUid, image.frame)
  },
  capture: ({ viewerStore, pane }) => {
    if (!viewerStore.view.whyNoCapture && pane.state().series && !pane.state().problem)
      viewerStore.set({ isCapturing: true })
  },
  secondWindow: ({ viewerStore }) => {
    void openSecondWindow(viewPaths.page(viewerStore.view.viewId)).then((isOpen) => {
      if (!isOpen) viewerStore.set({ statusMessage: { text: t('ui.viewer.windows.blocked') } })
    })
  },
  series: ({ viewerStore, state }) => viewerStore.set({ isRailOpen: !state.isRailOpen }),
  priors: drawerAction('priors'),
  layouts: drawerAction('layouts'),
  undoLayout: ({ viewerStore }) => viewerStore.undoLayout(),
  media: drawerAction('media'),
  drawings: drawerAction('drawings'),
  faults: drawerAction('faults'),
  elements: ({ viewerStore, state }) =>
    viewerStore.set({ hasElements: !state.hasElements, mediaId: null }),
  captures: drawerAction('captures'),
  sheet: ({ viewerStore, state }) => viewerStore.set({ isSheetOpen: !state.isSheetOpen }),
  help: () => void window.open(HELP.href, HELP.target),
  deleteDrawing: ({ engine }) => engine.removeSelected(),
  close: ({ viewerStore }) => viewerStore.set({ isClosing: true }),
  escape: ({ viewerStore, state, pane }) => {
    if (pane.state().isPlaying) return pane.stop()
    if (state.drawer !== null) return viewerStore.set({ drawer: null })
    if (state.hasElements) return viewerStore.set({ hasElements: false })
    if (state.mediaId !== null) return viewerStore.set({ mediaId: null })
    if (state.planesOf !== null) return viewerStore.set({ planesOf: null })
    if (state.board.alone !== null) return viewerStore.hang((board) => aloneToggled(board))
    viewerStore.set({ tool: 'window' })
  },
}

export function setLayout(viewerStore: ViewerStore, rows: number, columns: number): void {
  viewerStore.set({ planesOf: null })
  viewerStore.hang((board) => withLayout(board, rows, columns))
}

function stepSeries({ viewerStore, list, state }: ActionContext, step: number): void {
  if (state.planesOf === null)
    viewerStore.hang((board) => withSeriesStepped(board, hangingSeriesIn(list.state()), step))
}

function stepPane({ viewerStore, state }: ActionContext, step: number): void {
  if (state.planesOf === null) viewerStore.hang((board) => withPaneStepped(board, step))
  else {
    const count = PLANES.length + (state.hasVolume ? 1 : 0)
    viewerStore.set({ activePlane: (state.activePlane + step + count) % count })
  }
}
