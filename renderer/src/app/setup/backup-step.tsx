import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { type BackupState, dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useBackupFolder } from '../../features/backups/use-backup-folder.ts'
import { bytesText } from '../../format/amounts.ts'
import { isCounted, percentText } from '../../format/percent.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Findings } from '../../ui/findings.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './setup.module.css'
import type { StepProps } from './step.ts'

const CHANGES = [dashboardSetup.state, dashboardSetup.backups, dashboardSetup.readiness]
const RUNNING_POLL_MS = 400
/** The folder, and the first backup in it. */
export function BackupStep({ state }: Pick<StepProps, 'state'>) {
  const live = useReply(
    dashboardSetup.backups,
    {},
    { every: state.backup.running ? RUNNING_POLL_MS : 2500 },
  )
  const backup = live.data ?? state.backup
  return (
    <Stack>
      <Folder folder={backup.folder} />
      {backup.folder !== null && (
        <FirstBackup backup={backup} hasKey={state.recovery.state === 'ready'} />
      )}
    </Stack>
  )
}

function Folder({ folder }: { folder: string | null }) {
  const { use, form, submit } = useBackupFolder(folder, CHANGES)
  return (
    <Panel>
      <form onSubmit={submit}>
        <Group align="flex-end" wrap="wrap">
          <TextInput
            label={t('ui.setup.backup.folder.label')}
            description={t('ui.setup.backup.folder.description')}
            placeholder={t('ui.setup.backup.example')}
            maxLength={1000}
            required
            withAsterisk={false}
            spellCheck={false}
            style={{ flex: '1 1 320px' }}
            {...form.getInputProps('folder')}
          />
          <Button
            type="submit"
            variant={folder === null ? 'filled' : 'default'}
            loading={use.isPending}
          >
            {t('ui.setup.backup.use')}
          </Button>
        </Group>
      </form>
      <div role="status">
        {use.error && use.error.errors.length === 0 && <ErrorNotice error={use.error} />}
        {use.data && <Findings findings={use.data.findings} />}
      </div>
    </Panel>
  )
}

function FirstBackup({ backup, hasKey }: { backup: BackupState; hasKey: boolean }) {
  const make = useSend(dashboardSetup.makeBackup, CHANGES)
  const { folder, running, last, backups, fault } = backup
  return (
    <>
      <Panel
        title={t('ui.setup.backup.what')}
        aside={
          <Button
            variant={last?.success ? 'default' : 'filled'}
            leftSection={<IconDatabaseExport size={16} />}
            loading={make.isPending || running !== null}
            onClick={() => make.mutate({})}
          >
            {t('ui.setup.backup.make')}
          </Button>
        }
      >
        <Stack gap={6}>
          <Text>{t('ui.setup.backup.inside')}</Text>
          <Text>{t('ui.setup.backup.outside')}</Text>
          <Text c="dimmed">{t('ui.setup.backup.byItself')}</Text>
          {!hasKey && <Notice tone="warning">{t('ui.setup.backup.noKey')}</Notice>}
          <div role="status">
            {running && <BackupProgress running={running} />}
            {!running && last && (
              <Notice
                tone={last.success ? 'good' : 'danger'}
                title={last.success ? t('ui.setup.backup.made') : t('ui.setup.backup.failed')}
              >
                {translateMessage(last.sentence)}
              </Notice>
            )}
            {make.error && <ErrorNotice error={make.error} />}
          </div>
        </Stack>
      </Panel>
      <Panel
        isFlush
        title={t('ui.setup.backup.list')}
        aside={<span className="mono">{folder}</span>}
      >
        {fault && <Notice tone="danger">{translateMessage(fault)}</Notice>}
        {!fault && backups.length === 0 && (
          <div className={css.row}>
            <Text c="dimmed">{t('ui.setup.backup.empty')}</Text>
          </div>
        )}
        {backups.map(({ name, madeAt, bytes, hasRecoveryKey }) => (
          <div key={name} className={css.row}>
            <span className={`mono ${css.rowText}`}>{name}</span>
            <Clock instant={madeAt} />
            <span className="tabular">{bytesText(bytes)}</span>
            <Text size="sm" c="dimmed">
              {hasRecoveryKey ? t('ui.setup.backup.withKey') : t('ui.setup.backup.withoutKey')}
            </Text>
          </div>
        ))}
      </Panel>
    </>
  )
}

function BackupProgress({
  running: { phase, share },
}: {
  running: NonNullable<BackupState['running']>
}) {
  const name = t(`ui.setup.backup.phases.${phase}`)
  const isKnown = isCounted(share)
  return (
    <>
      <Progress
        value={isKnown ? share * 100 : 100}
        size={7}
        mt={8}
        mb={6}
        aria-label={t('ui.setup.backup.make')}
        animated={!isKnown}
      />
      <Text size="sm">
        {isKnown ? t('ui.backups.share', { phase: name, percent: percentText(share) }) : name}
      </Text>
    </>
  )
}
