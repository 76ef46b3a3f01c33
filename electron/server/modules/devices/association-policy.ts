import { isStorageClass } from '#server/dicom/data-set/storage-uids.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type {
  AssociationPolicy,
  AssociationRequest,
  Rejection,
} from '#server/dicom/dimse/service.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { certificateFault } from './device-certificate.ts'
import type { Devices } from './devices.ts'

// PS3.8 Table 9-21: the pairs of result, source and reason that this policy gives.
const CALLED_UNKNOWN = { result: 1, source: 1, reason: 7 } as const
const CALLING_UNKNOWN = { result: 1, source: 1, reason: 3 } as const
const NOT_SAID = { result: 1, source: 1, reason: 1 } as const
const LOCAL_LIMIT = { result: 2, source: 3, reason: 2 } as const

/**
 * What every caller may do: a C-ECHO that works tells an installer that the network is right
 * (dicom-field §4).
 */
const FOR_EVERYONE: readonly string[] = [SOP_CLASS.verification]

const isOfFetch = (uid: string): boolean => isStorageClass(uid, true) || FOR_EVERYONE.includes(uid)

/**
 * Who may associate: known devices by AE title and address; everyone for C-ECHO (dicom-field §4).
 * How many is the acceptor's to say.
 */
export function openAssociationPolicy({
  devices,
  settings,
  storageFault,
  isFetchedFrom,
}: {
  readonly devices: Devices
  readonly settings: Settings
  /** Why no images are taken now, one sentence; undefined where they are. */
  readonly storageFault: () => string | undefined
  /**
   * Whether studies are being fetched from this caller (C-MOVE): their images come from one that
   * need be no device.
   */
  readonly isFetchedFrom: (callingAeTitle: string, remoteAddress: string) => boolean
}): AssociationPolicy {
  return {
    decide(request) {
      const { callingAeTitle, remoteAddress, abstractSyntaxes } = request
      const reject = calledOf(request, settings)
      if (reject) return { reject }
      const device = devices.recogniseDevice(callingAeTitle, remoteAddress)
      const why = device && certificateFault(device, request.tls)
      if (why !== undefined) return { reject: { ...NOT_SAID, why } }
      const putOff = storageOf(abstractSyntaxes, storageFault)
      const taken = putOff ? { reject: putOff } : ({ accept: true } as const)
      if (device) return taken
      if (isFetchedFrom(callingAeTitle, remoteAddress))
        return putOff ? taken : { accept: true, onlySopClasses: abstractSyntaxes.filter(isOfFetch) }
      const isOff = devices.isSwitchedOff(callingAeTitle, remoteAddress)
      // A row sent names its caller as the station (0040,0001): that has to be an AE title (PS3.5
      // Table 6.2-1).
      const isNamed = AeTitle.safeParse(callingAeTitle).success
      // A device that proves itself by TLS cannot be imitated from another address either.
      const isOfTls = devices.isTitleOfTls(callingAeTitle)
      if (!isOff && isNamed && !isOfTls && settings.get('dimse.allowUnknownDevices')) return taken
      if (abstractSyntaxes.every((uid) => FOR_EVERYONE.includes(uid)))
        return { accept: true, isUnlisted: true, onlySopClasses: FOR_EVERYONE }
      const unknown = isOff
        ? 'this device is switched off in the device list'
        : !isNamed
          ? 'what it calls itself is no AE title'
          : isOfTls
            ? 'the device of this AE title has another address and comes by TLS only'
            : 'it is not in the device list'
      return { reject: { ...CALLING_UNKNOWN, why: unknown } }
    },
  }
}

/**
 * Whether the called AE title is this gateway's, compared as consoles write them: trimmed, in any
 * case.
 */
export const isCalledAeTitle = (settings: Settings, calledAeTitle: string): boolean =>
  calledAeTitle.toUpperCase() === settings.get('dimse.aeTitle').toUpperCase()

function calledOf(request: AssociationRequest, settings: Settings): Rejection | undefined {
  if (
    settings.get('dimse.calledAePolicy') === 'warn' ||
    isCalledAeTitle(settings, request.calledAeTitle)
  )
    return undefined
  return {
    ...CALLED_UNKNOWN,
    why: `it called ${request.calledAeTitle || 'nobody'}, this gateway is ${settings.get('dimse.aeTitle')}`,
  }
}

/**
 * Transient: a device tries again by itself (dicom-field §5.4). One that comes for something else
 * too, such as its worklist, is let in: there each image is answered A700.
 */
function storageOf(
  abstractSyntaxes: readonly string[],
  storageFault: () => string | undefined,
): Rejection | undefined {
  const wanted = abstractSyntaxes.filter((uid) => !FOR_EVERYONE.includes(uid))
  if (wanted.length === 0 || !wanted.every((uid) => isStorageClass(uid, true))) return undefined
  const why = storageFault()
  // It goes into a sentence of its own.
  return why === undefined ? undefined : { ...LOCAL_LIMIT, why: why.replace(/\.$/, '') }
}
