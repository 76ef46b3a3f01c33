import { Button, List, NumberInput, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity, type LanAccess } from '#shared/contract/dashboard-security.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { Copy } from '../../ui/copy.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import css from './access.module.css'

const OPEN_TEXTS = Object.values(textsOf('ui.settings.access.lan.openTexts', '0', '1', '2'))

const CHANGES = [
  dashboardSecurity.lanAccess,
  dashboard.settings,
  dashboard.status,
  dashboard.certificates,
]

/**
 * Whether the window opens on other PCs, where they find it, and how they know that it is this
 * gateway.
 */
export function LanPanel({ lan }: { lan: LanAccess }) {
  const { may } = usePermission('manageGateway')
  const change = useSend(dashboardSecurity.setLanAccess, CHANGES)
  const [asks, setAsks] = useState<'open' | 'close' | null>(null)
  const { isOn, isUp, detail, urls, fingerprint256 } = lan
  const state = !isOn ? 'isOff' : isUp ? 'isOn' : 'isDown'
  return (
    <Panel title={t('ui.settings.access.lan.title')}>
      <div className={css.lan}>
        <div>
          <div className={css.switch} role="status">
            <Switch
              size="md"
              label={t('ui.settings.access.lan.on')}
              checked={isOn}
              disabled={!may || change.isPending}
              onChange={() => setAsks(isOn ? 'close' : 'open')}
            />
            <Tag tone={state === 'isOn' ? 'good' : state === 'isOff' ? 'plain' : 'danger'}>
              {t(`ui.settings.access.lan.${state}`)}
            </Tag>
          </div>
          <Text mt={8} className={css.about}>
            {isOn ? t('ui.settings.access.lan.whatOn') : t('ui.settings.access.lan.whatOff')}
          </Text>
          {detail && <Notice tone={isUp ? 'info' : 'danger'}>{translateMessage(detail)}</Notice>}
          {change.error && asks === null && <ErrorNotice error={change.error} />}
          {urls.length > 0 && <Addresses urls={urls} />}
          {fingerprint256 && <Fingerprint fingerprint={fingerprint256} />}
          <LanAddressFields
            key={`${lan.host} ${lan.port}`}
            lan={lan}
            isBusy={change.isPending}
            onApply={(at) => change.mutate({ body: { isOn, ...at } })}
          />
        </div>
        {urls[0] && (
          <div className={css.qr}>
            <QrCode
              value={urls[0]}
              label={t('ui.settings.access.addresses.qr', { url: urls[0] })}
            />
          </div>
        )}
      </div>
      <ConfirmAction
        isOpen={asks === 'open'}
        title={t('ui.settings.access.lan.open')}
        action={t('ui.settings.access.lan.openAction')}
        keep={t('ui.settings.access.lan.keepClosed')}
        isBusy={change.isPending}
        error={change.error}
        onClose={() => setAsks(null)}
        onConfirm={() =>
          change.mutate({ body: { isOn: true } }, { onSuccess: () => setAsks(null) })
        }
      >
        <List spacing={6}>
          {OPEN_TEXTS.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      </ConfirmAction>
      <ConfirmAction
        isOpen={asks === 'close'}
        title={t('ui.settings.access.lan.close')}
        action={t('ui.settings.access.lan.closeAction')}
        keep={t('ui.settings.access.lan.keep')}
        isBusy={change.isPending}
        error={change.error}
        onClose={() => setAsks(null)}
        onConfirm={() =>
          change.mutate({ body: { isOn: false } }, { onSuccess: () => setAsks(null) })
        }
      >
        {t('ui.settings.access.lan.closeText')}
      </ConfirmAction>
    </Panel>
  )
}

const Addresses = ({ urls }: { urls: readonly string[] }) => (
  <div className={css.part}>
    <h3>{t('ui.settings.access.addresses.title')}</h3>
    <div className={css.about}>{t('ui.settings.access.addresses.about')}</div>
    {urls.map((url) => (
      <div key={url} className={css.url}>
        {url}
        <Copy value={url} what={url} />
      </div>
    ))}
    <Text mt={6} className={css.about}>
      {t('ui.settings.access.addresses.firewall')}
    </Text>
  </div>
)

/** Four bytes a group: what a person compares at a glance. */
function Fingerprint({ fingerprint }: { fingerprint: string }) {
  const groups = fingerprint.match(/[0-9A-F]{2}(:[0-9A-F]{2}){0,3}/g) ?? [fingerprint]
  return (
    <div className={css.part}>
      <h3>{t('ui.settings.access.fingerprint.title')}</h3>
      <div className={css.about}>{t('ui.settings.access.fingerprint.about')}</div>
      <div className={css.fingerprint}>
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat, and their order never changes
          <span key={index}>{group}</span>
        ))}
      </div>
    </div>
  )
}

function LanAddressFields(props: {
  lan: LanAccess
  isBusy: boolean
  onApply: (at: { host: string; port: number }) => void
}) {
  const { lan, isBusy, onApply } = props
  const [host, setHost] = useState(lan.host)
  const [port, setPort] = useState<number | string>(lan.port)
  const isChanged = host !== lan.host || port !== lan.port
  const { may } = usePermission('manageGateway')
  return (
    <form
      className={css.part}
      onSubmit={(event) => {
        event.preventDefault()
        onApply({ host: host.trim(), port: Number(port) })
      }}
    >
      <h3>{t('ui.settings.access.lan.listensAt')}</h3>
      <div className={css.about}>{t('ui.settings.access.lan.hostAbout')}</div>
      <div className={css.where}>
        <TextInput
          label={t('ui.settings.access.lan.host')}
          value={host}
          w={210}
          disabled={!may}
          onChange={({ currentTarget }) => setHost(currentTarget.value)}
        />
        <NumberInput
          label={t('ui.settings.access.lan.port')}
          value={port}
          min={1}
          max={65_535}
          w={120}
          hideControls
          allowDecimal={false}
          thousandSeparator=""
          disabled={!may}
          onChange={setPort}
        />
        {isChanged && (
          <Button type="submit" loading={isBusy} disabled={host.trim() === '' || Number(port) < 1}>
            {t('ui.settings.access.lan.apply')}
          </Button>
        )}
      </div>
    </form>
  )
}
