import { Text } from '@mantine/core'
import { Panel } from '../../ui/page.tsx'

/** A panel that has nothing to show, and why. */
export function EmptyPanel({ title, text }: { title: string; text: string }) {
  return (
    <Panel title={title}>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Panel>
  )
}
