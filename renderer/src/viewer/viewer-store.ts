import type { View } from '#shared/contract/viewing.ts'
import { type Board, boardOf } from './board.ts'
import type { ToolName } from './engine/tools.ts'
import { type Hanging, isSameHanging } from './hanging.ts'

/** What lies at the right side. */
export const DRAWERS = [
  ...(['priors', 'layouts', 'media', 'keyImages', 'drawings', 'faults', 'captures'] as const),
] as const
export type Drawer = (typeof DRAWERS)[number]
export const LINK_MODES = ['off', 'position', 'index'] as const
export type LinkMode = (typeof LINK_MODES)[number]

/** How the screen of a view stands; what the images are is the engine's. */
export interface ViewerState {
  readonly board: Board
  /** Key of the series that is shown in three planes; null: the board is shown. */
  readonly planesOf: string | null
  /** Beside the planes, the volume as a whole. */
  readonly hasVolume: boolean
  /** Which of the planes (or, after them, the volume) keys and tools are for. */
  readonly activePlane: number
  readonly tool: ToolName
  readonly link: LinkMode
  readonly hasLines: boolean
  readonly hasOverlay: boolean
  readonly hasCine: boolean
  readonly isRailOpen: boolean
  readonly drawer: Drawer | null
  readonly isSheetOpen: boolean
  readonly isCapturing: boolean
  readonly isClosing: boolean
  /** Shown beside the images. */
  readonly mediaId: number | null
  /** The elements of the shown image are listed beside it. */
  readonly hasElements: boolean
  /** Media id of the key object selection whose images are listed; null: those of all. */
  readonly keySelection: number | null
  /** Keys that write a character are shortcuts (WCAG 2.1.4). */
  readonly hasLetterKeys: boolean
  /** Earlier studies whose images are awaited, to be hung when they come. */
  readonly awaitedPriors: readonly string[]
  /** Boards before the last changes of the layout, the latest last. */
  readonly layoutHistory: readonly Board[]
  /** A person has changed what hangs where: the gateway hangs nothing more by itself. */
  readonly isArranged: boolean
  /** The layout that was applied when the study opened; null where there was none. */
  readonly hungBy: { readonly name: string; readonly isOwn: boolean } | null
  /** Prior studies that a person does not want to be offered again, by Study Instance UID. */
  readonly declinedPriors: readonly string[]
  /** Why the gateway did not open the prior study of the layout; null where it did. */
  readonly priorProblem: string | null
  /** Prior studies that are being retrieved from another archive. */
  readonly retrieving: readonly string[]
  /** Said once in the status line, such as why a key did nothing; another object says it again. */
  readonly statusMessage: { readonly text: string } | null
  /** The patient is hidden on the whole screen, and a banner says so (decision 0053). */
  readonly isAnonymous: boolean
}

/** For `useSyncExternalStore`. */
export interface ViewerStore {
  readonly view: View
  state(): ViewerState
  subscribe(listener: () => void): () => void
  set(change: Partial<ViewerState> | ((state: ViewerState) => Partial<ViewerState>)): void
  /**
   * A person's change of the board, which `undoLayout` takes back; the same board changes nothing.
   */
  hang(change: (board: Board) => Board): void
  /** Hangs what a protocol says, unless a person has arranged the board already. */
  hangOpening(hanging: Hanging, by: ViewerState['hungBy']): void
  /** The board before the last change of the layout; nothing where there was none. */
  undoLayout(): void
}

/** Where a person's wishes for the screen outlive the page; nothing of a patient. */
interface Preferences {
  get(name: string): string | null
  set(name: string, value: string): void
}
const LETTER_KEYS = 'isthmus-viewer-letter-keys'

export function createViewerStore(
  view: View,
  options: { readonly isNarrow: boolean; readonly preferences: Preferences },
): ViewerStore {
  const listeners = new Set<() => void>()
  let state: ViewerState = {
    board: boardOf(view.hangingProtocol),
    ...{
      planesOf: null,
      hasVolume: false,
      activePlane: 0,
      tool: 'window',
      link: 'position',
      hasLines: true,
      hasOverlay: true,
      hasCine: false,
    },
    ...{
      isRailOpen: !options.isNarrow,
      drawer: null,
      isSheetOpen: false,
      isCapturing: false,
      isClosing: false,
      mediaId: null,
      keySelection: null,
      hasElements: false,
    },
    ...{ hasLetterKeys: options.preferences.get(LETTER_KEYS) !== 'off', awaitedPriors: [] },
    ...{ statusMessage: null, isAnonymous: false, priorProblem: null },
    ...{ layoutHistory: [], isArranged: false, hungBy: null, declinedPriors: [], retrieving: [] },
  }
  const set: ViewerStore['set'] = (change) => {
    const changed = typeof change === 'function' ? change(state) : change
    if (changed.hasLetterKeys !== undefined)
      options.preferences.set(LETTER_KEYS, changed.hasLetterKeys ? 'on' : 'off')
    state = { ...state, ...changed }
    for (const listener of listeners) listener()
  }
  return {
    view,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    set,
    hang(change) {
      const board = change(state.board)
      if (board === state.board) return
      if (isSameHanging(board, state.board)) set({ board })
      else set({ board, isArranged: true, layoutHistory: historyWithCurrent(state) })
    },
    hangOpening({ board, planesOf }, hungBy) {
      if (state.isArranged) return
      if (!isSameHanging(board, state.board)) {
        const layoutHistory =
          state.layoutHistory.length > 0 ? state.layoutHistory : historyWithCurrent(state)
        set({ board, layoutHistory })
      }
      if (planesOf !== null && state.hungBy?.name !== hungBy?.name)
        set({ planesOf, activePlane: 0 })
      if (state.hungBy?.name !== hungBy?.name) set({ hungBy })
    },
    undoLayout() {
      const before = state.layoutHistory.at(-1)
      if (!before) return
      const layoutHistory = state.layoutHistory.slice(0, -1)
      set({ board: before, layoutHistory, isArranged: true, planesOf: null, hungBy: null })
    },
  }
}

const MAX_HISTORY = 20
const historyWithCurrent = ({ layoutHistory, board }: ViewerState) =>
  [...layoutHistory, board].slice(-MAX_HISTORY)

/** Dialogs of the viewer are there and gone at once: the next key is for the images again. */
export const NO_TRANSITION = { duration: 0 } as const

export const PLANES = ['axial', 'sagittal', 'coronal'] as const
/** Panes of the screen that shows one volume. */
export const VOLUME_PANES = [...PLANES, 'volume'] as const
/** The engine's name of a pane of the board. */
export const paneIdOf = (at: number): string => `pane-${at + 1}`
/** The engine's name of the pane of a plane, or of the volume. */
export const planePaneIdOf = (plane: (typeof VOLUME_PANES)[number]): string => `plane-${plane}`

/** The engine's name of the pane that keys and tools are for. */
export const activePaneId = ({ planesOf, activePlane, board }: ViewerState): string =>
  planesOf === null ? paneIdOf(board.active) : planePaneIdOf(VOLUME_PANES[activePlane] ?? 'axial')
