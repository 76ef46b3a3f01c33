import { Button, Group, Pill, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconArrowUp, IconPlugConnected, IconSearch } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { ASSOCIATION_SHOWS, type AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { durationText, numberText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import css from './activity.module.css'
import { endOf, lastedMs, storyOf } from './story.ts'
import { ActivityTabs } from './tabs.tsx'
import { type AssociationsSearch, filterOf, useAssociations } from './use-associations.ts'
import { words } from './words.ts'

const route = getRouteApi('/shell/activity/associations')
const { list: texts } = words

const columns: readonly Column<AssociationSummary>[] = [
  {
    name: texts.columns.at,
    track: '104px',
    cell: ({ openedAt, associationId }) => (
      <Link to="/activity/associations/$associationId" params={{ associationId }}>
        <Clock instant={openedAt} />
      </Link>
    ),
  },
  {
    name: texts.columns.device,
    track: 'minmax(120px, 1fr)',
    cell: ({ deviceName, aeTitle, address }) => (
      <>
        <b>{deviceName || aeTitle || (address === '' ? texts.callers : texts.unnamed)}</b>
        <div className={css.under}>
          {deviceName && <span className="mono">{aeTitle} </span>}
          <span className="mono">{address}</span>
        </div>
      </>
    ),
  },
  {
    name: texts.columns.story,
    track: 'minmax(180px, 3fr)',
    cell: (row) => (
      <>
        <Story parts={storyOf(row)} />
        {row.how !== 'released' && row.detail && <div className={css.under}>{said(row.detail)}</div>}
        {row.times > 1 && (
          <Tag tone="plain" meaning={texts.timesMeaning}>
            {texts.times(numberText(row.times))}
          </Tag>
        )}
      </>
    ),
  },
  {
    name: texts.columns.end,
    track: '176px',
    cell: (row) => {
      const { tone, name, meaning } = endOf(row)
      return row.how === 'released' && tone === 'good' ? (
        <Text size="sm" c="dimmed" title={meaning}>
          {name}
        </Text>
      ) : (
        <Tag tone={tone} meaning={meaning} isWrapped>
          {name}
        </Tag>
      )
    },
  },
  {
    name: texts.columns.took,
    track: '74px',
    isRight: true,
    isWideOnly: true,
    cell: (row) => {
      const ms = lastedMs(row)
      return ms !== null && durationText(ms)
    },
  },
]

/** One thing after another. */
export function Story({ parts }: { parts: readonly string[] }) {
  return (
    <span>
      {parts.map((part, at) => (
        <Fragment key={part}>
          {at > 0 && (
            <span className={css.arrow} aria-hidden>
              →
            </span>
          )}
          {part}
        </Fragment>
      ))}
    </span>
  )
}

/** Connections of devices, newest first. */
export function Associations() {
  const search: AssociationsSearch = route.useSearch()
  const navigate = useNavigate()
  const filter = filterOf(search)
  const { list, associations, more, isBehind, showLatest } = useAssociations(filter)
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices ?? []
  const choose = (change: { [K in keyof AssociationsSearch]?: string | undefined }) => {
    const wanted = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '' && value !== 'all')
    void navigate({ to: '/activity/associations', search: Object.fromEntries(wanted), replace: true })
  }
  const isFiltered = Object.keys(filter).length > 1 || filter.show !== 'all'
  const aeTitles = [...new Set([...devices.map(({ aeTitle }) => aeTitle), ...(search.aeTitle ? [search.aeTitle] : [])])].sort()

  return (
    <Page title={texts.title} about={texts.about} isFull>
      <ActivityTabs />
      <Group gap={12}>
        <Search value={search.search ?? ''} onChange={(typed) => choose({ search: typed })} />
        <SegmentedControl
          size="xs"
          aria-label={texts.showLabel}
          value={filter.show}
          onChange={(show) => choose({ show })}
          data={ASSOCIATION_SHOWS.map((value) => ({ value, label: texts.shows[value] }))}
        />
        <Select
          aria-label={words.device}
          placeholder={words.anyDevice}
          clearable
          searchable
          w={200}
          data={aeTitles}
          value={search.aeTitle ?? null}
          onChange={(aeTitle) => choose({ aeTitle: aeTitle ?? undefined })}
          clearButtonProps={{ 'aria-label': words.anyDevice }}
        />
        {filter.address && (
          <Pill
            withRemoveButton
            onRemove={() => choose({ address: undefined })}
            removeButtonProps={{ 'aria-label': texts.anyAddress, 'aria-hidden': false, tabIndex: 0 }}
          >
            {texts.at(filter.address)}
          </Pill>
        )}
        {isBehind && (
          <Button variant="light" size="xs" leftSection={<IconArrowUp size={14} />} onClick={showLatest}>
            {texts.newer}
          </Button>
        )}
      </Group>
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Waiting rows={10} height={46} />}
      {list.isSuccess && associations.length === 0 && (
        <Panel>
          <Empty
            icon={<IconPlugConnected size={34} stroke={1.3} />}
            title={isFiltered ? texts.noneFiltered : texts.none}
            action={
              isFiltered && (
                <Button variant="default" onClick={() => void navigate({ to: '/activity/associations', search: {}, replace: true })}>
                  {words.clear}
                </Button>
              )
            }
          >
            {isFiltered ? texts.noneFilteredText : texts.noneText}
          </Empty>
        </Panel>
      )}
      {associations.length > 0 && (
        <Panel isFlush className="grow">
          <VirtualTable
            label={texts.label}
            columns={columns}
            rows={associations}
            keyOf={(row) => row.associationId}
            least={720}
            maxHeight="100%"
            onOpen={({ associationId }) => void navigate({ to: '/activity/associations/$associationId', params: { associationId } })}
            onEnd={more}
            end={list.hasNextPage ? texts.more : texts.last}
          />
        </Panel>
      )}
    </Page>
  )
}

function Search({ value, onChange }: { value: string; onChange: (search: string) => void }) {
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
      aria-label={texts.search}
      placeholder={texts.searchWhat}
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
