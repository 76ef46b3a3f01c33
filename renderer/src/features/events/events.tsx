import { Button, Group, SegmentedControl, Select } from '@mantine/core'
import { IconRefresh, IconTransfer } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { useReply } from '../../api/queries.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { Page } from '../../ui/page.tsx'
import { NewerButton, PagedTable } from '../../ui/paged-table.tsx'
import { SettledSearch } from '../../ui/settled-search.tsx'
import { columnsOf } from './event-columns.tsx'
import css from './events.module.css'
import { ReplayDialog } from './send-again.tsx'
import { EventTabs } from './tabs.tsx'
import {
  EVENT_FILTERS,
  type EventFilter,
  type EventsSearch,
  filterOf,
  useEvents,
} from './use-events.ts'

const route = getRouteApi('/shell/events')

/** What was sent to the partner, newest first. */
export function Events() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const filter = filterOf(search)
  const endpoints = useReply(dashboardEvents.endpoints, {}, { staleTime: 30_000 }).data?.endpoints
  const { list, events, isBehind, more, showLatest } = useEvents(filter)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [sending, setSending] = useState<readonly string[] | null>(null)
  const choose = (change: EventsSearch) => {
    const wanted = { ...search, ...change }
    const given = Object.fromEntries(
      Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''),
    )
    void navigate({ to: '/events', search: given, replace: true })
  }
  const columns = useMemo(
    () =>
      columnsOf(endpoints, chosen, (eventId, isChosen) =>
        setChosen(
          (before) =>
            new Set(isChosen ? [...before, eventId] : [...before].filter((one) => one !== eventId)),
        ),
      ),
    [endpoints, chosen],
  )
  const isFiltered = Object.keys(search).length > 0

  return (
    <Page
      title={t('ui.events.title')}
      about={t('ui.events.about')}
      isFull
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          onClick={() => setSending([...chosen].slice(0, 100))}
        >
          {chosen.size > 0
            ? t('ui.events.sendChosen', { count: Math.min(chosen.size, 100) })
            : t('ui.events.sendAgain')}
        </Button>
      }
    >
      <EventTabs />
      <Filters search={search} filter={filter} endpoints={endpoints} onChoose={choose}>
        {isBehind && <NewerButton name={t('ui.events.newer')} onClick={showLatest} />}
      </Filters>
      <PagedTable
        tableId="events"
        list={list}
        nothing={{
          icon: IconTransfer,
          ...(isFiltered
            ? { title: t('ui.events.noneFiltered'), text: t('ui.events.noneFilteredText') }
            : { title: t('ui.events.none'), text: t('ui.events.noneText') }),
          clear: isFiltered
            ? {
                name: t('ui.events.clear'),
                run: () => void navigate({ to: '/events', search: {}, replace: true }),
              }
            : undefined,
        }}
        label={t('ui.events.label')}
        columns={columns}
        rows={events}
        keyOf={(row) => row.eventId}
        least={722}
        onOpen={({ eventId }) => void navigate({ to: '/events/$eventId', params: { eventId } })}
        onEndReached={more}
        end={list.hasNextPage ? t('ui.events.more') : t('ui.events.last')}
      />
      {sending && (
        <ReplayDialog
          eventIds={sending}
          onDone={() => {
            setSending(null)
            setChosen(new Set())
          }}
          onClose={() => setSending(null)}
        />
      )}
    </Page>
  )
}

function Filters(props: {
  search: EventsSearch
  filter: EventFilter
  endpoints: readonly Endpoint[] | undefined
  onChoose: (change: EventsSearch) => void
  children: ReactNode
}) {
  const { search, filter, endpoints, onChoose, children } = props
  return (
    <Group gap={12}>
      <SegmentedControl
        size="xs"
        aria-label={t('ui.events.showLabel')}
        value={filter.show}
        onChange={(show) => onChoose({ show: show === 'all' ? '' : show })}
        data={EVENT_FILTERS.map((value) => ({ value, label: t(`ui.events.shows.${value}`) }))}
      />
      <Select
        aria-label={t('ui.events.typeLabel')}
        placeholder={t('ui.events.anyType')}
        clearable
        w={180}
        data={EVENT_ORDER.map((value) => ({ value, label: EVENT_NAMES[value].name }))}
        value={filter.type ?? null}
        onChange={(type) => onChoose({ type: type ?? '' })}
        clearButtonProps={{ 'aria-label': t('ui.events.anyType') }}
      />
      {endpoints && endpoints.length > 1 && (
        <Select
          aria-label={t('ui.events.endpointLabel')}
          placeholder={t('ui.events.anyEndpoint')}
          clearable
          w={180}
          data={endpoints.map((endpoint) => ({
            value: endpoint.endpointId,
            label: endpointName(endpoint),
          }))}
          value={filter.endpointId ?? null}
          onChange={(endpoint) => onChoose({ endpoint: endpoint ?? '' })}
          clearButtonProps={{ 'aria-label': t('ui.events.anyEndpoint') }}
        />
      )}
      <SettledSearch
        label={t('ui.events.aboutLabel')}
        placeholder={t('ui.events.aboutLabel')}
        className={css.search}
        value={search.about ?? ''}
        onChange={(about) => onChoose({ about })}
      />
      {children}
    </Group>
  )
}
