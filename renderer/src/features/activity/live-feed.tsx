import { Button, Group, Select } from '@mantine/core'
import { IconActivityHeartbeat, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { EmptyList } from '../../ui/paged-table.tsx'
import { ActivityTabs } from '../../ui/sections/activity-tabs.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import css from './activity.module.css'
import { DeviceFilter } from './device-filter.tsx'
import { FeedLineRow } from './feed-line.tsx'
import { useFeed } from './use-feed.ts'

const route = getRouteApi('/shell/activity')
const KINDS = [
  ...(['opened', 'rejected', 'echo', 'worklist', 'closed', 'aborted', 'partner'] as const),
  ...(['images', 'performed-step', 'commitment', 'enrichment', 'forward'] as const),
  ...(['disk', 'audit'] as const),
] satisfies readonly FeedLine['kind'][]

/**
 * What happens on the network, newest first; a line leads to its query, its images, or its
 * connection.
 */
export function LiveFeed() {
  const search: { readonly device?: string; readonly kind?: string } = route.useSearch()
  const navigate = useNavigate()
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices ?? []
  const kind = KINDS.find((one) => one === search.kind)
  const isShown = (line: FeedLine) =>
    (kind === undefined || line.kind === kind) &&
    (search.device === undefined || line.aeTitle === search.device)
  const { feed, all, lines, missed, isHeld, turn } = useFeed(isShown)
  const isFiltered = kind !== undefined || search.device !== undefined
  const choose = (change: { device?: string | undefined; kind?: string | undefined }) => {
    const { device, kind: chosen } = { ...search, ...change }
    void navigate({
      to: '/activity',
      search: { ...(device && { device }), ...(chosen && { kind: chosen }) },
      replace: true,
    })
  }
  useShortcuts(t('ui.activity.live.title'), [
    {
      keys: 'p',
      name: isHeld ? t('ui.activity.live.resume', { count: 0 }) : t('ui.activity.live.pause'),
      run: turn,
    },
  ])
  const aeTitles = [
    ...new Set(
      [...devices, ...all, ...(search.device ? [{ aeTitle: search.device }] : [])].map(
        ({ aeTitle }) => aeTitle,
      ),
    ),
  ]

  return (
    <Page
      title={t('ui.activity.live.title')}
      about={t('ui.activity.live.about')}
      isFull
      actions={
        <Button
          variant="default"
          leftSection={isHeld ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
          onClick={turn}
        >
          {isHeld ? t('ui.activity.live.resume', { count: missed }) : t('ui.activity.live.pause')}
        </Button>
      }
    >
      <ActivityTabs />
      <Group gap={12}>
        <DeviceFilter
          aeTitles={aeTitles.filter((aeTitle) => aeTitle !== '').sort()}
          value={search.device}
          w={220}
          onChange={(device) => choose({ device })}
        />
        <Select
          aria-label={t('ui.activity.live.kind')}
          placeholder={t('ui.activity.live.anyKind')}
          clearable
          w={200}
          data={KINDS.map((value) => ({ value, label: t(`ui.activity.live.kinds.${value}`) }))}
          value={kind ?? null}
          onChange={(chosen) => choose({ kind: chosen ?? undefined })}
          clearButtonProps={{ 'aria-label': t('ui.activity.live.anyKind') }}
        />
      </Group>
      {feed.isPending && <LoadingPlaceholder rows={8} height={26} />}
      {feed.isError && all.length === 0 && (
        <ErrorNotice error={feed.error} onRetry={() => void feed.refetch()} />
      )}
      {feed.isSuccess && lines.length === 0 && (
        <EmptyList
          icon={IconActivityHeartbeat}
          title={isFiltered ? t('ui.activity.live.noneFiltered') : t('ui.activity.live.none')}
          text={
            isFiltered ? t('ui.activity.live.noneFilteredText') : t('ui.activity.live.noneText')
          }
          clear={
            isFiltered
              ? {
                  name: t('ui.activity.clear'),
                  run: () => choose({ device: undefined, kind: undefined }),
                }
              : undefined
          }
        />
      )}
      {lines.length > 0 && <FeedLineRows lines={lines} />}
    </Page>
  )
}

function FeedLineRows({ lines }: { lines: readonly FeedLine[] }) {
  return (
    <Panel isFlush className="grow">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1) */}
      <ol className={css.feed} aria-label={t('ui.activity.live.label')} tabIndex={0}>
        {lines.map((line) => (
          <li key={line.lineId}>
            <FeedLineRow line={line} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}
