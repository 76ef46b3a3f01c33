import { ActionIcon, Button, Group, Table, Text } from '@mantine/core'
import {
  IconBuildingHospital,
  IconListSearch,
  IconPencil,
  IconStethoscope,
  IconTool,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Device } from '#shared/contract/devices.ts'
import { nameOf } from '../../format/device-name.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { Tag } from '../../ui/tone.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'

const COLUMNS = textsOf(
  'ui.devices.columns',
  ...(['name', 'address', 'modality', 'set', 'seen', 'actions'] as const),
)

/** What can be done about a device by who manages them. */
interface DeviceActions {
  readonly mayManage: boolean
  readonly onEdit: (device: Device) => void
  readonly onCheck: (device: Device) => void
  readonly onRemove: (device: Device) => void
}

/** The devices that are known, and the ways from each. */
export function DeviceTable({
  devices,
  ...managing
}: DeviceActions & { readonly devices: readonly Device[] }) {
  return (
    <RowTable columns={COLUMNS} minWidth={940}>
      {devices.map((device) => (
        <DeviceRow key={device.deviceId} device={device} {...managing} />
      ))}
    </RowTable>
  )
}

function DeviceRow({ device, ...managing }: DeviceActions & { readonly device: Device }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="2px 8px">
          <Text fw={600} fz="inherit">
            {nameOf(device)}
          </Text>
          {!device.isEnabled && <Tag tone="plain">{t('ui.devices.off')}</Tag>}
          {device.retrieval !== 'none' && (
            <Tag tone="info">{t(`ui.devices.retrievalTag.${device.retrieval}`)}</Tag>
          )}
        </Group>
        {device.name && <div className="mono">{device.aeTitle}</div>}
      </Table.Td>
      <Table.Td>
        {device.address ? (
          <span className="mono">{device.address}</span>
        ) : (
          <MissingValue text={t('ui.devices.anyAddress')} />
        )}
      </Table.Td>
      <Table.Td>{device.modality}</Table.Td>
      <Table.Td>
        {device.characterSet ? (
          <span title={device.characterSet}>
            {t(`ui.devices.characterSets.${device.characterSet}`)}
          </span>
        ) : (
          <MissingValue text={t('ui.devices.byRow')} />
        )}
      </Table.Td>
      <Table.Td>
        <TimeAgo instant={device.lastSeenAt} />
        {device.lastAddress && <div className="mono">{device.lastAddress}</div>}
      </Table.Td>
      <Table.Td>
        <Tools device={device} {...managing} />
      </Table.Td>
    </Table.Tr>
  )
}

const MissingValue = ({ text }: { text: string }) => (
  <Text fz="sm" c="dimmed">
    {text}
  </Text>
)

const TEXT_BUTTON = { size: 'compact-sm', variant: 'subtle' } as const

function Tools({
  device,
  mayManage,
  onEdit,
  onCheck,
  onRemove,
}: DeviceActions & { readonly device: Device }) {
  const name = nameOf(device)
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <Tooltip label={t('ui.devices.ask', { name })}>
        <ActionIcon
          aria-label={t('ui.devices.ask', { name })}
          renderRoot={(root) => (
            <Link to="/worklist/ask" search={{ device: device.deviceId }} {...root} />
          )}
        >
          <IconBuildingHospital size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('ui.devices.queries', { name })}>
        <ActionIcon
          aria-label={t('ui.devices.queries', { name })}
          renderRoot={(root) => (
            <Link to="/queries" search={{ aeTitle: device.aeTitle }} {...root} />
          )}
        >
          <IconListSearch size={17} />
        </ActionIcon>
      </Tooltip>
      {mayManage && (
        <>
          <Button
            {...TEXT_BUTTON}
            aria-label={t('ui.devices.visit.open', { name })}
            leftSection={<IconTool size={17} />}
            renderRoot={(root) => (
              <Link to="/devices/$deviceId" params={{ deviceId: device.deviceId }} {...root} />
            )}
          >
            {t('ui.devices.acts.visit')}
          </Button>
          <Button
            {...TEXT_BUTTON}
            aria-label={t('ui.devices.check', { name })}
            leftSection={<IconStethoscope size={17} />}
            onClick={() => onCheck(device)}
          >
            {t('ui.devices.acts.check')}
          </Button>
          <Button
            {...TEXT_BUTTON}
            aria-label={t('ui.devices.edit', { name })}
            leftSection={<IconPencil size={17} />}
            onClick={() => onEdit(device)}
          >
            {t('ui.devices.acts.edit')}
          </Button>
          <IconAction
            icon={IconTrash}
            label={t('ui.devices.remove', { name })}
            onClick={() => onRemove(device)}
          />
        </>
      )}
    </Group>
  )
}
