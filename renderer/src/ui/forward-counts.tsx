import { Group } from '@mantine/core'
import { numberText } from '../format/amounts.ts'
import type { Tone } from '../format/tones.ts'
import { t, textsOf } from '../i18n/t.ts'
import { Tag } from './tone.tsx'

interface Counts {
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly dropped?: number
}

const KINDS: readonly {
  readonly kind: keyof Counts
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
}[] = [
  {
    kind: 'failed',
    tone: 'danger',
    ...textsOf('ui.common.forwards.failed', 'name', 'meaning'),
  },
  {
    kind: 'waiting',
    tone: 'info',
    ...textsOf('ui.common.forwards.waiting', 'name', 'meaning'),
  },
  { kind: 'sent', tone: 'good', ...textsOf('ui.common.forwards.sent', 'name', 'meaning') },
  {
    kind: 'dropped',
    tone: 'plain',
    ...textsOf('ui.common.forwards.dropped', 'name', 'meaning'),
  },
]

/** Images on their way to a destination, by how far they are; what is zero is left out. */
export function ForwardCounts({ counts }: { counts: Counts }) {
  const shown = KINDS.filter(({ kind }) => (counts[kind] ?? 0) > 0)
  if (shown.length === 0) return <Tag tone="plain">{t('ui.common.forwards.none')}</Tag>
  return (
    <Group gap={4}>
      {shown.map(({ kind, tone, name, meaning }) => (
        <Tag key={kind} tone={tone} meaning={meaning}>
          {numberText(counts[kind] ?? 0)} {name}
        </Tag>
      ))}
    </Group>
  )
}
