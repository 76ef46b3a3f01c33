import { Button, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { dashboardImages, type ImageStudy } from '#shared/contract/images.ts'
import { useSend } from '../../api/queries.ts'
import { ENRICHMENT_BADGES } from '../../format/image-states.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'

/** What the partner was asked about this study, and what came of it. */
export function EnrichmentPanel({ study, mayManage }: { study: ImageStudy; mayManage: boolean }) {
  const { state, askedAt, nextAt, detail, warnings } = study.enrichment
  const retry = useSend(dashboardImages.retryEnrichment, [
    dashboardImages.read,
    dashboardImages.list,
  ])
  const wasAsked = state !== 'not-asked'
  const isTooEarly = !wasAsked && study.studies.length === 0
  const { tone, name, meaning } = isTooEarly
    ? { tone: 'plain' as const, ...textsOf('ui.images.enrichmentBefore', 'name', 'meaning') }
    : ENRICHMENT_BADGES[state]
  return (
    <Panel title={t('ui.images.enrichment')} aside={<Tag tone={tone}>{name}</Tag>}>
      <Stack gap={10} align="flex-start">
        <Text size="sm" c="dimmed">
          {meaning}
        </Text>
        {wasAsked && (
          <FactList
            facts={[
              [
                t('ui.images.enrichmentAsked'),
                <TimeAgo key="asked" instant={askedAt} never={t('ui.images.enrichmentNever')} />,
              ],
              ...(nextAt
                ? ([
                    [t('ui.images.enrichmentNext'), <Clock key="next" instant={nextAt} />],
                  ] as const)
                : []),
              ...(detail
                ? ([[t('ui.images.enrichmentBecause'), translateMessage(detail)]] as const)
                : []),
            ]}
          />
        )}
        {warnings.map(translateMessage).map((warning) => (
          <Notice key={warning} tone="warning">
            {warning}
          </Notice>
        ))}
        {retry.error && <ErrorNotice error={retry.error} />}
        {wasAsked && mayManage && (
          <>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconRefresh size={14} />}
              loading={retry.isPending}
              onClick={() => retry.mutate({ params: { studyInstanceUid: study.studyInstanceUid } })}
            >
              {t('ui.images.retryEnrichment')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('ui.images.retryAbout')}
            </Text>
          </>
        )}
      </Stack>
    </Panel>
  )
}
