import { Progress, Text } from '@mantine/core'
import type { RestoreState } from '#shared/contract/dashboard-upkeep.ts'
import { Panel } from '../components/page.tsx'
import { said } from '../language/said.ts'
import { words } from './words.ts'

/** How far it is. */
export function PuttingBack({ restore }: { restore: RestoreState }) {
  const { phase, share, sentence } = restore
  const label =
    phase === 'checking' ? words.checking : words.decrypting(`${Math.round(share * 100)} %`)
  return (
    <Panel title={words.puttingBack}>
      <div role="status">
        <Progress
          value={phase === 'checking' ? 100 : share * 100}
          size={8}
          mb={8}
          aria-label={words.puttingBack}
          animated={phase === 'checking'}
        />
        <Text fw={560}>{label}</Text>
        <Text c="dimmed">{sentence && said(sentence)}</Text>
      </div>
    </Panel>
  )
}
