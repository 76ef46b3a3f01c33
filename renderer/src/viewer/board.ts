import type { View } from '#shared/contract/viewing.ts'

/**
 * Which series hangs where. A pane holds the key of a series (`SeriesState.key`); null: nothing.
 */
export interface Board {
  readonly rows: number
  readonly columns: number
  readonly panes: readonly Pane[]
  /** Index of the pane that keys and tools are for. */
  readonly active: number
  /** This one alone is shown, or null. */
  readonly alone: number | null
}
export interface Pane {
  readonly seriesKey: string | null
  /**
   * free: the next series that comes may take it, also from a localizer while nobody has touched
   * it; named: it waits for the series of that description; prior: it waits for a prior study;
   * held: a person or a protocol has decided.
   */
  readonly filling: 'free' | 'named' | 'prior' | 'held'
  readonly name: string
  /** The image it opens with; without it, the first one, or where the series was left. */
  readonly start?: PaneStart
}
export interface PaneStart {
  /** From 0. */
  readonly index: number
  /** It opens mirrored left to right. */
  readonly isMirrored: boolean
}

/** What hanging needs to know of a series. */
export interface HangingSeries {
  readonly seriesKey: string
  readonly studyUid: string
  readonly description: string
  readonly modality: string
  readonly isPrior: boolean
  /** Images that can be shown. */
  readonly images: number
  /** It shows where the other series lie, and is not what is read. */
  readonly isLocalizer: boolean
  /** It is a cine loop of one object. */
  readonly isLoop?: boolean
  /** Of projection images: each with its view. */
  readonly views?: readonly HangableView[]
}
export interface HangableView {
  /** Place in the stack, from 0. */
  readonly index: number
  /** L, R, B, or empty. */
  readonly laterality: string
  /** Such as `CC`, `PA`. */
  readonly viewPosition: string
  /** First value of Patient Orientation: where the rows point to. */
  readonly rowDirection: string
}
type Protocol = NonNullable<View['hangingProtocol']>

const FREE: Pane = { seriesKey: null, filling: 'free', name: '' }
const EMPTY: Pane = { seriesKey: null, filling: 'held', name: '' }
export const MAX_PANES_PER_SIDE = 4

/**
 * The board a view begins with: one pane, or what its hanging protocol says (`RxC`; a name is a
 * series' description, null an empty pane).
 */
export function boardOf(protocol: Protocol | null): Board {
  if (!protocol) return { rows: 1, columns: 1, panes: [FREE], active: 0, alone: null }
  const [rows = 1, columns = 1] = protocol.layout.split('x').map(Number)
  const panes = Array.from({ length: rows * columns }, (_, at): Pane => {
    const name = protocol.viewportAssignments[at]
    return name ? { seriesKey: null, filling: 'named', name } : EMPTY
  })
  const first = panes.findIndex(({ filling }) => filling === 'named')
  return { rows, columns, panes, active: Math.max(0, first), alone: null }
}

/**
 * Hangs what has come into the panes that wait for it, in the order of the list; the same board
 * where nothing changes. Priors are hung by a person only. Two series of one description go to two
 * panes of that name, one after the other.
 */
export function filledBoard(before: Board, series: readonly HangingSeries[]): Board {
  const board = withCurrentSeriesKeys(before, series)
  const withSeriesInPane = new Set(board.panes.map(({ seriesKey }) => seriesKey))
  const current = series.filter(({ isPrior, images }) => !isPrior && images > 0)
  const isReadable = ({ isLocalizer }: HangingSeries) => !isLocalizer
  const take = (...fits: ((one: HangingSeries) => boolean)[]) => {
    const left = current.filter(({ seriesKey }) => !withSeriesInPane.has(seriesKey))
    const found = fits.map((fit) => left.find(fit)).find(Boolean)
    if (found) withSeriesInPane.add(found.seriesKey)
    return found
  }
  const showsLocalizer = ({ seriesKey }: Pane) =>
    series.some((one) => one.seriesKey === seriesKey && one.isLocalizer)
  let isChanged = false
  const panes = board.panes.map((pane): Pane => {
    if (pane.filling === 'held' || pane.filling === 'prior') return pane
    if (pane.seriesKey !== null && !(pane.filling === 'free' && showsLocalizer(pane))) return pane
    const found =
      pane.filling === 'named'
        ? take(({ description }) => isSameName(description, pane.name))
        : pane.seriesKey === null
          ? take(isReadable, () => true)
          : take(isReadable)
    if (!found) return pane
    isChanged = true
    return { ...pane, seriesKey: found.seriesKey }
  })
  return isChanged ? { ...board, panes } : board
}

/**
 * Replaces keys that are no longer in the list. The key of a series names its size and orientation,
 * which a manifest can state wrongly: once the files are read, their images are under another key.
 */
function withCurrentSeriesKeys(board: Board, series: readonly HangingSeries[]): Board {
  const known = new Set(series.map(({ seriesKey }) => seriesKey))
  const shown = new Set(board.panes.map(({ seriesKey }) => seriesKey))
  let isChanged = false
  const panes = board.panes.map((pane): Pane => {
    if (pane.seriesKey === null || known.has(pane.seriesKey)) return pane
    const uid = dicomSeriesOf(pane.seriesKey)
    const [successor] = series
      .filter(
        ({ seriesKey, images }) =>
          images > 0 && dicomSeriesOf(seriesKey) === uid && !shown.has(seriesKey),
      )
      .sort((a, b) => b.images - a.images)
    if (successor) shown.add(successor.seriesKey)
    else if (pane.filling === 'held') return pane
    isChanged = true
    return { ...pane, seriesKey: successor?.seriesKey ?? null }
  })
  return isChanged ? { ...board, panes } : board
}

/** The Series Instance UID in the key of a series. */
const dicomSeriesOf = (seriesKey: string) => seriesKey.replace(/\/.*$/s, '')

const isSameName = (one: string, other: string) =>
  one.trim().toLowerCase() === other.trim().toLowerCase()

/**
 * Another layout: what hangs stays in order, new panes are free for the series that hang nowhere
 * yet.
 */
export function withLayout(board: Board, rows: number, columns: number): Board {
  const panes = Array.from({ length: rows * columns }, (_, at) => board.panes[at] ?? FREE)
  // The pane that is looked at does not vanish with the layout.
  const active = board.panes[board.active]
  if (active && board.active >= panes.length) panes[panes.length - 1] = active
  return { rows, columns, panes, active: Math.min(board.active, panes.length - 1), alone: null }
}

/** A series in a pane; that pane becomes the active one. */
export function hung(board: Board, at: number, seriesKey: string | null): Board {
  if (!board.panes[at]) return board
  return {
    ...board,
    panes: board.panes.map((pane, index) => (index === at ? { ...EMPTY, seriesKey } : pane)),
    active: at,
  }
}

/** Somebody is at a pane: it becomes the active one, and keeps what it shows. */
export function activated(board: Board, at: number): Board {
  const pane = board.panes[at]
  const isKept = pane?.filling === 'free' && pane.seriesKey !== null
  if (!pane || (at === board.active && !isKept)) return board
  const panes = isKept
    ? board.panes.map((one, index): Pane => (index === at ? { ...one, filling: 'held' } : one))
    : board.panes
  return { ...board, panes, active: at }
}

/** The active pane alone, or all of them again. */
export const aloneToggled = (board: Board, at = board.active): Board => ({
  ...board,
  active: at,
  alone: board.alone === null && board.panes.length > 1 ? at : null,
})

/** The pane `step` further, around the board. */
export function withPaneStepped(board: Board, step: number): Board {
  const count = board.panes.length
  const active = (board.active + step + count) % count
  return { ...board, active, alone: board.alone === null ? null : active }
}

/** The series `step` further in the list than the one in the active pane; the ends do not meet. */
export function withSeriesStepped(
  board: Board,
  series: readonly HangingSeries[],
  step: number,
): Board {
  const shown = series.filter(({ images }) => images > 0)
  const at = shown.findIndex(({ seriesKey }) => seriesKey === board.panes[board.active]?.seriesKey)
  const next = at === -1 ? shown[0] : shown[at + step]
  return next ? hung(board, board.active, next.seriesKey) : board
}

/**
 * An earlier study beside: left what is read now, right its counterpart. One pane becomes two; with
 * more, the first free one takes it, else the one after the active pane.
 */
export function withPriorBeside(board: Board, prior: string): Board {
  const widened = board.panes.length === 1 ? withLayout(board, 1, 2) : { ...board, alone: null }
  const freePaneIndex = widened.panes.findIndex(
    ({ seriesKey }, at) => seriesKey === null && at !== widened.active,
  )
  const at =
    board.panes.length === 1
      ? 1
      : freePaneIndex === -1
        ? (widened.active + 1) % widened.panes.length
        : freePaneIndex
  return { ...hung(widened, at, prior), active: widened.active }
}

/**
 * The series of an earlier study that is most like this one: of its modality, then of its
 * description word by word, then the longest.
 */
export function counterpart(
  of: HangingSeries | undefined,
  priors: readonly HangingSeries[],
): HangingSeries | undefined {
  const words = wordsOf(of?.description ?? '')
  const score = (one: HangingSeries) => {
    const shared = [...wordsOf(one.description)].filter((word) => words.has(word)).length
    return (one.modality === of?.modality ? 1000 : 0) + shared * 10 + Math.min(9, one.images / 100)
  }
  return priors
    .filter(({ images }) => images > 0)
    .toSorted((one, other) => score(other) - score(one))[0]
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [])
