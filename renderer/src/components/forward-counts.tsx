import { Group } from '@mantine/core'
import { numberText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { Tag } from './tone.tsx'

interface Counts {
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly dropped?: number
}

const KINDS: readonly { readonly kind: keyof Counts; readonly tone: Tone; readonly name: string; readonly meaning: string }[] = [
  {
    kind: 'failed',
    tone: 'danger',
    name: 'not sent',
    meaning: 'Refused, or tried for as long as the settings allow. A person decides: try again, or give up.',
  },
  { kind: 'waiting', tone: 'info', name: 'waiting', meaning: 'To be sent, or to be tried again.' },
  { kind: 'sent', tone: 'good', name: 'sent', meaning: 'The other side said that it has them.' },
  {
    kind: 'dropped',
    tone: 'plain',
    name: 'given up',
    meaning: 'Not to be sent: a person decided so, or they were set aside, or newer versions took their place. Each image says why.',
  },
]

/** Images on their way to a destination, by how far they are; what is zero is left out. */
export function ForwardCounts({ counts }: { counts: Counts }) {
  const shown = KINDS.filter(({ kind }) => (counts[kind] ?? 0) > 0)
  if (shown.length === 0) return <Tag tone="plain">nothing to send</Tag>
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
