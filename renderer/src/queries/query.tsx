import { Button, Group, Text } from '@mantine/core'
import { IconArrowLeft, IconSearch } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { Clock } from '../components/clock.tsx'
import { InspectionView } from '../components/inspection-view.tsx'
import { Empty, Failed, Page, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { SOURCES } from '../display/answer-source.ts'
import { shownStatus } from '../display/dimse-status.ts'
import { useReply } from '../gateway.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'

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
  const status = inspection && shownStatus(inspection.status)

  return (
    <Page
      title={t('ui.queries.one', { id: inspectionId })}
      about={
        <>
          <Link to="/queries">
            <IconArrowLeft size={14} style={{ verticalAlign: -2 }} /> {t('ui.queries.back')}
          </Link>
          {inspection && <Text mt={6}>{said(inspection.sentence)}</Text>}
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
            {t('ui.queries.askAgain')}
          </Button>
        )
      }
    >
      {reply.isPending && <Waiting rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <Empty title={t('ui.queries.goneTitle')}>{t('ui.queries.gone')}</Empty>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <Failed error={reply.error} onRetry={() => void reply.refetch()} />
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
