import { Button, Group, Text } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useReply } from '../../api/queries.ts'
import { SOURCES } from '../../format/answer-source.ts'
import { describeStatus } from '../../format/dimse-status.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import { InspectionView } from '../../ui/inspection-view.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'

const route = getRouteApi('/shell/queries/$inspectionId')

/** One query in full. */
export function Query() {
  const inspectionId = Number(route.useParams().inspectionId)
  const reply = useReply(
    dashboard.inspection,
    { params: { inspectionId }, query: { verdict: 'all' } },
    { staleTime: 30_000 },
  )
  const devices = useReply(dashboard.devices, {})
  const inspection = reply.data
  const device = devices.data?.devices.find((one) => one.aeTitle === inspection?.callingAeTitle)
  const status = inspection && describeStatus(inspection.status)

  return (
    <Page
      title={t('ui.worklist-queries.one', { id: inspectionId })}
      about={
        <>
          <BackLink to="/queries">{t('ui.worklist-queries.back')}</BackLink>
          {inspection && <Text mt={6}>{translateMessage(inspection.sentence)}</Text>}
        </>
      }
      actions={
        device && (
          <Button
            variant="default"
            leftSection={<IconSearch size={16} />}
            renderRoot={(props) => (
              <Link to="/worklist/ask" search={{ device: device.deviceId }} {...props} />
            )}
          >
            {t('ui.worklist-queries.askAgain')}
          </Button>
        )
      }
    >
      {reply.isPending && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <EmptyState title={t('ui.worklist-queries.goneTitle')} error={reply.error}>
          {t('ui.worklist-queries.gone')}
        </EmptyState>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {inspection && status && (
        <>
          <Group gap={8}>
            <Tag
              tone={SOURCES[inspection.source].tone}
              meaning={SOURCES[inspection.source].meaning}
            >
              {SOURCES[inspection.source].name}
            </Tag>
            <Tag tone={status.tone} meaning={status.meaning}>
              <span className="mono">{inspection.status}</span> {status.name}
            </Tag>
            <Text size="sm" c="dimmed">
              <Clock instant={inspection.at} />
            </Text>
          </Group>
          <InspectionView inspection={inspection} />
        </>
      )}
    </Page>
  )
}
