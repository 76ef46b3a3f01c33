import { type Actor, type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { type AddressRange, isInRange, readAddressRange } from '#server/platform/address-range.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import type { Device, DevicePatch, NewDevice, UnknownCaller } from '#shared/contract/devices.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { ApiError } from '#shared/errors.ts'

const SEEN_EVERY_MS = 60_000

interface AtHost {
  readonly isListed: boolean
  readonly isKnown: boolean
}

/** The clinic's devices, and the callers that are not among them. */
export interface Devices {
  list(): Device[]
  find(deviceId: string): Device | undefined
  /**
   * @throws ApiError refused: another device has that AE title and address; malformed: no such
   *   address
   */
  add(device: NewDevice, actor: Actor): Device
  /** @throws ApiError as `add`, not-found */
  update(deviceId: string, patch: DevicePatch, actor: Actor): Device
  /** @throws ApiError not-found */
  remove(deviceId: string, actor: Actor): void
  /**
   * The device that calls: by AE title, without padding and in any case, and the narrowest address
   * that holds the caller's. A device that is switched off is not recognised, and hides wider ones
   * of its AE title. From memory: microseconds; `lastSeenAt` and `lastAddress` in it may be old.
   */
  recogniseDevice(callingAeTitle: string, remoteAddress: string): Device | undefined
  /** Whether the device that calls is in the list, but switched off. */
  isSwitchedOff(callingAeTitle: string, remoteAddress: string): boolean
  /**
   * Whether a device of the list is at this host (`hostOf`): by the address or the range entered
   * for it, or else by the one that it last called from.
   */
  isDeviceHost(host: string): boolean
  /**
   * As `isDeviceHost`; of a device that was entered with a range, only where it last called from.
   */
  isKnownDeviceHost(host: string): boolean
  /** Whether a device of this AE title, at whatever address, has to come by TLS. */
  isTitleOfTls(callingAeTitle: string): boolean
  /** Notes when and whence it called, at most once a minute. */
  noteSeen(deviceId: string, remoteAddress: string): Promise<void>
  /** Newest call first. */
  callers(): UnknownCaller[]
  noteCaller(
    call: Pick<UnknownCaller, 'aeTitle' | 'address' | 'calledAeTitle' | 'services'>,
  ): Promise<void>
  /**
   * Makes a device of the caller and takes it off the inbox. @throws ApiError not-found, or as
   * `add`
   */
  approveCaller(
    caller: Pick<UnknownCaller, 'aeTitle' | 'address'> & {
      readonly name: string
      readonly modality: string | null
      /** The device may call from anywhere. */
      readonly anyAddress: boolean
    },
    actor: Actor,
  ): Device
  /** Takes the caller off the inbox until it calls again. @throws ApiError not-found */
  dismissCaller(caller: Pick<UnknownCaller, 'aeTitle' | 'address'>, actor: Actor): void
}

/** Hosts whose answer is remembered until the list changes. */
const MOST_HOSTS = 1000

interface Known {
  readonly device: Device
  /** Undefined: any address. */
  readonly range: AddressRange | undefined
}

export function openDevices(deps: DomainDeps): Devices {
  const { store, clock, uuid } = deps
  const { database } = store
  const seen = new Map<string, number>()
  let index: Map<string, Known[]> | undefined
  const hosts = new Map<string, AtHost>()
  /** The index that `hosts` was filled from. */
  let hostsOf: Map<string, Known[]> | undefined

  function known(): Map<string, Known[]> {
    if (index) return index
    const made = indexOf(store.devices.list())
    // What an open transaction shows may yet be rolled back.
    if (!database.inTransaction) index = made
    return made
  }

  const calling = (aeTitle: string, address: string, among = known()): Device | undefined =>
    among.get(keyOf(aeTitle))?.find(({ range }) => range === undefined || isInRange(range, address))
      ?.device

  /** What `isDeviceHost` and `isKnownDeviceHost` answer; each accepted connection may ask. */
  function atHost(host: string): AtHost {
    const devices = known()
    if (devices !== hostsOf) {
      hosts.clear()
      hostsOf = devices
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

  function change<T>(work: () => T): T {
    return database.transaction(() => {
      index = undefined
      return work()
    })
  }

  function checked(device: Device): Device {
    // A caller of the inbox may have called itself anything.
    if (!AeTitle.safeParse(device.aeTitle).success)
      throw new ApiError(
        'malformed',
        'A device needs an AE title of 1 to 16 ASCII characters without a backslash.',
        {
          errors: [
            {
              path: 'body.aeTitle',
              message: 'must be 1 to 16 ASCII characters without a backslash',
            },
          ],
        },
      )
    const address = device.address === null ? null : readAddressRange(device.address)?.text
    if (address === undefined)
      throw new ApiError('malformed', `${device.address} is not an address.`, {
        errors: [
          {
            path: 'body.address',
            message: 'must be an IP address or a CIDR range such as 10.0.3.0/24',
          },
        ],
      })
    const twin = store.devices
      .list()
      .find(
        (other) =>
          other.deviceId !== device.deviceId &&
          keyOf(other.aeTitle) === keyOf(device.aeTitle) &&
          other.address === address,
      )
    if (twin)
      throw new ApiError(
        'refused',
        `Another device has the AE title ${twin.aeTitle}${address === null ? '' : ` at ${address}`} already.`,
        {
          errors: [
            {
              path: 'body.aeTitle',
              message: `must differ from that of ${twin.name || twin.aeTitle}, or have another address`,
            },
          ],
        },
      )
    return { ...device, address }
  }

  /** Who is let in from now on waits for nobody's approval. */
  function forgetCallers(): void {
    const among = known()
    for (const { aeTitle, address } of store.callers.list()) {
      if (calling(aeTitle, address, among)?.isEnabled) store.callers.remove(aeTitle, address)
    }
  }

  function existing(deviceId: string): Device {
    const device = store.devices.get(deviceId)
    if (!device) throw new ApiError('not-found', 'There is no such device.')
    return device
  }

  function add(device: NewDevice, actor: Actor): Device {
    return change(() => {
      const now = instantOf(clock())
      const made = checked({
        deviceId: uuid(),
        ...device,
        createdAt: now,
        updatedAt: now,
        lastSeenAt: null,
        lastAddress: null,
      })
      store.devices.insert(made)
      forgetCallers()
      note(deps.store, actor, 'device.add', made.deviceId, settingsOf(made))
      return made
    })
  }

  return {
    list: () => store.devices.list(),
    find: (deviceId) => store.devices.get(deviceId),
    add,
    update: (deviceId, patch, actor) =>
      change(() => {
        const before = existing(deviceId)
        const after = checked({ ...before, ...given(patch) })
        const detail = differences(settingsOf(before), settingsOf(after))
        if (Object.keys(detail).length === 0) return before
        const changed = { ...after, updatedAt: instantOf(clock()) }
        store.devices.update(changed)
        forgetCallers()
        note(deps.store, actor, 'device.update', deviceId, detail)
        return changed
      }),
    remove: (deviceId, actor) =>
      change(() => {
        const device = existing(deviceId)
        store.devices.remove(deviceId)
        note(deps.store, actor, 'device.remove', deviceId, settingsOf(device))
      }),

    recogniseDevice(callingAeTitle, remoteAddress) {
      const device = calling(callingAeTitle, remoteAddress)
      return device?.isEnabled ? device : undefined
    },
    isSwitchedOff: (callingAeTitle, remoteAddress) =>
      calling(callingAeTitle, remoteAddress)?.isEnabled === false,
    isTitleOfTls: (callingAeTitle) =>
      known()
        .get(keyOf(callingAeTitle))
        ?.some(({ device }) => device.isEnabled && device.tls !== 'optional') ?? false,
    isDeviceHost: (host) => atHost(host).isListed,
    isKnownDeviceHost: (host) => atHost(host).isKnown,
    async noteSeen(deviceId, remoteAddress) {
      const now = clock()
      if (Math.abs(now - (seen.get(deviceId) ?? Number.NEGATIVE_INFINITY)) < SEEN_EVERY_MS) return
      seen.set(deviceId, now)
      const isElsewhere = await database.commitSoon(() => {
        const before = store.devices.get(deviceId)?.lastAddress
        store.devices.noteSeen(deviceId, { lastSeenAt: instantOf(now), lastAddress: remoteAddress })
        return before !== remoteAddress
      })
      if (isElsewhere) index = undefined
    },

    callers: () => store.callers.list(),
    noteCaller: (call) =>
      database.commitSoon(() => store.callers.note({ ...call, at: instantOf(clock()) })),
    approveCaller: ({ aeTitle, address, name, modality, anyAddress }, actor) =>
      change(() => {
        if (!store.callers.remove(aeTitle, address)) throw noCaller()
        return add(
          { ...UNCHANGED, aeTitle, address: anyAddress ? null : address, name, modality },
          actor,
        )
      }),
    dismissCaller: ({ aeTitle, address }, actor) =>
      database.transaction(() => {
        if (!store.callers.remove(aeTitle, address)) throw noCaller()
        note(deps.store, actor, 'caller.dismiss', `${aeTitle} ${address}`)
      }),
  }
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

const noCaller = () => new ApiError('not-found', 'There is no such caller in the inbox any more.')

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
