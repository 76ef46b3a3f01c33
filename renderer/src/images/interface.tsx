import { Group, Stack, Text } from '@mantine/core'
import type { ImageStudySummary } from '#shared/contract/images.ts'
import { Copy } from '../components/copy.tsx'
import { Panel } from '../components/page.tsx'
import { words } from './words.ts'

/** The studies of the interface that show these images. */
export function InterfacePanel({ studies }: { studies: ImageStudySummary['studies'] }) {
  return (
    <Panel title={words.interface}>
      {studies.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.interfaceNone}
        </Text>
      )}
      <Stack gap={10}>
        {studies.map(({ area, studyId, isSeeded }) => (
          <div key={area}>
            <Text fz="sm">
              <b>{words.areas[area]}</b>, {isSeeded ? words.seeded : words.registered}
            </Text>
            <Group gap={4} wrap="nowrap">
              <span className="mono" style={{ overflowWrap: 'anywhere' }}>
                {studyId}
              </span>
              <Copy value={studyId} what={words.studyId} />
            </Group>
          </div>
        ))}
      </Stack>
    </Panel>
  )
}
