import type { View } from '#shared/contract/viewing.ts'
import { type Board, boardOf } from './board.ts'
import type { ToolName } from './engine/tools.ts'

/** What lies at the right side. */
export const DRAWERS = ['priors', 'media', 'keyImages', 'drawings', 'faults', 'captures'] as const
export type Drawer = (typeof DRAWERS)[number]
export const LINKS = ['off', 'position', 'index'] as const
export type Link = (typeof LINKS)[number]

/** How the screen of a view stands; what the images are is the engine's. */
export interface DeskState {
  readonly board: Board
  /** Key of the series that is shown in three planes; null: the board is shown. */
  readonly planesOf: string | null
  /** Which of the three planes keys and tools are for. */
  readonly activePlane: number
  readonly tool: ToolName
  readonly link: Link
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
}

/** For `useSyncExternalStore`. */
export interface Desk {
  readonly view: View
  state(): DeskState
  subscribe(listener: () => void): () => void
  set(change: Partial<DeskState> | ((state: DeskState) => Partial<DeskState>)): void
  /** A change of the board; the same board changes nothing. */
  hang(change: (board: Board) => Board): void
}

/** Where a person's wishes for the screen outlive the page; nothing of a patient. */
interface Wishes {
  get(name: string): string | null
  set(name: string, value: string): void
}
const LETTER_KEYS = 'isthmus-viewer-letter-keys'

export function openDesk(
  view: View,
  world: { readonly isNarrow: boolean; readonly wishes: Wishes },
): Desk {
  const listeners = new Set<() => void>()
  let state: DeskState = {
    board: boardOf(view.hangingProtocol),
    ...{
      planesOf: null,
      activePlane: 0,
      tool: 'window',
      link: 'position',
      hasLines: true,
      hasOverlay: true,
      hasCine: false,
    },
    ...{
      isRailOpen: !world.isNarrow,
      drawer: null,
      isSheetOpen: false,
      isCapturing: false,
      isClosing: false,
      mediaId: null,
      keySelection: null,
      hasElements: false,
    },
    ...{ hasLetterKeys: world.wishes.get(LETTER_KEYS) !== 'off', awaitedPriors: [] },
  }
  const set: Desk['set'] = (change) => {
    const changed = typeof change === 'function' ? change(state) : change
    if (changed.hasLetterKeys !== undefined)
      world.wishes.set(LETTER_KEYS, changed.hasLetterKeys ? 'on' : 'off')
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
      if (board !== state.board) set({ board })
    },
  }
}

/** Dialogs of the viewer are there and gone at once: the next key is for the images again. */
export const AT_ONCE = { duration: 0 } as const

const PLANE_PANES = ['axial', 'sagittal', 'coronal'] as const
/** The engine's name of a pane of the board. */
export const paneIdOf = (at: number): string => `pane-${at + 1}`
/** The engine's name of the pane of a plane. */
export const planePaneIdOf = (plane: (typeof PLANE_PANES)[number]): string => `plane-${plane}`
export const PLANES = PLANE_PANES

/** The engine's name of the pane that keys and tools are for. */
export const activePaneId = ({ planesOf, activePlane, board }: DeskState): string =>
  planesOf === null ? paneIdOf(board.active) : planePaneIdOf(PLANE_PANES[activePlane] ?? 'axial')
