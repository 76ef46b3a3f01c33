import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef } from 'react'
import type { DataTableProps } from './data-table-props.ts'
import type { TableScroller } from './use-table-scroller.ts'

/** Which rows of a table are drawn, and where; tells when the last ones come into view. */
export function useRowsInSight<T>(
  props: DataTableProps<T>,
  { element, above }: TableScroller,
  currentIndex: number,
) {
  const { rows, keyOf, rowHeight, onEndReached, ahead = 5, onFirstVisible } = props
  const held = useRef(keyOf)
  held.current = keyOf
  // The virtual list computes all again whenever this changes: with the rows, not with each
  // drawing.
  const getItemKey = useCallback(
    (index: number) => (rows[index] === undefined ? index : held.current(rows[index])),
    [rows],
  )
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range)
      // The row with the focus stays, wherever it is scrolled to.
      if (currentIndex < (seen[0] ?? 0) && currentIndex < range.count)
        return [currentIndex, ...seen]
      return currentIndex > (seen.at(-1) ?? 0) && currentIndex < range.count
        ? [...seen, currentIndex]
        : seen
    },
    [currentIndex],
  )
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => element.current,
    scrollMargin: above,
    estimateSize: () => rowHeight ?? 38,
    overscan: 12,
    scrollPaddingStart: 34,
    rangeExtractor,
    getItemKey,
  })
  // Before `range` is read, which this brings up to date.
  const items = virtualizer.getVirtualItems()
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - ahead) onEndReached?.()
  }, [last, rows.length, onEndReached, ahead])

  const first = virtualizer.range?.startIndex ?? 0
  useEffect(() => onFirstVisible?.(first), [first, onFirstVisible])
  return { virtual: virtualizer, items }
}
