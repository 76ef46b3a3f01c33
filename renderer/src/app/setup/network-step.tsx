import { Button, Group, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useEffect } from 'react'
import { dashboardSetup, type SelfFinding } from '#shared/contract/dashboard-setup.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Command, Findings } from '../../ui/findings.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'

/** The self-test, made when the step opens. */
export function NetworkStep() {
  const test = useSend(dashboardSetup.selfTest, [dashboardSetup.state])
  const { mutate } = test
  useEffect(() => mutate({}), [mutate])
  return (
    <Stack>
      <Panel isFlush>
        <div
          role="status"
          aria-busy={test.isPending}
          aria-label={test.isPending ? t('ui.setup.network.running') : ''}
        >
          {test.data ? (
            <Findings
              findings={test.data.findings}
              nameOf={({ check }) => t(`ui.setup.network.checks.${check}`)}
              more={FirewallCommands}
            />
          ) : (
            !test.isError && <LoadingPlaceholder rows={9} height={30} />
          )}
        </div>
        {test.isError && <ErrorNotice error={test.error} onRetry={() => mutate({})} />}
      </Panel>
      <Group>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={test.isPending}
          onClick={() => mutate({})}
        >
          {t('ui.setup.network.test')}
        </Button>
      </Group>
    </Stack>
  )
}

/** What an administrator would run; where something came through already, nobody needs it. */
const FirewallCommands = ({ verdict, commands }: SelfFinding) =>
  verdict === 'ok'
    ? null
    : commands.map((command, at) => (
        <Command
          key={command}
          command={command}
          what={t('ui.setup.network.command')}
          {...(at === 0 && { about: t('ui.setup.network.asAdmin') })}
        />
      ))
