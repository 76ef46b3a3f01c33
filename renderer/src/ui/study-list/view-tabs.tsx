import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconDots, IconUsersGroup } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { dashboardStudies, type SavedView } from '#shared/contract/dashboard-studies.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { call, keyOf, useReply, useSend } from '../../api/queries.ts'
import { useMayManage, useSession } from '../../api/session.ts'
import { boundedText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../confirm.tsx'
import { showDone } from '../undo.tsx'
import { SaveViewDialog } from './save-view.tsx'
import { queryOf } from './study-filter.ts'
import css from './study-list.module.css'
import type { StudyListState } from './use-study-list.ts'
import type { View } from './views.ts'

const COUNT_POLL_MS = 60_000
const COUNT_CUT_OFF_POLL_MS = 20_000

/** The views of a list, each with how many studies it has now. */
export function ViewTabs({ state, to }: { state: StudyListState; to: '/studies' | '/reading' }) {
  const { views, view, isChanged, area, list, today } = state
  const { isOpen } = useEventStream()
  const builtIn = views.filter(({ saved }) => saved === null)
  const counts = useQueries({
    queries: builtIn.map(({ filter }) => {
      const query = { area, ...queryOf(filter, today) }
      return {
        queryKey: keyOf(dashboardStudies.counts, query),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call(dashboardStudies.counts, { query }, signal),
        refetchInterval: isOpen ? COUNT_POLL_MS : COUNT_CUT_OFF_POLL_MS,
        staleTime: 5000,
      }
    }),
  })
  const savedViews =
    useReply(dashboardStudies.savedViews, { query: { list } }, { staleTime: 15_000 }).data
      ?.savedViews ?? []
  // A link may lead to a view that a narrow window has out of sight.
  const currentTab = useRef<HTMLSpanElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view is another element
  useEffect(() => {
    currentTab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [view.viewId])
  const countOf = ({ viewId, saved }: View) =>
    saved
      ? savedViews.find((one) => one.savedViewId === viewId)?.shown
      : counts[builtIn.findIndex((one) => one.viewId === viewId)]?.data?.shown
  return (
    <nav className={css.views} aria-label={t('ui.study-list.views.label')}>
      {views.map((one) => {
        const isCurrentView = one.viewId === view.viewId
        const count = countOf(one)
        return (
          <span
            key={one.viewId}
            ref={isCurrentView ? currentTab : null}
            className={css.view}
            data-here={isCurrentView || undefined}
          >
            <Link
              to={to}
              search={state.addressOfView(one)}
              {...(isCurrentView && { 'aria-current': 'page' as const })}
            >
              {one.saved?.isShared && <IconUsersGroup size={14} aria-hidden />}
              {one.name}
              {count && count.count > 0 && (
                <span className={css.count} data-tone={one.viewId === 'stat' ? 'danger' : 'plain'}>
                  {boundedText(count)}
                </span>
              )}
              {isCurrentView && isChanged && <em>{t('ui.study-list.views.changed')}</em>}
            </Link>
            {isCurrentView && one.saved && <ViewMenu saved={one.saved} state={state} />}
          </span>
        )
      })}
    </nav>
  )
}

function ViewMenu({ saved, state }: { saved: SavedView; state: StudyListState }) {
  const me = useSession().data?.user
  const mayManage = useMayManage()
  const [asking, setAsking] = useState<'change' | 'forget' | null>(null)
  const remove = useSend(dashboardStudies.removeView, [dashboardStudies.savedViews])
  const isMine = saved.owner.userId === me?.userId
  const { name, isShared, savedViewId } = saved
  if (!isMine && !(mayManage && isShared))
    return (
      <Tooltip label={t('ui.study-list.views.shared', { owner: saved.owner.name })}>
        <IconDots
          size={14}
          aria-label={t('ui.study-list.views.shared', { owner: saved.owner.name })}
        />
      </Tooltip>
    )
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="sm" aria-label={t('ui.study-list.views.menu', { name })}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isShared && (
            <Menu.Label>
              {isMine
                ? t('ui.study-list.views.mineShared')
                : t('ui.study-list.views.shared', { owner: saved.owner.name })}
            </Menu.Label>
          )}
          <Menu.Item onClick={() => setAsking('change')}>
            {t('ui.study-list.views.rename')}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setAsking('forget')}>
            {t('ui.study-list.views.forget')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asking === 'change' && (
        <SaveViewDialog state={state} saved={saved} onClose={() => setAsking(null)} />
      )}
      <ConfirmAction
        isOpen={asking === 'forget'}
        title={t('ui.study-list.views.forgetTitle', { name })}
        action={t('ui.study-list.views.forget')}
        keep={t('ui.study-list.views.keepIt')}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(null)}
        onConfirm={() =>
          remove.mutate(
            { params: { savedViewId } },
            {
              onSuccess() {
                setAsking(null)
                showDone(t('ui.study-list.views.forgotten', { name }))
                state.showAll()
              },
            },
          )
        }
      >
        {isShared ? t('ui.study-list.views.forgetShared') : t('ui.study-list.views.forgetText')}
      </ConfirmAction>
    </>
  )
}
