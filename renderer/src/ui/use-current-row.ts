import { useEffect, useRef, useState } from 'react'
import type { DataTableProps, Key } from './data-table-props.ts'
import { indexOfKey } from './row-steps.ts'

export interface CurrentRow {
  readonly index: number
  /** A row was made the current one; before that it is the first, unmarked. */
  readonly isChosen: boolean
  become(index: number): void
}

/** The row of a table that keys act on, followed by its key wherever it goes. */
export function useCurrentRow<T>({ rows, keyOf, at, onCurrent }: DataTableProps<T>): CurrentRow {
  const [currentKey, setCurrentKey] = useState<Key | undefined>(at)
  const lastIndex = useRef(0)
  const foundIndex = indexOfKey(rows, keyOf, currentKey, lastIndex.current)
  // A current row that went away leaves its place to the one that took it.
  const index =
    foundIndex >= 0 ? foundIndex : Math.max(0, Math.min(lastIndex.current, rows.length - 1))
  useEffect(() => {
    lastIndex.current = index
  }, [index])
  return {
    index,
    isChosen: currentKey !== undefined,
    become(to) {
      const row = rows[to]
      if (row === undefined) return
      lastIndex.current = to
      if (keyOf(row) !== currentKey) {
        setCurrentKey(keyOf(row))
        onCurrent?.(row)
      }
    },
  }
}
