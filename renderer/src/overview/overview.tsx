import { Group, Text } from '@mantine/core'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag, ToneIcon } from '../components/tone.tsx'
import { numberText } from '../display/amounts.ts'
import { FAULTS } from '../display/answer-source.ts'
import { useStatus } from '../status.ts'
import { DowntimePanel } from './downtime.tsx'
import { Feed } from './feed.tsx'
import css from './overview.module.css'
import { words } from './words.ts'

type Status = ReplyOf<typeof dashboard.status>

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
              <DowntimePanel downtime={status.data.downtime} />
              <Listeners listeners={status.data.listeners} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

function Numbers({ status }: { status: Status }) {
  const { queries, rowsSent, failures, withheld } = status.today
  const numbers = [
    { name: words.numbers.queries, value: queries, tone: null },
    { name: words.numbers.rowsSent, value: rowsSent, tone: null },
    { name: words.numbers.failures, value: failures, tone: failures > 0 ? ('danger' as const) : null },
    { name: words.numbers.withheld, value: withheld, tone: withheld > 0 ? ('warning' as const) : null },
    { name: words.numbers.openAssociations, value: status.openAssociations, tone: null },
  ]
  return (
    <dl className={css.numbers} aria-label={words.today} style={{ margin: 0 }}>
      {numbers.map(({ name, value, tone }) => (
        <div key={name} className={css.number}>
          <dt>{name === words.numbers.openAssociations ? name : `${name} ${words.today.toLowerCase()}`}</dt>
          <dd>
            {numberText(value)}
            {tone && <ToneIcon tone={tone} size={18} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

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

function PartnerPanel({ partner }: { partner: Status['partner'] }) {
  const state = words.partnerStates[partner.state]
  return (
    <Panel title={words.partner} aside={<Tag tone={state.tone}>{state.name}</Tag>}>
      <Text size="sm" mb={6}>
        {state.text}
      </Text>
      <Facts
        facts={[
          ...(partner.downSince ? ([[words.downSince, <Clock key="since" instant={partner.downSince} />]] as const) : []),
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
