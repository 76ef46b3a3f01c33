import { Group, Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { Status } from '#shared/contract/dashboard.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag, ToneIcon } from '../components/tone.tsx'
import { bytesText, countText, numberText } from '../display/amounts.ts'
import { FAULTS } from '../display/answer-source.ts'
import type { Tone } from '../display/tones.ts'
import { useStatus } from '../status.ts'
import { DowntimePanel } from './downtime.tsx'
import { Feed } from './feed.tsx'
import css from './overview.module.css'
import { words } from './words.ts'

/** Whether all is well, and what is happening now. */
export function Overview() {
  const status = useStatus()
  return (
    <Page title={words.title}>
      {status.isError && !status.data && <Failed error={status.error} onRetry={() => void status.refetch()} />}
      {status.isPending && !status.isError && <Waiting rows={5} height={64} />}
      {status.data && (
        <>
          <Numbers status={status.data} />
          <div className={css.columns}>
            <Feed />
            <div className={css.side}>
              {status.data.advice.length > 0 && <Advice advice={status.data.advice} />}
              <PartnerPanel partner={status.data.partner} />
              <StoragePanel storage={status.data.storage} waiting={status.data.forwards.waiting} />
              <DowntimePanel downtime={status.data.downtime} />
              <Listeners listeners={status.data.listeners} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

interface Number {
  readonly name: string
  readonly value: number
  readonly isToday?: boolean
  /** Shown where the number is not zero. */
  readonly tone?: Tone
  readonly to?: LinkProps
}

function numbersOf({ today, images, forwards, openAssociations }: Status): readonly Number[] {
  const { numbers } = words
  return [
    { name: numbers.queries, value: today.queries, isToday: true, to: { to: '/queries' } },
    { name: numbers.rowsSent, value: today.rowsSent, isToday: true },
    { name: numbers.failures, value: today.failures, isToday: true, tone: 'danger', to: { to: '/queries', search: { outcome: 'failed' } } },
    {
      name: numbers.withheld,
      value: today.withheld,
      isToday: true,
      tone: 'warning',
      to: { to: '/queries', search: { outcome: 'withheld' } },
    },
    { name: numbers.openAssociations, value: openAssociations },
    { name: numbers.images, value: images.today, isToday: true, to: { to: '/images' } },
    { name: numbers.receiving, value: images.receiving, to: { to: '/images', search: { show: 'receiving' } } },
    { name: numbers.mismatches, value: images.mismatches, tone: 'danger', to: { to: '/images', search: { show: 'mismatch' } } },
    { name: numbers.quarantined, value: images.quarantined, tone: 'warning', to: { to: '/images/quarantine' } },
    { name: numbers.failed, value: forwards.failed, tone: 'danger', to: { to: '/destinations' } },
  ]
}

function Numbers({ status }: { status: Status }) {
  return (
    <dl className={css.numbers} aria-label={words.today} style={{ margin: 0 }}>
      {numbersOf(status).map(({ name, value, isToday, tone, to }) => (
        <div key={name} className={css.number}>
          <dt>{to ? <Link {...to}>{named(name, isToday)}</Link> : named(name, isToday)}</dt>
          <dd>
            {numberText(value)}
            {tone && value > 0 && <ToneIcon tone={tone} size={18} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const named = (name: string, isToday = false) => (isToday ? `${name} ${words.today.toLowerCase()}` : name)

function Advice({ advice }: { advice: readonly string[] }) {
  return (
    <Panel title={words.advice} aside={<ToneIcon tone="warning" size={18} />}>
      <ul className={css.advice}>
        {advice.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  )
}

/** Faults of a partner that is there. */
const UNUSABLE: readonly PartnerFault[] = ['status', 'oversize', 'invalid']

function PartnerPanel({ partner }: { partner: Status['partner'] }) {
  const isUnusable = partner.state === 'down' && partner.fault !== null && UNUSABLE.includes(partner.fault)
  const state = isUnusable ? words.partnerUnusable : words.partnerStates[partner.state]
  return (
    <Panel title={words.partner} aside={<Tag tone={state.tone}>{state.name}</Tag>}>
      <Text size="sm" mb={6}>
        {state.text}
      </Text>
      <Facts
        facts={[
          ...(partner.downSince
            ? ([[isUnusable ? words.failingSince : words.downSince, <Clock key="since" instant={partner.downSince} />]] as const)
            : []),
          ...(partner.fault ? ([[words.because, partner.detail || FAULTS[partner.fault].name]] as const) : []),
          [words.lastOk, <Ago key="ok" instant={partner.lastOkAt} never={words.neverAnswered} />],
          ...(partner.url
            ? ([
                [
                  'Address',
                  <span key="url" className="mono">
                    {partner.url}
                  </span>,
                ],
              ] as const)
            : []),
        ]}
      />
    </Panel>
  )
}

function StoragePanel({ storage, waiting }: { storage: Status['storage']; waiting: number }) {
  const { freeBytes, totalBytes, state, detail } = storage
  const used = totalBytes > 0 ? Math.round(((totalBytes - freeBytes) / totalBytes) * 100) : 0
  const { tone, name } = words.storageStates[state]
  return (
    <Panel title={words.storage} aside={<Tag tone={tone}>{name}</Tag>}>
      <div className={css.disk} role="img" aria-label={words.used(used)} data-tone={tone}>
        <span style={{ width: `${used}%` }} />
      </div>
      <Text size="sm">{words.free(bytesText(freeBytes), bytesText(totalBytes))}</Text>
      {detail && <Text size="sm">{detail}</Text>}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          {words.toSend(countText(waiting, 'image'))}
        </Text>
      )}
    </Panel>
  )
}

function Listeners({ listeners }: { listeners: Status['listeners'] }) {
  return (
    <Panel title={words.listeners}>
      {listeners.map((listener) => (
        <div key={listener.name} className={css.listener}>
          <div>
            <div className={css.listenerName}>{words.listenerNames[listener.name]}</div>
            <Group gap={10} fz="sm">
              <span className="mono">{listener.address}</span>
              {listener.aeTitle && <span>{words.aeTitle(listener.aeTitle)}</span>}
            </Group>
            {listener.detail && (
              <Text size="sm" c="dimmed">
                {listener.detail}
              </Text>
            )}
          </div>
          <Tag tone={listener.isUp ? 'good' : 'danger'}>{listener.isUp ? words.up : words.down}</Tag>
        </div>
      ))}
    </Panel>
  )
}
