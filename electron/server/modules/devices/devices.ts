import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { perDatabase } from '#server/database/database.ts'
import { type AddressRange, isInRange, readAddressRange } from '#server/platform/address-range.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import type { Device, DevicePatch, NewDevice, UnknownCaller } from '#shared/contract/devices.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import {
  deleteDevice,
  findDevice,
  insertDevice,
  listDevices,
  updateDevice,
  updateDeviceSeen,
} from './device-queries.ts'
import {
  deleteUnknownCaller,
  listUnknownCallers,
  noteUnknownCaller,
} from './unknown-caller-queries.ts'

const SEEN_EVERY_MS = 60_000

interface AtHost {
  readonly isListed: boolean
  readonly isKnown: boolean
}

/* The clinic's devices, and the callers that are not among them. */

/** Hosts whose answer is remembered until the list changes. */
const MOST_HOSTS = 1000

interface Known {
  readonly device: Device
  /** Undefined: any address. */
  readonly range: AddressRange | undefined
}

/** What is remembered of the devices of a database. */
const memoryOf = perDatabase(() => ({
  index: undefined as Map<string, Known[]> | undefined,
  /** When each device was last noted as seen, milliseconds. */
  seen: new Map<string, number>(),
  hosts: new Map<string, AtHost>(),
  /** The index that `hosts` was filled from. */
  hostsOf: undefined as Map<string, Known[]> | undefined,
}))

/**
 * @throws ApiError refused: another device has that AE title and address; malformed: no such
 *   address
 */
export function addDevice(context: Context, device: NewDevice, actor: Actor): Device {
  return change(context, () => {
    const now = instantOf(context.clock())
    const made = checked(context, {
      deviceId: context.uuid(),
      ...device,
      createdAt: now,
      updatedAt: now,
      lastSeenAt: null,
      lastAddress: null,
    })
    insertDevice(context.database, made)
    forgetCallers(context)
    note(context, actor, 'device.add', made.deviceId, settingsOf(made))
    return made
  })
}

/** @throws ApiError as `add`, not-found */
export const changeDevice = (
  context: Context,
  deviceId: string,
  patch: DevicePatch,
  actor: Actor,
): Device =>
  change(context, () => {
    const before = existing(context, deviceId)
    const after = checked(context, { ...before, ...given(patch) })
    const detail = differences(settingsOf(before), settingsOf(after))
    if (Object.keys(detail).length === 0) return before
    const changed = { ...after, updatedAt: instantOf(context.clock()) }
    updateDevice(context.database, changed)
    forgetCallers(context)
    note(context, actor, 'device.update', deviceId, detail)
    return changed
  })

/** @throws ApiError not-found */
export const removeDevice = (context: Context, deviceId: string, actor: Actor): void =>
  change(context, () => {
    const device = existing(context, deviceId)
    deleteDevice(context.database, deviceId)
    note(context, actor, 'device.remove', deviceId, settingsOf(device))
  })

/**
 * The device that calls: by AE title, without padding and in any case, and the narrowest address
 * that holds the caller's. A device that is switched off is not recognised, and hides wider ones
 * of its AE title. From memory: microseconds; `lastSeenAt` and `lastAddress` in it may be old.
 */
export function recogniseDevice(
  context: Context,
  callingAeTitle: string,
  remoteAddress: string,
): Device | undefined {
  const device = calling(context, callingAeTitle, remoteAddress)
  return device?.isEnabled ? device : undefined
}

/** Whether the device that calls is in the list, but switched off. */
export const isDeviceSwitchedOff = (
  context: Context,
  callingAeTitle: string,
  remoteAddress: string,
): boolean => calling(context, callingAeTitle, remoteAddress)?.isEnabled === false

/**
 * Whether a device of the list is at this host (`hostOf`): by the address or the range entered
 * for it, or else by the one that it last called from.
 */
export const isDeviceHost = (context: Context, host: string): boolean =>
  atHost(context, host).isListed

/**
 * As `isDeviceHost`; of a device that was entered with a range, only where it last called from.
 */
export const isKnownDeviceHost = (context: Context, host: string): boolean =>
  atHost(context, host).isKnown

/** Whether a device of this AE title, at whatever address, has to come by TLS. */
export const isTitleOfTls = (context: Context, callingAeTitle: string): boolean =>
  known(context)
    .get(keyOf(callingAeTitle))
    ?.some(({ device }) => device.isEnabled && device.tls !== 'optional') ?? false

/** Notes when and whence it called, at most once a minute. */
export async function noteDeviceSeen(
  context: Context,
  deviceId: string,
  remoteAddress: string,
): Promise<void> {
  const now = context.clock()
  const memory = memoryOf(context.database)
  const { seen } = memory
  if (Math.abs(now - (seen.get(deviceId) ?? Number.NEGATIVE_INFINITY)) < SEEN_EVERY_MS) return
  seen.set(deviceId, now)
  const isElsewhere = await context.database.commitSoon(() => {
    const before = findDevice(context.database, deviceId)?.lastAddress
    updateDeviceSeen(context.database, deviceId, {
      lastSeenAt: instantOf(now),
      lastAddress: remoteAddress,
    })
    return before !== remoteAddress
  })
  if (isElsewhere) memory.index = undefined
}

export const noteCaller = (
  context: Context,
  call: Pick<UnknownCaller, 'aeTitle' | 'address' | 'calledAeTitle' | 'services'>,
): Promise<void> =>
  context.database.commitSoon(() =>
    noteUnknownCaller(context.database, { ...call, at: instantOf(context.clock()) }),
  )

/**
 * Makes a device of the caller and takes it off the inbox. @throws ApiError not-found, or as
 * `add`
 */
export const approveCaller = (
  context: Context,
  {
    aeTitle,
    address,
    name,
    modality,
    anyAddress,
  }: Pick<UnknownCaller, 'aeTitle' | 'address'> & {
    readonly name: string
    readonly modality: string | null
    /** The device may call from anywhere. */
    readonly anyAddress: boolean
  },
  actor: Actor,
): Device =>
  change(context, () => {
    if (!deleteUnknownCaller(context.database, aeTitle, address)) throw noCaller()
    return addDevice(
      context,
      { ...UNCHANGED, aeTitle, address: anyAddress ? null : address, name, modality },
      actor,
    )
  })

/** Takes the caller off the inbox until it calls again. @throws ApiError not-found */
export const dismissCaller = (
  context: Context,
  { aeTitle, address }: Pick<UnknownCaller, 'aeTitle' | 'address'>,
  actor: Actor,
): void =>
  context.database.transaction(() => {
    if (!deleteUnknownCaller(context.database, aeTitle, address)) throw noCaller()
    note(context, actor, 'caller.dismiss', `${aeTitle} ${address}`)
  })

function known(context: Context): Map<string, Known[]> {
  const memory = memoryOf(context.database)
  if (memory.index) return memory.index
  const made = indexOf(listDevices(context.database))
  // What an open transaction shows may yet be rolled back.
  if (!context.database.inTransaction) memory.index = made
  return made
}

const calling = (
  context: Context,
  aeTitle: string,
  address: string,
  among = known(context),
): Device | undefined =>
  among.get(keyOf(aeTitle))?.find(({ range }) => range === undefined || isInRange(range, address))
    ?.device

/** What `isDeviceHost` and `isKnownDeviceHost` answer; each accepted connection may ask. */
function atHost(context: Context, host: string): AtHost {
  const devices = known(context)
  const memory = memoryOf(context.database)
  const { hosts } = memory
  if (devices !== memory.hostsOf) {
    hosts.clear()
    memory.hostsOf = devices
  }
  const remembered = hosts.get(host)
  if (remembered) return remembered
  const at = [...devices.values()].flat().filter(({ device }) => device.isEnabled)
  const answer = {
    isListed: at.some((one) => isOf(one, host)),
    isKnown: at.some((one) => isLastAt(one, host)),
  }
  if (hosts.size >= MOST_HOSTS) hosts.clear()
  hosts.set(host, answer)
  return answer
}

function change<T>(context: Context, work: () => T): T {
  return context.database.transaction(() => {
    memoryOf(context.database).index = undefined
    return work()
  })
}

function checked(context: Context, device: Device): Device {
  // A caller of the inbox may have called itself anything.
  if (!AeTitle.safeParse(device.aeTitle).success)
    throw new ApiError('malformed', message('devices.ae-title-needed'), {
      errors: [{ path: 'body.aeTitle', message: message('values.ae-title') }],
    })
  const address = device.address === null ? null : readAddressRange(device.address)?.text
  if (address === undefined)
    throw new ApiError(
      'malformed',
      message('devices.no-such-address', { address: device.address ?? '' }),
      { errors: [{ path: 'body.address', message: message('devices.not-an-address') }] },
    )
  const twin = listDevices(context.database).find(
    (other) =>
      other.deviceId !== device.deviceId &&
      keyOf(other.aeTitle) === keyOf(device.aeTitle) &&
      other.address === address,
  )
  if (twin) {
    const { aeTitle, name } = twin
    const fault = message('devices.ae-title-of-another', { device: name || aeTitle })
    throw new ApiError(
      'refused',
      address === null
        ? message('devices.ae-title-taken', { aeTitle })
        : message('devices.ae-title-taken-at', { aeTitle, address }),
      { errors: [{ path: 'body.aeTitle', message: fault }] },
    )
  }
  return { ...device, address }
}

/** Who is let in from now on waits for nobody's approval. */
function forgetCallers(context: Context): void {
  const among = known(context)
  for (const { aeTitle, address } of listUnknownCallers(context.database)) {
    if (calling(context, aeTitle, address, among)?.isEnabled)
      deleteUnknownCaller(context.database, aeTitle, address)
  }
}

function existing(context: Context, deviceId: string): Device {
  const device = findDevice(context.database, deviceId)
  if (!device) throw new ApiError('not-found', message('devices.no-such-device'))
  return device
}

/** The fields that a patch has a value for. */
const given = (patch: DevicePatch) =>
  Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<NewDevice>

/** A device that leaves everything to the clinic's settings. */
const UNCHANGED = {
  isEnabled: true,
  characterSet: null,
  stationMode: 'echo',
  alwaysSendCharacterSet: false,
  daysBack: null,
  daysForward: null,
  maxRows: null,
  port: null,
  profile: 'standard',
  hideStarted: false,
  countsBytes: false,
  tls: 'optional',
  certificate: null,
} as const satisfies Partial<NewDevice>

const noCaller = () => new ApiError('not-found', message('devices.no-such-caller'))

// PS3.5 Table 6.2-1: padding of an AE title is not significant. Consoles are configured by hand:
// case is not either.
const keyOf = (aeTitle: string) => aeTitle.trim().toUpperCase()

/** A host of IPv6 is a whole network of 64 bits. */
const HOST_BITS = 64

function isOf({ device, range }: Known, host: string): boolean {
  if (!range) return device.lastAddress !== null && hostOf(device.lastAddress) === host
  // The first address of the host is outside a range within it: their networks are compared.
  if (range.prefix > HOST_BITS) return hostOf(range.text.replace(/\/.*/, '')) === host
  return isInRange(range, host.includes(':') ? `${host}::` : host)
}

function isLastAt(known: Known, host: string): boolean {
  const { device, range } = known
  const isOneHost = range && range.prefix >= (range.bits === 32 ? 32 : HOST_BITS)
  if (isOneHost) return isOf(known, host)
  return device.lastAddress !== null && hostOf(device.lastAddress) === host
}

function settingsOf(device: Device): NewDevice {
  const {
    deviceId: _,
    createdAt: __,
    updatedAt: ___,
    lastSeenAt: ____,
    lastAddress: _____,
    ...settings
  } = device
  return settings
}

function indexOf(devices: readonly Device[]): Map<string, Known[]> {
  const index = new Map<string, Known[]>()
  for (const device of devices) {
    const range = device.address === null ? undefined : readAddressRange(device.address)
    const group = index.get(keyOf(device.aeTitle)) ?? []
    group.push({ device, range })
    index.set(keyOf(device.aeTitle), group)
  }
  for (const group of index.values())
    group.sort((a, b) => (b.range?.prefix ?? -1) - (a.range?.prefix ?? -1))
  return index
}
