import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Destination,
  dashboardDestinations,
  type ForwardedStudy,
} from '#shared/contract/destinations.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ForwardCounts } from '../../ui/forward-counts.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import css from './images.module.css'

const CHANGES = [
  dashboardDestinations.studies,
  dashboardDestinations.list,
  dashboardDestinations.instances,
]

/** How far the study is on its way to each destination; sending it to another one. */
export function SendingPanel({
  studyInstanceUid,
  mayManage,
}: {
  studyInstanceUid: string
  mayManage: boolean
}) {
  const { isOpen } = useEventStream()
  const query = { studyInstanceUid, show: 'all' as const, limit: 100 }
  const forwards = useReply(dashboardDestinations.studies, { query }, isOpen ? {} : { every: 5000 })
  const destinations = useReply(dashboardDestinations.list, {}).data?.destinations
  return (
    <Panel title={t('ui.images.sending')}>
      {forwards.isPending && <LoadingPlaceholder rows={2} />}
      {forwards.isError && (
        <ErrorNotice error={forwards.error} onRetry={() => void forwards.refetch()} />
      )}
      {forwards.data?.studies.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.images.sendingNone')}
        </Text>
      )}
      {forwards.data?.studies.map((forward) => (
        <ForwardRow
          key={forward.destinationId}
          forward={forward}
          destination={destinations?.find((one) => one.destinationId === forward.destinationId)}
          mayManage={mayManage}
        />
      ))}
      {mayManage && destinations && (
        <SendForm studyInstanceUid={studyInstanceUid} destinations={destinations} />
      )}
    </Panel>
  )
}

interface ForwardRowProps {
  readonly forward: ForwardedStudy
  readonly destination: Destination | undefined
  readonly mayManage: boolean
}

function ForwardRow({ forward, destination, mayManage }: ForwardRowProps) {
  const retry = useSend(dashboardDestinations.retry, CHANGES)
  const { destinationId, destinationName, studyInstanceUid, waiting, failed } = forward
  // While a destination cannot be reached, nobody tried the images that wait for it one by one.
  const isHeldUp = waiting > 0 && destination !== undefined && destination.lastError !== null
  const why = forward.lastError ?? (isHeldUp ? destination.lastError : null)
  return (
    <div className={css.going}>
      <div>
        <Link to="/destinations/$destinationId" params={{ destinationId }}>
          {destinationName}
        </Link>
        {mayManage && waiting + failed > 0 && (
          <Button
            variant="default"
            size="compact-xs"
            loading={retry.isPending}
            onClick={() => retry.mutate({ params: { destinationId }, body: { studyInstanceUid } })}
          >
            {t('ui.images.retry')}
          </Button>
        )}
      </div>
      <ForwardCounts counts={forward} />
      {why && <Text size="sm">{translateMessage(why)}</Text>}
      {isHeldUp && destination.nextAttemptAt && (
        <Text size="sm" c="dimmed">
          {t('ui.images.sendNext')} <Clock instant={destination.nextAttemptAt} />
        </Text>
      )}
      {retry.error && <ErrorNotice error={retry.error} />}
    </div>
  )
}

function SendForm({
  studyInstanceUid,
  destinations,
}: {
  studyInstanceUid: string
  destinations: readonly Destination[]
}) {
  const send = useSend(dashboardDestinations.send, CHANGES)
  const [destinationId, setDestinationId] = useState<string | null>(null)
  const open = destinations.filter((one) => one.isEnabled)
  if (open.length === 0) {
    return (
      <Text size="sm" c="dimmed" mt={8}>
        {t('ui.images.noDestination')}
      </Text>
    )
  }
  const start = () =>
    destinationId &&
    send.mutate(
      { params: { destinationId }, body: { studyInstanceUid } },
      {
        onSuccess: ({ message }) => {
          setDestinationId(null)
          notifications.show({
            message: message ? translateMessage(message) : t('ui.images.sendDone'),
            icon: <IconCheck size={18} />,
          })
        },
      },
    )
  return (
    <Stack gap={8} mt={12}>
      <Group gap={8} align="flex-end" wrap="nowrap">
        <Select
          label={t('ui.images.sendTo')}
          placeholder={t('ui.images.sendToPick')}
          style={{ flex: 1 }}
          data={open.map((one) => ({ value: one.destinationId, label: one.name }))}
          value={destinationId}
          onChange={setDestinationId}
        />
        <Button
          variant="default"
          leftSection={<IconSend size={16} />}
          disabled={!destinationId}
          loading={send.isPending}
          onClick={start}
        >
          {t('ui.images.send')}
        </Button>
      </Group>
      {send.error && <ErrorNotice error={send.error} />}
    </Stack>
  )
}
