import { Progress, Text } from '@mantine/core'
import type { RestoreState } from '#shared/contract/dashboard-backups.ts'
import { percentText } from '../format/percent.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { Panel } from '../ui/page.tsx'

/** How far it is. */
export function RestoreProgress({ restore }: { restore: RestoreState }) {
  const { phase, share, sentence } = restore
  const label =
    phase === 'checking'
      ? t('ui.rescue.checking')
      : t('ui.rescue.decrypting', { share: percentText(share) })
  return (
    <Panel title={t('ui.rescue.puttingBack')}>
      <div role="status">
        <Progress
          value={phase === 'checking' ? 100 : share * 100}
          size={8}
          mb={8}
          aria-label={t('ui.rescue.puttingBack')}
          animated={phase === 'checking'}
        />
        <Text fw={560}>{label}</Text>
        <Text c="dimmed">{sentence && translateMessage(sentence)}</Text>
      </div>
    </Panel>
  )
}
