import { Button, Group, SegmentedControl, Select, Text } from '@mantine/core'
import { IconArrowUp, IconListSearch } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { ActivityTabs } from '../activity/tabs.tsx'
import type { ProblemError } from '../client.ts'
import { Clock } from '../components/clock.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { durationText, numberText } from '../display/amounts.ts'
import { SOURCES } from '../display/answer-source.ts'
import { shownStatus } from '../display/dimse-status.ts'
import { call, keyOf, useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useLive } from '../live.ts'
import { words } from './words.ts'

const OUTCOMES = ['all', 'rows', 'empty', 'failed', 'withheld'] as const
type Outcome = (typeof OUTCOMES)[number]
const route = getRouteApi('/shell/queries')

const columns: readonly Column<InspectionSummary>[] = [
  {
    name: words.columns.at,
    track: '98px',
    cell: ({ at, inspectionId }) => (
      <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
        <Clock instant={at} />
      </Link>
    ),
  },
  {
    name: words.columns.device,
    track: 'minmax(92px, 0.8fr)',
    cell: ({ deviceName, callingAeTitle, origin }) => (
      <>
        <b>{deviceName || callingAeTitle}</b>
        {origin === 'window' && (
          <Text size="xs" c="dimmed">
            {words.fromWindow}
          </Text>
        )}
      </>
    ),
  },
  {
    name: words.columns.sentence,
    track: 'minmax(170px, 3fr)',
    cell: ({ sentence, repeats, lastAt }) => (
      <>
        {said(sentence)}
        {lastAt !== null && (
          <Text size="xs" c="dimmed">
            {words.again(repeats)}
            <Clock instant={lastAt} />
          </Text>
        )}
      </>
    ),
  },
  {
    name: words.columns.source,
    track: '146px',
    cell: ({ source, status }) => (
      <>
        <Tag tone={SOURCES[source].tone} meaning={SOURCES[source].meaning}>
          {SOURCES[source].name}
        </Tag>
        <Ended status={status} />
      </>
    ),
  },
  { name: words.columns.sent, track: '52px', isRight: true, cell: ({ sent }) => <b>{numberText(sent)}</b> },
  { name: words.columns.filtered, track: '56px', isRight: true, cell: ({ filtered }) => numberText(filtered) },
  { name: words.columns.withheld, track: '64px', isRight: true, cell: ({ withheld }) => numberText(withheld) },
  { name: words.columns.took, track: '66px', isRight: true, isWideOnly: true, cell: ({ tookMs }) => durationText(tookMs) },
]

/** The final status: quiet where the device was given its list. */
function Ended({ status }: { status: string }) {
  const { tone, name, meaning } = shownStatus(status)
  const text = (
    <>
      <span className="mono nowrap">{status}</span> {name}
    </>
  )
  if (tone !== 'good')
    return (
      <Tag tone={tone} meaning={meaning} isWrapped>
        {text}
      </Tag>
    )
  return (
    <Text size="xs" c="dimmed" title={meaning}>
      {text}
    </Text>
  )
}

/** The list of worklist queries. */
export function Queries() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const outcome: Outcome = OUTCOMES.find((one) => one === search.outcome) ?? 'all'
  const devices = useReply(dashboard.devices, {})
  const { page, newer, showNewer } = useInspections(search.aeTitle, outcome)
  const rows = page.data?.pages.flatMap((one) => one.inspections) ?? []
  const isFiltered = outcome !== 'all' || search.aeTitle !== undefined
  const filter = (change: { aeTitle?: string | undefined; outcome?: Outcome }) => {
    const aeTitle = 'aeTitle' in change ? change.aeTitle : search.aeTitle
    const wanted = change.outcome ?? outcome
    void navigate({ to: '/queries', search: { ...(aeTitle && { aeTitle }), ...(wanted !== 'all' && { outcome: wanted }) }, replace: true })
  }
  const aeTitles = [
    ...new Set([...(devices.data?.devices ?? []).map((device) => device.aeTitle), ...(search.aeTitle ? [search.aeTitle] : [])]),
  ]

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = page
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

  return (
    <Page title={words.title} about={words.about} isFull>
      <ActivityTabs />
      <Group gap={12}>
        <Select
          aria-label={words.device}
          placeholder={words.anyDevice}
          clearable
          searchable
          w={220}
          data={aeTitles}
          value={search.aeTitle ?? null}
          onChange={(aeTitle) => filter({ aeTitle: aeTitle ?? undefined })}
          clearButtonProps={{ 'aria-label': words.anyDevice }}
        />
        <SegmentedControl
          size="xs"
          aria-label={words.outcomeLabel}
          value={outcome}
          onChange={(value) => filter({ outcome: value as Outcome })}
          data={OUTCOMES.map((value) => ({ value, label: words.outcomes[value] }))}
        />
        {newer > 0 && (
          <Button variant="light" size="xs" leftSection={<IconArrowUp size={14} />} onClick={showNewer}>
            {words.newer(newer)}
          </Button>
        )}
      </Group>
      {page.isError && <Failed error={page.error} onRetry={() => void page.refetch()} />}
      {page.isPending && <Waiting rows={10} />}
      {page.isSuccess && rows.length === 0 && (
        <Panel>
          <Empty
            icon={<IconListSearch size={34} stroke={1.3} />}
            title={isFiltered ? words.noneFilteredTitle : words.noneTitle}
            action={
              isFiltered && (
                <Button variant="default" onClick={() => filter({ aeTitle: undefined, outcome: 'all' })}>
                  {words.clear}
                </Button>
              )
            }
          >
            {isFiltered ? words.noneFilteredText : words.noneText}
          </Empty>
        </Panel>
      )}
      {rows.length > 0 && (
        <Panel isFlush className="grow">
          <VirtualTable
            label={words.label}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.inspectionId}
            least={800}
            maxHeight="100%"
            onOpen={(row) => void navigate({ to: '/queries/$inspectionId', params: { inspectionId: String(row.inspectionId) } })}
            onEnd={more}
            end={hasNextPage ? words.more : words.last}
          />
        </Panel>
      )}
    </Page>
  )
}

/** Pages of the list. New queries join the first page by themselves; once older pages are open they wait behind a button. */
function useInspections(aeTitle: string | undefined, outcome: Outcome) {
  const client = useQueryClient()
  const { queriesSeen, isOpen } = useLive()
  const query = { outcome, limit: 50, ...(aeTitle !== undefined && { aeTitle }) }
  const key = keyOf(dashboard.inspections, query)
  const page = useInfiniteQuery<ReplyOf<typeof dashboard.inspections>, ProblemError>({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      call(dashboard.inspections, { query: { ...query, ...(typeof pageParam === 'string' && { cursor: pageParam }) } }, signal),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined),
    refetchInterval: (current) => (!isOpen && (current.state.data?.pages.length ?? 0) <= 1 ? 10_000 : false),
  })
  const pages = page.data?.pages.length ?? 0
  const seen = useRef(queriesSeen)
  const newer = pages > 1 ? queriesSeen - seen.current : 0

  const { refetch } = page
  useEffect(() => {
    if (pages > 1 || seen.current === queriesSeen) return
    seen.current = queriesSeen
    void refetch({ cancelRefetch: false })
  }, [queriesSeen, pages, refetch])

  const showNewer = () => {
    seen.current = queriesSeen
    void client.resetQueries({ queryKey: key })
  }
  return { page, newer, showNewer }
}
