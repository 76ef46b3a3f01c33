import { Button, Drawer, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconPlayerSkipForward, IconSend, IconX } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import {
  type Destination,
  dashboardDestinations,
  type ForwardedStudy,
} from '#shared/contract/destinations.ts'
import type { Message } from '#shared/messages/message.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ForwardCounts } from '../../ui/forward-counts.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { showRefusal } from '../../ui/refused.ts'
import { SUBTLE_DANGER } from '../../ui/subtle-danger.ts'
import { Tag } from '../../ui/tone.tsx'
import { ForwardedImages } from './forwarded-images.tsx'
import { ForwardedStudies, type ForwardedStudyFilter, STUDY_FILTERS } from './forwarded-studies.tsx'
import { STATE_TONES, stateOf } from './state.ts'
import { DestinationFault } from './trouble.tsx'

const route = getRouteApi('/shell/destinations/$destinationId')
/** A study, or all that waits. */
type Part = ForwardedStudy | 'all'

const CHANGES = [
  dashboardDestinations.list,
  dashboardDestinations.studies,
  dashboardDestinations.instances,
  dashboard.status,
]
const bodyOf = (part: Part) => (part === 'all' ? {} : { studyInstanceUid: part.studyInstanceUid })

/** What waits for one destination, what could not be sent, and what a person can do about it. */
export function Queue() {
  const { destinationId } = route.useParams()
  const { isOpen } = useEventStream()
  const list = useReply(dashboardDestinations.list, {}, isOpen ? {} : { every: 5000 })
  const destination = list.data?.destinations.find((one) => one.destinationId === destinationId)
  return (
    <Page
      title={destination?.name ?? t('ui.destinations.title')}
      about={<BackLink to="/destinations">{t('ui.destinations.back')}</BackLink>}
      isFull
    >
      {list.isPending && <LoadingPlaceholder rows={6} />}
      {list.isError && !list.data && (
        <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data && !destination && (
        <Panel>
          <EmptyState icon={<IconSend size={34} stroke={1.3} />} title={t('ui.destinations.gone')}>
            {t('ui.destinations.goneText')}
          </EmptyState>
        </Panel>
      )}
      {destination && <Studies destination={destination} />}
    </Page>
  )
}

function Studies({ destination }: { destination: Destination }) {
  const { destinationId, queue } = destination
  const hasPending = queue.waiting + queue.failed > 0
  const mayManage = useMayManageStudies()
  const [show, setShow] = useState<ForwardedStudyFilter>('all')
  const [dropping, setDropping] = useState<Part | null>(null)
  const [opened, setOpened] = useState<ForwardedStudy | null>(null)
  const { tryNow, isRetrying } = useRetry(destinationId)
  const decisions = useMemo(
    () => (mayManage ? { onRetry: tryNow, onDrop: setDropping } : null),
    [mayManage, tryNow],
  )

  return (
    <>
      <QueueState destination={destination} />
      <DestinationFault destination={destination} />
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.destinations.showLabel')}
          value={show}
          onChange={(value) => setShow(value as ForwardedStudyFilter)}
          data={STUDY_FILTERS.map((value) => ({
            value,
            label: t(`ui.destinations.shows.${value}`),
          }))}
        />
        {mayManage && hasPending && (
          <>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlayerSkipForward size={15} />}
              loading={isRetrying}
              onClick={() => tryNow('all')}
            >
              {t('ui.destinations.retryAll')}
            </Button>
            <Button
              {...SUBTLE_DANGER}
              size="xs"
              leftSection={<IconX size={15} />}
              onClick={() => setDropping('all')}
            >
              {t('ui.destinations.dropAll')}…
            </Button>
          </>
        )}
      </Group>
      <ForwardedStudies
        destinationId={destinationId}
        show={show}
        decisions={decisions}
        onOpen={setOpened}
      />
      <Drawer
        opened={opened !== null}
        onClose={() => setOpened(null)}
        size={720}
        title={t('ui.destinations.images', { name: destination.name })}
      >
        {opened && <ForwardedImages study={opened} />}
      </Drawer>
      {dropping && (
        <DropDialog destination={destination} part={dropping} onDone={() => setDropping(null)} />
      )}
    </>
  )
}

/** Sends what waits at once, and says what came of it. */
function useRetry(destinationId: string) {
  const { mutate: retry, isPending: isRetrying } = useSend(dashboardDestinations.retry, CHANGES)
  const tryNow = useCallback(
    (part: Part) =>
      retry(
        { params: { destinationId }, body: bodyOf(part) },
        {
          onSuccess: ({ message }) => showDecision(message, t('ui.destinations.retried')),
          onError: (error) => showRefusal(error.message),
        },
      ),
    [retry, destinationId],
  )
  return { tryNow, isRetrying }
}

/** What the gateway says of a decision, or what it means. */
const showDecision = (message: Message | undefined, usual: string) =>
  notifications.show({
    message: message === undefined ? usual : translateMessage(message),
    icon: <IconCheck size={18} />,
  })

function QueueState({ destination }: { destination: Destination }) {
  const state = stateOf(destination)
  return (
    <Group gap={10}>
      <Tag tone={STATE_TONES[state]} meaning={t(`ui.destinations.states.${state}.meaning`)}>
        {t(`ui.destinations.states.${state}.name`)}
      </Tag>
      <ForwardCounts counts={destination.queue} />
    </Group>
  )
}

function DropDialog({
  destination,
  part,
  onDone,
}: {
  destination: Destination
  part: Part
  onDone: () => void
}) {
  const drop = useSend(dashboardDestinations.drop, CHANGES)
  return (
    <ReasonDialog
      words={textsOf('ui.destinations.dropAsk', 'title', 'action', 'label', 'about', 'example')}
      field="reason"
      isDanger
      isBusy={drop.isPending}
      error={drop.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        drop.mutate(
          {
            params: { destinationId: destination.destinationId },
            body: { ...bodyOf(part), reason },
          },
          {
            onSuccess: ({ message }) => {
              onDone()
              showDecision(message, t('ui.destinations.dropped'))
            },
            onError,
          },
        )
      }
    >
      <Stack gap={6}>
        {part !== 'all' && <PersonName value={part.patientName} />}
        <Text size="sm">{t('ui.destinations.dropText', { name: destination.name })}</Text>
      </Stack>
    </ReasonDialog>
  )
}
