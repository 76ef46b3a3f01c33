import { Button, Group, Progress, Text } from '@mantine/core'
import { dashboardTiers, type Migration, type Tier } from '#shared/contract/tiers.ts'
import { useSend } from '../../api/queries.ts'
import { bytesText, durationText, numberText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import css from './tiers.module.css'

type Action = 'pause' | 'resume' | 'cancel' | 'retry'

/** Copying the archive to a tier: its progress, and starting, pausing and cancelling it. */
export function MigrationPart({ tier }: { tier: Tier }) {
  const { tierId, migration, failed, isEnabled } = tier
  const start = useSend(dashboardTiers.migrate, [dashboardTiers.list])
  const change = useSend(dashboardTiers.changeMigration, [dashboardTiers.list])
  const isOpen = migration?.state === 'running' || migration?.state === 'paused'
  const act = (action: Action) => (
    <Button
      variant="default"
      size="xs"
      loading={change.isPending && change.variables.body.action === action}
      onClick={() => change.mutate({ params: { tierId }, body: { action } })}
    >
      {t(`ui.tiers.migration.${action}`)}
    </Button>
  )
  return (
    <section className={css.part} aria-label={t('ui.tiers.migration.title')}>
      <Text fw={600} size="sm">
        {t('ui.tiers.migration.title')}
      </Text>
      {migration ? (
        <MigrationProgress migration={migration} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('ui.tiers.migration.none')}
        </Text>
      )}
      <Group gap={8}>
        {!isOpen && (
          <Button
            variant="default"
            size="xs"
            disabled={!isEnabled}
            loading={start.isPending}
            onClick={() => start.mutate({ params: { tierId } })}
          >
            {t(migration ? 'ui.tiers.migration.again' : 'ui.tiers.migration.start')}
          </Button>
        )}
        {migration?.state === 'running' && act('pause')}
        {migration?.state === 'paused' && act('resume')}
        {isOpen && act('cancel')}
        {failed > 0 && act('retry')}
      </Group>
      {start.error && <ErrorNotice error={start.error} />}
      {change.error && <ErrorNotice error={change.error} />}
    </section>
  )
}

function MigrationProgress({ migration }: { migration: Migration }) {
  const { state, doneInstances, totalInstances, doneBytes, totalBytes, endedAt } = migration
  const { bytesPerSecond, secondsLeft, failedInstances } = migration
  const share = totalBytes === 0 ? 100 : Math.min(100, (doneBytes / totalBytes) * 100)
  return (
    <>
      <Progress.Root size="lg">
        <Progress.Section
          value={share}
          {...(state === 'paused' && { color: 'gray' })}
          aria-label={t('ui.tiers.migration.title')}
        />
      </Progress.Root>
      <Text size="sm">
        {t(`ui.tiers.migration.states.${state}`)} ·{' '}
        {t('ui.tiers.migration.amounts', {
          done: numberText(doneInstances),
          total: numberText(totalInstances),
          bytes: bytesText(doneBytes),
          totalBytes: bytesText(totalBytes),
        })}{' '}
        {endedAt && (
          <>
            · <TimeAgo instant={endedAt} never="" />
          </>
        )}
      </Text>
      {bytesPerSecond !== null && secondsLeft !== null && (
        <Text size="sm" c="dimmed">
          {t('ui.tiers.migration.rate', {
            rate: bytesText(bytesPerSecond),
            left: durationText(secondsLeft * 1000),
          })}
        </Text>
      )}
      {failedInstances > 0 && (
        <Text size="sm" c="var(--tone-warning-text)">
          {t('ui.tiers.migration.failed', { count: failedInstances })}
        </Text>
      )}
    </>
  )
}
