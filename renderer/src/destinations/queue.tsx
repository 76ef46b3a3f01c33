import { Button, Drawer, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft, IconCheck, IconPlayerSkipForward, IconSend, IconX } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { type Destination, dashboardDestinations, type ForwardedStudy } from '#shared/contract/destinations.ts'
import { AskReason } from '../components/ask-reason.tsx'
import { Clock } from '../components/clock.tsx'
import { ForwardCounts } from '../components/forward-counts.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { Tag } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { call, keyOf, usePages, useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useLive } from '../live.ts'
import { useMayManageStudies } from '../session.ts'
import { ForwardedImages } from './forwarded-images.tsx'
import { stateOf } from './state.ts'
import { Trouble } from './trouble.tsx'
import { words } from './words.ts'

const route = getRouteApi('/shell/destinations/$destinationId')
const SHOWS = ['all', 'waiting', 'failed'] as const
type Show = (typeof SHOWS)[number]
/** Mantine's subtle red is all but white in the dark. */
const GIVE_UP = { variant: 'subtle', color: 'red', c: 'var(--tone-danger-text)' } as const
/** A study, or all that waits. */
type Part = ForwardedStudy | 'all'

const CHANGES = [dashboardDestinations.list, dashboardDestinations.studies, dashboardDestinations.instances, dashboard.status]
const bodyOf = (part: Part) => (part === 'all' ? {} : { studyInstanceUid: part.studyInstanceUid })

/** What waits for one destination, what could not be sent, and what a person can do about it. */
export function Queue() {
  const { destinationId } = route.useParams()
  const { isOpen } = useLive()
  const list = useReply(dashboardDestinations.list, {}, isOpen ? {} : { every: 5000 })
  const destination = list.data?.destinations.find((one) => one.destinationId === destinationId)
  return (
    <Page
      title={destination?.name ?? words.title}
      about={
        <Link to="/destinations">
          <IconArrowLeft size={14} style={{ verticalAlign: -2 }} /> {words.back}
        </Link>
      }
      isFull
    >
      {list.isPending && <Waiting rows={6} />}
      {list.isError && !list.data && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && !destination && (
        <Panel>
          <Empty icon={<IconSend size={34} stroke={1.3} />} title={words.gone}>
            {words.goneText}
          </Empty>
        </Panel>
      )}
      {destination && <Studies destination={destination} />}
    </Page>
  )
}

function Studies({ destination }: { destination: Destination }) {
  const { destinationId, queue } = destination
  const mayManage = useMayManageStudies()
  const [show, setShow] = useState<Show>('all')
  const [dropping, setDropping] = useState<Part | null>(null)
  const [opened, setOpened] = useState<ForwardedStudy | null>(null)
  const { mutate: retry, isPending: isRetrying } = useSend(dashboardDestinations.retry, CHANGES)
  const query = { destinationId, show, limit: 50 }
  const { isOpen } = useLive()
  const { list, pages, more } = usePages(
    keyOf(dashboardDestinations.studies, query),
    (part, signal) => call(dashboardDestinations.studies, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : 10_000,
  )
  const tryNow = useCallback(
    (part: Part) =>
      retry(
        { params: { destinationId }, body: bodyOf(part) },
        {
          onSuccess: ({ message }) =>
            notifications.show({ message: message === undefined ? words.retried : said(message), icon: <IconCheck size={18} /> }),
          onError: (error) => notifications.show({ color: 'red', message: said(error.message) }),
        },
      ),
    [retry, destinationId],
  )
  const columns = useMemo(() => [...studyColumns(setOpened), ...(mayManage ? [decisions(tryNow, setDropping)] : [])], [mayManage, tryNow])
  const state = words.states[stateOf(destination)]
  const studies = pages.flatMap((page) => page.studies)
  const hasOpen = queue.waiting + queue.failed > 0

  return (
    <>
      <Group gap={10}>
        <Tag tone={state.tone} meaning={state.meaning}>
          {state.name}
        </Tag>
        <ForwardCounts counts={queue} />
      </Group>
      <Trouble destination={destination} />
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={words.showLabel}
          value={show}
          onChange={(value) => setShow(value as Show)}
          data={SHOWS.map((value) => ({ value, label: words.shows[value] }))}
        />
        {mayManage && hasOpen && (
          <>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlayerSkipForward size={15} />}
              loading={isRetrying}
              onClick={() => tryNow('all')}
            >
              {words.retryAll}
            </Button>
            <Button {...GIVE_UP} size="xs" leftSection={<IconX size={15} />} onClick={() => setDropping('all')}>
              {words.dropAll}…
            </Button>
          </>
        )}
      </Group>
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Waiting rows={6} />}
      {list.isSuccess && studies.length === 0 && (
        <Panel>
          <Empty icon={<IconSend size={34} stroke={1.3} />} title={show === 'all' ? words.queueNone : words.queueNoneShown}>
            {show === 'all' && words.queueNoneText}
          </Empty>
        </Panel>
      )}
      {studies.length > 0 && (
        <Panel isFlush className="grow">
          <VirtualTable
            label={words.queueLabel}
            columns={columns}
            rows={studies}
            keyOf={(row) => row.studyInstanceUid}
            least={mayManage ? 768 : 660}
            maxHeight="100%"
            onOpen={setOpened}
            onEnd={more}
            end={list.hasNextPage ? words.more : words.last}
          />
        </Panel>
      )}
      <Drawer opened={opened !== null} onClose={() => setOpened(null)} size={720} title={words.images(destination.name)}>
        {opened && <ForwardedImages study={opened} />}
      </Drawer>
      {dropping && <Drop destination={destination} part={dropping} onDone={() => setDropping(null)} />}
    </>
  )
}

const studyColumns = (onOpen: (study: ForwardedStudy) => void): readonly Column<ForwardedStudy>[] => [
  {
    name: words.columns.patient,
    track: 'minmax(150px, 1.2fr)',
    cell: ({ patientName, studyInstanceUid }) => (
      <>
        <PersonName value={patientName} />
        <div>
          <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
            {words.study}
          </Link>
        </div>
      </>
    ),
  },
  { name: words.columns.counts, track: 'minmax(150px, 1fr)', cell: (study) => <ForwardCounts counts={study} /> },
  {
    name: words.columns.error,
    track: 'minmax(180px, 2fr)',
    cell: (study) => (
      <>
        {said(study.lastError)}
        <div>
          <Button variant="subtle" c="var(--mantine-color-anchor)" size="compact-xs" ml={-7} onClick={() => onOpen(study)}>
            {words.showImages}
          </Button>
        </div>
      </>
    ),
  },
  { name: words.columns.at, track: '96px', cell: ({ updatedAt }) => <Clock instant={updatedAt} /> },
]

const decisions = (onRetry: (part: Part) => void, onDrop: (part: Part) => void): Column<ForwardedStudy> => ({
  name: words.columns.actions,
  track: '96px',
  cell: (study) =>
    study.waiting + study.failed > 0 && (
      <Stack gap={4}>
        <Button variant="default" size="compact-xs" onClick={() => onRetry(study)}>
          {words.retry}
        </Button>
        <Button {...GIVE_UP} size="compact-xs" onClick={() => onDrop(study)}>
          {words.drop}…
        </Button>
      </Stack>
    ),
})

function Drop({ destination, part, onDone }: { destination: Destination; part: Part; onDone: () => void }) {
  const drop = useSend(dashboardDestinations.drop, CHANGES)
  return (
    <AskReason
      words={words.dropAsk}
      field="reason"
      isDanger
      isBusy={drop.isPending}
      error={drop.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        drop.mutate(
          { params: { destinationId: destination.destinationId }, body: { ...bodyOf(part), reason } },
          {
            onSuccess: ({ message }) => {
              onDone()
              notifications.show({ message: message === undefined ? words.dropped : said(message), icon: <IconCheck size={18} /> })
            },
            onError,
          },
        )
      }
    >
      <Stack gap={6}>
        {part !== 'all' && <PersonName value={part.patientName} />}
        <Text size="sm">{words.dropText(destination.name)}</Text>
      </Stack>
    </AskReason>
  )
}
