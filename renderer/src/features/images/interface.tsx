import { Group, Stack, Text } from '@mantine/core'
import type { ImageStudySummary } from '#shared/contract/images.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { Panel } from '../../ui/page.tsx'

/** The studies of the interface that show these images. */
export function InterfacePanel({ studies }: { studies: ImageStudySummary['studies'] }) {
  return (
    <Panel title={t('ui.images.interface')}>
      {studies.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('ui.images.interfaceNone')}
        </Text>
      )}
      <Stack gap={10}>
        {studies.map(({ area, studyId, isSeeded }) => (
          <div key={area}>
            <Text fz="sm">
              <b>{t(`ui.images.areas.${area}`)}</b>,{' '}
              {isSeeded ? t('ui.images.seeded') : t('ui.images.registered')}
            </Text>
            <Group gap={4} wrap="nowrap">
              <span className="mono" style={{ overflowWrap: 'anywhere' }}>
                {studyId}
              </span>
              <Copy value={studyId} what={t('ui.images.studyId')} />
            </Group>
          </div>
        ))}
      </Stack>
    </Panel>
  )
}
