import { Button, Group, SegmentedControl, Select } from '@mantine/core'
import { IconRefresh, IconTransfer } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { Page } from '../components/page.tsx'
import { NewerButton, PagedTable } from '../components/paged-table.tsx'
import { SettledSearch } from '../components/settled-search.tsx'
import { endpointName } from '../display/endpoint-name.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../display/event-types.ts'
import { useReply } from '../gateway.ts'
import { columnsOf } from './event-columns.tsx'
import css from './events.module.css'
import { SendAgain } from './send-again.tsx'
import { EventTabs } from './tabs.tsx'
import { type EventFilter, type EventsSearch, filterOf, SHOWS, useEvents } from './use-events.ts'
import { words } from './words.ts'

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
      title={words.title}
      about={words.about}
      isFull
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          onClick={() => setSending([...chosen].slice(0, 100))}
        >
          {chosen.size > 0 ? words.sendChosen(Math.min(chosen.size, 100)) : words.sendAgain}
        </Button>
      }
    >
      <EventTabs />
      <Filters search={search} filter={filter} endpoints={endpoints} onChoose={choose}>
        {isBehind && <NewerButton name={words.newer} onClick={showLatest} />}
      </Filters>
      <PagedTable
        list={list}
        nothing={{
          icon: IconTransfer,
          ...(isFiltered
            ? { title: words.noneFiltered, text: words.noneFilteredText }
            : { title: words.none, text: words.noneText }),
          clear: isFiltered
            ? {
                name: words.clear,
                run: () => void navigate({ to: '/events', search: {}, replace: true }),
              }
            : undefined,
        }}
        label={words.label}
        columns={columns}
        rows={events}
        keyOf={(row) => row.eventId}
        least={722}
        onOpen={({ eventId }) => void navigate({ to: '/events/$eventId', params: { eventId } })}
        onEnd={more}
        end={list.hasNextPage ? words.more : words.last}
      />
      {sending && (
        <SendAgain
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
        aria-label={words.showLabel}
        value={filter.show}
        onChange={(show) => onChoose({ show: show === 'all' ? '' : show })}
        data={SHOWS.map((value) => ({ value, label: words.shows[value] }))}
      />
      <Select
        aria-label={words.typeLabel}
        placeholder={words.anyType}
        clearable
        w={180}
        data={EVENT_ORDER.map((value) => ({ value, label: EVENT_NAMES[value].name }))}
        value={filter.type ?? null}
        onChange={(type) => onChoose({ type: type ?? '' })}
        clearButtonProps={{ 'aria-label': words.anyType }}
      />
      {endpoints && endpoints.length > 1 && (
        <Select
          aria-label={words.endpointLabel}
          placeholder={words.anyEndpoint}
          clearable
          w={180}
          data={endpoints.map((endpoint) => ({
            value: endpoint.endpointId,
            label: endpointName(endpoint),
          }))}
          value={filter.endpointId ?? null}
          onChange={(endpoint) => onChoose({ endpoint: endpoint ?? '' })}
          clearButtonProps={{ 'aria-label': words.anyEndpoint }}
        />
      )}
      <SettledSearch
        label={words.aboutLabel}
        placeholder={words.aboutLabel}
        className={css.search}
        value={search.about ?? ''}
        onChange={(about) => onChoose({ about })}
      />
      {children}
    </Group>
  )
}
