// biome-ignore-all lint/a11y/useSemanticElements: rows placed by pixels cannot be table rows; the roles say what they are
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react'
import css from './virtual-table.module.css'

export interface Column<T> {
  readonly name: string
  /** CSS grid track, e.g. `90px` or `minmax(160px, 2fr)`. */
  readonly track: string
  readonly isRight?: boolean
  /** Left out of a narrow window. */
  readonly isWideOnly?: boolean
  readonly cell: (row: T) => ReactNode
}

/**
 * A long table of which only the visible rows are drawn; rows may wrap. Screen readers get its full size (aria-rowcount).
 * @param least pixels below which it scrolls sideways
 * @param onEnd the last row came into view: more may be asked for
 */
export function VirtualTable<T>(props: {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  least: number
  maxHeight?: string
  onOpen?: (row: T) => void
  onEnd?: () => void
  end?: ReactNode
}) {
  const { label, columns, rows, keyOf, least, maxHeight, onOpen, onEnd, end } = props
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 38,
    overscan: 12,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 5) onEnd?.()
  }, [last, rows.length, onEnd])

  const tracks = (shown: readonly Column<T>[]) => shown.map((column) => column.track).join(' ')
  const style = {
    '--columns': tracks(columns),
    '--narrow-columns': tracks(columns.filter((column) => !column.isWideOnly)),
    '--least': `${least}px`,
    maxHeight,
  } as CSSProperties
  const classOf = (column: Column<T>) => `${column.isRight ? css.right : ''} ${column.isWideOnly ? css.wideOnly : ''}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
    <section ref={scroll} className={css.scroll} style={style} tabIndex={0} aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className={css.headGroup}>
          <div role="row" aria-rowindex={1} className={css.head} tabIndex={-1}>
            {columns.map((column) => (
              <div role="columnheader" tabIndex={-1} key={column.name} className={classOf(column)}>
                {column.name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={css.body} style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the row holds a link for the keyboard; the whole row is a larger target for the mouse
              <div
                role="row"
                aria-rowindex={item.index + 2}
                tabIndex={-1}
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={`${css.row} ${onOpen ? css.opens : ''}`}
                style={{ transform: `translateY(${item.start}px)` }}
                onClick={onOpen && ((event) => (event.target as Element).closest('a, button, input') === null && onOpen(row))}
              >
                {columns.map((column) => (
                  <div role="cell" key={column.name} className={classOf(column)}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      {end && <div className={css.end}>{end}</div>}
    </section>
  )
}
