import { Group, Text } from '@mantine/core'
import type { PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { Facts, Panel } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { bytesText } from '../display/amounts.ts'
import { FAULTS } from '../display/answer-source.ts'
import type { Tone } from '../display/tones.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import css from './today.module.css'

/** Faults of a partner that is there. */
const UNUSABLE: readonly PartnerFault[] = ['status', 'oversize', 'invalid']
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
    partner.state === 'down' && partner.fault !== null && UNUSABLE.includes(partner.fault)
  const tone = isUnusable ? 'danger' : PARTNER_TONES[partner.state]
  const group = isUnusable ? 'partnerUnusable' : (`partnerStates.${partner.state}` as const)
  const since = isUnusable ? t('ui.today.failingSince') : t('ui.today.downSince')
  return (
    <Panel
      title={t('ui.today.partner')}
      aside={<Tag tone={tone}>{t(`ui.today.${group}.name`)}</Tag>}
    >
      <Text size="sm" mb={6}>
        {t(`ui.today.${group}.text`)}
      </Text>
      <Facts
        facts={[
          ...(partner.downSince
            ? ([[since, <Clock key="since" instant={partner.downSince} />]] as const)
            : []),
          ...(partner.fault
            ? ([
                [
                  t('ui.today.because'),
                  partner.detail ? said(partner.detail) : FAULTS[partner.fault].name,
                ],
              ] as const)
            : []),
          [
            t('ui.today.lastOk'),
            <Ago key="ok" instant={partner.lastOkAt} never={t('ui.today.neverAnswered')} />,
          ],
          ...(partner.url
            ? ([
                [
                  t('ui.today.address'),
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
  const tone = STORAGE_TONES[state]
  return (
    <Panel
      title={t('ui.today.storage')}
      aside={<Tag tone={tone}>{t(`ui.today.storageStates.${state}.name`)}</Tag>}
    >
      <div
        className={css.disk}
        role="img"
        aria-label={t('ui.today.used', { share: used })}
        data-tone={tone}
      >
        <span style={{ width: `${used}%` }} />
      </div>
      <Text size="sm">
        {t('ui.today.free', { free: bytesText(freeBytes), total: bytesText(totalBytes) })}
      </Text>
      {detail && <Text size="sm">{said(detail)}</Text>}
      {waiting > 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.today.toSend', { images: waiting })}
        </Text>
      )}
    </Panel>
  )
}

export function ListenersPanel({ listeners }: { listeners: Status['listeners'] }) {
  return (
    <Panel title={t('ui.today.listeners')}>
      {listeners.map((listener) => (
        <div key={listener.name} className={css.listener}>
          <div>
            <div className={css.listenerName}>{t(`ui.today.listenerNames.${listener.name}`)}</div>
            <Group gap={10} fz="sm">
              <span className="mono">{listener.address}</span>
              {listener.aeTitle && (
                <span>{t('ui.today.aeTitle', { aeTitle: listener.aeTitle })}</span>
              )}
            </Group>
            {listener.detail && (
              <Text size="sm" c="dimmed">
                {said(listener.detail)}
              </Text>
            )}
          </div>
          <Tag tone={listener.isUp ? 'good' : 'danger'}>
            {listener.isUp ? t('ui.today.up') : t('ui.today.down')}
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
