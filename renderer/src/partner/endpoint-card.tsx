import { ActionIcon, Button, Group, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconKey, IconPencil, IconPlugConnected, IconPlugConnectedX, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Failed, Panel } from '../components/page.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { countText, durationText } from '../display/amounts.ts'
import { endpointName } from '../display/endpoint-name.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../display/event-types.ts'
import { useSend } from '../gateway.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
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
  const { endpointId, isEnabled, disabledReason, isDefault, fileHosts, refusedHosts, waiting } = endpoint
  const name = endpointName(endpoint)
  const allow = (host: string) => change.mutate({ params: { endpointId }, body: { fileHosts: [...fileHosts, host] } })
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
              onClick={() => change.mutate({ params: { endpointId }, body: { isEnabled: true } })}
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
        <Notice tone="warning" title={words.refusedHosts}>
          {words.refusedAbout}
          <ul className={css.hosts}>
            {refusedHosts.map(({ host, at }) => (
              <li key={host}>
                <span className="mono">{host}</span>
                <Ago instant={at} />
                <Button size="compact-xs" variant="default" loading={change.isPending} onClick={() => allow(host)}>
                  {words.allow}
                  <VisuallyHidden> {host}</VisuallyHidden>
                </Button>
              </li>
            ))}
          </ul>
        </Notice>
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
          <Tooltip label={words.edit(name)}>
            <ActionIcon aria-label={words.edit(name)} onClick={onEdit}>
              <IconPencil size={17} />
            </ActionIcon>
          </Tooltip>
          {isEnabled && (
            <Tooltip label={words.disable(name)}>
              <ActionIcon
                aria-label={words.disable(name)}
                onClick={() => change.mutate({ params: { endpointId }, body: { isEnabled: false } })}
              >
                <IconPlugConnectedX size={17} />
              </ActionIcon>
            </Tooltip>
          )}
          {!isDefault && (
            <Tooltip label={words.remove(name)}>
              <ActionIcon aria-label={words.remove(name)} onClick={onRemove}>
                <IconTrash size={17} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </div>
    </Panel>
  )
}

type Fact = readonly [name: string, value: ReactNode]

function factsOf({ endpointId, url, apiKey, events, fileHosts, budgets, secrets, waiting }: Endpoint): readonly Fact[] {
  const { facts } = words
  const taken = EVENT_ORDER.filter((event) => events.includes(event))
  const times = taken.flatMap((event) => {
    const ms = budgets[event]
    return ms === undefined ? [] : [`${EVENT_NAMES[event].name} ${durationText(ms)}`]
  })
  const old = secrets.filter(({ endsAt }) => endsAt !== null)
  return [
    [
      facts.url,
      <span key="url" className="mono">
        {url}
      </span>,
    ],
    [facts.studies, apiKey ? words.ofKey(apiKey.description) : words.allStudies],
    [
      facts.events,
      taken.length === EVENT_ORDER.length ? words.allEvents : taken.map((event) => EVENT_NAMES[event].name).join(', ') || words.noEvents,
    ],
    [
      facts.secret,
      secrets[0] ? (
        <span key="secret">
          {words.secretSince} <Clock instant={secrets[0].createdAt} />
          {old.map(({ createdAt, endsAt }) => (
            <span key={createdAt}>
              {words.oldSecret} {endsAt && <Clock instant={endsAt} />}
            </span>
          ))}
        </span>
      ) : (
        words.secretUnset
      ),
    ],
    [facts.files, fileHosts.length > 0 ? fileHosts.join(', ') : words.noFiles],
    ...(times.length > 0 ? ([[facts.times, times.join(', ')]] as const) : []),
    [
      facts.waiting,
      waiting === 0 ? (
        words.nothingWaits
      ) : (
        <Link key="waiting" to="/events" search={{ show: 'waiting', endpoint: endpointId }}>
          {countText(waiting, ...words.eventNouns)}
        </Link>
      ),
    ],
  ]
}
