import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { aloneToggled, paneAfter, seriesAfter, withLayout } from './board.ts'
import {
  activePaneId,
  type Drawer,
  LINKS,
  PLANES,
  type ViewerState,
  type ViewerStore,
} from './desk.ts'
import type { DrawingsKeeper } from './drawings-keeper.ts'
import type { Engine } from './engine/engine.ts'
import type { ImageList } from './engine/images.ts'
import type { Pane } from './engine/pane.ts'
import type { ToolName } from './engine/tools.ts'
import { hangablesOf } from './hangables.ts'
import type { Command } from './key-map.ts'
import { openSecondWindow } from './second-window.ts'
import { slabAfter } from './slabs.ts'

/** What commands work on. */
export interface CommandContext {
  readonly desk: ViewerStore
  readonly engine: Engine
  readonly list: ImageList
  readonly drawings: Pick<DrawingsKeeper, 'toggleKeyImage'>
}

/** Does a command, for the active pane where it is about a pane. */
export function run(command: Command, reach: CommandContext): void {
  ACTIONS[command]({
    ...reach,
    state: reach.desk.state(),
    pane: reach.engine.pane(activePaneId(reach.desk.state())),
  })
}

interface ActionContext extends CommandContext {
  readonly state: ViewerState
  readonly pane: Pane
}
type Action = (doing: ActionContext) => void

const ZOOM_STEP = 1.2
const scrolling =
  (images: number): Action =>
  ({ pane }) =>
    pane.scrollBy(images)
const layout =
  (rows: number, columns: number): Action =>
  ({ desk }) =>
    setLayout(desk, rows, columns)
const drawer =
  (name: Drawer): Action =>
  ({ desk, state }) =>
    desk.set({ drawer: state.drawer === name ? null : name })
const tool =
  (name: ToolName): Action =>
  ({ desk }) =>
    desk.set({ tool: name })
const preset =
  (number: number): Action =>
  ({ desk, pane }) => {
    const { series } = pane.state()
    if (!series) return
    const rendering = pane.renderings()[number - 1]
    if (rendering) return pane.setRendering(rendering)
    const chosen = pane.presets().find(({ keys }) => keys?.includes(number))
    if (chosen) return pane.setWindow(chosen)
    const { modality } = series.series
    desk.set({ said: { text: t('ui.viewer.toolbar.noPresetKey', { number, modality }) } })
  }

const ACTIONS: Readonly<Record<Command, Action>> = {
  next: scrolling(1),
  previous: scrolling(-1),
  tenOn: scrolling(10),
  tenBack: scrolling(-10),
  first: ({ pane }) => pane.scrollTo(0),
  last: ({ pane }) => pane.scrollTo(Math.max(0, pane.state().count - 1)),
  seriesNext: (doing) => stepSeries(doing, 1),
  seriesPrevious: (doing) => stepSeries(doing, -1),
  paneNext: (doing) => stepPane(doing, 1),
  panePrevious: (doing) => stepPane(doing, -1),
  alone: ({ desk, state }) => state.planesOf === null && desk.hang((board) => aloneToggled(board)),
  layout1: layout(1, 1),
  layout2: layout(1, 2),
  layout3: layout(2, 2),
  layout4: layout(2, 3),
  layout5: layout(3, 3),
  layout6: layout(4, 4),
  toolWindow: tool('window'),
  toolPan: tool('pan'),
  toolZoom: tool('zoom'),
  toolScroll: tool('scroll'),
  toolLength: tool('length'),
  toolAngle: tool('angle'),
  toolCobb: tool('cobb'),
  toolBidirectional: tool('bidirectional'),
  toolRectangle: tool('rectangle'),
  toolEllipse: tool('ellipse'),
  toolFreehand: tool('freehand'),
  toolProbe: tool('probe'),
  toolArrow: tool('arrow'),
  toolText: tool('text'),
  toolMagnify: tool('magnify'),
  toolEraser: tool('eraser'),
  preset1: preset(1),
  preset2: preset(2),
  preset3: preset(3),
  preset4: preset(4),
  preset5: preset(5),
  preset6: preset(6),
  preset7: preset(7),
  preset8: preset(8),
  preset9: preset(9),
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
  volume: ({ desk, state, pane }) => {
    const { series } = pane.state()
    // The pane that keys are for may be the one that goes.
    if (state.planesOf !== null) desk.set({ hasVolume: !state.hasVolume, activePlane: 0 })
    else if (series?.isVolume) desk.set({ planesOf: series.key, activePlane: 0, hasVolume: true })
  },
  planes: ({ desk, state, pane }) => {
    const { series } = pane.state()
    if (state.planesOf !== null) desk.set({ planesOf: null })
    else if (series?.isVolume) desk.set({ planesOf: series.key, activePlane: 0, hasVolume: false })
  },
  cine: ({ desk, pane }) => {
    if (pane.state().isPlaying) return pane.stop()
    if (pane.state().count < 2) return
    desk.set({ hasCine: true })
    pane.play()
  },
  link: ({ desk, state }) =>
    desk.set({ link: LINKS[(LINKS.indexOf(state.link) + 1) % LINKS.length] ?? 'off' }),
  lines: ({ desk, state }) => desk.set({ hasLines: !state.hasLines }),
  overlay: ({ desk, state }) => desk.set({ hasOverlay: !state.hasOverlay }),
  anonymous: ({ desk, state }) => desk.set({ isAnonymous: !state.isAnonymous }),
  keyImage: ({ pane, drawings }) => {
    const { series, image, plane } = pane.state()
    if (series && image && !plane)
      drawings.toggleKeyImage(series.studyInstanceUid, image.sopInstanceUid, image.frame)
  },
  capture: ({ desk, pane }) => {
    if (!desk.view.whyNoCapture && pane.state().series && !pane.state().problem)
      desk.set({ isCapturing: true })
  },
  secondWindow: ({ desk }) => {
    void openSecondWindow(viewPaths.page(desk.view.viewId)).then((isOpen) => {
      if (!isOpen) desk.set({ said: { text: t('ui.viewer.windows.blocked') } })
    })
  },
  series: ({ desk, state }) => desk.set({ isRailOpen: !state.isRailOpen }),
  priors: drawer('priors'),
  layouts: drawer('layouts'),
  undoLayout: ({ desk }) => desk.undoLayout(),
  media: drawer('media'),
  drawings: drawer('drawings'),
  faults: drawer('faults'),
  elements: ({ desk, state }) => desk.set({ hasElements: !state.hasElements, mediaId: null }),
  captures: drawer('captures'),
  sheet: ({ desk, state }) => desk.set({ isSheetOpen: !state.isSheetOpen }),
  deleteDrawing: ({ engine }) => engine.removeSelected(),
  close: ({ desk }) => desk.set({ isClosing: true }),
  escape: ({ desk, state, pane }) => {
    if (pane.state().isPlaying) return pane.stop()
    if (state.drawer !== null) return desk.set({ drawer: null })
    if (state.hasElements) return desk.set({ hasElements: false })
    if (state.mediaId !== null) return desk.set({ mediaId: null })
    if (state.planesOf !== null) return desk.set({ planesOf: null })
    if (state.board.alone !== null) return desk.hang((board) => aloneToggled(board))
    desk.set({ tool: 'window' })
  },
}

export function setLayout(desk: ViewerStore, rows: number, columns: number): void {
  desk.set({ planesOf: null })
  desk.hang((board) => withLayout(board, rows, columns))
}

function stepSeries({ desk, list, state }: ActionContext, step: number): void {
  if (state.planesOf === null)
    desk.hang((board) => seriesAfter(board, hangablesOf(list.state()), step))
}

function stepPane({ desk, state }: ActionContext, step: number): void {
  if (state.planesOf === null) desk.hang((board) => paneAfter(board, step))
  else {
    const count = PLANES.length + (state.hasVolume ? 1 : 0)
    desk.set({ activePlane: (state.activePlane + step + count) % count })
  }
}
