import { X509Certificate } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { isStorageClass } from '#server/dicom/data-set/storage-uids.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import type {
  AssociationPolicy,
  AssociationRequest,
  Rejection,
  TlsPeer,
} from '#server/dicom/dimse/service.ts'
import type { Device } from '#shared/contract/devices.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { isDeviceSwitchedOff, isTitleOfTls, recogniseDevice } from './devices.ts'

// PS3.8 Table 9-21: the pairs of result, source and reason that this policy gives.
const CALLED_UNKNOWN = { result: 1, source: 1, reason: 7 } as const
const CALLING_UNKNOWN = { result: 1, source: 1, reason: 3 } as const
const NOT_SAID = { result: 1, source: 1, reason: 1 } as const
const LOCAL_LIMIT = { result: 2, source: 3, reason: 2 } as const

/** What every caller may do: a C-ECHO that works tells an installer that the network is right. */
const FOR_EVERYONE: readonly string[] = [SOP_CLASS.verification]

const isOfFetch = (uid: string): boolean => isStorageClass(uid, true) || FOR_EVERYONE.includes(uid)

type StorageFault = () => Message | null | undefined

/**
 * Who may associate: known devices by AE title and address; everyone for C-ECHO. How many is the
 * acceptor's to say.
 * @param storageFault why no images are taken now, one sentence; nothing where they are
 * @param isFetchedFrom whether studies are being fetched from this caller (C-MOVE): their images
 *   come from one that need be no device
 */
export const associationPolicy = (
  context: Context,
  storageFault: StorageFault,
  isFetchedFrom: (callingAeTitle: string, remoteAddress: string) => boolean,
): AssociationPolicy => ({
  decide(request) {
    const { callingAeTitle, remoteAddress, abstractSyntaxes } = request
    const reject = rejectionOfTitle(request, context)
    if (reject) return { reject }
    const device = recogniseDevice(context, callingAeTitle, remoteAddress)
    const why = device && certificateFault(device, request.tls)
    if (why !== undefined) return { reject: { ...NOT_SAID, why } }
    const noRoom = rejectionOfImages(abstractSyntaxes, storageFault)
    const taken = noRoom ? { reject: noRoom } : ({ accept: true } as const)
    if (device) return taken
    if (isFetchedFrom(callingAeTitle, remoteAddress))
      return noRoom ? taken : { accept: true, onlySopClasses: abstractSyntaxes.filter(isOfFetch) }
    const unlisted = whyUnlisted(context, callingAeTitle, remoteAddress)
    if (unlisted === NOT_LISTED && context.settings.get('dimse.allowUnknownDevices')) return taken
    if (abstractSyntaxes.every((uid) => FOR_EVERYONE.includes(uid)))
      return { accept: true, isUnlisted: true, onlySopClasses: FOR_EVERYONE }
    return { reject: { ...CALLING_UNKNOWN, why: unlisted } }
  },
})

const NOT_LISTED = message('devices.not-listed')

/** Why a caller that is no known device is none. */
function whyUnlisted(context: Context, callingAeTitle: string, remoteAddress: string): Message {
  if (isDeviceSwitchedOff(context, callingAeTitle, remoteAddress))
    return message('devices.switched-off')
  // A row sent names its caller as the station (0040,0001): that has to be an AE title (PS3.5 Table
  // 6.2-1).
  if (!AeTitle.safeParse(callingAeTitle).success) return message('devices.no-ae-title')
  // A device that proves itself by TLS cannot be imitated from another address either.
  return isTitleOfTls(context, callingAeTitle) ? message('devices.title-of-tls') : NOT_LISTED
}

/** A caller may call itself anything: what cannot be seen is not shown to a person. */
export const visible = (text: string): string => text.replace(/\p{C}/gu, '\ufffd')

/**
 * Whether the called AE title is this gateway's, compared as consoles write them: trimmed, in any
 * case.
 */
export const isCalledAeTitle = (context: Context, calledAeTitle: string): boolean =>
  calledAeTitle.toUpperCase() === context.settings.get('dimse.aeTitle').toUpperCase()

function rejectionOfTitle(request: AssociationRequest, context: Context): Rejection | undefined {
  if (
    context.settings.get('dimse.calledAePolicy') === 'warn' ||
    isCalledAeTitle(context, request.calledAeTitle)
  )
    return undefined
  return {
    ...CALLED_UNKNOWN,
    why: message('devices.called-another', {
      called: visible(request.calledAeTitle) || message('devices.nobody'),
      aeTitle: context.settings.get('dimse.aeTitle'),
    }),
  }
}

/**
 * Transient: a device tries again by itself. One that comes for something else
 * too, such as its worklist, is let in: there each image is answered A700.
 */
function rejectionOfImages(
  abstractSyntaxes: readonly string[],
  storageFault: StorageFault,
): Rejection | undefined {
  const wanted = abstractSyntaxes.filter((uid) => !FOR_EVERYONE.includes(uid))
  if (wanted.length === 0 || !wanted.every((uid) => isStorageClass(uid, true))) return undefined
  const why = storageFault()
  return why ? { ...LOCAL_LIMIT, why, isSentence: true } : undefined
}

/** Why the device may not come in this way (PS3.15 B.12); undefined where it may. */
function certificateFault(
  { tls: rule, certificate }: Pick<Device, 'tls' | 'certificate'>,
  tls: TlsPeer | undefined,
): Message | undefined {
  if (rule === 'optional') return undefined
  if (!tls) return message('devices.tls-required')
  if (rule === 'required') return undefined
  if (tls.fingerprint256 === undefined) return message('devices.certificate-missing')
  if (certificate === null)
    return tls.isTrusted ? undefined : message('devices.certificate-not-trusted')
  return fingerprintOf(certificate) === tls.fingerprint256
    ? undefined
    : message('devices.certificate-differs')
}

/** SHA-256; undefined where the text is no certificate, which no peer's can be equal to. */
function fingerprintOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256
  } catch {
    return undefined
  }
}
