import { Button, Group, Progress, Text } from '@mantine/core'
import { dashboardTiers, type Tier, type Verification } from '#shared/contract/tiers.ts'
import { useSend } from '../../api/queries.ts'
import { numberText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './tiers.module.css'

/** Comparing what the store has with what is recorded: the last result, and starting it. */
export function VerificationPart({ tier }: { tier: Tier }) {
  const { tierId, verification, stored } = tier
  const start = useSend(dashboardTiers.verify, [dashboardTiers.list])
  const stop = useSend(dashboardTiers.stopVerification, [dashboardTiers.list])
  const isRunning = verification?.state === 'running'
  const verify = (isQuick: boolean) => (
    <Button
      variant="default"
      size="xs"
      disabled={stored.instances === 0}
      loading={start.isPending && start.variables.body.isQuick === isQuick}
      onClick={() => start.mutate({ params: { tierId }, body: { isQuick } })}
    >
      {t(isQuick ? 'ui.tiers.verification.quick' : 'ui.tiers.verification.full')}
    </Button>
  )
  return (
    <section className={css.part} aria-label={t('ui.tiers.verification.title')}>
      <Text fw={600} size="sm">
        {t('ui.tiers.verification.title')}
      </Text>
      {verification ? (
        <Result verification={verification} isOutdated={tier.mustBeVerified} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('ui.tiers.verification.none')}
        </Text>
      )}
      {tier.mustBeVerified && <Notice tone="warning">{t('ui.tiers.verification.moved')}</Notice>}
      <Group gap={8}>
        {isRunning ? (
          <Button
            variant="default"
            size="xs"
            loading={stop.isPending}
            onClick={() => stop.mutate({ params: { tierId } })}
          >
            {t('ui.tiers.verification.stop')}
          </Button>
        ) : (
          <>
            {verify(false)}
            {verify(true)}
          </>
        )}
      </Group>
      {start.error && <ErrorNotice error={start.error} />}
    </section>
  )
}

function Result({
  verification,
  isOutdated,
}: {
  verification: Verification
  /** The result is of another server. */
  isOutdated: boolean
}) {
  const { state, isQuick, checked, total, missing, changed, repaired, endedAt, fault } =
    verification
  const lost = missing + changed
  return (
    <>
      {state === 'running' && (
        <Progress
          value={total === 0 ? 100 : (checked / total) * 100}
          aria-label={t('ui.tiers.verification.title')}
        />
      )}
      <Text size="sm">
        {t(`ui.tiers.verification.states.${state}`)} ·{' '}
        {t(isQuick ? 'ui.tiers.verification.listed' : 'ui.tiers.verification.read', {
          checked: numberText(checked),
          total: numberText(total),
        })}{' '}
        {endedAt && (
          <>
            · <TimeAgo instant={endedAt} never="" />
          </>
        )}
      </Text>
      {fault && <Notice tone="danger">{translateMessage(fault)}</Notice>}
      {lost > 0 && (
        <Notice tone={repaired === lost ? 'warning' : 'danger'}>
          {t('ui.tiers.verification.lost', { missing, changed, repaired })}
        </Notice>
      )}
      {state === 'done' && lost === 0 && !isOutdated && (
        <Notice tone="good">{t('ui.tiers.verification.sound')}</Notice>
      )}
    </>
  )
}
