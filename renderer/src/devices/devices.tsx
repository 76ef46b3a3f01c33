import { ActionIcon, Button, Drawer, Group, Table, Text, Tooltip } from '@mantine/core'
import {
  IconBuildingHospital,
  IconDeviceDesktopAnalytics,
  IconListSearch,
  IconPencil,
  IconPlus,
  IconStethoscope,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { Ago } from '../components/clock.tsx'
import { Confirm } from '../components/confirm.tsx'
import { FormDrawer } from '../components/form-drawer.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { useReply, useSend } from '../gateway.ts'
import { useMayManage } from '../session.ts'
import { useStatus } from '../status.ts'
import { DeviceChecks } from './device-checks.tsx'
import { DeviceForm } from './device-form.tsx'
import { Inbox } from './inbox.tsx'
import { CHARACTER_SET_NAMES, words } from './words.ts'

type Editing = { device: Device | null } | null

/** The device list, and above it the callers that wait to be in it. */
export function Devices() {
  const devices = useReply(dashboard.devices, {})
  const mayManage = useMayManage()
  const [editing, setEditing] = useState<Editing>(null)
  const [removing, setRemoving] = useState<Device | null>(null)
  const [checking, setChecking] = useState<Device | null>(null)
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ device: null })}>
      {words.add}
    </Button>
  )

  return (
    <Page title={words.title} about={words.about} actions={add}>
      {mayManage && <Inbox />}
      <Panel isFlush>
        {devices.isPending && <Waiting rows={5} />}
        {devices.isError && <Failed error={devices.error} onRetry={() => void devices.refetch()} />}
        {devices.data?.devices.length === 0 && <None action={add} />}
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
        title={editing?.device ? editing.device.name || editing.device.aeTitle : words.form.addTitle}
      >
        {editing && <DeviceForm key={editing.device?.deviceId ?? 'new'} device={editing.device} onDone={() => setEditing(null)} />}
      </FormDrawer>
      <Drawer
        opened={checking !== null}
        onClose={() => setChecking(null)}
        size={680}
        title={checking && words.checks.title(checking.name || checking.aeTitle)}
      >
        {checking && <DeviceChecks key={checking.deviceId} device={checking} />}
      </Drawer>
      <Remove device={removing} onDone={() => setRemoving(null)} />
    </Page>
  )
}

function None({ action }: { action: ReactNode }) {
  const listener = useStatus().data?.listeners.find((one) => one.name === 'dimse')
  return (
    <Empty icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />} title={words.none} action={action}>
      {listener?.aeTitle ? words.noneText(listener.aeTitle, listener.address) : words.noneTextShort}
    </Empty>
  )
}

function DeviceTable(props: {
  devices: readonly Device[]
  mayManage: boolean
  onEdit: (device: Device) => void
  onCheck: (device: Device) => void
  onRemove: (device: Device) => void
}) {
  const { devices, mayManage, onEdit, onCheck, onRemove } = props
  const { columns } = words
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table horizontalSpacing={16} verticalSpacing={7} highlightOnHover highlightOnHoverColor="var(--hover)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns.name}</Table.Th>
            <Table.Th>{columns.address}</Table.Th>
            <Table.Th>{columns.modality}</Table.Th>
            <Table.Th>{columns.set}</Table.Th>
            <Table.Th>{columns.seen}</Table.Th>
            <Table.Th ta="right">{columns.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {devices.map((device) => {
            const name = device.name || device.aeTitle
            return (
              <Table.Tr key={device.deviceId}>
                <Table.Td>
                  <Group gap={8} wrap="nowrap">
                    <Text fw={600} fz="inherit">
                      {name}
                    </Text>
                    {!device.isEnabled && <Tag tone="plain">{words.off}</Tag>}
                  </Group>
                  {device.name && <div className="mono">{device.aeTitle}</div>}
                </Table.Td>
                <Table.Td>
                  {device.address ? (
                    <span className="mono">{device.address}</span>
                  ) : (
                    <Text fz="sm" c="dimmed">
                      {words.anyAddress}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{device.modality}</Table.Td>
                <Table.Td>
                  {device.characterSet ? (
                    <span title={device.characterSet}>{CHARACTER_SET_NAMES[device.characterSet]}</span>
                  ) : (
                    <Text fz="sm" c="dimmed">
                      {words.byRow}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Ago instant={device.lastSeenAt} />
                  {device.lastAddress && <div className="mono">{device.lastAddress}</div>}
                </Table.Td>
                <Table.Td>
                  <Group gap={2} justify="flex-end" wrap="nowrap">
                    <Action label={words.ask(name)}>
                      <ActionIcon
                        aria-label={words.ask(name)}
                        renderRoot={(root) => <Link to="/worklist/ask" search={{ device: device.deviceId }} {...root} />}
                      >
                        <IconBuildingHospital size={17} />
                      </ActionIcon>
                    </Action>
                    <Action label={words.queries(name)}>
                      <ActionIcon
                        aria-label={words.queries(name)}
                        renderRoot={(root) => <Link to="/queries" search={{ aeTitle: device.aeTitle }} {...root} />}
                      >
                        <IconListSearch size={17} />
                      </ActionIcon>
                    </Action>
                    {mayManage && (
                      <>
                        <Action label={words.check(name)}>
                          <ActionIcon aria-label={words.check(name)} onClick={() => onCheck(device)}>
                            <IconStethoscope size={17} />
                          </ActionIcon>
                        </Action>
                        <Action label={words.edit(name)}>
                          <ActionIcon aria-label={words.edit(name)} onClick={() => onEdit(device)}>
                            <IconPencil size={17} />
                          </ActionIcon>
                        </Action>
                        <Action label={words.remove(name)}>
                          <ActionIcon aria-label={words.remove(name)} onClick={() => onRemove(device)}>
                            <IconTrash size={17} />
                          </ActionIcon>
                        </Action>
                      </>
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Action({ label, children }: { label: string; children: ReactElement }) {
  return <Tooltip label={label}>{children}</Tooltip>
}

function Remove({ device, onDone }: { device: Device | null; onDone: () => void }) {
  const remove = useSend(dashboard.removeDevice, [dashboard.devices, dashboard.status])
  return (
    <Confirm
      isOpen={device !== null}
      title={words.removeTitle}
      action={words.removeAction}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onDone}
      onConfirm={() => device && remove.mutate({ params: { deviceId: device.deviceId } }, { onSuccess: onDone })}
    >
      {device && words.removeText(device.name || device.aeTitle)}
    </Confirm>
  )
}
