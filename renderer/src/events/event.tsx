import { Button, Group, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft, IconCheck, IconRefresh, IconX } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dashboardEvents, type EventRecord } from '#shared/contract/events.ts'
import { AskReason } from '../components/ask-reason.tsx'
import { Clock } from '../components/clock.tsx'
import { Copy } from '../components/copy.tsx'
import { Empty, Facts, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { showRefused } from '../components/refused.ts'
import { Notice, Tag } from '../components/tone.tsx'
import { OUTCOMES, standingOf } from '../display/event-outcomes.ts'
import { EVENT_KINDS, EVENT_NAMES } from '../display/event-types.ts'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useLive } from '../live.ts'
import { Attempts } from './attempts.tsx'
import { BodyView } from './body-view.tsx'
import { endpointOf } from './endpoint-of.ts'
import css from './events.module.css'
import { words } from './words.ts'

const route = getRouteApi('/shell/events/$eventId')
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 5000
const CHANGES = [dashboardEvents.list, dashboardEvents.read, dashboardEvents.endpoints]

/** One event: how it stands and why, its tries, and what a person can do. */
export function Event() {
  const { eventId } = route.useParams()
  const [isSettled, setIsSettled] = useState(false)
  const { isOpen } = useLive()
  const every = isOpen ? POLL_MS : POLL_CUT_OFF_MS
  const reply = useReply(dashboardEvents.read, { params: { eventId } }, isSettled ? {} : { every })
  const event = reply.data
  const isDone = event !== undefined && event.state !== 'waiting'
  if (isDone !== isSettled) setIsSettled(isDone)
  return (
    <Page
      title={event ? EVENT_NAMES[event.type].name : words.title}
      about={
        <Link to="/events">
          <IconArrowLeft size={14} style={{ verticalAlign: -2 }} /> {words.back}
        </Link>
      }
      actions={event && <Decisions event={event} />}
    >
      {reply.isPending && <Waiting rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <Empty title={words.gone}>{words.goneText}</Empty>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <Failed error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {event && <Shown event={event} />}
    </Page>
  )
}

function Shown({ event }: { event: EventRecord }) {
  const standing = standingOf(event)
  const outcome = OUTCOMES[event.outcome]
  const isWell = standing.tone === 'good' || standing.tone === 'info' || event.state === 'dropped'
  return (
    <>
      {!isWell && (
        <Notice
          tone={standing.tone}
          title={event.state === 'done' ? standing.meaning : outcome.sentence}
        >
          {event.state !== 'done' && outcome.remedy}
        </Notice>
      )}
      {event.isTest && <Notice tone="info">{words.testAbout}</Notice>}
      <div className={css.columns}>
        <div className={css.stack}>
          <Attempts attempts={event.attemptList} />
        </div>
        <div className={css.stack}>
          <Panel
            title={words.facts.event}
            aside={
              <Tag tone={standing.tone} meaning={standing.meaning}>
                {standing.name}
              </Tag>
            }
          >
            <EventFacts event={event} />
          </Panel>
          <Panel title={words.request}>
            {event.request === null ? (
              <Text c="dimmed">{words.requestGone}</Text>
            ) : (
              <>
                <Text size="sm" c="dimmed" mb={8}>
                  {words.requestAbout}
                </Text>
                <BodyView text={event.request} what={words.request} />
              </>
            )}
          </Panel>
        </div>
      </div>
    </>
  )
}

type Fact = readonly [name: string, value: ReactNode]

function EventFacts({ event }: { event: EventRecord }) {
  const endpoints = useReply(dashboardEvents.endpoints, {}, { staleTime: 30_000 }).data?.endpoints
  const { facts } = words
  const rows: readonly Fact[] = [
    ...(event.effect ? ([[facts.effect, said(event.effect)]] as const) : []),
    [
      facts.id,
      <Group key="id" gap={4} wrap="nowrap" align="flex-start">
        <span className="mono">{event.eventId}</span>
        <Copy value={event.eventId} what={words.idName} />
      </Group>,
    ],
    [
      facts.type,
      <span key="type">
        <span className="mono">{event.type}</span>
        <div className={css.under}>{EVENT_NAMES[event.type].about}</div>
      </span>,
    ],
    [
      facts.kind,
      <Tooltip key="kind" label={EVENT_KINDS[event.kind].meaning}>
        <span>{EVENT_KINDS[event.kind].name}</span>
      </Tooltip>,
    ],
    [
      facts.subject,
      <span key="subject" className="mono">
        {event.subject}
      </span>,
    ],
    ...(event.studyInstanceUid && event.studyInstanceUid !== event.subject
      ? ([
          [
            facts.study,
            <span key="study" className="mono">
              {event.studyInstanceUid}
            </span>,
          ],
        ] as const)
      : []),
    [facts.endpoint, endpointOf(endpoints, event.endpointId)],
    [facts.created, <Clock key="created" instant={event.createdAt} />],
    [facts.updated, <Clock key="updated" instant={event.updatedAt} />],
    ...(event.nextAt ? ([[facts.next, <Clock key="next" instant={event.nextAt} />]] as const) : []),
  ]
  return <Facts facts={rows} />
}

function Decisions({ event }: { event: EventRecord }) {
  const [isDropping, setIsDropping] = useState(false)
  const replay = useSend(dashboardEvents.replay, CHANGES)
  const drop = useSend(dashboardEvents.drop, CHANGES)
  const { eventId } = event
  const sendAgain = () =>
    replay.mutate(
      { body: { which: 'these', eventIds: [eventId] } },
      {
        onSuccess: ({ queued, skipped }) =>
          notifications.show(
            queued > 0
              ? { message: words.replayed, icon: <IconCheck size={18} /> }
              : {
                  color: 'red',
                  title: words.notReplayed,
                  message: skipped[0] && said(skipped[0].why),
                },
          ),
        onError: (error) => showRefused(error.message),
      },
    )
  return (
    <>
      {event.state === 'waiting' && (
        <Button
          variant="subtle"
          color="red"
          leftSection={<IconX size={16} />}
          onClick={() => setIsDropping(true)}
        >
          {words.dropOpen}
        </Button>
      )}
      <Tooltip label={event.whyNot && said(event.whyNot)} disabled={event.mayReplay}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          {...(!event.mayReplay && { 'data-disabled': true })}
          aria-disabled={!event.mayReplay}
          loading={replay.isPending}
          onClick={() => event.mayReplay && sendAgain()}
        >
          {words.replay}
        </Button>
      </Tooltip>
      {isDropping && (
        <AskReason
          words={words.drop}
          field="reason"
          isDanger
          isBusy={drop.isPending}
          error={drop.error}
          onClose={() => {
            drop.reset()
            setIsDropping(false)
          }}
          onSend={(reason, onError) =>
            drop.mutate(
              { params: { eventId }, body: { reason } },
              {
                onSuccess: ({ success, message }) => {
                  setIsDropping(false)
                  if (!success) showRefused(message ? said(message) : words.notDropped)
                },
                onError,
              },
            )
          }
        >
          {words.dropText}
        </AskReason>
      )}
    </>
  )
}
