import { Button, CloseButton, Group, SegmentedControl } from '@mantine/core'
import { IconBookmarkPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { type BoundedCount, dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { useSend } from '../../api/queries.ts'
import { useMayManage, useSession } from '../../api/session.ts'
import { boundedText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { showDone } from '../undo.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { chipsOf } from './filter-words.ts'
import { useCustomerName, usePersonName } from './pickers.tsx'
import { SaveViewDialog } from './save-view.tsx'
import { SearchBox } from './search-box.tsx'
import { type Order, queryOf, withoutPart } from './study-filter.ts'
import css from './study-list.module.css'
import type { StudyListState } from './use-study-list.ts'

const ORDERS: readonly Order[] = ['priority', 'newest']

/**
 * What is searched for and what narrows the list, each part to be taken away; and how many studies
 * it keeps from sight.
 */
export function FilterBar({ state, onDown }: { state: StudyListState; onDown: () => void }) {
  const { filter, order, isChanged, typed, type, counts } = state
  const { assignedTo, expressCustomerId } = filter
  const person = usePersonName(
    assignedTo === 'me' || assignedTo === 'nobody' ? undefined : assignedTo,
  )
  const customer = useCustomerName(expressCustomerId === 'none' ? undefined : expressCustomerId)
  const chips = chipsOf(filter, { person, customer })
  return (
    <div className={css.bar}>
      <Group gap={8}>
        <SearchBox
          placeholder={t('ui.study-list.searchWhat')}
          maxLength={100}
          value={typed}
          onChange={type}
          onDown={onDown}
        />
        <FilterMenu state={state} />
        <SegmentedControl
          size="xs"
          aria-label={t('ui.study-list.order.label')}
          value={order}
          onChange={(next) => state.choose(filter, next as Order)}
          data={ORDERS.map((value) => ({ value, label: t(`ui.study-list.order.${value}`) }))}
        />
      </Group>
      <div className={css.chips} role="status" aria-label={t('ui.study-list.filter.chips')}>
        {chips.map(({ part, text }) => (
          <span key={part} className={css.chip}>
            {text}
            <CloseButton
              size="sm"
              aria-label={t('ui.study-list.filter.remove', { chip: text })}
              onClick={() => state.choose(withoutPart(filter, part))}
            />
          </span>
        ))}
        {counts && <span className={css.quiet}>{shownText(counts.shown)}</span>}
        {counts && counts.hidden.count > 0 && (
          <span className={css.quiet}>
            {t('ui.study-list.filter.hidden', { count: boundedText(counts.hidden) })} ·{' '}
            <button
              type="button"
              className={css.asLink}
              onClick={() => state.choose({ cancelled: 'all' })}
            >
              {t('ui.study-list.filter.clear')}
            </button>
          </span>
        )}
        {isChanged && <Changed state={state} />}
      </div>
    </div>
  )
}

const shownText = ({ count, isMore }: BoundedCount) =>
  isMore
    ? t('ui.study-list.filter.shownMore', { count: boundedText({ count, isMore }) })
    : t('ui.study-list.filter.shown', { count })

/** What may be done with a filter that no view has. */
function Changed({ state }: { state: StudyListState }) {
  const { view, filter, order, today } = state
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const [isSaving, setIsSaving] = useState(false)
  const change = useSend(dashboardStudies.changeView, [dashboardStudies.savedViews])
  const { saved } = view
  const mayChange =
    saved !== null && (saved.owner.userId === me?.userId || (mayManage && saved.isShared))
  return (
    <span className={css.changed}>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconBookmarkPlus size={14} />}
        onClick={() => setIsSaving(true)}
      >
        {t('ui.study-list.views.save')}
      </Button>
      {saved && mayChange && (
        <Button
          size="compact-xs"
          variant="subtle"
          loading={change.isPending}
          onClick={() =>
            change.mutate(
              {
                params: { savedViewId: saved.savedViewId },
                body: { filter: queryOf(filter, today), order },
              },
              {
                onSuccess() {
                  state.open(saved.savedViewId)
                  showDone(t('ui.study-list.views.kept', { name: view.name }))
                },
              },
            )
          }
        >
          {t('ui.study-list.views.keep', { name: view.name })}
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        onClick={() => state.open(view.viewId)}
      >
        {t('ui.study-list.views.reset')}
      </Button>
      {isSaving && <SaveViewDialog state={state} onClose={() => setIsSaving(false)} />}
    </span>
  )
}
