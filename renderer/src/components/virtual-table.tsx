// biome-ignore-all lint/a11y/useSemanticElements: rows placed by pixels cannot be table rows; the roles say what they are
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isSequenceBegun } from '../shell/shortcuts.ts'
import { columnsFor } from './column-room.ts'
import { indexOfKey, STEPS, stepped } from './row-steps.ts'
import { useWidth } from './use-width.ts'
import { type Column, classOf, type Hands, VirtualRow } from './virtual-row.tsx'
import css from './virtual-table.module.css'

export type { Column }

type Key = string | number

/** What others do with a table. */
export interface TableHandle {
  /** As if the key were pressed on the current row; false where the table does nothing with it. */
  press(key: string): boolean
  toTop(): void
}

/** Keys inside of these are theirs. */
const OWN_KEYS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="dialog"]'
const PRESSED_BY_ITSELF = 'a, button, input, summary'
const NOT_ROW = 'a, button, input, label'

/**
 * A long table of which only the visible rows are drawn; rows may wrap unless `rowHeight` is given. Arrows, J and K, page keys, Home and End move
 * the current row, Enter opens it, Space and X select it. Screen readers get its full size (aria-rowcount).
 * @param least pixels below which it scrolls sideways
 * @param onEnd the last rows came into view: more may be asked for
 */
export function VirtualTable<T>(props: {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => Key
  least: number
  maxHeight?: string
  /** Pixels of every row: long lists stay fast, and what does not fit is cut. */
  rowHeight?: number
  onOpen?: (row: T) => void
  /** A click makes the row the current one; without it, it opens the row. */
  isOpenedByKey?: boolean
  onEnd?: () => void
  /** Rows before the last at which more is asked for. */
  ahead?: number
  end?: ReactNode
  /** The current row to begin with. */
  at?: Key | undefined
  onCurrent?: (row: T) => void
  selected?: ReadonlySet<Key>
  /** @param isRange all from the one selected last up to this one */
  onSelect?: (row: T, isRange: boolean) => void
  /** What else keys do with the current row. */
  rowKeys?: Readonly<Record<string, (row: T) => void>>
  onScrolled?: (isDown: boolean) => void
  /** @param first the first row in sight, from 0 */
  onSight?: (first: number) => void
  /** Where it changes the table goes back to its top. */
  topOf?: string
  isBusy?: boolean
  handle?: Ref<TableHandle>
}) {
  const { label, columns, rows, keyOf, least, maxHeight, rowHeight, onOpen, isOpenedByKey, onEnd, ahead = 5, end, at } = props
  const { onCurrent, selected, onSelect, rowKeys, onScrolled, onSight, topOf, isBusy, handle } = props
  const scroll = useRef<HTMLDivElement>(null)
  const width = useWidth(scroll)
  const shown = useMemo(() => columnsFor(columns, width), [columns, width])

  const [currentKey, setCurrentKey] = useState<Key | undefined>(at)
  const lastIndex = useRef(0)
  const foundIndex = indexOfKey(rows, keyOf, currentKey, lastIndex.current)
  // A current row that went away leaves its place to the one that took it.
  const currentIndex = foundIndex >= 0 ? foundIndex : Math.max(0, Math.min(lastIndex.current, rows.length - 1))
  useEffect(() => {
    lastIndex.current = currentIndex
  }, [currentIndex])

  const held = useRef(keyOf)
  held.current = keyOf
  // The virtual list computes all again whenever this changes: with the rows, not with each drawing.
  const getItemKey = useCallback((index: number) => (rows[index] === undefined ? index : held.current(rows[index])), [rows])
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range)
      // The row with the focus stays, wherever it is scrolled to.
      if (currentIndex < (seen[0] ?? 0) && currentIndex < range.count) return [currentIndex, ...seen]
      return currentIndex > (seen.at(-1) ?? 0) && currentIndex < range.count ? [...seen, currentIndex] : seen
    },
    [currentIndex],
  )
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight ?? 38,
    overscan: 12,
    scrollPaddingStart: 34,
    rangeExtractor,
    getItemKey,
  })
  const items = virtual.getVirtualItems()
  const last = virtual.range?.endIndex ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - ahead) onEnd?.()
  }, [last, rows.length, onEnd, ahead])

  const first = virtual.range?.startIndex ?? 0
  useEffect(() => onSight?.(first), [first, onSight])

  const top = useRef(topOf)
  useEffect(() => {
    if (top.current !== topOf) scroll.current?.scrollTo({ top: 0 })
    top.current = topOf
  }, [topOf])

  const isFocusWanted = useRef(false)
  useLayoutEffect(() => {
    if (!isFocusWanted.current) return
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${currentIndex}"]`)
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  })

  const become = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    lastIndex.current = index
    if (keyOf(row) !== currentKey) {
      setCurrentKey(keyOf(row))
      onCurrent?.(row)
    }
  }
  const moveTo = (index: number) => {
    become(index)
    isFocusWanted.current = true
    virtual.scrollToIndex(index)
    // Also where the row was the current one already, but had not the focus.
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
  }
  const press = (key: string, isRange = false): boolean => {
    const row = rows[currentIndex]
    if (row === undefined) return false
    const step = STEPS[key]
    if (step) {
      const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 400) / (rowHeight ?? 44)) - 2)
      // The first step takes the row that Tab would go to.
      const isThere = currentKey !== undefined && scroll.current?.contains(document.activeElement)
      moveTo(isThere || Math.abs(step.by) !== 1 ? stepped(step, currentIndex, rows.length, page) : currentIndex)
      return true
    }
    if (key === 'Enter' && onOpen) onOpen(row)
    else if ((key === ' ' || key === 'x') && onSelect) onSelect(row, isRange)
    else if (rowKeys && Object.hasOwn(rowKeys, key)) rowKeys[key]?.(row)
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return
    // Menus and dialogs of a row are elsewhere in the page.
    if (!scroll.current?.contains(event.target) || event.target.closest(OWN_KEYS)) return
    if ((event.key === 'Enter' || event.key === ' ') && event.target.closest(PRESSED_BY_ITSELF)) return
    if (event.shiftKey && event.key !== ' ') return
    // The C of G C goes to customers, and cancels no study.
    if (isSequenceBegun(event.timeStamp)) return
    const isHeld = event.repeat && !STEPS[event.key]
    if (isHeld || press(event.key, event.shiftKey)) event.preventDefault()
  }
  useImperativeHandle(handle, () => ({ press, toTop: () => scroll.current?.scrollTo({ top: 0 }) }))

  const tracks = (of: readonly Column<T>[]) => of.map((column) => column.track).join(' ')
  const style = {
    '--columns': tracks(shown),
    '--narrow-columns': tracks(shown.filter((column) => !column.isWideOnly)),
    '--least': `${least}px`,
    ...(rowHeight && { '--row': `${rowHeight}px` }),
    maxHeight,
  } as CSSProperties
  // The same for ever, so that a row is drawn again only where something of it changed.
  const doing = useRef<Hands<T>>(null)
  doing.current = {
    focus: become,
    click(event, row, index) {
      if ((event.target as Element).closest(NOT_ROW) !== null) return
      if (onSelect && (event.ctrlKey || event.metaKey || event.shiftKey)) return onSelect(row, event.shiftKey)
      become(index)
      if (!isOpenedByKey) onOpen?.(row)
    },
    doubleClick(event, row) {
      if (isOpenedByKey && (event.target as Element).closest(NOT_ROW) === null) onOpen?.(row)
    },
  }
  const hands = useMemo<Hands<T>>(
    () => ({
      focus: (index) => doing.current?.focus(index),
      click: (event, row, index) => doing.current?.click(event, row, index),
      doubleClick: (event, row) => doing.current?.doubleClick(event, row),
    }),
    [],
  )
  const isGrid = onSelect !== undefined || onCurrent !== undefined
  const wasDown = useRef(false)
  const named = {
    role: isGrid ? 'grid' : 'table',
    'aria-label': label,
    'aria-rowcount': rows.length + 1,
    ...(onSelect && { 'aria-multiselectable': true }),
  }
  return (
    <section
      ref={scroll}
      className={css.scroll}
      style={style}
      tabIndex={rows.length === 0 ? 0 : -1}
      aria-label={label}
      aria-busy={isBusy}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => {
        const isDown = currentTarget.scrollTop > 8
        if (isDown !== wasDown.current) onScrolled?.(isDown)
        wasDown.current = isDown
      }}
    >
      <div {...named}>
        <div role="rowgroup" className={css.headGroup}>
          <div role="row" aria-rowindex={1} className={css.head} tabIndex={-1}>
            {shown.map((column) => (
              <div
                role="columnheader"
                tabIndex={-1}
                key={column.name}
                className={classOf(column)}
                {...(column.head !== undefined && { 'aria-label': column.name })}
              >
                {column.head ?? column.name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={css.body} style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            const isCurrent = item.index === currentIndex
            const isSelected = selected?.has(keyOf(row))
            return (
              <VirtualRow
                key={item.key}
                row={row}
                index={item.index}
                start={item.start}
                isCurrent={isCurrent}
                isMarked={isCurrent && currentKey !== undefined}
                isSelected={selected && isSelected === true}
                isGrid={isGrid}
                opens={onOpen !== undefined}
                columns={shown}
                measure={rowHeight ? null : virtual.measureElement}
                hands={hands}
              />
            )
          })}
        </div>
      </div>
      {end && <div className={css.end}>{end}</div>}
    </section>
  )
}
