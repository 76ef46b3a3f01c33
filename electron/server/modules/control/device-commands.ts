import { z } from 'zod'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import {
  addDevice,
  approveCaller,
  changeDevice,
  removeDevice,
} from '#server/modules/devices/devices.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { DevicePatch, NewDevice, type UnknownCaller } from '#shared/contract/devices.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
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

const Approval = NewDevice.pick({ name: true, modality: true, retrieval: true }).extend({
  address: z
    .string()
    .optional()
    .describe('Address of the caller, if several unknown devices use this AE title'),
  anyAddress: z
    .boolean()
    .default(false)
    .describe('Whether the device may connect from any address, not only from this one'),
})
const approving = schemaOptions(Approval)

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
  'device unknown': {
    usage: '[--json]',
    about:
      'print the unknown devices that have connected as a table, with the services that they requested',
    options: LIST_OPTIONS,
    run(context, { arguments: words, options }) {
      requireNoArguments('device unknown', words)
      const all = listUnknownCallers(context.database)
      if (options.json === true) return JSON.stringify(all)
      return formatTable(
        ['AE TITLE', 'ADDRESS', 'CALLED', 'ATTEMPTS', 'FIRST', 'LAST', 'REQUESTED'],
        all.map((caller) => [
          ...[caller.aeTitle, caller.address, caller.calledAeTitle, String(caller.attempts)],
          ...[caller.firstAt, caller.lastAt, caller.services.join(', ')],
        ]),
      )
    },
  },
  'device approve': {
    usage: 'AE_TITLE [OPTION …]',
    about: 'add an unknown device that has connected to the device list, and print its id',
    options: approving.options,
    run(context, { arguments: words, options }) {
      const { address, ...approval } = approving.read(options)
      const caller = requireCaller(words, listUnknownCallers(context.database), address)
      return approving.withOptionNames(() =>
        approveCaller(context, { ...approval, ...caller }, ACTOR),
      ).deviceId
    },
  },
}

/**
 * The unknown device with this AE title, and with this address if one is given.
 * @throws ApiError malformed if there is not exactly one argument; not-found; refused if several
 *   devices use the AE title
 */
function requireCaller(
  words: readonly string[],
  callers: readonly UnknownCaller[],
  address: string | undefined,
): Pick<UnknownCaller, 'aeTitle' | 'address'> {
  const [word] = words
  if (word === undefined || words.length > 1)
    throw new ApiError(
      'malformed',
      verbatim('device approve takes one AE title. device unknown shows them.'),
    )
  const found = callers.filter(
    (caller) =>
      aeTitleKey(caller.aeTitle) === aeTitleKey(word) &&
      (address === undefined || caller.address === address),
  )
  const [only] = found
  if (!only)
    throw new ApiError(
      'not-found',
      verbatim(
        `No unknown device “${word}”${address === undefined ? '' : ` at ${address}`} has connected. device unknown shows them.`,
      ),
    )
  if (found.length > 1)
    throw new ApiError(
      'refused',
      verbatim(
        `${found.length} unknown devices use the AE title “${word}”: name one by --address, as device unknown shows it.`,
      ),
    )
  return { aeTitle: only.aeTitle, address: only.address }
}
