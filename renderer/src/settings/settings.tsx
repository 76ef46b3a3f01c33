import { ActionIcon, Button, Stack, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowBackUp, IconCheck } from '@tabler/icons-react'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { native } from '../native.ts'
import { Certificates } from './certificates.tsx'
import { DesktopPanel } from './desktop-panel.tsx'
import { words as desktop } from './desktop-words.ts'
import { changesOf, faultOf, faultsBySetting, groupsOf, type Json, labelOf, type SettingRow } from './fields.ts'
import { SettingField } from './setting-field.tsx'
import css from './settings.module.css'
import { SettingsTabs } from './tabs.tsx'
import { certificates, words } from './words.ts'

/** Every setting, grouped; saved together or not at all. */
export function Settings() {
  const settings = useReply(dashboard.settings, {}, { staleTime: 60_000 })
  return (
    <Page title={words.title} about={words.about}>
      <SettingsTabs />
      {settings.isPending && <Waiting rows={8} height={44} />}
      {settings.isError && <Failed error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && <Form rows={settings.data.settings} />}
    </Page>
  )
}

function Form({ rows }: { rows: readonly SettingRow[] }) {
  const [edited, setEdited] = useState<Readonly<Record<string, Json>>>({})
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({})
  const [asksRestart, setAsksRestart] = useState(false)
  const save = useSend(dashboard.changeSettings, [dashboard.settings, dashboard.status, dashboard.session])
  const changes = changesOf(rows, edited)
  const changed = Object.keys(changes)
  const faults: Record<string, string> = { ...refused }
  for (const key of changed) {
    const fault = faultOf(key, changes[key] ?? null)
    if (fault) faults[key] = fault
  }
  const faulty = Object.keys(faults).length
  useBlocker({
    shouldBlockFn: () => changed.length > 0 && !window.confirm(`${words.changed(changed.length)}.`),
    enableBeforeUnload: changed.length > 0,
  })

  const edit = (key: string, value: Json) => {
    setEdited({ ...edited, [key]: value })
    setRefused(Object.fromEntries(Object.entries(refused).filter(([one]) => one !== key)))
  }
  const send = () =>
    save.mutate(
      { body: { settings: changes } },
      {
        onSuccess: () => {
          setEdited({})
          setRefused({})
          if (rows.some((row) => row.needsRestart && row.key in changes)) setAsksRestart(true)
          else notifications.show({ message: words.saved, icon: <IconCheck size={18} /> })
        },
        onError: (error) => setRefused(faultsBySetting(error.errors)),
      },
    )
  const groups = groupsOf(rows)

  return (
    <>
      {asksRestart && (
        <Notice
          tone="warning"
          actions={
            native && (
              <Button size="xs" variant="default" onClick={() => void native?.restartGateway()}>
                {words.restartNow}
              </Button>
            )
          }
        >
          {words.needsRestart}
        </Notice>
      )}
      <div className={css.groups}>
        <nav className={css.index} aria-label={words.title}>
          {groups.map((group) => (
            <button
              type="button"
              key={group.name}
              onClick={() => document.getElementById(`group-${group.name}`)?.scrollIntoView({ block: 'start' })}
            >
              {group.title}
            </button>
          ))}
          <button type="button" onClick={() => document.getElementById('group-certificates')?.scrollIntoView({ block: 'start' })}>
            {certificates.title}
          </button>
          <button type="button" onClick={() => document.getElementById('group-desktop')?.scrollIntoView({ block: 'start' })}>
            {desktop.title}
          </button>
        </nav>
        <Stack gap={16}>
          {groups.map((group) => (
            <div key={group.name} id={`group-${group.name}`} style={{ scrollMarginTop: 18 }}>
              <Panel title={group.title}>
                <Text size="sm" c="dimmed" mt={-6} mb={4}>
                  {group.about}
                </Text>
                {group.rows.map((row) => (
                  <Row
                    key={row.key}
                    row={row}
                    value={row.key in edited ? (edited[row.key] ?? null) : row.value}
                    fault={faults[row.key]}
                    isChanged={row.key in changes}
                    onChange={(value) => edit(row.key, value)}
                  />
                ))}
              </Panel>
            </div>
          ))}
          <div id="group-certificates" style={{ scrollMarginTop: 18 }}>
            <Certificates />
          </div>
          <div id="group-desktop" style={{ scrollMarginTop: 18 }}>
            <DesktopPanel rows={rows} />
          </div>
          {save.error && save.error.errors.length === 0 && <Failed error={save.error} />}
          {changed.length > 0 && (
            <div className={css.bar} role="status">
              <span>{faulty > 0 ? words.faults(Object.keys(faults).map(labelOf)) : words.changed(changed.length)}</span>
              <Button
                variant="default"
                onClick={() => {
                  setEdited({})
                  setRefused({})
                }}
              >
                {words.discard}
              </Button>
              <Button onClick={send} loading={save.isPending} disabled={faulty > 0}>
                {words.save}
              </Button>
            </div>
          )}
        </Stack>
      </div>
    </>
  )
}

function Row(props: { row: SettingRow; value: Json; fault: string | undefined; isChanged: boolean; onChange: (value: Json) => void }) {
  const { row, value, fault, isChanged, onChange } = props
  const label = labelOf(row.key)
  const isInitial = JSON.stringify(value) === JSON.stringify(row.initial)
  const initial = Array.isArray(row.initial) ? row.initial.join(', ') : String(row.initial ?? '')
  return (
    <div className={`${css.row} ${isChanged ? css.changed : ''}`}>
      <div>
        <div className={css.label}>{label}</div>
        <div className={css.about}>
          {said(row.about)}
          {row.needsRestart && ` (${words.restart})`}
        </div>
      </div>
      <div style={{ display: 'grid', gridTemplateColumns: '1fr 30px', gap: 6, alignItems: 'start' }}>
        <SettingField row={row} value={value} fault={fault} onChange={onChange} />
        {!isInitial && row.key !== 'clinic.id' && (
          <Tooltip label={words.initial(initial || words.empty)}>
            <ActionIcon aria-label={words.reset(label)} onClick={() => onChange(row.initial)}>
              <IconArrowBackUp size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </div>
  )
}
