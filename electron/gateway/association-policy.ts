import { AeTitle } from '#shared/dicom-values.ts'
import type { AssociationPolicy, AssociationRequest, Rejection } from './dimse/service.ts'
import { SOP_CLASS } from './dimse/uids.ts'
import type { Devices } from './domain/devices.ts'
import type { Settings } from './domain/settings.ts'

// PS3.8 Table 9-21: the pairs of result, source and reason that this policy gives.
const CALLED_UNKNOWN = { result: 1, source: 1, reason: 7 } as const
const CALLING_UNKNOWN = { result: 1, source: 1, reason: 3 } as const

/** What every caller may do: a C-ECHO that works tells an installer that the network is right (dicom-field §4). */
const FOR_EVERYONE: readonly string[] = [SOP_CLASS.verification]

/** Who may associate: known devices by AE title and address; everyone for C-ECHO (dicom-field §4). How many is the acceptor's to say. */
export function openAssociationPolicy({
  devices,
  settings,
}: {
  readonly devices: Devices
  readonly settings: Settings
}): AssociationPolicy {
  return {
    decide(request) {
      const { callingAeTitle, remoteAddress, abstractSyntaxes } = request
      const reject = calledOf(request, settings)
      if (reject) return { reject }
      if (devices.recogniseDevice(callingAeTitle, remoteAddress)) return { accept: true }
      const isOff = devices.isSwitchedOff(callingAeTitle, remoteAddress)
      // A row sent names its caller as the station (0040,0001): that has to be an AE title (PS3.5 Table 6.2-1).
      const isNamed = AeTitle.safeParse(callingAeTitle).success
      if (!isOff && isNamed && settings.get('dimse.allowUnknownDevices')) return { accept: true }
      if (abstractSyntaxes.every((uid) => FOR_EVERYONE.includes(uid))) return { accept: true, onlySopClasses: FOR_EVERYONE }
      const why = isOff
        ? 'this device is switched off in the device list'
        : isNamed
          ? 'it is not in the device list'
          : 'what it calls itself is no AE title'
      return { reject: { ...CALLING_UNKNOWN, why } }
    },
  }
}

/** Whether the called AE title is this gateway's, compared as consoles write them: trimmed, in any case. */
export const isCalledAeTitle = (settings: Settings, calledAeTitle: string): boolean =>
  calledAeTitle.toUpperCase() === settings.get('dimse.aeTitle').toUpperCase()

function calledOf(request: AssociationRequest, settings: Settings): Rejection | undefined {
  if (settings.get('dimse.calledAePolicy') === 'warn' || isCalledAeTitle(settings, request.calledAeTitle)) return undefined
  return { ...CALLED_UNKNOWN, why: `it called ${request.calledAeTitle || 'nobody'}, this gateway is ${settings.get('dimse.aeTitle')}` }
}
