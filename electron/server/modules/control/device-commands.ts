import { listDevices } from '#server/modules/devices/device-queries.ts'
import { addDevice, changeDevice, removeDevice } from '#server/modules/devices/devices.ts'
import { DevicePatch, NewDevice } from '#shared/contract/devices.ts'
import type { DataCommand } from './command.ts'
import {
  ACTOR,
  findRecord,
  formatTable,
  LIST_OPTIONS,
  requireChange,
  requireNoArguments,
  usageOf,
  withoutDefaults,
} from './record-command.ts'
import { schemaOptions } from './schema-options.ts'

const addOptions = schemaOptions(NewDevice)
const changeOptions = schemaOptions(DevicePatch)

const RECORD_NAMES = { kind: 'device', id: 'deviceId', others: ['aeTitle', 'name'] } as const

/** Commands for devices. */
export const DEVICE_COMMANDS: Readonly<Record<string, DataCommand>> = {
  'device add': {
    usage: usageOf(addOptions.options),
    about: 'add a device and print its id',
    options: addOptions.options,
    run(context, { arguments: words, options }) {
      requireNoArguments('device add', words)
      const device = addOptions.read(options)
      return addOptions.withOptionNames(() => addDevice(context, device, ACTOR)).deviceId
    },
  },
  'device update': {
    usage: 'DEVICE [OPTION …]',
    about: 'change a device, named by its id, AE title or name; print its id',
    options: withoutDefaults(changeOptions.options),
    run(context, { arguments: words, options }) {
      const { deviceId } = findRecord(
        'device update',
        words,
        listDevices(context.database),
        RECORD_NAMES,
      )
      const patch = changeOptions.read(options)
      requireChange('device update', patch)
      return changeOptions.withOptionNames(() => changeDevice(context, deviceId, patch, ACTOR))
        .deviceId
    },
  },
  'device remove': {
    usage: 'DEVICE',
    about: 'remove a device, named by its id, AE title or name; print its id',
    options: {},
    run(context, { arguments: words }) {
      const { deviceId } = findRecord(
        'device remove',
        words,
        listDevices(context.database),
        RECORD_NAMES,
      )
      removeDevice(context, deviceId, ACTOR)
      return deviceId
    },
  },
  'device list': {
    usage: '[--json]',
    about: 'print the devices as a table',
    options: LIST_OPTIONS,
    run(context, { arguments: words, options }) {
      requireNoArguments('device list', words)
      const all = listDevices(context.database)
      if (options.json === true) return JSON.stringify(all)
      return formatTable(
        ['ID', 'AE TITLE', 'ADDRESS', 'MODALITY', 'NAME', 'ENABLED', 'LAST SEEN'],
        all.map((device) => [
          ...[device.deviceId, device.aeTitle, device.address ?? 'any', device.modality ?? '-'],
          ...[device.name || '-', device.isEnabled ? 'yes' : 'no', device.lastSeenAt ?? 'never'],
        ]),
      )
    },
  },
}
