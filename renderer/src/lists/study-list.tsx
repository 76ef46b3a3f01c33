import { Button } from '@mantine/core'
import { IconArrowUp, IconListSearch } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { Empty, Failed, Panel, Waiting } from '../components/page.tsx'
import { type Column, type TableHandle, VirtualTable } from '../components/virtual-table.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { FilterBar } from './filter-bar.tsx'
import css from './lists.module.css'
import type { StudyListState } from './use-study-list.ts'
import { ViewTabs } from './view-tabs.tsx'
import { words } from './words.ts'

/** A key that does something with the current row, as the sheet names it. */
export interface RowAction {
  readonly keys: string
  readonly name: string
  readonly run: (study: WindowStudy) => void
}

const ROW_HEIGHT = 48
const keyOf = ({ studyId }: WindowStudy) => studyId

/** Views, search, filters and rows of a list of studies. */
export function StudyList(props: {
  state: StudyListState
  to: '/studies' | '/reading'
  label: string
  columns: readonly Column<WindowStudy>[]
  actions: readonly RowAction[]
  onOpen: (study: WindowStudy) => void
  /** What is said where there is no study at all. */
  none: { readonly title: string; readonly text: string; readonly icon: ReactNode }
  at?: string | undefined
  onCurrent?: (study: WindowStudy) => void
  selected?: ReadonlySet<string | number>
  onSelect?: (study: WindowStudy, isRange: boolean) => void
  /** Between the filters and the rows, such as what can be done with the selected ones. */
  above?: ReactNode
  side?: ReactNode
}) {
  const { state, to, label, columns, actions, onOpen, none, at, onCurrent, selected, onSelect, above, side } = props
  const { rows } = state
  const table = useRef<TableHandle>(null)
  const press = (key: string) => () => void table.current?.press(key)
  const { keyNames } = words
  useShortcuts(words.keys, [
    { keys: 'j', name: keyNames.down, run: press('j') },
    { keys: 'k', name: keyNames.up, run: press('k') },
    { keys: 'Enter', name: keyNames.open, run: press('Enter') },
    ...(onSelect ? [{ keys: 'x', name: keyNames.select, run: press('x') }] : []),
    ...actions.map(({ keys, name }) => ({ keys, name, run: press(keys) })),
    { keys: 'shift+s', name: keyNames.stat, run: () => state.open('stat') },
  ])
  return (
    <>
      <ViewTabs state={state} to={to} />
      <FilterBar state={state} onDown={press('ArrowDown')} />
      {above}
      {rows.error && <Failed error={rows.error} onRetry={rows.retry} />}
      {rows.isPending && !rows.error && <Waiting rows={10} height={44} />}
      {rows.isSuccess && rows.rows.length === 0 && (
        <Panel>
          <None state={state} none={none} />
        </Panel>
      )}
      {rows.rows.length > 0 && (
        <div className={css.body}>
          <div className={css.table}>
            {rows.unseen > 0 && (
              <Button
                className={css.unseen}
                size="compact-sm"
                radius="xl"
                leftSection={<IconArrowUp size={14} />}
                onClick={() => {
                  rows.showNew()
                  table.current?.toTop()
                }}
              >
                {words.unseen(rows.unseen)}
              </Button>
            )}
            <Panel isFlush className="grow">
              <VirtualTable
                handle={table}
                label={label}
                columns={columns}
                rows={rows.rows}
                keyOf={keyOf}
                least={420}
                maxHeight="100%"
                rowHeight={ROW_HEIGHT}
                ahead={60}
                at={at}
                topOf={rows.shownKey}
                isBusy={rows.isBehind}
                onOpen={onOpen}
                isOpenedByKey={side !== undefined}
                onEnd={rows.more}
                onScrolled={rows.scrolled}
                onSight={rows.inSight}
                {...(onCurrent && { onCurrent })}
                {...(selected && { selected })}
                {...(onSelect && { onSelect })}
                rowKeys={Object.fromEntries(actions.map(({ keys, run }) => [keys, run]))}
                end={rows.hasMore ? words.more : words.last}
              />
            </Panel>
          </div>
          {side && <aside className={css.side}>{side}</aside>}
        </div>
      )}
    </>
  )
}

function None({ state, none }: { state: StudyListState; none: { title: string; text: string; icon: ReactNode } }) {
  const { counts, search, view } = state
  const isNothing = counts !== undefined && counts.shown.count === 0 && counts.hidden.count === 0 && search === ''
  if (isNothing) {
    return (
      <Empty icon={none.icon} title={none.title}>
        {none.text}
      </Empty>
    )
  }
  const isHidden = counts !== undefined && counts.hidden.count > 0 && search !== ''
  return (
    <Empty
      icon={<IconListSearch size={34} stroke={1.3} />}
      title={search === '' ? `${view.name}: ${words.none.toLocaleLowerCase()}` : words.none}
      action={
        <Button variant="default" onClick={() => (isHidden ? state.choose({ cancelled: 'all' }) : state.showAll())}>
          {isHidden ? words.filter.clear : words.showAll}
        </Button>
      }
    >
      {search === '' ? words.noneView : isHidden ? words.noneFiltered(counts.hidden) : words.noneSearched}
    </Empty>
  )
}
