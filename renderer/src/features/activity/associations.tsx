import { Group, Pill, SegmentedControl } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { ASSOCIATION_FILTERS } from '#shared/contract/dashboard-activity.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import { NewerButton, PagedTable } from '../../ui/paged-table.tsx'
import { ActivityTabs } from '../../ui/sections/activity-tabs.tsx'
import { SettledSearch } from '../../ui/settled-search.tsx'
import css from './activity.module.css'
import { columns } from './association-columns.tsx'
import { DeviceFilter } from './device-filter.tsx'
import { type AssociationsSearch, filterOf, useAssociations } from './use-associations.ts'

const route = getRouteApi('/shell/activity/associations')

/** Connections of devices, newest first. */
export function Associations() {
  const search: AssociationsSearch = route.useSearch()
  const navigate = useNavigate()
  const filter = filterOf(search)
  const { list, associations, more, isBehind, showLatest } = useAssociations(filter)
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices ?? []
  const choose = (change: { [K in keyof AssociationsSearch]?: string | undefined }) => {
    const wanted = Object.entries({ ...search, ...change }).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 'all',
    )
    void navigate({
      to: '/activity/associations',
      search: Object.fromEntries(wanted),
      replace: true,
    })
  }
  const isFiltered = Object.keys(filter).length > 1 || filter.show !== 'all'
  const aeTitles = [
    ...new Set([
      ...devices.map(({ aeTitle }) => aeTitle),
      ...(search.aeTitle ? [search.aeTitle] : []),
    ]),
  ].sort()

  return (
    <Page title={t('ui.activity.list.title')} about={t('ui.activity.list.about')} isFull>
      <ActivityTabs />
      <Group gap={12}>
        <SettledSearch
          label={t('ui.activity.list.search')}
          placeholder={t('ui.activity.list.searchWhat')}
          className={css.search}
          value={search.search ?? ''}
          onChange={(typed) => choose({ search: typed })}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('ui.activity.list.showLabel')}
          value={filter.show}
          onChange={(show) => choose({ show })}
          data={ASSOCIATION_FILTERS.map((value) => ({
            value,
            label: t(`ui.activity.list.shows.${value}`),
          }))}
        />
        <DeviceFilter
          aeTitles={aeTitles}
          value={search.aeTitle}
          w={200}
          onChange={(aeTitle) => choose({ aeTitle })}
        />
        {filter.address && (
          <AddressFilterPill
            address={filter.address}
            onClear={() => choose({ address: undefined })}
          />
        )}
        {isBehind && <NewerButton name={t('ui.activity.list.newer')} onClick={showLatest} />}
      </Group>
      <PagedTable
        tableId="associations"
        list={list}
        nothing={{
          icon: IconPlugConnected,
          ...(isFiltered
            ? {
                title: t('ui.activity.list.noneFiltered'),
                text: t('ui.activity.list.noneFilteredText'),
              }
            : { title: t('ui.activity.list.none'), text: t('ui.activity.list.noneText') }),
          clear: isFiltered
            ? {
                name: t('ui.activity.clear'),
                run: () =>
                  void navigate({ to: '/activity/associations', search: {}, replace: true }),
              }
            : undefined,
        }}
        waitingHeight={46}
        label={t('ui.activity.list.label')}
        columns={columns}
        rows={associations}
        keyOf={(row) => row.associationId}
        least={720}
        onOpen={({ associationId }) =>
          void navigate({ to: '/activity/associations/$associationId', params: { associationId } })
        }
        onEndReached={more}
        end={list.hasNextPage ? t('ui.activity.list.more') : t('ui.activity.list.last')}
      />
    </Page>
  )
}

function AddressFilterPill({ address, onClear }: { address: string; onClear: () => void }) {
  return (
    <Pill
      withRemoveButton
      onRemove={onClear}
      removeButtonProps={{
        'aria-label': t('ui.activity.list.anyAddress'),
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {t('ui.activity.list.at', { address })}
    </Pill>
  )
}
