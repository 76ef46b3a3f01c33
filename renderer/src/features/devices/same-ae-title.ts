import type { Device } from '#shared/contract/devices.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'

type Caller = Pick<Device, 'aeTitle' | 'address'> & { readonly deviceId?: string }

/** Another device with the AE title of the edited one; one of them accepts any address. */
export interface SameAeTitle {
  readonly other: Device
  /** The address of the one that does not accept any: its connections are recognised first. */
  readonly address: string
  /** Whether this is the address of the other one. */
  readonly isOfOther: boolean
}

/**
 * The devices that share the AE title of this one, where one of the two accepts any address: the
 * gateway takes a connection for the device whose address is given, and any other for the one
 * without an address. @param edited without an id for a new device
 */
export const withSameAeTitle = (edited: Caller, devices: readonly Device[]): SameAeTitle[] =>
  devices
    .filter(
      (other) =>
        other.deviceId !== edited.deviceId &&
        aeTitleKey(other.aeTitle) === aeTitleKey(edited.aeTitle),
    )
    .flatMap((other) => {
      if (edited.address === null)
        return other.address === null ? [] : { other, address: other.address, isOfOther: true }
      return other.address === null ? { other, address: edited.address, isOfOther: false } : []
    })
