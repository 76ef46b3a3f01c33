import { Group, SegmentedControl } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import { NewerButton, PagedTable } from '../../ui/paged-table.tsx'
import { ActivityTabs } from '../../ui/sections/activity-tabs.tsx'
import { DeviceFilter } from './device-filter.tsx'
import { columns } from './query-columns.tsx'
import { OUTCOMES, type Outcome, useInspections } from './use-inspections.ts'

const route = getRouteApi('/shell/queries')

/** The list of worklist queries. */
export function Queries() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const outcome: Outcome = OUTCOMES.find((one) => one === search.outcome) ?? 'all'
  const devices = useReply(dashboard.devices, {})
  const { list, inspections, more, newer, showNewer } = useInspections(search.aeTitle, outcome)
  const isFiltered = outcome !== 'all' || search.aeTitle !== undefined
  const filter = (change: { aeTitle?: string | undefined; outcome?: Outcome }) => {
    const aeTitle = 'aeTitle' in change ? change.aeTitle : search.aeTitle
    const wanted = change.outcome ?? outcome
    void navigate({
      to: '/queries',
      search: { ...(aeTitle && { aeTitle }), ...(wanted !== 'all' && { outcome: wanted }) },
      replace: true,
    })
  }
  const aeTitles = [
    ...new Set([
      ...(devices.data?.devices ?? []).map((device) => device.aeTitle),
      ...(search.aeTitle ? [search.aeTitle] : []),
    ]),
  ]

  return (
    <Page title={t('ui.worklist-queries.title')} about={t('ui.worklist-queries.about')} isFull>
      <ActivityTabs />
      <Group gap={12}>
        <DeviceFilter
          aeTitles={aeTitles}
          value={search.aeTitle}
          w={220}
          onChange={(aeTitle) => filter({ aeTitle })}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('ui.worklist-queries.outcomeLabel')}
          value={outcome}
          onChange={(value) => filter({ outcome: value as Outcome })}
          data={OUTCOMES.map((value) => ({
            value,
            label: t(`ui.worklist-queries.outcomes.${value}`),
          }))}
        />
        {newer > 0 && (
          <NewerButton
            name={t('ui.worklist-queries.newer', { count: newer })}
            onClick={showNewer}
          />
        )}
      </Group>
      <PagedTable
        tableId="worklist-queries"
        list={list}
        nothing={{
          icon: IconListSearch,
          ...(isFiltered
            ? {
                title: t('ui.worklist-queries.noneFilteredTitle'),
                text: t('ui.worklist-queries.noneFilteredText'),
              }
            : {
                title: t('ui.worklist-queries.noneTitle'),
                text: t('ui.worklist-queries.noneText'),
              }),
          clear: isFiltered
            ? {
                name: t('ui.worklist-queries.clear'),
                run: () => filter({ aeTitle: undefined, outcome: 'all' }),
              }
            : undefined,
        }}
        label={t('ui.worklist-queries.label')}
        columns={columns}
        rows={inspections}
        keyOf={(row) => row.inspectionId}
        least={800}
        onOpen={(row) =>
          void navigate({
            to: '/queries/$inspectionId',
            params: { inspectionId: String(row.inspectionId) },
          })
        }
        onEndReached={more}
        end={list.hasNextPage ? t('ui.worklist-queries.more') : t('ui.worklist-queries.last')}
      />
    </Page>
  )
}
