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
import { isDeviceDisabled, recogniseDevice, requiresTls } from './devices.ts'
import { retrievalRefusal } from './retrieval-rights.ts'

// Result, source and reason of the rejections that this policy issues (PS3.8 Table 9-21).
const CALLED_UNKNOWN = { result: 1, source: 1, reason: 7 } as const
const CALLING_UNKNOWN = { result: 1, source: 1, reason: 3 } as const
const NO_REASON_GIVEN = { result: 1, source: 1, reason: 1 } as const
const LOCAL_LIMIT = { result: 2, source: 3, reason: 2 } as const

/** SOP classes for every caller. A successful C-ECHO shows an installer that the network works. */
const SOP_CLASSES_FOR_ALL: readonly string[] = [SOP_CLASS.verification]

const isRetrievalClass = (uid: string): boolean =>
  isStorageClass(uid, true) || SOP_CLASSES_FOR_ALL.includes(uid)

const isConfirmation = (abstractSyntaxes: readonly string[]): boolean =>
  abstractSyntaxes.includes(SOP_CLASS.storageCommitmentPushModel) &&
  abstractSyntaxes.every(
    (uid) => uid === SOP_CLASS.storageCommitmentPushModel || SOP_CLASSES_FOR_ALL.includes(uid),
  )

type StorageFault = () => Message | null | undefined

/**
 * Accepts known devices by AE title and address, and everyone for C-ECHO. A device that may not
 * query or retrieve is rejected if it proposes nothing else; otherwise only those contexts are. The
 * acceptor limits the number of associations.
 * @param storageFault returns why images cannot be received, as one sentence; nothing if they can
 * @param isFetchedFrom whether studies are being retrieved (C-MOVE) from this caller, whose images
 *   are accepted even if it is not a device
 * @param confirms whether this caller is a destination that is asked for storage commitment, whose
 *   results are accepted even if it is not a device
 */
export const associationPolicy = (
  context: Context,
  storageFault: StorageFault,
  isFetchedFrom: (callingAeTitle: string, remoteAddress: string) => boolean,
  confirms: (callingAeTitle: string) => boolean = () => false,
): AssociationPolicy => ({
  decide(request) {
    const { callingAeTitle, remoteAddress, abstractSyntaxes } = request
    const reject = rejectionOfTitle(request, context)
    if (reject) return { reject }
    const device = recogniseDevice(context, callingAeTitle, remoteAddress)
    const why = device && certificateFault(device, request.tls)
    if (why !== undefined) return { reject: { ...NO_REASON_GIVEN, why } }
    const storageRejection = rejectionOfImages(abstractSyntaxes, storageFault)
    const decision = storageRejection
      ? { reject: storageRejection }
      : acceptanceOf(device, abstractSyntaxes)
    if (device) return decision
    if (isFetchedFrom(callingAeTitle, remoteAddress))
      return storageRejection
        ? decision
        : { accept: true, onlySopClasses: abstractSyntaxes.filter(isRetrievalClass) }
    if (isConfirmation(abstractSyntaxes) && confirms(callingAeTitle))
      return { accept: true, onlySopClasses: abstractSyntaxes }
    const unlisted = unlistedReason(context, callingAeTitle, remoteAddress)
    if (unlisted === NOT_LISTED_MESSAGE && context.settings.get('dimse.allowUnknownDevices'))
      return decision
    if (abstractSyntaxes.every((uid) => SOP_CLASSES_FOR_ALL.includes(uid)))
      return { accept: true, isUnlisted: true, onlySopClasses: SOP_CLASSES_FOR_ALL }
    return { reject: { ...CALLING_UNKNOWN, why: unlisted } }
  },
})

/** Accepts the caller for what it may use of what it proposed. */
function acceptanceOf(
  device: Device | undefined,
  abstractSyntaxes: readonly string[],
): ReturnType<AssociationPolicy['decide']> {
  const refusal = retrievalRefusal(device, abstractSyntaxes)
  if (!refusal) return { accept: true }
  return refusal.isRetrievalOnly
    ? { reject: { ...NO_REASON_GIVEN, why: refusal.why } }
    : { accept: true, onlySopClasses: refusal.allowed }
}

const NOT_LISTED_MESSAGE = message('devices.not-listed')

/** Why the caller is not a known device. */
function unlistedReason(context: Context, callingAeTitle: string, remoteAddress: string): Message {
  if (isDeviceDisabled(context, callingAeTitle, remoteAddress))
    return message('devices.switched-off')
  // Worklist responses contain the caller's title as Scheduled Station AE Title (0040,0001), which
  // must be a valid AE title (PS3.5 Table 6.2-1).
  if (!AeTitle.safeParse(callingAeTitle).success) return message('devices.no-ae-title')
  // A device that authenticates with TLS must not be impersonated from another address.
  return requiresTls(context, callingAeTitle) ? message('devices.title-of-tls') : NOT_LISTED_MESSAGE
}

/** Replaces invisible characters. A caller can use any AE title, and it is shown to users. */
export const replaceInvisible = (text: string): string => text.replace(/\p{C}/gu, '\ufffd')

/**
 * Whether the called AE title is the gateway's, ignoring padding and case, since modalities are
 * configured by hand.
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
      called: replaceInvisible(request.calledAeTitle) || message('devices.nobody'),
      aeTitle: context.settings.get('dimse.aeTitle'),
    }),
  }
}

/**
 * The rejection is transient, so the device tries again. A caller that also requests another
 * service, such as the worklist, is accepted; each of its images is refused with A700.
 */
function rejectionOfImages(
  abstractSyntaxes: readonly string[],
  storageFault: StorageFault,
): Rejection | undefined {
  const requested = abstractSyntaxes.filter((uid) => !SOP_CLASSES_FOR_ALL.includes(uid))
  if (requested.length === 0 || !requested.every((uid) => isStorageClass(uid, true)))
    return undefined
  const why = storageFault()
  return why ? { ...LOCAL_LIMIT, why, isSentence: true } : undefined
}

/** Why the device's TLS connection is not acceptable (PS3.15 B.12); `undefined` if it is. */
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

/**
 * SHA-256 fingerprint; `undefined` if the text is not a certificate, so that no peer matches it.
 */
function fingerprintOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint256
  } catch {
    return undefined
  }
}
