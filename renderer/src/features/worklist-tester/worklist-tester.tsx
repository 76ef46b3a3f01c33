import { Text } from '@mantine/core'
import { IconBuildingHospital, IconDeviceDesktopAnalytics } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { InspectionView } from '../../ui/inspection-view.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { WorklistTabs } from '../../ui/sections/worklist-tabs.tsx'
import { QueryKeysForm } from './query-keys.tsx'

/** Asks the worklist as a device would, and shows its answer with the reasons. */
export function Worklist() {
  const devices = useReply(dashboard.devices, {})
  return (
    <Page title={t('ui.worklist-tester.title')} about={t('ui.worklist-tester.about')}>
      <WorklistTabs />
      {devices.isPending && <LoadingPlaceholder rows={3} />}
      {devices.isError && (
        <ErrorNotice error={devices.error} onRetry={() => void devices.refetch()} />
      )}
      {devices.data?.devices.length === 0 && (
        <Panel>
          <EmptyState
            icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
            title={t('ui.worklist-tester.noDevices')}
            action={<Link to="/devices">{t('ui.worklist-tester.toDevices')}</Link>}
          >
            {t('ui.worklist-tester.noDevicesText')}
          </EmptyState>
        </Panel>
      )}
      {devices.data && devices.data.devices.length > 0 && (
        <WorklistQueryForm devices={devices.data.devices} />
      )}
    </Page>
  )
}

function WorklistQueryForm({ devices }: { devices: readonly Device[] }) {
  const ask = useSend(dashboard.askWorklist, [dashboard.inspections])
  return (
    <>
      <Panel title={t('ui.worklist-tester.keys')}>
        <QueryKeysForm
          devices={devices}
          onAsk={(body, onRefused) => ask.mutate({ body }, { onError: onRefused })}
          isAsking={ask.isPending}
          isAnswered={ask.data !== undefined}
        />
      </Panel>
      {ask.error && <ErrorNotice error={ask.error} />}
      {ask.isPending && (
        <Panel>
          <Text role="status" size="sm" c="dimmed">
            {t('ui.worklist-tester.waiting')}
          </Text>
          <LoadingPlaceholder rows={4} />
        </Panel>
      )}
      {ask.data && !ask.isPending && (
        <InspectionView key={ask.data.inspectionId} inspection={ask.data} first="all" />
      )}
      {!ask.data && !ask.isPending && !ask.error && (
        <Panel>
          <EmptyState
            icon={<IconBuildingHospital size={34} stroke={1.3} />}
            title={t('ui.worklist-tester.before')}
          >
            {t('ui.worklist-tester.beforeText')}
          </EmptyState>
        </Panel>
      )}
    </>
  )
}
