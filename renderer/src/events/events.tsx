import { Button, Checkbox, Group, SegmentedControl, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconArrowUp, IconRefresh, IconSearch, IconTransfer } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { dashboardEvents, type Endpoint, type EventSummary } from '#shared/contract/events.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { durationText } from '../display/amounts.ts'
import { shortIds } from '../display/audit-detail.ts'
import { endpointName } from '../display/endpoint-name.ts'
import { standingOf } from '../display/event-outcomes.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../display/event-types.ts'
import { useReply } from '../gateway.ts'
import css from './events.module.css'
import { SendAgain } from './send-again.tsx'
import { EventTabs } from './tabs.tsx'
import { type EventsSearch, filterOf, SHOWS, useEvents } from './use-events.ts'
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
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''))
    void navigate({ to: '/events', search: given, replace: true })
  }
  const columns = useMemo(
    () =>
      columnsOf(endpoints, chosen, (eventId, isChosen) =>
        setChosen((before) => new Set(isChosen ? [...before, eventId] : [...before].filter((one) => one !== eventId))),
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
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={() => setSending([...chosen].slice(0, 100))}>
          {chosen.size > 0 ? words.sendChosen(Math.min(chosen.size, 100)) : words.sendAgain}
        </Button>
      }
    >
      <EventTabs />
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={words.showLabel}
          value={filter.show}
          onChange={(show) => choose({ show: show === 'all' ? '' : show })}
          data={SHOWS.map((value) => ({ value, label: words.shows[value] }))}
        />
        <Select
          aria-label={words.typeLabel}
          placeholder={words.anyType}
          clearable
          w={180}
          data={EVENT_ORDER.map((value) => ({ value, label: EVENT_NAMES[value].name }))}
          value={filter.type ?? null}
          onChange={(type) => choose({ type: type ?? '' })}
          clearButtonProps={{ 'aria-label': words.anyType }}
        />
        {endpoints && endpoints.length > 1 && (
          <Select
            aria-label={words.endpointLabel}
            placeholder={words.anyEndpoint}
            clearable
            w={180}
            data={endpoints.map((endpoint) => ({ value: endpoint.endpointId, label: endpointName(endpoint) }))}
            value={filter.endpointId ?? null}
            onChange={(endpoint) => choose({ endpoint: endpoint ?? '' })}
            clearButtonProps={{ 'aria-label': words.anyEndpoint }}
          />
        )}
        <About value={search.about ?? ''} onChange={(about) => choose({ about })} />
        {isBehind && (
          <Button variant="light" size="xs" leftSection={<IconArrowUp size={14} />} onClick={showLatest}>
            {words.newer}
          </Button>
        )}
      </Group>
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Waiting rows={10} />}
      {list.isSuccess && events.length === 0 && (
        <Panel>
          <Empty
            icon={<IconTransfer size={34} stroke={1.3} />}
            title={isFiltered ? words.noneFiltered : words.none}
            action={
              isFiltered && (
                <Button variant="default" onClick={() => void navigate({ to: '/events', search: {}, replace: true })}>
                  {words.clear}
                </Button>
              )
            }
          >
            {isFiltered ? words.noneFilteredText : words.noneText}
          </Empty>
        </Panel>
      )}
      {events.length > 0 && (
        <Panel isFlush className="grow">
          <VirtualTable
            label={words.label}
            columns={columns}
            rows={events}
            keyOf={(row) => row.eventId}
            least={722}
            maxHeight="100%"
            onOpen={({ eventId }) => void navigate({ to: '/events/$eventId', params: { eventId } })}
            onEnd={more}
            end={list.hasNextPage ? words.more : words.last}
          />
        </Panel>
      )}
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

function About({ value, onChange }: { value: string; onChange: (about: string) => void }) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const ask = useDebouncedCallback(onChange, 300)
  if (value !== known) {
    setKnown(value)
    // Cleared elsewhere; what is asked for while somebody types on is left alone.
    if (value === '') setTyped('')
  }
  return (
    <TextInput
      className={css.search}
      aria-label={words.aboutLabel}
      placeholder={words.aboutLabel}
      maxLength={64}
      leftSection={<IconSearch size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        ask(event.currentTarget.value.trim())
      }}
    />
  )
}

function columnsOf(
  endpoints: readonly Endpoint[] | undefined,
  chosen: ReadonlySet<string>,
  onChoose: (eventId: string, isChosen: boolean) => void,
): readonly Column<EventSummary>[] {
  const { columns } = words
  return [
    {
      name: columns.chosen,
      track: '20px',
      // What somebody waited for then is of no use to anybody now.
      cell: ({ eventId, kind, type, isTest }) =>
        kind !== 'synchronous' &&
        !isTest && (
          <Checkbox
            size="xs"
            aria-label={words.choose(`${EVENT_NAMES[type].name} ${shortIds(eventId)}`)}
            checked={chosen.has(eventId)}
            onChange={(event) => onChoose(eventId, event.currentTarget.checked)}
          />
        ),
    },
    { name: columns.at, track: '98px', cell: ({ createdAt }) => <Clock instant={createdAt} /> },
    {
      name: columns.event,
      track: 'minmax(112px, 1.3fr)',
      cell: ({ eventId, type, isTest }) => (
        <>
          <Link to="/events/$eventId" params={{ eventId }}>
            {EVENT_NAMES[type].name}
          </Link>
          {isTest && <div className={css.under}>{words.test}</div>}
        </>
      ),
    },
    {
      name: columns.subject,
      track: 'minmax(96px, 1.2fr)',
      cell: ({ subject }) => (
        <span className="mono" title={subject}>
          {shortIds(subject)}
        </span>
      ),
    },
    {
      name: columns.endpoint,
      track: 'minmax(76px, 0.9fr)',
      isWideOnly: true,
      cell: ({ endpointId }) => endpointOf(endpoints, endpointId),
    },
    {
      name: columns.state,
      track: 'minmax(160px, 1.8fr)',
      cell: (event) => {
        const standing = standingOf(event)
        return (
          <>
            <Tag tone={standing.tone} meaning={standing.meaning} isWrapped>
              {standing.name}
            </Tag>
            {event.notes > 0 && <div className={css.under}>{words.notesCount(event.notes)}</div>}
            {event.nextAt && (
              <div className={css.under}>
                {words.next} <Clock instant={event.nextAt} />
              </div>
            )}
          </>
        )
      },
    },
    {
      name: columns.took,
      track: '64px',
      isRight: true,
      cell: ({ tookMs, attempts }) =>
        attempts > 0 && (
          <>
            {durationText(tookMs)}
            {attempts > 1 && <div className={css.under}>{words.tries(attempts)}</div>}
          </>
        ),
    },
  ]
}

function endpointOf(endpoints: readonly Endpoint[] | undefined, endpointId: string | null): string {
  if (endpointId === null) return words.noEndpoint
  const endpoint = endpoints?.find((one) => one.endpointId === endpointId)
  return endpoint ? endpointName(endpoint) : endpoints ? words.goneEndpoint : ''
}
