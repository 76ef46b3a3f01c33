import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { IconHistory, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Destination, dashboardDestinations } from '#shared/contract/destinations.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { EchoOutcome } from '../../ui/echo-outcome.tsx'
import { ForwardCounts } from '../../ui/forward-counts.tsx'
import { FactList, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './destinations.module.css'
import { forwardingText, STATE_TONES, stateOf } from './state.ts'

interface CardProps {
  readonly destination: Destination
  readonly hasNative: boolean
  readonly mayManage: boolean
  readonly mayFind: boolean
  readonly onEdit: () => void
  readonly onRemove: () => void
}

/** One destination: how it stands, its queue, and a test of the connection. */
export function DestinationCard({
  destination,
  hasNative,
  mayManage,
  mayFind,
  onEdit,
  onRemove,
}: CardProps) {
  const { destinationId, name } = destination
  const echo = useSend(dashboardDestinations.echo)
  const state = stateOf(destination)
  return (
    <Panel className={css.card}>
      <div className={css.top}>
        <Link to="/destinations/$destinationId" params={{ destinationId }} className={css.name}>
          {name}
        </Link>
        <Group gap={4} wrap="nowrap" className={css.tools}>
          <Tag tone={STATE_TONES[state]} meaning={t(`ui.destinations.states.${state}.meaning`)}>
            {t(`ui.destinations.states.${state}.name`)}
          </Tag>
          {mayManage && (
            <>
              <ToolButton
                label={t('ui.destinations.edit', { name })}
                icon={<IconPencil size={17} />}
                onClick={onEdit}
              />
              <ToolButton
                label={t('ui.destinations.remove', { name })}
                icon={<IconTrash size={17} />}
                onClick={onRemove}
              />
            </>
          )}
        </Group>
      </div>
      <FactList facts={factsOf(destination)} />
      <EchoOutcome result={echo.isPending ? undefined : echo.data} error={echo.error} />
      <div className={css.foot}>
        <Button
          variant="default"
          size="xs"
          renderRoot={(props) => (
            <Link to="/destinations/$destinationId" params={{ destinationId }} {...props} />
          )}
        >
          {t('ui.destinations.queue')}
        </Button>
        {mayManage && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlugConnected size={15} />}
            disabled={!hasNative}
            loading={echo.isPending}
            onClick={() => echo.mutate({ params: { destinationId } })}
          >
            {t('ui.destinations.test')}
          </Button>
        )}
        {mayFind && destination.hasPriors && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconHistory size={15} />}
            renderRoot={(props) => (
              <Link to="/destinations/priors" search={{ destination: destinationId }} {...props} />
            )}
          >
            {t('ui.destinations.find')}
          </Button>
        )}
      </div>
    </Panel>
  )
}

const ToolButton = ({
  label,
  icon,
  onClick,
}: {
  label: string
  icon: ReactNode
  onClick: () => void
}) => (
  <Tooltip label={label}>
    <ActionIcon size="md" aria-label={label} onClick={onClick}>
      {icon}
    </ActionIcon>
  </Tooltip>
)

function factsOf(destination: Destination): readonly (readonly [name: string, value: ReactNode])[] {
  const { aeTitle, host, port, isTls, certificate, queue, lastError, lastSentAt, nextAttemptAt } =
    destination
  return [
    [
      t('ui.destinations.facts.address'),
      <div key="address">
        <span className="mono">
          {aeTitle}@{host}:{port}
        </span>
        {isTls && (
          <div>
            {certificate === null ? t('ui.destinations.tlsUnchecked') : t('ui.destinations.tls')}
          </div>
        )}
      </div>,
    ],
    [t('ui.destinations.facts.gets'), forwardingText(destination)],
    [t('ui.destinations.facts.queue'), <ForwardCounts key="queue" counts={queue} />],
    [
      t('ui.destinations.facts.last'),
      <TimeAgo key="last" instant={lastSentAt} never={t('ui.destinations.neverSent')} />,
    ],
    ...(lastError
      ? ([[t('ui.destinations.facts.error'), translateMessage(lastError)]] as const)
      : []),
    ...(nextAttemptAt && lastError
      ? ([[t('ui.destinations.facts.next'), <Clock key="next" instant={nextAttemptAt} />]] as const)
      : []),
  ]
}
