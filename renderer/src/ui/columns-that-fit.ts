interface RankedColumn {
  readonly track: string
  readonly rank?: number
}

/** As in data-table.module.css. */
const SIDE_PADDING_PX = 32
const TOOLS_WIDTH = 24
const GAP = 14

/** Pixels that a grid track needs at least: `90px`, `minmax(160px, 2fr)`. */
const minWidthOf = (track: string): number => Number(/(\d+)px/.exec(track)?.[1] ?? 0)

/**
 * The columns that have room beside each other, in their order: those without a rank always, then
 * the others by rank.
 * @param width of the table in pixels; 0 before it is known, when all are there
 * @param hasTools the choice of columns stands at the end of the head
 */
export function columnsFor<C extends RankedColumn>(
  columns: readonly C[],
  width: number,
  hasTools = false,
): readonly C[] {
  if (width === 0) return columns
  const needed = columns
    .filter(({ rank }) => rank === undefined)
    .map(({ track }) => minWidthOf(track) + GAP)
  let room =
    width -
    SIDE_PADDING_PX -
    (hasTools ? TOOLS_WIDTH : 0) +
    GAP -
    needed.reduce((sum, one) => sum + one, 0)
  const left = new Set<C>()
  for (const column of columns
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
    const need = minWidthOf(column.track) + GAP
    // One that is wider than the room left ends it: which columns are there does not jump about
    // while the window is drawn wider.
    if (left.size > 0 || need > room) left.add(column)
    else room -= need
  }
  return columns.filter((column) => !left.has(column))
}
