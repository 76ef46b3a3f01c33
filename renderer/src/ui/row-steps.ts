interface Step {
  /** Rows on; `page` rows of it where `isPage`. */
  readonly by: number
  readonly isPage?: true
}

/** Keys that move from row to row. */
export const STEPS: Readonly<Record<string, Step | undefined>> = {
  ArrowDown: { by: 1 },
  ArrowUp: { by: -1 },
  j: { by: 1 },
  k: { by: -1 },
  PageDown: { by: 2, isPage: true },
  PageUp: { by: -2, isPage: true },
  Home: { by: Number.NEGATIVE_INFINITY },
  End: { by: Number.POSITIVE_INFINITY },
}

/**
 * The row that a step leads to; it ends at the first and the last one.
 * @param page rows that are in sight
 */
export function stepped({ by, isPage }: Step, from: number, count: number, page: number): number {
  const to = from + (isPage ? Math.sign(by) * page : by)
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
  const isAt = (index: number) => {
    const row = rows[index]
    return row !== undefined && keyOf(row) === key
  }
  if (isAt(was)) return was
  return rows.findIndex((row) => keyOf(row) === key)
}
