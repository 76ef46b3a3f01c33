import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import { type BackupState, dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { Clock } from '../components/clock.tsx'
import { Failed, Panel } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { bytesText } from '../display/amounts.ts'
import { useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { isCounted, percentText } from '../upkeep/amounts.ts'
import { useBackupFolder } from '../upkeep/use-backup-folder.ts'
import { words as upkeep } from '../upkeep/words.ts'
import { Findings } from './findings.tsx'
import css from './setup.module.css'
import type { StepProps } from './step.ts'
import { words } from './words.ts'

const texts = words.backup
const CHANGES = [dashboardSetup.state, dashboardSetup.backups, dashboardSetup.readiness]
const RUNNING_MS = 400
/** The folder, and the first back-up in it. */
export function BackupStep({ state }: Pick<StepProps, 'state'>) {
  const live = useReply(
    dashboardSetup.backups,
    {},
    { every: state.backup.running ? RUNNING_MS : 2500 },
  )
  const backup = live.data ?? state.backup
  return (
    <Stack>
      <Folder folder={backup.folder} />
      {backup.folder !== null && <Make backup={backup} hasKey={state.recovery.state === 'ready'} />}
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
            label={texts.folder[0]}
            description={texts.folder[1]}
            placeholder={texts.example}
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
            {texts.use}
          </Button>
        </Group>
      </form>
      <div role="status">
        {use.error && use.error.errors.length === 0 && <Failed error={use.error} />}
        {use.data && <Findings findings={use.data.findings} />}
      </div>
    </Panel>
  )
}

function Make({ backup, hasKey }: { backup: BackupState; hasKey: boolean }) {
  const make = useSend(dashboardSetup.makeBackup, CHANGES)
  const { folder, running, last, backups, fault } = backup
  return (
    <>
      <Panel
        title={texts.what}
        aside={
          <Button
            leftSection={<IconDatabaseExport size={16} />}
            loading={make.isPending || running !== null}
            onClick={() => make.mutate({})}
          >
            {texts.make}
          </Button>
        }
      >
        <Stack gap={6}>
          <Text>{texts.inside}</Text>
          <Text>{texts.outside}</Text>
          <Text c="dimmed">{texts.byItself}</Text>
          {!hasKey && <Notice tone="warning">{texts.noKey}</Notice>}
          <div role="status">
            {running && <Running running={running} />}
            {!running && last && (
              <Notice
                tone={last.success ? 'good' : 'danger'}
                title={last.success ? texts.made : texts.failed}
              >
                {said(last.sentence)}
              </Notice>
            )}
            {make.error && <Failed error={make.error} />}
          </div>
        </Stack>
      </Panel>
      <Panel isFlush title={texts.list} aside={<span className="mono">{folder}</span>}>
        {fault && <Notice tone="danger">{said(fault)}</Notice>}
        {!fault && backups.length === 0 && (
          <div className={css.row}>
            <Text c="dimmed">{texts.empty}</Text>
          </div>
        )}
        {backups.map(({ name, madeAt, bytes, hasRecoveryKey }) => (
          <div key={name} className={css.row}>
            <span className={`mono ${css.rowText}`}>{name}</span>
            <Clock instant={madeAt} />
            <span className="tabular">{bytesText(bytes)}</span>
            <Text size="sm" c="dimmed">
              {hasRecoveryKey ? texts.withKey : texts.withoutKey}
            </Text>
          </div>
        ))}
      </Panel>
    </>
  )
}

function Running({ running: { phase, share } }: { running: NonNullable<BackupState['running']> }) {
  const name = texts.phases[phase]
  const isKnown = isCounted(share)
  return (
    <>
      <Progress
        value={isKnown ? share * 100 : 100}
        size={7}
        mt={8}
        mb={6}
        aria-label={texts.make}
        animated={!isKnown}
      />
      <Text size="sm">{isKnown ? upkeep.share(name, percentText(share)) : name}</Text>
    </>
  )
}
