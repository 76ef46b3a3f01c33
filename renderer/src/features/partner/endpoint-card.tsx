import { Button, Group, VisuallyHidden } from '@mantine/core'
import {
  IconKey,
  IconPencil,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTrash,
} from '@tabler/icons-react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { useSend } from '../../api/queries.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { ENDPOINT_CHANGES } from './changes.ts'
import { endpointFacts } from './endpoint-facts.tsx'
import css from './partner.module.css'

interface CardProps {
  readonly endpoint: Endpoint
  readonly onEdit: () => void
  readonly onRotate: () => void
  readonly onTest: () => void
  readonly onRemove: () => void
}

/** One endpoint: what it gets, how it stands, and what waits for a decision. */
export function EndpointCard({ endpoint, onEdit, onRotate, onTest, onRemove }: CardProps) {
  const change = useSend(dashboardEvents.changeEndpoint, ENDPOINT_CHANGES)
  const { endpointId, isEnabled, disabledReason, isDefault, fileHosts, refusedHosts, waiting } =
    endpoint
  const name = endpointName(endpoint)
  const enable = (on: boolean) => change.mutate({ params: { endpointId }, body: { isEnabled: on } })
  const allow = (host: string) =>
    change.mutate({ params: { endpointId }, body: { fileHosts: [...fileHosts, host] } })
  return (
    <Panel className={css.card}>
      <div className={css.top}>
        <h3 className={css.name}>{name}</h3>
        <Tag tone={isEnabled ? 'good' : 'danger'}>
          {isEnabled ? t('ui.partner.enabled') : t('ui.partner.disabled')}
        </Tag>
      </div>
      {!isEnabled && (
        <Notice
          tone="danger"
          title={t(`ui.partner.disabledReasons.${disabledReason ?? 'person'}`)}
          actions={
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => enable(true)}
            >
              {t('ui.partner.enable')}
            </Button>
          }
        >
          {t('ui.partner.enableAbout', { waiting })}
        </Notice>
      )}
      <FactList facts={endpointFacts(endpoint)} />
      {refusedHosts.length > 0 && (
        <RefusedHosts hosts={refusedHosts} isBusy={change.isPending} onAllow={allow} />
      )}
      {change.error && <ErrorNotice error={change.error} />}
      <div className={css.foot}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlugConnected size={15} />}
          disabled={endpoint.events.length === 0}
          onClick={onTest}
        >
          {t('ui.partner.testEvent')}
        </Button>
        <Button variant="default" size="xs" leftSection={<IconKey size={15} />} onClick={onRotate}>
          {t('ui.partner.rotate')}
        </Button>
        <Group gap={2}>
          <IconAction icon={IconPencil} label={t('ui.partner.edit', { name })} onClick={onEdit} />
          {isEnabled && (
            <IconAction
              icon={IconPlugConnectedX}
              label={t('ui.partner.disable', { name })}
              onClick={() => enable(false)}
            />
          )}
          {!isDefault && (
            <IconAction
              icon={IconTrash}
              label={t('ui.partner.remove', { name })}
              onClick={onRemove}
            />
          )}
        </Group>
      </div>
    </Panel>
  )
}

function RefusedHosts(props: {
  hosts: Endpoint['refusedHosts']
  isBusy: boolean
  onAllow: (host: string) => void
}) {
  const { hosts, isBusy, onAllow } = props
  return (
    <Notice tone="warning" title={t('ui.partner.refusedHosts')}>
      {t('ui.partner.refusedAbout')}
      <ul className={css.hosts}>
        {hosts.map(({ host, at }) => (
          <li key={host}>
            <span className="mono">{host}</span>
            <TimeAgo instant={at} />
            <Button
              size="compact-xs"
              variant="default"
              loading={isBusy}
              onClick={() => onAllow(host)}
            >
              {t('ui.partner.allow')}
              <VisuallyHidden> {host}</VisuallyHidden>
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
