import { Button, Group, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconRefresh, IconX } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dashboardEvents, type EventRecord } from '#shared/contract/events.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { eventBadge, OUTCOMES } from '../../format/event-outcomes.ts'
import { EVENT_KINDS, EVENT_NAMES } from '../../format/event-types.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import {
  EmptyState,
  ErrorNotice,
  FactList,
  LoadingPlaceholder,
  Page,
  Panel,
} from '../../ui/page.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { Notice, Tag } from '../../ui/tone.tsx'
import { Attempts } from './attempts.tsx'
import { BodyView } from './body-view.tsx'
import { eventEndpointName } from './endpoint-of.ts'
import css from './events.module.css'

const route = getRouteApi('/shell/events/$eventId')
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 5000
const CHANGES = [dashboardEvents.list, dashboardEvents.read, dashboardEvents.endpoints]

/** One event: how it stands and why, its tries, and what a person can do. */
export function Event() {
  const { eventId } = route.useParams()
  const [isSettled, setIsSettled] = useState(false)
  const { isOpen } = useEventStream()
  const pollMs = isOpen ? POLL_MS : POLL_CUT_OFF_MS
  const reply = useReply(
    dashboardEvents.read,
    { params: { eventId } },
    isSettled ? {} : { every: pollMs },
  )
  const event = reply.data
  const isDone = event !== undefined && event.state !== 'waiting'
  if (isDone !== isSettled) setIsSettled(isDone)
  return (
    <Page
      title={event ? EVENT_NAMES[event.type].name : t('ui.events.title')}
      about={<BackLink to="/events">{t('ui.events.back')}</BackLink>}
      actions={event && <DecisionButtons event={event} />}
    >
      {reply.isPending && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <EmptyState title={t('ui.events.gone')} error={reply.error}>
          {t('ui.events.goneText')}
        </EmptyState>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {event && <EventDetails event={event} />}
    </Page>
  )
}

function EventDetails({ event }: { event: EventRecord }) {
  const standing = eventBadge(event)
  const outcome = OUTCOMES[event.outcome]
  const isHealthy =
    standing.tone === 'good' || standing.tone === 'info' || event.state === 'dropped'
  return (
    <>
      {!isHealthy && (
        <Notice
          tone={standing.tone}
          title={event.state === 'done' ? standing.meaning : outcome.sentence}
        >
          {event.state !== 'done' && outcome.remedy}
        </Notice>
      )}
      {event.isTest && <Notice tone="info">{t('ui.events.testAbout')}</Notice>}
      <div className={css.columns}>
        <div className={css.stack}>
          <Attempts attempts={event.attemptList} />
        </div>
        <div className={css.stack}>
          <Panel
            title={t('ui.events.facts.event')}
            aside={
              <Tag tone={standing.tone} meaning={standing.meaning}>
                {standing.name}
              </Tag>
            }
          >
            <EventFacts event={event} />
          </Panel>
          <Panel title={t('ui.events.request')}>
            {event.request === null ? (
              <Text c="dimmed">{t('ui.events.requestGone')}</Text>
            ) : (
              <>
                <Text size="sm" c="dimmed" mb={8}>
                  {t('ui.events.requestAbout')}
                </Text>
                <BodyView text={event.request} what={t('ui.events.request')} />
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
  const rows: readonly Fact[] = [
    ...(event.effect
      ? ([[t('ui.events.facts.effect'), translateMessage(event.effect)]] as const)
      : []),
    [
      t('ui.events.facts.id'),
      <Group key="id" gap={4} wrap="nowrap" align="flex-start">
        <span className="mono">{event.eventId}</span>
        <Copy value={event.eventId} what={t('ui.events.idName')} />
      </Group>,
    ],
    [
      t('ui.events.facts.type'),
      <span key="type">
        <span className="mono">{event.type}</span>
        <div className={css.under}>{EVENT_NAMES[event.type].about}</div>
      </span>,
    ],
    [
      t('ui.events.facts.kind'),
      <Tooltip key="kind" label={EVENT_KINDS[event.kind].meaning}>
        <span>{EVENT_KINDS[event.kind].name}</span>
      </Tooltip>,
    ],
    [
      t('ui.events.facts.subject'),
      <span key="subject" className="mono">
        {event.subject}
      </span>,
    ],
    ...(event.studyInstanceUid && event.studyInstanceUid !== event.subject
      ? ([
          [
            t('ui.events.facts.study'),
            <span key="study" className="mono">
              {event.studyInstanceUid}
            </span>,
          ],
        ] as const)
      : []),
    [t('ui.events.facts.endpoint'), eventEndpointName(endpoints, event.endpointId)],
    [t('ui.events.facts.created'), <Clock key="created" instant={event.createdAt} />],
    [t('ui.events.facts.updated'), <Clock key="updated" instant={event.updatedAt} />],
    ...(event.nextAt
      ? ([[t('ui.events.facts.next'), <Clock key="next" instant={event.nextAt} />]] as const)
      : []),
  ]
  return <FactList facts={rows} />
}

function DecisionButtons({ event }: { event: EventRecord }) {
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
              ? { message: t('ui.events.replayed'), icon: <IconCheck size={18} /> }
              : {
                  color: 'red',
                  title: t('ui.events.notReplayed'),
                  message: skipped[0] && translateMessage(skipped[0].why),
                },
          ),
        onError: (error) => showRefusal(error.message),
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
          {t('ui.events.dropOpen')}
        </Button>
      )}
      <Tooltip label={event.whyNot && translateMessage(event.whyNot)} disabled={event.mayReplay}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          {...(!event.mayReplay && { 'data-disabled': true })}
          aria-disabled={!event.mayReplay}
          loading={replay.isPending}
          onClick={() => event.mayReplay && sendAgain()}
        >
          {t('ui.events.replay')}
        </Button>
      </Tooltip>
      {isDropping && (
        <ReasonDialog
          words={textsOf('ui.events.drop', 'title', 'action', 'label', 'about', 'example')}
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
                  if (!success)
                    showRefusal(message ? translateMessage(message) : t('ui.events.notDropped'))
                },
                onError,
              },
            )
          }
        >
          {t('ui.events.dropText')}
        </ReasonDialog>
      )}
    </>
  )
}
