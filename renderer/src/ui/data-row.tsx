// biome-ignore-all lint/a11y/useSemanticElements: rows placed by pixels cannot be table rows; the roles say what they are
import { type MouseEvent, memo, type ReactNode } from 'react'
import css from './data-table.module.css'

export interface Column<T> {
  readonly name: string
  /** CSS grid track, e.g. `90px` or `minmax(160px, 2fr)`. */
  readonly track: string
  readonly isRightAligned?: boolean
  /** Left out of a narrow window. */
  readonly isWideOnly?: boolean
  /** Where not all have room, columns with a rank go, the highest first. */
  readonly rank?: number
  /** What rows are sorted by, for lists that are here as a whole. */
  readonly sortBy?: (row: T) => string | number | null | undefined
  /** Stays in the table: what the row is, or what can be done with it. */
  readonly isFixed?: true
  /** Stands for the name at the head, which is then for screen readers. */
  readonly head?: ReactNode
  /** @param isCurrent what can be pressed in the row is reached with Tab then, and only then */
  readonly cell: (row: T, isCurrent: boolean) => ReactNode
}

/** What a row tells its table. */
export interface RowHandlers<T> {
  focus(index: number): void
  click(event: MouseEvent, row: T, index: number): void
  doubleClick(event: MouseEvent, row: T): void
}

export const classOf = (column: { readonly isRight?: boolean; readonly isWideOnly?: boolean }) =>
  `${column.isRight ? css.right : ''} ${column.isWideOnly ? css.wideOnly : ''}`

interface RowProps<T> {
  readonly row: T
  readonly index: number
  readonly start: number
  readonly isCurrent: boolean
  readonly isMarked: boolean
  readonly isSelected: boolean | undefined
  readonly isGrid: boolean
  readonly isOpenable: boolean
  readonly columns: readonly Column<T>[]
  readonly measure: (element: Element | null) => void
  readonly handlers: RowHandlers<T>
}

/** One row, drawn again only where something of it changed. */
export const DataRow = memo(function DataRow<T>(props: RowProps<T>) {
  const {
    row,
    index,
    start,
    isCurrent,
    isMarked,
    isSelected,
    isGrid,
    isOpenable,
    columns,
    measure,
    handlers,
  } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the section hears the keys of all rows, drawn or not
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isCurrent ? 0 : -1}
      ref={measure}
      data-index={index}
      data-current={isMarked || undefined}
      {...(isSelected !== undefined && { 'aria-selected': isSelected })}
      className={`${css.row} ${isOpenable ? css.opens : ''}`}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => handlers.focus(index)}
      onClick={(event) => handlers.click(event, row, index)}
      onDoubleClick={(event) => handlers.doubleClick(event, row)}
    >
      {columns.map((column) => (
        <div role={isGrid ? 'gridcell' : 'cell'} key={column.name} className={classOf(column)}>
          {column.cell(row, isCurrent)}
        </div>
      ))}
    </div>
  )
}) as <T>(props: RowProps<T>) => ReactNode
