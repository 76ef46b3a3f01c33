// biome-ignore-all lint/a11y/useSemanticElements: rows placed by pixels cannot be table rows; the roles say what they are
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import { ColumnMenu } from './column-menu.tsx'
import { columnsFor } from './columns-that-fit.ts'
import { type Column, classOf, DataRow } from './data-row.tsx'
import css from './data-table.module.css'
import type { DataTableProps } from './data-table-props.ts'
import { useCurrentRow } from './use-current-row.ts'
import { useRowHandlers } from './use-row-handlers.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useRowsInSight } from './use-rows-in-sight.ts'
import { type TableColumns, useTableColumns } from './use-table-columns.ts'
import { useScrolledDown, useTableScroller } from './use-table-scroller.ts'
import { useWidth } from './use-width.ts'

export type { Column }

/**
 * A long table of which only the visible rows are drawn; rows may wrap.
 * Arrows, J and K, page keys, Home and End move the current row, Enter opens it, Space and X select
 * it. Screen readers get its full size (aria-rowcount).
 */
export function DataTable<T>(given: DataTableProps<T>) {
  const { columns, rows, orderOf, toggleOrder, choice, toggleColumn, showAll } =
    useTableColumns(given)
  const props = { ...given, columns, rows }
  const {
    label,
    keyOf,
    onOpen,
    end,
    onCurrent,
    selected,
    onSelect,
    onScrolled,
    topOf,
    isBusy,
    handle,
  } = props
  const scroll = useRef<HTMLDivElement>(null)
  const width = useWidth(scroll)
  const hasTools = choice.length > 0
  const shown = useMemo(() => columnsFor(columns, width, hasTools), [columns, width, hasTools])
  const current = useCurrentRow(props)
  const scroller = useTableScroller(scroll, props.isFilling === true)
  const { virtual, items } = useRowsInSight(props, scroller, current.index)
  useScrolledDown(scroller, onScrolled)
  useScrollToTop(topOf, scroller.element)
  const moveTo = useRowKeys(props, scroll, current, {
    scrollToIndex: (index) => virtual.scrollToIndex(index),
    height: () => scroller.element.current?.clientHeight,
  })
  useImperativeHandle(handle, () => ({
    focus: () => moveTo(current.index),
    toTop: () => scroller.element.current?.scrollTo({ top: 0 }),
  }))
  const handlers = useRowHandlers(props, current.become)
  const isGrid = onSelect !== undefined || onCurrent !== undefined
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
      data-has-tools={hasTools || undefined}
      data-own={scroller.isOwn || undefined}
      style={styleOf(props, shown)}
      tabIndex={rows.length === 0 ? 0 : -1}
      aria-label={label}
      aria-busy={isBusy}
    >
      {hasTools && (
        <div className={css.tools}>
          <ColumnMenu choice={choice} onToggle={toggleColumn} onShowAll={showAll} />
        </div>
      )}
      <div {...named}>
        <HeaderRow columns={shown} orderOf={orderOf} toggleOrder={toggleOrder} />
        <div
          role="rowgroup"
          data-rows
          className={css.body}
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            const isCurrent = item.index === current.index
            const isSelected = selected?.has(keyOf(row))
            return (
              <DataRow
                key={item.key}
                row={row}
                index={item.index}
                start={item.start - scroller.above}
                isCurrent={isCurrent}
                isMarked={isCurrent && current.isChosen}
                isSelected={selected && isSelected === true}
                isGrid={isGrid}
                isOpenable={onOpen !== undefined}
                columns={shown}
                measure={virtual.measureElement}
                handlers={handlers}
              />
            )
          })}
        </div>
      </div>
      {end && <div className={css.end}>{end}</div>}
    </section>
  )
}

/** Back to the top where what is shown changes. */
function useScrollToTop(topOf: string | undefined, scroll: RefObject<HTMLElement | null>): void {
  const top = useRef(topOf)
  useEffect(() => {
    if (top.current !== topOf) scroll.current?.scrollTo({ top: 0 })
    top.current = topOf
  }, [topOf, scroll])
}

function styleOf<T>(
  { least, rowHeight }: DataTableProps<T>,
  shown: readonly Column<T>[],
): CSSProperties {
  const tracks = (of: readonly Column<T>[]) => of.map((column) => column.track).join(' ')
  return {
    '--columns': tracks(shown),
    '--narrow-columns': tracks(shown.filter((column) => !column.isWideOnly)),
    '--least': `${least}px`,
    ...(rowHeight && { '--row': `${rowHeight}px` }),
  } as CSSProperties
}

function HeaderRow<T>({
  columns,
  orderOf,
  toggleOrder,
}: Pick<TableColumns<T>, 'orderOf' | 'toggleOrder'> & { columns: readonly Column<T>[] }) {
  return (
    <div role="rowgroup" className={css.headGroup}>
      <div role="row" aria-rowindex={1} className={css.head} tabIndex={-1}>
        {columns.map((column) => (
          <HeaderCell
            key={column.name}
            column={column}
            order={orderOf(column)}
            onToggle={() => toggleOrder(column)}
          />
        ))}
      </div>
    </div>
  )
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const

function HeaderCell<T>({
  column,
  order,
  onToggle,
}: {
  column: Column<T>
  order: 'asc' | 'desc' | false | null
  onToggle: () => void
}) {
  const { name, head } = column
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      className={classOf(column)}
      {...(head !== undefined && { 'aria-label': name })}
      {...(order !== null && { 'aria-sort': order ? ARIA_SORT[order] : 'none' })}
    >
      {order === null ? (
        (head ?? name)
      ) : (
        <button type="button" className={css.sort} onClick={onToggle}>
          {name}
          {order === false && <IconArrowsSort size={12} opacity={0.5} aria-hidden />}
          {order === 'asc' && <IconArrowUp size={12} aria-hidden />}
          {order === 'desc' && <IconArrowDown size={12} aria-hidden />}
        </button>
      )}
    </div>
  )
}
