import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { bytesText } from '../../format/amounts.ts'
import { FAULTS } from '../../format/answer-source.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { FactList, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './dashboard.module.css'

/** Faults of a partner that is there. */
const UNUSABLE_REPLY_FAULTS: readonly PartnerFault[] = ['status', 'oversize', 'invalid']
const PARTNER_TONES = {
  unset: 'warning',
  unknown: 'plain',
  up: 'good',
  down: 'danger',
  refusing: 'danger',
} as const satisfies Record<PartnerStatus['state'], Tone>
const STORAGE_TONES = {
  ok: 'good',
  low: 'warning',
  full: 'danger',
  'read-only': 'danger',
} as const satisfies Record<Status['storage']['state'], Tone>

export function PartnerPanel({ partner }: { partner: Status['partner'] }) {
  const isUnusable =
    partner.state === 'down' &&
    partner.fault !== null &&
    UNUSABLE_REPLY_FAULTS.includes(partner.fault)
  const tone = isUnusable ? 'danger' : PARTNER_TONES[partner.state]
  const group = isUnusable ? 'partnerUnusable' : (`partnerStates.${partner.state}` as const)
  const since = isUnusable ? t('ui.dashboard.failingSince') : t('ui.dashboard.downSince')
  return (
    <Panel
      title={t('ui.dashboard.partner')}
      aside={<Tag tone={tone}>{t(`ui.dashboard.${group}.name`)}</Tag>}
    >
      <Text size="sm" mb={6}>
        {t(`ui.dashboard.${group}.text`)}
      </Text>
      <FactList
        facts={[
          ...(partner.downSince
            ? ([[since, <Clock key="since" instant={partner.downSince} />]] as const)
            : []),
          ...(partner.fault
            ? ([
                [
                  t('ui.dashboard.because'),
                  partner.detail ? translateMessage(partner.detail) : FAULTS[partner.fault].name,
                ],
              ] as const)
            : []),
          [
            t('ui.dashboard.lastOk'),
            <TimeAgo key="ok" instant={partner.lastOkAt} never={t('ui.dashboard.neverAnswered')} />,
          ],
          ...(partner.url
            ? ([
                [
                  t('ui.dashboard.address'),
                  <span key="url" className="mono">
                    <BreakableAddress address={partner.url} />
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
  children,
}: {
  storage: Status['storage']
  waiting: number
  children: ReactNode
}) {
  const { freeBytes, totalBytes, state, detail } = storage
  const used = totalBytes > 0 ? Math.round(((totalBytes - freeBytes) / totalBytes) * 100) : 0
  const tone = STORAGE_TONES[state]
  return (
    <Panel
      title={t('ui.dashboard.storage')}
      aside={<Tag tone={tone}>{t(`ui.dashboard.storageStates.${state}.name`)}</Tag>}
    >
      <div
        className={css.disk}
        role="img"
        aria-label={t('ui.dashboard.used', { share: used })}
        data-tone={tone}
      >
        <span style={{ width: `${used}%` }} />
      </div>
      <Text size="sm">
        {t('ui.dashboard.free', { free: bytesText(freeBytes), total: bytesText(totalBytes) })}
      </Text>
      {detail && <Text size="sm">{translateMessage(detail)}</Text>}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.dashboard.toSend', { images: waiting })}
        </Text>
      )}
      {children}
    </Panel>
  )
}

export function ListenersPanel({ listeners }: { listeners: Status['listeners'] }) {
  return (
    <Panel title={t('ui.dashboard.listeners')}>
      {listeners.map((listener) => (
        <div key={listener.name} className={css.listener}>
          <div>
            <div className={css.listenerName}>
              {t(`ui.dashboard.listenerNames.${listener.name}`)}
            </div>
            <Group gap={10} fz="sm">
              <span className="mono">{listener.address}</span>
              {listener.aeTitle && (
                <span>{t('ui.dashboard.aeTitle', { aeTitle: listener.aeTitle })}</span>
              )}
            </Group>
            {listener.detail && (
              <Text size="sm" c="dimmed">
                {translateMessage(listener.detail)}
              </Text>
            )}
          </div>
          <Tag tone={listener.isUp ? 'good' : 'danger'}>
            {listener.isUp ? t('ui.dashboard.up') : t('ui.dashboard.down')}
          </Tag>
        </div>
      ))}
    </Panel>
  )
}

/** A long address goes on in the next line after a slash, not within a name. */
function BreakableAddress({ address }: { address: string }) {
  const parts = address.split(/(?<=\/)/)
  return parts.flatMap((part, index) => [part, <wbr key={parts.slice(0, index + 1).join('')} />])
}
