import { Button, Drawer } from '@mantine/core'
import { IconDeviceDesktopAnalytics, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManage } from '../../api/session.ts'
import { useStatus } from '../../api/status.ts'
import { nameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { DeviceChecks } from './device-checks.tsx'
import { DeviceForm } from './device-form.tsx'
import { DeviceTable } from './device-table.tsx'
import { Inbox } from './inbox.tsx'
import { reachableAddress } from './reached-at.ts'

type EditorState = { device: Device | null } | null

/** The device list, and above it the callers that wait to be in it. */
export function Devices() {
  const devices = useReply(dashboard.devices, {})
  const mayManage = useMayManage()
  const [editing, setEditing] = useState<EditorState>(null)
  const [removing, setRemoving] = useState<Device | null>(null)
  const [checking, setChecking] = useState<Device | null>(null)
  // Right after a device was saved, the table still shows it as it was.
  const checkedDevice =
    devices.data?.devices.find(({ deviceId }) => deviceId === checking?.deviceId) ?? checking
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ device: null })}>
      {t('ui.devices.add')}
    </Button>
  )

  return (
    <Page title={t('ui.devices.title')} about={t('ui.devices.about')} actions={add}>
      {mayManage && <Inbox />}
      <Panel isFlush>
        {devices.isPending && <LoadingPlaceholder rows={5} />}
        {devices.isError && (
          <ErrorNotice error={devices.error} onRetry={() => void devices.refetch()} />
        )}
        {devices.data?.devices.length === 0 && <NoDevices action={add} />}
        {devices.data && devices.data.devices.length > 0 && (
          <DeviceTable
            devices={devices.data.devices}
            mayManage={mayManage}
            onEdit={(device) => setEditing({ device })}
            onCheck={setChecking}
            onRemove={setRemoving}
          />
        )}
      </Panel>
      <FormDrawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size={520}
        title={editing?.device ? nameOf(editing.device) : t('ui.devices.form.addTitle')}
      >
        {editing && (
          <DeviceForm
            key={editing.device?.deviceId ?? 'new'}
            device={editing.device}
            onDone={() => setEditing(null)}
          />
        )}
      </FormDrawer>
      <Drawer
        opened={checking !== null}
        onClose={() => setChecking(null)}
        size={680}
        title={checkedDevice && t('ui.devices.checks.title', { name: nameOf(checkedDevice) })}
      >
        {checkedDevice && <DeviceChecks key={checkedDevice.deviceId} device={checkedDevice} />}
      </Drawer>
      <RemoveDeviceDialog device={removing} onDone={() => setRemoving(null)} />
    </Page>
  )
}

function NoDevices({ action }: { action: ReactNode }) {
  const listener = useStatus().data?.listeners.find((one) => one.name === 'dimse')
  return (
    <EmptyState
      icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
      title={t('ui.devices.none')}
      action={action}
    >
      {listener?.aeTitle
        ? t('ui.devices.noneText', {
            aeTitle: listener.aeTitle,
            address: reachableAddress(listener.address, t('ui.devices.thisPc')),
          })
        : t('ui.devices.noneTextShort')}
    </EmptyState>
  )
}

function RemoveDeviceDialog({ device, onDone }: { device: Device | null; onDone: () => void }) {
  const remove = useSend(dashboard.removeDevice, [dashboard.devices, dashboard.status])
  return (
    <ConfirmAction
      isOpen={device !== null}
      title={t('ui.devices.removeTitle')}
      action={t('ui.devices.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onDone}
      onConfirm={() =>
        device && remove.mutate({ params: { deviceId: device.deviceId } }, { onSuccess: onDone })
      }
    >
      {device && t('ui.devices.removeText', { name: nameOf(device) })}
    </ConfirmAction>
  )
}
