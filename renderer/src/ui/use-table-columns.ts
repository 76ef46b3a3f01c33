import { useLocalStorage } from '@mantine/hooks'
import {
  type ColumnDef,
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import type { Column } from './data-row.tsx'
import type { DataTableProps } from './data-table-props.ts'

const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
})
const NO_COLUMNS: readonly never[] = []
/** A name may be empty, an id of TanStack Table may not. */
const idOf = ({ name }: { readonly name: string }) => `column ${name}`

/**
 * Sorting and choice of columns of a table, by TanStack Table. Only lists that are here as a whole
 * are sorted, by columns with `sortBy`. Which columns are hidden is remembered in this browser.
 */
export function useTableColumns<T>({
  tableId,
  columns,
  rows,
  isPartial,
}: Pick<DataTableProps<T>, 'tableId' | 'columns' | 'rows' | 'isPartial'>) {
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({
    key: `isthmus-hidden-columns ${tableId ?? ''}`,
    defaultValue: NO_COLUMNS,
    getInitialValueInEffect: false,
  })
  const [sorting, setSorting] = useState<SortingState>([])
  const definitions = useMemo(
    () =>
      columns.map(
        ({ name, sortBy }): ColumnDef<typeof features, T & object> => ({
          id: idOf({ name }),
          accessorFn: (row) => sortBy?.(row) ?? '',
          enableSorting: sortBy !== undefined,
          sortFn: 'alphanumeric',
          sortDescFirst: false,
        }),
      ),
    [columns],
  )
  const isSortable = !isPartial && columns.some(({ sortBy }) => sortBy)
  const table = useTable({
    features,
    columns: definitions,
    // Lists that cannot be sorted may be long: no row models are made of them.
    data: (isSortable ? rows : NO_COLUMNS) as readonly (T & object)[],
    state: {
      sorting,
      columnVisibility: Object.fromEntries(hidden.map((name) => [idOf({ name }), false])),
    },
    onSortingChange: setSorting,
  })
  const sorted = isSortable && sorting.length > 0
  const hideable =
    tableId === undefined ? [] : columns.filter(({ name, isFixed }) => name !== '' && !isFixed)
  return {
    /** The rows in the order that the person chose. */
    rows: sorted ? table.getRowModel().rows.map(({ original }): T => original) : rows,
    columns: columns.filter((column) => table.getColumn(idOf(column))?.getIsVisible() !== false),
    /** The order of a column; false where another decides, null where it cannot be sorted. */
    orderOf: (column: Column<T>) =>
      isSortable && column.sortBy ? (table.getColumn(idOf(column))?.getIsSorted() ?? false) : null,
    /** Ascending, then descending, then as the list comes. */
    toggleOrder: (column: Column<T>) => table.getColumn(idOf(column))?.toggleSorting(),
    /** Columns that may be hidden. */
    choice: hideable.map(({ name }) => ({ name, isShown: !hidden.includes(name) })),
    toggleColumn: (name: string) =>
      setHidden(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name]),
    showAll: () => setHidden(NO_COLUMNS),
  }
}

export type TableColumns<T> = ReturnType<typeof useTableColumns<T>>
