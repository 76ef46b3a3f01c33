import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { dashboardTiers, type Tier } from '#shared/contract/tiers.ts'
import { useSend } from '../../api/queries.ts'
import { bytesText, durationText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { MigrationPart } from './migration-part.tsx'
import css from './tiers.module.css'
import { VerificationPart } from './verification-part.tsx'

/** One tier: what it holds, its migration and verification, and a test of the connection. */
export function TierCard({
  tier,
  onEdit,
  onRemove,
}: {
  tier: Tier
  onEdit: () => void
  onRemove: () => void
}) {
  const { tierId, name, settings } = tier
  const test = useSend(dashboardTiers.test, [dashboardTiers.list])
  const state = stateOf(tier)
  return (
    <Panel className={css.card}>
      <div className={css.top}>
        <span className={css.name}>{name}</span>
        <Group gap={4} wrap="nowrap" className={css.tools}>
          <Tag tone={TONES[state]} meaning={t(`ui.tiers.states.${state}.meaning`)}>
            {t(`ui.tiers.states.${state}.name`)}
          </Tag>
          <Tool
            label={t('ui.tiers.edit', { name })}
            icon={<IconPencil size={17} />}
            onClick={onEdit}
          />
          <Tool
            label={t('ui.tiers.remove', { name })}
            icon={<IconTrash size={17} />}
            onClick={onRemove}
          />
        </Group>
      </div>
      <FactList facts={factsOf(tier)} />
      {settings.kind === 's3' && (
        <>
          <MigrationPart tier={tier} />
          <VerificationPart tier={tier} />
        </>
      )}
      <div role="status">
        {test.data && !test.isPending && (
          <Notice
            tone={test.data.success ? 'good' : 'danger'}
            title={t(test.data.success ? 'ui.tiers.test.passed' : 'ui.tiers.test.failed', {
              took: durationText(test.data.tookMs),
            })}
          >
            {translateMessage(test.data.message)}
          </Notice>
        )}
        {test.error && <ErrorNotice error={test.error} />}
      </div>
      <div className={css.foot}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlugConnected size={15} />}
          loading={test.isPending}
          onClick={() => test.mutate({ params: { tierId } })}
        >
          {t('ui.tiers.test.run')}
        </Button>
      </div>
    </Panel>
  )
}

type State = 'off' | 'unreachable' | 'lost' | 'failed' | 'copying' | 'ready'

const TONES = {
  off: 'plain',
  unreachable: 'danger',
  lost: 'danger',
  failed: 'warning',
  copying: 'info',
  ready: 'good',
} as const satisfies Record<State, string>

function stateOf({ isEnabled, lastError, lost, failed, waiting }: Tier): State {
  if (!isEnabled) return 'off'
  if (lost > 0) return 'lost'
  if (lastError) return 'unreachable'
  if (failed > 0) return 'failed'
  return waiting > 0 ? 'copying' : 'ready'
}

type Fact = readonly [name: string, value: ReactNode]

function factsOf(tier: Tier): readonly Fact[] {
  const { settings, stored, waiting, failed, lost, lastError, isAutomatic } = tier
  const { instances, bytes } = stored
  const count = (name: 'waiting' | 'failed' | 'lost', value: number): readonly Fact[] =>
    value > 0 ? [[t(`ui.tiers.facts.${name}`), t('ui.tiers.images', { count: value })]] : []
  return [
    [t('ui.tiers.facts.kind'), t(`ui.tiers.kinds.${settings.kind}.name`)],
    ...(settings.kind === 's3'
      ? ([
          [
            t('ui.tiers.facts.address'),
            <span key="address" className="mono">
              {settings.endpoint}/{settings.bucket}/{settings.prefix}
            </span>,
          ],
          [t('ui.tiers.facts.encryption'), t(`ui.tiers.encryptions.${settings.encryption}`)],
          [
            t('ui.tiers.facts.receives'),
            t(isAutomatic ? 'ui.tiers.receives.all' : 'ui.tiers.receives.migration'),
          ],
          [
            t('ui.tiers.facts.stored'),
            t('ui.tiers.storedImages', { count: instances, size: bytesText(bytes) }),
          ],
        ] as const)
      : []),
    ...(settings.kind === 'dicomweb'
      ? ([
          [
            t('ui.tiers.facts.address'),
            <span key="address" className="mono">
              {settings.url}
            </span>,
          ],
        ] as const)
      : []),
    ...count('waiting', waiting),
    ...count('failed', failed),
    ...count('lost', lost),
    ...(lastError ? ([[t('ui.tiers.facts.error'), translateMessage(lastError)]] as const) : []),
  ]
}

const Tool = (props: { label: string; icon: ReactNode; onClick: () => void }) => (
  <Tooltip label={props.label}>
    <ActionIcon size="md" aria-label={props.label} onClick={props.onClick}>
      {props.icon}
    </ActionIcon>
  </Tooltip>
)
