import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import type { DataTableProps } from './data-table-props.ts'
import { STEPS, stepped } from './row-steps.ts'
import { isSequenceBegun } from './shortcuts.ts'
import type { CurrentRow } from './use-current-row.ts'

/** Keys inside of these are theirs. */
const OWN_KEYS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="dialog"]'
const PRESSED_BY_ITSELF = 'a, button, input, summary'

/**
 * What keys do in a table: arrows, J and K, page keys, Home and End move the current row, others
 * act on it.
 */
export function useRowKeys<T>(
  { rows, rowHeight, onOpen, onSelect, rowKeys }: DataTableProps<T>,
  scroll: RefObject<HTMLElement | null>,
  current: CurrentRow,
  scrollToIndex: (index: number) => void,
) {
  const rowAt = (index: number) =>
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const isFocusWanted = useRef(false)
  useLayoutEffect(() => {
    if (!isFocusWanted.current) return
    const row = rowAt(current.index)
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  })

  const moveTo = (index: number) => {
    current.become(index)
    isFocusWanted.current = true
    scrollToIndex(index)
    // Also where the row was the current one already, but had not the focus.
    rowAt(index)?.focus({ preventScroll: true })
  }
  /** As if the key were pressed on the current row; false where the table does nothing with it. */
  const press = (key: string, isRange = false): boolean => {
    const row = rows[current.index]
    if (row === undefined) return false
    const step = STEPS[key]
    if (step) {
      const page = Math.max(
        1,
        Math.floor((scroll.current?.clientHeight ?? 400) / (rowHeight ?? 44)) - 2,
      )
      // The first step takes the row that Tab would go to.
      const isThere = current.isChosen && scroll.current?.contains(document.activeElement)
      moveTo(
        isThere || Math.abs(step.by) !== 1
          ? stepped(step, current.index, rows.length, page)
          : current.index,
      )
      return true
    }
    if (key === 'Enter' && onOpen) onOpen(row)
    else if ((key === ' ' || key === 'x') && onSelect) onSelect(row, isRange)
    else if (rowKeys && Object.hasOwn(rowKeys, key)) rowKeys[key]?.(row)
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !(event.target instanceof Element)
    )
      return
    // Menus and dialogs of a row are elsewhere in the page.
    if (!scroll.current?.contains(event.target) || event.target.closest(OWN_KEYS)) return
    if ((event.key === 'Enter' || event.key === ' ') && event.target.closest(PRESSED_BY_ITSELF))
      return
    if (event.shiftKey && event.key !== ' ') return
    // The C of G C goes to customers, and cancels no study.
    if (isSequenceBegun(event.timeStamp)) return
    const isHeld = event.repeat && !STEPS[event.key]
    if (isHeld || press(event.key, event.shiftKey)) event.preventDefault()
  }
  return { press, onKeyDown }
}
