import { Group, Text } from '@mantine/core'
import type { Status } from '#shared/contract/dashboard.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Panel } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { bytesText } from '../display/amounts.ts'
import { FAULTS } from '../display/answer-source.ts'
import { said } from '../language/said.ts'
import css from './today.module.css'
import { words } from './words.ts'

/** Faults of a partner that is there. */
const UNUSABLE: readonly PartnerFault[] = ['status', 'oversize', 'invalid']

export function PartnerPanel({ partner }: { partner: Status['partner'] }) {
  const isUnusable =
    partner.state === 'down' && partner.fault !== null && UNUSABLE.includes(partner.fault)
  const state = isUnusable ? words.partnerUnusable : words.partnerStates[partner.state]
  const since = isUnusable ? words.failingSince : words.downSince
  return (
    <Panel title={words.partner} aside={<Tag tone={state.tone}>{state.name}</Tag>}>
      <Text size="sm" mb={6}>
        {state.text}
      </Text>
      <Facts
        facts={[
          ...(partner.downSince
            ? ([[since, <Clock key="since" instant={partner.downSince} />]] as const)
            : []),
          ...(partner.fault
            ? ([
                [words.because, partner.detail ? said(partner.detail) : FAULTS[partner.fault].name],
              ] as const)
            : []),
          [words.lastOk, <Ago key="ok" instant={partner.lastOkAt} never={words.neverAnswered} />],
          ...(partner.url
            ? ([
                [
                  words.address,
                  <span key="url" className="mono">
                    <BrokenAtSlashes address={partner.url} />
                  </span>,
                ],
              ] as const)
            : []),
        ]}
      />
    </Panel>
  )
}

export function StoragePanel({
  storage,
  waiting,
}: {
  storage: Status['storage']
  waiting: number
}) {
  const { freeBytes, totalBytes, state, detail } = storage
  const used = totalBytes > 0 ? Math.round(((totalBytes - freeBytes) / totalBytes) * 100) : 0
  const { tone, name } = words.storageStates[state]
  return (
    <Panel title={words.storage} aside={<Tag tone={tone}>{name}</Tag>}>
      <div className={css.disk} role="img" aria-label={words.used(used)} data-tone={tone}>
        <span style={{ width: `${used}%` }} />
      </div>
      <Text size="sm">{words.free(bytesText(freeBytes), bytesText(totalBytes))}</Text>
      {detail && <Text size="sm">{said(detail)}</Text>}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          {words.toSend(waiting)}
        </Text>
      )}
    </Panel>
  )
}

export function ListenersPanel({ listeners }: { listeners: Status['listeners'] }) {
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
                {said(listener.detail)}
              </Text>
            )}
          </div>
          <Tag tone={listener.isUp ? 'good' : 'danger'}>
            {listener.isUp ? words.up : words.down}
          </Tag>
        </div>
      ))}
    </Panel>
  )
}

/** A long address goes on in the next line after a slash, not within a name. */
function BrokenAtSlashes({ address }: { address: string }) {
  const parts = address.split(/(?<=\/)/)
  return parts.flatMap((part, index) => [part, <wbr key={parts.slice(0, index + 1).join('')} />])
}
