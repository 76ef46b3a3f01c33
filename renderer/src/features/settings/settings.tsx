import { ActionIcon, Button, List, Stack, Switch, Text, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { desktopBridge } from '../../api/desktop.ts'
import { useReply } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { useFormGuard } from '../../ui/form-guard.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import { SearchBox } from '../../ui/study-list/search-box.tsx'
import { Notice } from '../../ui/tone.tsx'
import { Certificates } from './certificates.tsx'
import { DesktopPanel } from './desktop-panel.tsx'
import { DicomwebPanel } from './dicomweb-panel.tsx'
import { DictationPanel } from './dictation-panel.tsx'
import {
  filterSettings,
  groupsOf,
  type JsonValue,
  labelOf,
  opensPlainListener,
  type SettingGroup,
  type SettingRow,
} from './fields.ts'
import { IdentityProviderPanel } from './identity-provider-panel.tsx'
import { OtlpPanel } from './otlp-panel.tsx'
import { SettingField } from './setting-field.tsx'
import css from './settings.module.css'
import { UpdatePanel } from './update-panel.tsx'
import { useEditedSettings } from './use-edited-settings.ts'

const PLAIN_TEXTS = Object.values(textsOf('ui.settings.plain.texts', '0', '1', '2'))

/** Every setting, grouped; saved together or not at all. */
export function Settings() {
  const settings = useReply(dashboard.settings, {}, { staleTime: 60_000 })
  return (
    <Page title={t('ui.settings.title')} about={t('ui.settings.about')}>
      <SettingsTabs />
      {settings.isPending && <LoadingPlaceholder rows={8} height={44} />}
      {settings.isError && (
        <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.data && <Form rows={settings.data.settings} />}
    </Page>
  )
}

function Form({ rows }: { rows: readonly SettingRow[] }) {
  const edited = useEditedSettings(rows)
  const { changes, faults, shownValue, edit, discard, send } = edited
  const [asksRestart, setAsksRestart] = useState(false)
  const changed = Object.keys(changes).length
  const [asksPlain, setAsksPlain] = useState(false)
  const opensPlain = opensPlainListener(changes)
  const save = () => {
    setAsksPlain(false)
    send((needsRestart) => {
      if (needsRestart) setAsksRestart(true)
      else notifications.show({ message: t('ui.settings.saved'), icon: <IconCheck size={18} /> })
    })
  }
  useFormGuard(changed > 0)
  const [search, setSearch] = useState('')
  const [isAdvanced, setAdvanced] = useLocalStorage({
    key: 'isthmus-advanced-settings',
    defaultValue: false,
  })
  // What was changed stays on the screen until it is saved.
  const shown = filterSettings(rows, { search, isAdvanced })
  const groups = groupsOf(rows.filter((row) => shown.includes(row) || row.key in changes))
  const isSearching = search.trim() !== ''

  return (
    <>
      {asksRestart && <RestartNotice />}
      <div className={css.find}>
        <SearchBox
          label={t('ui.settings.search')}
          placeholder={t('ui.settings.searchPlaceholder')}
          maxLength={100}
          value={search}
          onChange={setSearch}
        />
        <Switch
          label={t('ui.settings.advanced')}
          checked={isAdvanced || isSearching}
          disabled={isSearching}
          onChange={({ currentTarget }) => setAdvanced(currentTarget.checked)}
        />
      </div>
      <div className={css.groups}>
        <GroupIndex groups={groups} isSearching={isSearching} />
        <Stack gap={16}>
          {groups.map((group) => (
            <div key={group.name} id={`group-${group.name}`} style={{ scrollMarginTop: 18 }}>
              <Panel title={group.title}>
                <Text size="sm" c="dimmed" mt={-6} mb={12}>
                  {group.about}
                </Text>
                {group.rows.map((row) => (
                  <Row
                    key={row.key}
                    row={row}
                    value={shownValue(row)}
                    fault={faults[row.key]}
                    isChanged={row.key in changes}
                    onChange={(value) => edit(row.key, value)}
                  />
                ))}
                {group.name === 'otlp' && <OtlpPanel />}
                {group.name === 'oidc' && <IdentityProviderPanel />}
                {group.name === 'dictation' && <DictationPanel />}
                {group.name === 'dicomweb' && <DicomwebPanel />}
              </Panel>
            </div>
          ))}
          {groups.length === 0 && (
            <Panel>
              <EmptyState title={t('ui.settings.noneFound')} />
            </Panel>
          )}
          {!isSearching && (
            <>
              <div id="group-certificates" style={{ scrollMarginTop: 18 }}>
                <Certificates />
              </div>
              <div id="group-desktop" style={{ scrollMarginTop: 18 }}>
                <DesktopPanel rows={rows} />
              </div>
              <div id="group-update" style={{ scrollMarginTop: 18 }}>
                <UpdatePanel />
              </div>
            </>
          )}
          {edited.error && <ErrorNotice error={edited.error} />}
          {changed > 0 && (
            <SaveBar
              changed={changed}
              faults={faults}
              isSaving={edited.isSaving}
              onDiscard={discard}
              onSave={opensPlain ? () => setAsksPlain(true) : save}
            />
          )}
        </Stack>
      </div>
      <ConfirmAction
        isOpen={asksPlain}
        title={t('ui.settings.plain.title')}
        action={t('ui.settings.plain.action')}
        keep={t('ui.settings.plain.keep')}
        isBusy={edited.isSaving}
        error={null}
        onClose={() => setAsksPlain(false)}
        onConfirm={save}
      >
        <List spacing={6}>
          {PLAIN_TEXTS.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      </ConfirmAction>
    </>
  )
}

function RestartNotice() {
  return (
    <Notice
      tone="warning"
      actions={
        desktopBridge && (
          <Button size="xs" variant="default" onClick={() => void desktopBridge?.restartGateway()}>
            {t('ui.settings.restartNow')}
          </Button>
        )
      }
    >
      {t('ui.settings.needsRestart')}
    </Notice>
  )
}

/** The groups by name, beside them. */
function GroupIndex({
  groups,
  isSearching,
}: {
  groups: readonly SettingGroup[]
  isSearching: boolean
}) {
  const others = [
    { name: 'certificates', title: t('ui.settings.certificates.title') },
    { name: 'desktop', title: t('ui.settings.desktop.title') },
    { name: 'update', title: t('ui.settings.update.title') },
  ]
  const parts = isSearching ? groups : [...groups, ...others]
  return (
    <nav className={css.index} aria-label={t('ui.settings.groups')}>
      {parts.map(({ name, title }) => (
        <button
          type="button"
          key={name}
          onClick={() =>
            document.getElementById(`group-${name}`)?.scrollIntoView({ block: 'start' })
          }
        >
          {title}
        </button>
      ))}
    </nav>
  )
}

function SaveBar(props: {
  changed: number
  faults: Readonly<Record<string, string>>
  isSaving: boolean
  onDiscard: () => void
  onSave: () => void
}) {
  const { changed, faults, isSaving, onDiscard, onSave } = props
  const faulty = Object.keys(faults)
  return (
    <div className={css.bar} role="status">
      <span>
        {faulty.length > 0
          ? t('ui.settings.faults', { names: faulty.map(labelOf).join(', ') })
          : t('ui.settings.changed', { count: changed })}
      </span>
      <Button variant="default" onClick={onDiscard}>
        {t('ui.settings.discard')}
      </Button>
      <Button onClick={onSave} loading={isSaving} disabled={faulty.length > 0}>
        {t('ui.settings.save')}
      </Button>
    </div>
  )
}

function Row(props: {
  row: SettingRow
  value: JsonValue
  fault: string | undefined
  isChanged: boolean
  onChange: (value: JsonValue) => void
}) {
  const { row, value, fault, isChanged, onChange } = props
  const label = labelOf(row.key)
  const isInitial = JSON.stringify(value) === JSON.stringify(row.initial)
  const initial = Array.isArray(row.initial) ? row.initial.join(', ') : String(row.initial ?? '')
  return (
    <div className={`${css.row} ${isChanged ? css.changed : ''}`}>
      <div>
        <div className={css.label}>{label}</div>
        <div className={css.about}>
          {translateMessage(row.about)}
          {row.needsRestart && ` ${t('ui.settings.restart')}`}
        </div>
      </div>
      <div
        style={{ display: 'grid', gridTemplateColumns: '1fr 30px', gap: 6, alignItems: 'start' }}
      >
        <SettingField row={row} value={value} fault={fault} onChange={onChange} />
        {!isInitial && row.key !== 'clinic.id' && (
          <Tooltip label={t('ui.settings.initial', { value: initial || t('ui.settings.empty') })}>
            <ActionIcon
              aria-label={t('ui.settings.reset', { label })}
              onClick={() => onChange(row.initial)}
            >
              <IconArrowBackUp size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </div>
  )
}
