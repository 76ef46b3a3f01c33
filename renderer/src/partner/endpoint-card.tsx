import { Button, Group, VisuallyHidden } from '@mantine/core'
import {
  IconKey,
  IconPencil,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTrash,
} from '@tabler/icons-react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { Ago } from '../components/clock.tsx'
import { IconAct } from '../components/icon-act.tsx'
import { Facts, Failed, Panel } from '../components/page.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { endpointName } from '../display/endpoint-name.ts'
import { useSend } from '../gateway.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
import { factsOf } from './endpoint-facts.tsx'
import css from './partner.module.css'
import { words } from './words.ts'

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
        <Tag tone={isEnabled ? 'good' : 'danger'}>{isEnabled ? words.enabled : words.disabled}</Tag>
      </div>
      {!isEnabled && (
        <Notice
          tone="danger"
          title={words.disabledReasons[disabledReason ?? 'person']}
          actions={
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => enable(true)}
            >
              {words.enable}
            </Button>
          }
        >
          {words.enableAbout(waiting)}
        </Notice>
      )}
      <Facts facts={factsOf(endpoint)} />
      {refusedHosts.length > 0 && (
        <RefusedHosts hosts={refusedHosts} isBusy={change.isPending} onAllow={allow} />
      )}
      {change.error && <Failed error={change.error} />}
      <div className={css.foot}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlugConnected size={15} />}
          disabled={endpoint.events.length === 0}
          onClick={onTest}
        >
          {words.testEvent}
        </Button>
        <Button variant="default" size="xs" leftSection={<IconKey size={15} />} onClick={onRotate}>
          {words.rotate}
        </Button>
        <Group gap={2}>
          <IconAct icon={IconPencil} label={words.edit(name)} onClick={onEdit} />
          {isEnabled && (
            <IconAct
              icon={IconPlugConnectedX}
              label={words.disable(name)}
              onClick={() => enable(false)}
            />
          )}
          {!isDefault && <IconAct icon={IconTrash} label={words.remove(name)} onClick={onRemove} />}
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
    <Notice tone="warning" title={words.refusedHosts}>
      {words.refusedAbout}
      <ul className={css.hosts}>
        {hosts.map(({ host, at }) => (
          <li key={host}>
            <span className="mono">{host}</span>
            <Ago instant={at} />
            <Button
              size="compact-xs"
              variant="default"
              loading={isBusy}
              onClick={() => onAllow(host)}
            >
              {words.allow}
              <VisuallyHidden> {host}</VisuallyHidden>
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
