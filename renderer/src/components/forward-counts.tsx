import { Group } from '@mantine/core'
import { numberText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { t } from '../i18n/t.ts'
import { Tag } from './tone.tsx'
import { words } from './words.ts'

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
  { kind: 'failed', tone: 'danger', ...words.forwards.failed },
  { kind: 'waiting', tone: 'info', ...words.forwards.waiting },
  { kind: 'sent', tone: 'good', ...words.forwards.sent },
  { kind: 'dropped', tone: 'plain', ...words.forwards.dropped },
]

/** Images on their way to a destination, by how far they are; what is zero is left out. */
export function ForwardCounts({ counts }: { counts: Counts }) {
  const shown = KINDS.filter(({ kind }) => (counts[kind] ?? 0) > 0)
  if (shown.length === 0) return <Tag tone="plain">{t('ui.components.forwards.none')}</Tag>
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
