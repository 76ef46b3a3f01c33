import { Text } from '@mantine/core'
import { IconBuildingHospital, IconDeviceDesktopAnalytics } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { InspectionView } from '../components/inspection-view.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { WorklistTabs } from '../exams/tabs.tsx'
import { useReply, useSend } from '../gateway.ts'
import { t } from '../i18n/t.ts'
import { Keys } from './keys.tsx'

/** Asks the worklist as a device would, and shows its answer with the reasons. */
export function Worklist() {
  const devices = useReply(dashboard.devices, {})
  return (
    <Page title={t('ui.worklist.title')} about={t('ui.worklist.about')}>
      <WorklistTabs />
      {devices.isPending && <Waiting rows={3} />}
      {devices.isError && <Failed error={devices.error} onRetry={() => void devices.refetch()} />}
      {devices.data?.devices.length === 0 && (
        <Panel>
          <Empty
            icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
            title={t('ui.worklist.noDevices')}
            action={<Link to="/devices">{t('ui.worklist.toDevices')}</Link>}
          >
            {t('ui.worklist.noDevicesText')}
          </Empty>
        </Panel>
      )}
      {devices.data && devices.data.devices.length > 0 && <Ask devices={devices.data.devices} />}
    </Page>
  )
}

function Ask({ devices }: { devices: readonly Device[] }) {
  const ask = useSend(dashboard.askWorklist, [dashboard.inspections])
  return (
    <>
      <Panel title={t('ui.worklist.keys')}>
        <Keys
          devices={devices}
          onAsk={(body, onRefused) => ask.mutate({ body }, { onError: onRefused })}
          isAsking={ask.isPending}
          isAnswered={ask.data !== undefined}
        />
      </Panel>
      {ask.error && <Failed error={ask.error} />}
      {ask.isPending && (
        <Panel>
          <Text role="status" size="sm" c="dimmed">
            {t('ui.worklist.waiting')}
          </Text>
          <Waiting rows={4} />
        </Panel>
      )}
      {ask.data && !ask.isPending && (
        <InspectionView key={ask.data.inspectionId} inspection={ask.data} first="all" />
      )}
      {!ask.data && !ask.isPending && !ask.error && (
        <Panel>
          <Empty
            icon={<IconBuildingHospital size={34} stroke={1.3} />}
            title={t('ui.worklist.before')}
          >
            {t('ui.worklist.beforeText')}
          </Empty>
        </Panel>
      )}
    </>
  )
}
