import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop, IconRadar, IconScan } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'

const CHANGES = [
  dashboardSetup.simulators,
  dashboardSetup.state,
  dashboard.partner,
  dashboard.status,
  dashboard.devices,
  dashboardEvents.endpoints,
]
const useSimulators = () => useReply(dashboardSetup.simulators, {}, { staleTime: 0 })

/** Starts and stops an invented partner, for who has none at hand. */
export function PartnerSimulator() {
  const simulators = useSimulators()
  const start = useSend(dashboardSetup.startPartnerSimulator, CHANGES)
  const stop = useSend(dashboardSetup.stopPartnerSimulator, CHANGES)
  if (!simulators.data) return null
  const { partnerUrl, hasPartner } = simulators.data
  return (
    <Panel title={t('ui.setup.simulators.partnerTitle')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text c="dimmed" maw={460}>
            {hasPartner
              ? t('ui.setup.simulators.hasPartner')
              : partnerUrl === null
                ? t('ui.setup.simulators.partnerText')
                : t('ui.setup.simulators.running', { url: partnerUrl })}
          </Text>
          {partnerUrl === null ? (
            <Button
              variant="default"
              leftSection={<IconPlayerPlay size={16} />}
              disabled={hasPartner}
              loading={start.isPending}
              onClick={() => start.mutate({})}
            >
              {t('ui.setup.simulators.start')}
            </Button>
          ) : (
            <Button
              variant="default"
              leftSection={<IconPlayerStop size={16} />}
              loading={stop.isPending}
              onClick={() => stop.mutate({})}
            >
              {t('ui.setup.simulators.stop')}
            </Button>
          )}
        </Group>
        {start.error && <ErrorNotice error={start.error} />}
        {stop.error && <ErrorNotice error={stop.error} />}
      </Stack>
    </Panel>
  )
}

/** Queries the worklist as an invented CT and performs an exam, for who has no device at hand. */
export function DeviceSimulator() {
  const simulators = useSimulators()
  const visit = useSend(dashboardSetup.visitAsDevice, CHANGES)
  if (!simulators.data) return null
  const { deviceAeTitle, visit: last, partnerUrl, hasPartner } = simulators.data
  const go = (withImages: boolean) => visit.mutate({ body: { withImages } })
  return (
    <Panel title={t('ui.setup.simulators.deviceTitle')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text c="dimmed" maw={460}>
            {t('ui.setup.simulators.deviceText', { aeTitle: deviceAeTitle })}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconRadar size={16} />}
              disabled={visit.isPending}
              onClick={() => go(false)}
            >
              {t('ui.setup.simulators.query')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconScan size={16} />}
              loading={visit.isPending}
              // Exams of a real partner are of real patients.
              disabled={partnerUrl === null || hasPartner}
              onClick={() => go(true)}
            >
              {t('ui.setup.simulators.perform')}
            </Button>
          </Group>
        </Group>
        <div role="status">
          {last && last.fault === null && (
            <Notice tone="good">
              {t('ui.setup.simulators.queried', { exams: last.exams })}{' '}
              {last.images > 0 && (
                <>
                  {t('ui.setup.simulators.performed', { images: last.images })}{' '}
                  <Link to="/images">{t('ui.setup.simulators.toImages')}</Link>
                </>
              )}
            </Notice>
          )}
          {last && last.fault !== null && (
            <Notice tone="danger">{translateMessage(last.fault)}</Notice>
          )}
        </div>
        {visit.error && <ErrorNotice error={visit.error} />}
      </Stack>
    </Panel>
  )
}
