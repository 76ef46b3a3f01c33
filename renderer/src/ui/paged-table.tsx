import { Button } from '@mantine/core'
import { IconArrowUp, type Icon as TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ProblemError } from '../api/client.ts'
import { DataTable } from './data-table.tsx'
import type { DataTableProps } from './data-table-props.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from './page.tsx'
import { PreviewLayout } from './preview-pane.tsx'

/**
 * Why a list has nothing in it: `add` makes the first row, `clear` takes the filter away that found
 * nothing.
 */
interface EmptyTableText {
  readonly icon: TablerIcon
  readonly title: string
  readonly text: ReactNode
  readonly add?: ReactNode
  readonly clear?: { readonly name: string; readonly run: () => void } | undefined
}

/** How far the reading of a list is: a query of pages, or the rows of a live list. */
interface Reading {
  readonly error: ProblemError | null
  readonly isPending: boolean
  readonly isSuccess: boolean
  refetch(): unknown
}

/**
 * A long table that is read page by page: awaited, refused, empty, or its rows to the foot of the
 * screen.
 */
export function PagedTable<T>({
  list,
  nothing,
  waitingHeight = 34,
  side,
  ...table
}: DataTableProps<T> & {
  readonly list: Reading
  readonly nothing: EmptyTableText
  /** Pixels of a row of the placeholder. */
  readonly waitingHeight?: number
  /**
   * More of the current row, beside the rows: a click makes a row the current one then. Null: it is
   * closed; without it the list has none.
   */
  readonly side?: ReactNode
}) {
  return (
    <>
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && !list.error && <LoadingPlaceholder rows={10} height={waitingHeight} />}
      {list.isSuccess && table.rows.length === 0 && <EmptyList {...nothing} />}
      {table.rows.length > 0 && (
        <SideBySide side={side}>
          <Panel isFlush className="grow">
            <DataTable isFilling selectsOnClick={side != null} {...table} />
          </Panel>
        </SideBySide>
      )}
    </>
  )
}

const SideBySide = ({ side, children }: { side: ReactNode; children: ReactNode }) =>
  side === undefined ? children : <PreviewLayout side={side}>{children}</PreviewLayout>

/** Stands in the place of a list. */
export function EmptyList({ icon: Icon, title, text, add, clear }: EmptyTableText) {
  return (
    <Panel>
      <EmptyState
        icon={<Icon size={34} stroke={1.3} />}
        title={title}
        action={
          clear ? (
            <Button variant="default" onClick={clear.run}>
              {clear.name}
            </Button>
          ) : (
            add
          )
        }
      >
        {text}
      </EmptyState>
    </Panel>
  )
}

/** What came since waits for it, while older pages are open. */
export function NewerButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button variant="light" size="xs" leftSection={<IconArrowUp size={14} />} onClick={onClick}>
      {name}
    </Button>
  )
}
