import { Button } from '@mantine/core'
import { IconArrowUp, IconListSearch } from '@tabler/icons-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { boundedText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { type Column, DataTable } from '../data-table.tsx'
import type { RowKey, TableHandle } from '../data-table-props.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from '../page.tsx'
import { PreviewLayout } from '../preview-pane.tsx'
import { useShortcuts } from '../shortcuts.ts'
import { FilterBar } from './filter-bar.tsx'
import css from './study-list.module.css'
import { tableOf } from './use-rows.ts'
import type { StudyListState } from './use-study-list.ts'
import { ViewTabs } from './view-tabs.tsx'

export type RowAction = RowKey<WindowStudy>

const ROW_HEIGHT = 48
const keyOf = ({ studyId }: WindowStudy) => studyId

interface StudyTableProps {
  readonly state: StudyListState
  readonly label: string
  readonly columns: readonly Column<WindowStudy>[]
  readonly actions: readonly RowAction[]
  readonly onOpen: (study: WindowStudy) => void
  readonly at?: string | undefined
  readonly onCurrent?: (study: WindowStudy) => void
  readonly selected?: ReadonlySet<string | number>
  readonly onSelect?: (study: WindowStudy, isRange: boolean) => void
  readonly side?: ReactNode
}

interface StudyListProps extends StudyTableProps {
  readonly to: '/studies' | '/reading'
  /** What is said where there is no study at all. */
  readonly none: { readonly title: string; readonly text: string; readonly icon: ReactNode }
  /** Between the filters and the rows, such as what can be done with the selected ones. */
  readonly above?: ReactNode
}

/** Views, search, filters and rows of a list of studies. */
export function StudyList({ to, none, above, ...props }: StudyListProps) {
  const { state } = props
  const { rows } = state
  const table = useRef<TableHandle>(null)
  useShortcuts(t('ui.study-list.keys'), [
    { keys: 'shift+s', name: t('ui.study-list.keyNames.stat'), run: () => state.open('stat') },
  ])
  return (
    <>
      <ViewTabs state={state} to={to} />
      <FilterBar state={state} onDown={() => table.current?.focus()} />
      {above}
      {rows.error && <ErrorNotice error={rows.error} onRetry={rows.refetch} />}
      {rows.isPending && !rows.error && <LoadingPlaceholder rows={10} height={44} />}
      {rows.isSuccess && rows.rows.length === 0 && (
        <Panel>
          <EmptyStudyList state={state} none={none} />
        </Panel>
      )}
      {rows.rows.length > 0 && <StudyTable {...props} handle={table} />}
    </>
  )
}

function StudyTable({
  handle,
  ...props
}: StudyTableProps & { readonly handle: RefObject<TableHandle | null> }) {
  const { state, label, columns, actions, onOpen, at, onCurrent, selected, onSelect, side } = props
  const { rows } = state
  return (
    <PreviewLayout side={side}>
      {rows.unseen > 0 && (
        <Button
          className={css.unseen}
          size="compact-sm"
          radius="xl"
          leftSection={<IconArrowUp size={14} />}
          onClick={() => {
            rows.showNew()
            handle.current?.toTop()
          }}
        >
          {t('ui.study-list.unseen', { count: rows.unseen })}
        </Button>
      )}
      <Panel isFlush className="grow">
        <DataTable
          tableId={`${state.list} ${state.area}`}
          {...tableOf(rows)}
          handle={handle}
          label={label}
          columns={columns}
          keyOf={keyOf}
          least={420}
          isFilling
          rowHeight={ROW_HEIGHT}
          ahead={60}
          at={at}
          onOpen={onOpen}
          selectsOnClick={side !== undefined}
          {...(onCurrent && { onCurrent })}
          {...(selected && { selected })}
          {...(onSelect && { onSelect })}
          rowKeys={actions}
          isMain
          end={rows.hasMore ? t('ui.study-list.more') : t('ui.study-list.last')}
        />
      </Panel>
    </PreviewLayout>
  )
}

function EmptyStudyList({
  state,
  none,
}: {
  state: StudyListState
  none: { title: string; text: string; icon: ReactNode }
}) {
  const { counts, search, view } = state
  const isUnfilteredEmpty =
    counts !== undefined && counts.shown.count === 0 && counts.hidden.count === 0 && search === ''
  if (isUnfilteredEmpty) {
    return (
      <EmptyState icon={none.icon} title={none.title}>
        {none.text}
      </EmptyState>
    )
  }
  const isHidden = counts !== undefined && counts.hidden.count > 0 && search !== ''
  return (
    <EmptyState
      icon={<IconListSearch size={34} stroke={1.3} />}
      title={
        search === ''
          ? `${view.name}: ${t('ui.study-list.none').toLocaleLowerCase()}`
          : t('ui.study-list.none')
      }
      action={
        <Button
          variant="default"
          onClick={() => (isHidden ? state.choose({ cancelled: 'all' }) : state.showAll())}
        >
          {isHidden ? t('ui.study-list.filter.clear') : t('ui.study-list.showAll')}
        </Button>
      }
    >
      {search === ''
        ? t('ui.study-list.noneView')
        : isHidden
          ? t('ui.study-list.noneFiltered', { count: boundedText(counts.hidden) })
          : t('ui.study-list.noneSearched')}
    </EmptyState>
  )
}
