import { useMemo, useRef } from 'react'
import type { RowHandlers } from './data-row.tsx'
import type { DataTableProps } from './data-table-props.ts'

const INTERACTIVE_SELECTOR = 'a, button, input, label'

/**
 * What the pointer and the focus do with the rows of a table: the same object for ever, so that a
 * row is drawn again only where it changed.
 */
export function useRowHandlers<T>(
  { onOpen, selectsOnClick, onSelect }: DataTableProps<T>,
  become: (index: number) => void,
): RowHandlers<T> {
  const latestHandlers = useRef<RowHandlers<T>>(null)
  latestHandlers.current = {
    focus: become,
    click(event, row, index) {
      if ((event.target as Element).closest(INTERACTIVE_SELECTOR) !== null) return
      if (onSelect && (event.ctrlKey || event.metaKey || event.shiftKey))
        return onSelect(row, event.shiftKey)
      become(index)
      if (!selectsOnClick) onOpen?.(row)
    },
    doubleClick(event, row) {
      if (selectsOnClick && (event.target as Element).closest(INTERACTIVE_SELECTOR) === null)
        onOpen?.(row)
    },
  }
  return useMemo<RowHandlers<T>>(
    () => ({
      focus: (index) => latestHandlers.current?.focus(index),
      click: (event, row, index) => latestHandlers.current?.click(event, row, index),
      doubleClick: (event, row) => latestHandlers.current?.doubleClick(event, row),
    }),
    [],
  )
}
