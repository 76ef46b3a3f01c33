import { Progress, Text } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { useState } from 'react'
import { type BackupsState, dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { isCounted, percentText } from '../../format/percent.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import css from './backups.module.css'
import { BackupPanel, RehearsalPanel, StandbyPanel } from './health-row.tsx'
import { BackupListPanel } from './list-panel.tsx'
import { RestoreProgress } from './restore-progress.tsx'
import { PlanPanel } from './schedule-panel.tsx'

const POLL_MS = 5000
const RUNNING_POLL_MS = 500

/** Backups of the database: how they stand, the plan, what is there, and putting one back. */
export function Backups() {
  const [isRunning, setIsRunning] = useState(false)
  const reply = useReply(
    dashboardBackups.state,
    {},
    { every: isRunning ? RUNNING_POLL_MS : POLL_MS, staleTime: 0 },
  )
  const state = reply.data
  const isBusy = (state?.running ?? null) !== null
  if (isBusy !== isRunning) setIsRunning(isBusy)
  const make = useSend(dashboardBackups.make, [dashboardBackups.state])
  const rehearse = useSend(dashboardBackups.rehearse, [dashboardBackups.state])
  const fault = make.error ?? rehearse.error
  const canCreateBackup = state !== undefined && state.folder !== null && !isBusy
  useShortcuts(t('ui.backups.title'), [
    ...(canCreateBackup
      ? [{ keys: 'n', name: t('ui.backups.make'), run: () => make.mutate({}) }]
      : []),
    ...(canCreateBackup && state.backups.length > 0
      ? [{ keys: 't', name: t('ui.backups.rehearsal.now'), run: () => rehearse.mutate({}) }]
      : []),
  ])
  return (
    <Page
      title={t('ui.backups.title')}
      about={t('ui.backups.about')}
      actions={
        <PermissionButton
          permission="manageGateway"
          leftSection={<IconDatabaseExport size={16} />}
          disabled={state === undefined || state.folder === null}
          loading={make.isPending || (isBusy && state?.running?.phase !== 'rehearsing')}
          onClick={() => make.mutate({})}
        >
          {t('ui.backups.make')}
        </PermissionButton>
      }
    >
      <SettingsTabs />
      {reply.isPending && <LoadingPlaceholder rows={8} height={44} />}
      {reply.isError && !state && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {fault && <ErrorNotice error={fault} />}
      {state && (
        <>
          <div role="status" className={css.status}>
            {state.running && <BackupProgress running={state.running} />}
          </div>
          <div className={css.lights}>
            <BackupPanel state={state} />
            <RehearsalPanel
              state={state}
              isAsked={rehearse.isPending}
              onTry={() => rehearse.mutate({})}
            />
            <StandbyPanel state={state} />
          </div>
          <PlanPanel state={state} />
          {state.folder !== null && <BackupListPanel state={state} />}
        </>
      )}
      <RestoreProgress />
    </Page>
  )
}

function BackupProgress({
  running: { phase, share },
}: {
  running: NonNullable<BackupsState['running']>
}) {
  const name = t(`ui.backups.phases.${phase}`)
  const isKnown = isCounted(share)
  return (
    <Panel>
      <div className={css.running}>
        <Progress
          value={isKnown ? share * 100 : 100}
          size={7}
          animated={!isKnown}
          aria-label={name}
        />
        <Text fw={560}>
          {isKnown ? t('ui.backups.share', { phase: name, percent: percentText(share) }) : name}
        </Text>
        <Text size="sm" c="dimmed">
          {t('ui.backups.goesOn')}
        </Text>
      </div>
    </Panel>
  )
}
