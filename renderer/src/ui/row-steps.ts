interface Step {
  readonly keys: readonly string[]
  /** Rows on, or pages of rows where `isPage`. */
  readonly by: number
  readonly isPage?: true
}

/** Keys that move from row to row, by the code of their name. */
export const ROW_STEPS = {
  down: { keys: ['j', 'arrowdown'], by: 1 },
  up: { keys: ['k', 'arrowup'], by: -1 },
  pageDown: { keys: ['pagedown'], by: 1, isPage: true },
  pageUp: { keys: ['pageup'], by: -1, isPage: true },
  first: { keys: ['home'], by: Number.NEGATIVE_INFINITY },
  last: { keys: ['end'], by: Number.POSITIVE_INFINITY },
} as const satisfies Readonly<Record<string, Step>>

/**
 * The row that a step leads to; it ends at the first and the last one.
 * @param page rows that are in sight
 */
export function steppedIndex(
  { by, isPage }: Step,
  from: number,
  count: number,
  page: number,
): number {
  const to = from + (isPage ? by * page : by)
  return Math.max(0, Math.min(count - 1, to))
}

/** Where the row with a key is, looked for around where it was: -1 where it is not there. */
export function indexOfKey<T, K>(
  rows: readonly T[],
  keyOf: (row: T) => K,
  key: K | undefined,
  was: number,
): number {
  if (key === undefined) return -1
  const hasKeyAt = (index: number) => {
    const row = rows[index]
    return row !== undefined && keyOf(row) === key
  }
  if (hasKeyAt(was)) return was
  return rows.findIndex((row) => keyOf(row) === key)
}
