import { useMemo, useRef } from 'react'
import type { RowHandlers } from './data-row.tsx'
import type { DataTableProps } from './data-table-props.ts'

const NOT_ROW = 'a, button, input, label'

/**
 * What the pointer and the focus do with the rows of a table: the same object for ever, so that a
 * row is drawn again only where it changed.
 */
export function useRowHandlers<T>(
  { onOpen, isOpenedByKey, onSelect }: DataTableProps<T>,
  become: (index: number) => void,
): RowHandlers<T> {
  const doing = useRef<RowHandlers<T>>(null)
  doing.current = {
    focus: become,
    click(event, row, index) {
      if ((event.target as Element).closest(NOT_ROW) !== null) return
      if (onSelect && (event.ctrlKey || event.metaKey || event.shiftKey))
        return onSelect(row, event.shiftKey)
      become(index)
      if (!isOpenedByKey) onOpen?.(row)
    },
    doubleClick(event, row) {
      if (isOpenedByKey && (event.target as Element).closest(NOT_ROW) === null) onOpen?.(row)
    },
  }
  return useMemo<RowHandlers<T>>(
    () => ({
      focus: (index) => doing.current?.focus(index),
      click: (event, row, index) => doing.current?.click(event, row, index),
      doubleClick: (event, row) => doing.current?.doubleClick(event, row),
    }),
    [],
  )
}
