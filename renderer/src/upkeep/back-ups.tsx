import { Progress, Text } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardUpkeep, type UpkeepState } from '#shared/contract/dashboard-upkeep.ts'
import { MayButton } from '../components/allowed.tsx'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { useReply, useSend } from '../gateway.ts'
import { t } from '../i18n/t.ts'
import { SettingsTabs } from '../settings/tabs.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { isCounted, percentText } from './amounts.ts'
import { BackupPanel, RehearsalPanel, StandbyPanel } from './lights-row.tsx'
import { ListPanel } from './list-panel.tsx'
import { PlanPanel } from './plan-panel.tsx'
import { RestoreProgress } from './restore-progress.tsx'
import css from './upkeep.module.css'

const EVERY_MS = 5000
const RUNNING_MS = 500

/** Back-ups of the database: how they stand, the plan, what is there, and putting one back. */
export function BackUps() {
  const [isRunning, setIsRunning] = useState(false)
  const reply = useReply(
    dashboardUpkeep.state,
    {},
    { every: isRunning ? RUNNING_MS : EVERY_MS, staleTime: 0 },
  )
  const state = reply.data
  const isBusy = (state?.running ?? null) !== null
  if (isBusy !== isRunning) setIsRunning(isBusy)
  const make = useSend(dashboardUpkeep.make, [dashboardUpkeep.state])
  const rehearse = useSend(dashboardUpkeep.rehearse, [dashboardUpkeep.state])
  const fault = make.error ?? rehearse.error
  const mayMake = state !== undefined && state.folder !== null && !isBusy
  useShortcuts(t('ui.upkeep.title'), [
    ...(mayMake ? [{ keys: 'n', name: t('ui.upkeep.make'), run: () => make.mutate({}) }] : []),
    ...(mayMake && state.backups.length > 0
      ? [{ keys: 't', name: t('ui.upkeep.rehearsal.now'), run: () => rehearse.mutate({}) }]
      : []),
  ])
  return (
    <Page
      title={t('ui.upkeep.title')}
      about={t('ui.upkeep.about')}
      actions={
        <MayButton
          permission="manageGateway"
          leftSection={<IconDatabaseExport size={16} />}
          disabled={state === undefined || state.folder === null}
          loading={make.isPending || (isBusy && state?.running?.phase !== 'rehearsing')}
          onClick={() => make.mutate({})}
        >
          {t('ui.upkeep.make')}
        </MayButton>
      }
    >
      <SettingsTabs />
      {reply.isPending && <Waiting rows={8} height={44} />}
      {reply.isError && !state && (
        <Failed error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {fault && <Failed error={fault} />}
      {state && (
        <>
          <div role="status" className={css.status}>
            {state.running && <Running running={state.running} />}
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
          {state.folder !== null && <ListPanel state={state} />}
        </>
      )}
      <RestoreProgress />
    </Page>
  )
}

function Running({ running: { phase, share } }: { running: NonNullable<UpkeepState['running']> }) {
  const name = t(`ui.upkeep.phases.${phase}`)
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
          {isKnown ? t('ui.upkeep.share', { phase: name, percent: percentText(share) }) : name}
        </Text>
        <Text size="sm" c="dimmed">
          {t('ui.upkeep.goesOn')}
        </Text>
      </div>
    </Panel>
  )
}
