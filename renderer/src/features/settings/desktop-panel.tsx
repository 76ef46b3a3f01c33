import { Button, Group, Progress, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { DesktopState, KeyStoreState, UpdateState } from '#shared/contract/shell.ts'
import { type DesktopBridge, desktopBridge } from '../../api/desktop.ts'
import { useSend } from '../../api/queries.ts'
import type { Tone } from '../../format/tones.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { DesktopInstall } from './desktop-install.tsx'
import type { JsonValue, SettingRow } from './fields.ts'
import css from './settings.module.css'

const KEY_TONES = {
  platform: 'good',
  basic: 'warning',
  none: 'warning',
  file: 'warning',
} as const satisfies Record<KeyStoreState, Tone>
const UPDATE_TONES = {
  none: 'good',
  'not-here': 'plain',
  checking: 'info',
  available: 'info',
  downloading: 'info',
  ready: 'warning',
  installing: 'info',
  failed: 'danger',
} as const satisfies Record<UpdateState['state'], Tone>
const KEY = ['desktop app']
const IDLE_MS = 10_000
const AT_WORK_MS = 1000
const ACTIVE_STATES: readonly UpdateState['state'][] = [
  'checking',
  'available',
  'downloading',
  'installing',
]

/**
 * The desktop app around this window; in a browser, where it is found. @param rows of the settings,
 * for those about updates
 */
export function DesktopPanel({ rows }: { rows: readonly SettingRow[] }) {
  return (
    <Panel title={t('ui.settings.desktop.title')}>
      {desktopBridge ? (
        <>
          <Text size="sm" c="dimmed" mt={-6} mb={4}>
            {t('ui.settings.desktop.about')}
          </Text>
          <DesktopAppPanel app={desktopBridge} rows={rows} />
        </>
      ) : (
        <Notice tone="plain" title={t('ui.settings.desktop.browser.title')}>
          {t('ui.settings.desktop.browser.text')}
        </Notice>
      )}
    </Panel>
  )
}

function DesktopAppPanel({ app, rows }: { app: DesktopBridge; rows: readonly SettingRow[] }) {
  const state = useQuery<DesktopState>({
    queryKey: KEY,
    queryFn: () => app.desktop(),
    refetchInterval: ({ state: { data } }) =>
      data && ACTIVE_STATES.includes(data.update.state) ? AT_WORK_MS : IDLE_MS,
    retry: false,
  })
  const version = useQuery({
    queryKey: [...KEY, 'version'],
    queryFn: () => app.version(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const client = useQueryClient()
  const refetch = () => client.invalidateQueries({ queryKey: KEY })
  const setAutostart = useMutation<void, Error, boolean>({
    mutationFn: (on) => app.setAutostart(on),
    onSettled: refetch,
  })
  const check = useMutation<void, Error>({
    mutationFn: () => app.checkForUpdate(),
    onSettled: refetch,
  })
  if (state.isPending) return <LoadingPlaceholder rows={3} />
  if (!state.data) return <Notice tone="danger">{t('ui.settings.desktop.unreadable')}</Notice>
  const { isAutostart, keyStore, update } = state.data
  return (
    <>
      <Row
        label={t('ui.settings.desktop.autostart.label')}
        about={t('ui.settings.desktop.autostart.description')}
      >
        <Switch
          aria-label={t('ui.settings.desktop.autostart.label')}
          checked={isAutostart}
          disabled={setAutostart.isPending}
          onChange={({ currentTarget }) => setAutostart.mutate(currentTarget.checked)}
        />
        <Fault error={setAutostart.error} />
      </Row>
      <Row label={t('ui.settings.desktop.key')} about={t('ui.settings.desktop.keyAbout')}>
        <div>
          <Tag tone={KEY_TONES[keyStore]} isWrapped>
            {t(`ui.settings.desktop.keyStates.${keyStore}.name`)}
          </Tag>
        </div>
        <Text size="sm" mt={6}>
          {t(`ui.settings.desktop.keyStates.${keyStore}.text`)}
        </Text>
        {keyStore === 'file' && (
          <Link to="/setup" search={{ step: 'recovery' }}>
            {t('ui.settings.desktop.recovery')}
          </Link>
        )}
      </Row>
      <Row
        label={t('ui.settings.desktop.update')}
        about={version.data ? t('ui.settings.desktop.version', { version: version.data }) : ''}
      >
        <UpdateSection
          update={update}
          isAsked={check.isPending}
          onCheck={() => check.mutate()}
          onInstalled={refetch}
          app={app}
        />
        <Fault error={check.error} />
      </Row>
      {update.state !== 'not-here' && <AutomaticUpdateSetting rows={rows} />}
    </>
  )
}

function UpdateSection(props: {
  update: UpdateState
  isAsked: boolean
  onCheck: () => void
  onInstalled: () => void
  app: DesktopBridge
}) {
  const { update, isAsked, onCheck, onInstalled, app } = props
  const { state, version, share, sentence, notes } = update
  const [isAsking, setIsAsking] = useState(false)
  const isBusy = ACTIVE_STATES.includes(state)
  return (
    <>
      <div role="status">
        <Tag tone={UPDATE_TONES[state]} isWrapped>
          {t(`ui.settings.desktop.updateStates.${state}.name`)}
        </Tag>
        {sentence && (
          <Text size="sm" mt={6}>
            {translateMessage(sentence)}
          </Text>
        )}
        {state === 'ready' && version !== null && (
          <Text size="sm" mt={6}>
            {t('ui.settings.desktop.offered', { version })}{' '}
            {notes.length === 0 && t('ui.settings.desktop.noNotes')}
          </Text>
        )}
        {state === 'downloading' && (
          <Progress
            mt={8}
            size={7}
            value={share * 100}
            aria-label={t(`ui.settings.desktop.updateStates.${state}.name`)}
          />
        )}
      </div>
      {notes.length > 0 && <Notes notes={notes} />}
      <Group mt={10} gap={8}>
        {state === 'ready' && (
          <PermissionButton permission="manageGateway" onClick={() => setIsAsking(true)}>
            {t('ui.settings.desktop.install')}
          </PermissionButton>
        )}
        {state !== 'not-here' && state !== 'ready' && (
          <Button variant="default" loading={isAsked} disabled={isBusy} onClick={onCheck}>
            {t('ui.settings.desktop.check')}
          </Button>
        )}
      </Group>
      {isAsking && (
        <DesktopInstall
          version={version ?? ''}
          install={() => app.installUpdate()}
          onClose={() => {
            setIsAsking(false)
            onInstalled()
          }}
        />
      )}
    </>
  )
}

/** In the words of who made the version: they are in one language. */
const Notes = ({ notes }: { notes: readonly string[] }) => (
  <section aria-label={t('ui.settings.desktop.notes')} className={css.notes}>
    <div className={css.label}>{t('ui.settings.desktop.notes')}</div>
    <ul lang="en">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  </section>
)

/** The setting of the gateway beside it: what the app does in the hour of maintenance. */
function AutomaticUpdateSetting({ rows }: { rows: readonly SettingRow[] }) {
  const settingOf = (key: string): JsonValue => rows.find((row) => row.key === key)?.value ?? null
  const { may } = usePermission('manageGateway')
  const save = useSend(dashboard.changeSettings, [dashboard.settings])
  return (
    <Row
      label={t('ui.settings.desktop.automatic.label')}
      about={t('ui.settings.desktop.automatic.description', {
        at: String(settingOf('update.at') ?? ''),
      })}
    >
      <Switch
        aria-label={t('ui.settings.desktop.automatic.label')}
        checked={settingOf('update.isAutomatic') === true}
        disabled={!may || save.isPending}
        onChange={({ currentTarget }) =>
          save.mutate({ body: { settings: { 'update.isAutomatic': currentTarget.checked } } })
        }
      />
      <Fault error={save.error} />
    </Row>
  )
}

const Fault = ({ error }: { error: Error | null }) =>
  error && <Notice tone="danger">{error.message}</Notice>

const Row = ({ label, about, children }: { label: string; about: string; children: ReactNode }) => (
  <div className={css.row}>
    <div>
      <div className={css.label}>{label}</div>
      <div className={css.about}>{about}</div>
    </div>
    <div>{children}</div>
  </div>
)
