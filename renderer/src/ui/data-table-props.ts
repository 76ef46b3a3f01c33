import type { ReactNode, Ref } from 'react'
import type { Column } from './data-row.tsx'

export type Key = string | number

/** What others do with a table. */
export interface TableHandle {
  /** Gives the focus to the current row. */
  focus(): void
  toTop(): void
}

/** A key that does something with the current row, as the sheet names it. */
export interface RowKey<T> {
  readonly keys: string
  readonly name: string
  readonly run: (row: T) => void
}

export interface DataTableProps<T> {
  readonly label: string
  /** Name under which the browser remembers the choice of columns; none: no choice. */
  readonly tableId?: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => Key
  /** Pixels below which it scrolls sideways. */
  readonly least: number
  /** It has the rest of the screen, and scrolls by itself where the window is high enough. */
  readonly isFilling?: boolean
  /** Pixels of a row; one with more to show is higher. */
  readonly rowHeight?: number
  readonly onOpen?: (row: T) => void
  /** A click makes the row the current one; without it, it opens the row. */
  readonly selectsOnClick?: boolean
  /** There are rows that are not here yet: sorting those that are would mislead. */
  readonly isPartial?: boolean
  /** The last rows came into view: more may be asked for. */
  readonly onEndReached?: () => void
  /** Rows before the last at which more is asked for. */
  readonly ahead?: number
  readonly end?: ReactNode
  /** The current row to begin with. */
  readonly at?: Key | undefined
  readonly onCurrent?: (row: T) => void
  readonly selected?: ReadonlySet<Key>
  /** @param isRange all from the one selected last up to this one */
  readonly onSelect?: (row: T, isRange: boolean) => void
  /** What else keys do with the current row. */
  readonly rowKeys?: readonly RowKey<T>[]
  /** J, K, Enter, X and `rowKeys` are heard from the whole screen, not only from the table. */
  readonly isMain?: boolean
  readonly onScrolled?: (isDown: boolean) => void
  /** @param first the first row in sight, from 0 */
  readonly onFirstVisible?: (first: number) => void
  /** Where it changes the table goes back to its top. */
  readonly topOf?: string
  readonly isBusy?: boolean
  readonly handle?: Ref<TableHandle>
}
