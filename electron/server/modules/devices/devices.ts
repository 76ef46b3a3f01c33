import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { perDatabase } from '#server/database/database.ts'
import { type AddressRange, isInRange, readAddressRange } from '#server/platform/address-range.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import type {
  Device,
  DevicePatch,
  NewDevice,
  RetrievalRight,
  UnknownCaller,
} from '#shared/contract/devices.ts'
import { AeTitle, aeTitleKey } from '#shared/dicom-values.ts'
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
  upsertUnknownCaller,
} from './unknown-caller-queries.ts'

const SEEN_INTERVAL_MS = 60_000

interface HostMatch {
  readonly isListed: boolean
  readonly isKnown: boolean
}

// The devices of the clinic, and unknown callers.

/** Hosts whose result is cached until the device list changes. */
const MAX_HOSTS = 1000

interface IndexedDevice {
  readonly device: Device
  /** `undefined` for any address. */
  readonly range: AddressRange | undefined
}

/** Cached information about the devices of a database. */
const cacheOf = perDatabase(() => ({
  index: undefined as Map<string, IndexedDevice[]> | undefined,
  /** When each device was last recorded as seen (ms). */
  seen: new Map<string, number>(),
  hosts: new Map<string, HostMatch>(),
  /** The index from which `hosts` was computed. */
  hostsOf: undefined as Map<string, IndexedDevice[]> | undefined,
}))

/**
 * Adds a device.
 * @throws ApiError refused if another device has this AE title and address; malformed if the AE
 *   title or the address is invalid
 */
export function addDevice(context: Context, device: NewDevice, actor: Actor): Device {
  return change(context, () => {
    const now = instantOf(context.clock())
    const newDevice = validated(context, {
      deviceId: context.uuid(),
      ...device,
      createdAt: now,
      updatedAt: now,
      lastSeenAt: null,
      lastAddress: null,
    })
    insertDevice(context.database, newDevice)
    removeKnownCallers(context)
    note(context, actor, 'device.add', newDevice.deviceId, settingsOf(newDevice))
    return newDevice
  })
}

/**
 * Updates a device.
 * @throws ApiError as `addDevice`; not-found
 */
export const changeDevice = (
  context: Context,
  deviceId: string,
  patch: DevicePatch,
  actor: Actor,
): Device =>
  change(context, () => {
    const before = requireDevice(context, deviceId)
    const after = validated(context, { ...before, ...given(patch) })
    const detail = differences(settingsOf(before), settingsOf(after))
    if (Object.keys(detail).length === 0) return before
    const changed = { ...after, updatedAt: instantOf(context.clock()) }
    updateDevice(context.database, changed)
    removeKnownCallers(context)
    note(context, actor, 'device.update', deviceId, detail)
    return changed
  })

/**
 * Deletes a device.
 * @throws ApiError not-found
 */
export const removeDevice = (context: Context, deviceId: string, actor: Actor): void =>
  change(context, () => {
    const device = requireDevice(context, deviceId)
    deleteDevice(context.database, deviceId)
    note(context, actor, 'device.remove', deviceId, settingsOf(device))
  })

/**
 * Finds the device with this AE title (ignoring padding and case) and the narrowest matching
 * address range. A disabled device is not returned, and also hides devices with wider ranges. Reads
 * a cache, so it takes microseconds; `lastSeenAt` and `lastAddress` of the result may be out of
 * date.
 */
export function recogniseDevice(
  context: Context,
  callingAeTitle: string,
  remoteAddress: string,
): Device | undefined {
  const device = findCallingDevice(context, callingAeTitle, remoteAddress)
  return device?.isEnabled ? device : undefined
}

/** Whether the caller is a device that is disabled. */
export const isDeviceDisabled = (
  context: Context,
  callingAeTitle: string,
  remoteAddress: string,
): boolean => findCallingDevice(context, callingAeTitle, remoteAddress)?.isEnabled === false

/**
 * Whether a device is at this host (see `hostOf`): by its configured address or range or, if it has
 * none, by the address of its last association.
 */
export const isDeviceHost = (context: Context, host: string): boolean =>
  hostMatch(context, host).isListed

/**
 * Like `isDeviceHost`, but a device with an address range only matches by the address of its last
 * association.
 */
export const isKnownDeviceHost = (context: Context, host: string): boolean =>
  hostMatch(context, host).isKnown

/** Whether any device with this AE title must use TLS. */
export const requiresTls = (context: Context, callingAeTitle: string): boolean =>
  deviceIndex(context)
    .get(aeTitleKey(callingAeTitle))
    ?.some(({ device }) => device.isEnabled && device.tls !== 'optional') ?? false

/** Records the time and address of an association, at most once a minute. */
export async function recordDeviceSeen(
  context: Context,
  deviceId: string,
  remoteAddress: string,
): Promise<void> {
  const now = context.clock()
  const cache = cacheOf(context.database)
  const { seen } = cache
  if (Math.abs(now - (seen.get(deviceId) ?? Number.NEGATIVE_INFINITY)) < SEEN_INTERVAL_MS) return
  seen.set(deviceId, now)
  const hasNewAddress = await context.database.commitSoon(() => {
    const before = findDevice(context.database, deviceId)?.lastAddress
    updateDeviceSeen(context.database, deviceId, {
      lastSeenAt: instantOf(now),
      lastAddress: remoteAddress,
    })
    return before !== remoteAddress
  })
  if (hasNewAddress) cache.index = undefined
}

export const recordUnknownCall = (
  context: Context,
  call: Pick<UnknownCaller, 'aeTitle' | 'address' | 'calledAeTitle' | 'services'>,
): Promise<void> =>
  context.database.commitSoon(() =>
    upsertUnknownCaller(context.database, { ...call, at: instantOf(context.clock()) }),
  )

/**
 * Turns an unknown caller into a device.
 * @throws ApiError as `addDevice`; not-found
 */
export const approveCaller = (
  context: Context,
  {
    aeTitle,
    address,
    name,
    modality,
    anyAddress,
    retrieval = 'none',
  }: Pick<UnknownCaller, 'aeTitle' | 'address'> & {
    readonly name: string
    readonly modality: string | null
    /** Whether the device may connect from any address. */
    readonly anyAddress: boolean
    readonly retrieval?: RetrievalRight | undefined
  },
  actor: Actor,
): Device =>
  change(context, () => {
    if (!deleteUnknownCaller(context.database, aeTitle, address)) throw noSuchCallerError()
    return addDevice(
      context,
      {
        ...{ ...DEFAULT_SETTINGS, aeTitle, name, modality, retrieval },
        address: anyAddress ? null : address,
      },
      actor,
    )
  })

/**
 * Removes the caller from the list until it calls again.
 * @throws ApiError not-found
 */
export const dismissCaller = (
  context: Context,
  { aeTitle, address }: Pick<UnknownCaller, 'aeTitle' | 'address'>,
  actor: Actor,
): void =>
  context.database.transaction(() => {
    if (!deleteUnknownCaller(context.database, aeTitle, address)) throw noSuchCallerError()
    note(context, actor, 'caller.dismiss', `${aeTitle} ${address}`)
  })

function deviceIndex(context: Context): Map<string, IndexedDevice[]> {
  const cache = cacheOf(context.database)
  if (cache.index) return cache.index
  const newIndex = indexByAeTitle(listDevices(context.database))
  // Changes of an open transaction may still be rolled back, so they are not cached.
  if (!context.database.inTransaction) cache.index = newIndex
  return newIndex
}

const findCallingDevice = (
  context: Context,
  aeTitle: string,
  address: string,
  among = deviceIndex(context),
): Device | undefined =>
  among
    .get(aeTitleKey(aeTitle))
    ?.find(({ range }) => range === undefined || isInRange(range, address))?.device

/** Cached, because it may be called for each accepted connection. */
function hostMatch(context: Context, host: string): HostMatch {
  const devices = deviceIndex(context)
  const cache = cacheOf(context.database)
  const { hosts } = cache
  if (devices !== cache.hostsOf) {
    hosts.clear()
    cache.hostsOf = devices
  }
  const remembered = hosts.get(host)
  if (remembered) return remembered
  const at = [...devices.values()].flat().filter(({ device }) => device.isEnabled)
  const answer = {
    isListed: at.some((one) => matchesHost(one, host)),
    isKnown: at.some((one) => matchesLastHost(one, host)),
  }
  if (hosts.size >= MAX_HOSTS) hosts.clear()
  hosts.set(host, answer)
  return answer
}

function change<T>(context: Context, work: () => T): T {
  return context.database.transaction(() => {
    cacheOf(context.database).index = undefined
    return work()
  })
}

function validated(context: Context, device: Device): Device {
  // An unknown caller may have an invalid AE title.
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
  const duplicate = listDevices(context.database).find(
    (other) =>
      other.deviceId !== device.deviceId &&
      aeTitleKey(other.aeTitle) === aeTitleKey(device.aeTitle) &&
      other.address === address,
  )
  if (duplicate) {
    const { aeTitle, name } = duplicate
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

/** Removes unknown callers that are known devices now. */
function removeKnownCallers(context: Context): void {
  const among = deviceIndex(context)
  for (const { aeTitle, address } of listUnknownCallers(context.database)) {
    if (findCallingDevice(context, aeTitle, address, among)?.isEnabled)
      deleteUnknownCaller(context.database, aeTitle, address)
  }
}

function requireDevice(context: Context, deviceId: string): Device {
  const device = findDevice(context.database, deviceId)
  if (!device) throw new ApiError('not-found', message('devices.no-such-device'))
  return device
}

/** The fields of a patch that have a value. */
const given = (patch: DevicePatch) =>
  Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<NewDevice>

/** The settings of a device that uses all of the clinic's defaults. */
const DEFAULT_SETTINGS = {
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

const noSuchCallerError = () => new ApiError('not-found', message('devices.no-such-caller'))

/** An IPv6 host is identified by its 64-bit network prefix. */
const HOST_BITS = 64

function matchesHost({ device, range }: IndexedDevice, host: string): boolean {
  if (!range) return device.lastAddress !== null && hostOf(device.lastAddress) === host
  // The range is narrower than the host's network, so the networks are compared.
  if (range.prefix > HOST_BITS) return hostOf(range.text.replace(/\/.*/, '')) === host
  return isInRange(range, host.includes(':') ? `${host}::` : host)
}

function matchesLastHost(entry: IndexedDevice, host: string): boolean {
  const { device, range } = entry
  const isOneHost = range && range.prefix >= (range.bits === 32 ? 32 : HOST_BITS)
  if (isOneHost) return matchesHost(entry, host)
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

function indexByAeTitle(devices: readonly Device[]): Map<string, IndexedDevice[]> {
  const index = new Map<string, IndexedDevice[]>()
  for (const device of devices) {
    const range = device.address === null ? undefined : readAddressRange(device.address)
    const group = index.get(aeTitleKey(device.aeTitle)) ?? []
    group.push({ device, range })
    index.set(aeTitleKey(device.aeTitle), group)
  }
  for (const group of index.values())
    group.sort((a, b) => (b.range?.prefix ?? -1) - (a.range?.prefix ?? -1))
  return index
}
