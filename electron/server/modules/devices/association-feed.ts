import type { Context } from '#server/context.ts'
import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  Answered,
  AssociationInfo,
  AssociationObserver,
  Negotiated,
  Rejection,
} from '#server/dicom/dimse/service.ts'
import { STATUS } from '#server/dicom/dimse/status.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { isFromThisPc } from '#server/platform/network-interfaces.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationCounts, AssociationTerms } from '#shared/contract/dashboard-activity.ts'
import { type Message, type MessageParam, message } from '#shared/messages/message.ts'
import type { AssociationLog } from './association-log.ts'
import { isCalledAeTitle, visible } from './association-policy.ts'
import { isDeviceSwitchedOff, noteCaller, noteDeviceSeen, recogniseDevice } from './devices.ts'

/** More than two storage classes of one proposal are named by their number. */
function inShort(services: readonly string[]): MessageParam {
  if (services.length === 0) return message('devices.nothing-offered')
  const storage = services.filter((name) => name.endsWith('Storage') || /^[\d.]+$/.test(name))
  if (storage.length <= 2) return services
  return [
    ...services.filter((name) => !storage.includes(name)),
    message('devices.storage-kinds', { count: storage.length }),
  ]
}

const meaningOf = (status: number): MessageParam =>
  (STATUS as Readonly<Record<number, { readonly meaning: string }>>)[status]?.meaning ??
  message('devices.failed')

/** What was asked, counted. */
function countedOf({
  commandField,
  status,
  responses,
  bytes,
}: Answered): Partial<AssociationCounts> {
  const failures = isFailure(status) ? 1 : 0
  switch (commandField) {
    case COMMAND_FIELD['C-ECHO-RQ']:
      return { echoes: 1, failures }
    case COMMAND_FIELD['C-FIND-RQ']:
      return { queries: 1, exams: responses, failures }
    case COMMAND_FIELD['C-STORE-RQ']:
      return { instances: 1, bytes, failures }
    case COMMAND_FIELD['N-CREATE-RQ']:
    case COMMAND_FIELD['N-SET-RQ']:
      return { steps: 1, failures }
    case COMMAND_FIELD['N-ACTION-RQ']:
      return { commitments: 1, failures }
    default:
      return { failures }
  }
}

// PS3.7 Annex C: success, cancel, and warnings are no failures.
const isFailure = (status: number): boolean =>
  status !== 0 &&
  status !== 0xfe00 &&
  (status & 0xf000) !== 0xb000 &&
  ![0x0001, 0x0107, 0x0116].includes(status)

function termsOf({ request, results }: Negotiated): AssociationTerms {
  const { maximumLength, implementationClassUid, implementationVersionName } = request.user
  return {
    ...{ maximumLength, implementationClassUid, implementationVersionName },
    contexts: request.presentationContexts.map(
      ({ id, abstractSyntax, transferSyntaxes }, index) => {
        const { result = 2, transferSyntax = '' } = results[index] ?? {}
        const agreed = result === 0 ? transferSyntax : ''
        return {
          id,
          abstractSyntax,
          name: nameOfUid(abstractSyntax),
          transferSyntaxes: [...transferSyntaxes],
          result,
          transferSyntax: agreed,
        }
      },
    ),
  }
}

/** Whether studies are being fetched from this caller (C-MOVE). */
type IsFetchedFrom = (callingAeTitle: string, remoteAddress: string) => boolean

/**
 * What happens on the network as lines of the feed and the log, in plain words; unknown callers go
 * to the inbox.
 * @param isFetchedFrom a caller that images are fetched from is let in for that, and there is
 *   nothing to approve
 * @param ended called with each association that has ended
 */
export function observeAssociations(
  context: Context,
  associationLog: AssociationLog,
  isFetchedFrom: IsFetchedFrom,
  ended: (associationId: string, how: Parameters<AssociationObserver['closed']>[1]) => void,
): AssociationObserver {
  return {
    opened(association, services, negotiated) {
      begin(context, associationLog, association, negotiated)
      noteOpened(context, association, services, isFetchedFrom)
      context.feed.noteStatus()
    },
    rejected(association, rejection, services) {
      begin(context, associationLog, association)
      noteRejected(context, association, rejection, services)
      associationLog.closed(association.associationId, 'rejected', rejection.why)
    },
    answered(association, answer) {
      associationLog.counted(association.associationId, countedOf(answer))
      noteAnswered(context, association, answer)
    },
    closed(association, how) {
      context.feed.noteStatus()
      noteClosed(context, association, how)
      if (!association) return
      associationLog.closed(association.associationId, how.kind, how.detail)
      ended(association.associationId, how)
    },
  }
}

function begin(
  context: Context,
  associationLog: AssociationLog,
  association: AssociationInfo,
  negotiated?: Negotiated,
): void {
  const { associationId, callingAeTitle, calledAeTitle, remoteAddress, tls } = association
  associationLog.opened({
    ...{ associationId, address: remoteAddress, tls: tls?.protocol ?? '' },
    ...{ aeTitle: visible(callingAeTitle), calledAeTitle: visible(calledAeTitle) },
    device: recogniseDevice(context, callingAeTitle, remoteAddress),
    terms: negotiated && (() => termsOf(negotiated)),
  })
}

function noteOpened(
  context: Context,
  association: AssociationInfo,
  services: readonly string[],
  isFetchedFrom: IsFetchedFrom,
): void {
  const { callingAeTitle, calledAeTitle, remoteAddress } = association
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  if (device)
    void noteDeviceSeen(context, device.deviceId, remoteAddress).catch(
      failed(context, 'a device could not be noted as seen'),
    )
  else if (!isFetchedFrom(callingAeTitle, remoteAddress))
    noteUnknown(context, association, services)
  const who = nameOf(context, association)
  const what = inShort(services)
  if (isCalledAeTitle(context, calledAeTitle)) {
    addLine(context, association, 'opened', 'plain', message('devices.connected', { who, what }))
    return
  }
  const called = visible(calledAeTitle) || message('devices.nobody')
  const aeTitle = context.settings.get('dimse.aeTitle')
  const text = message('devices.connected-to-another', { who, what, called, aeTitle })
  addLine(context, association, 'opened', 'warning', text)
}

function noteRejected(
  context: Context,
  association: AssociationInfo,
  { result, source, reason, why, isSentence }: Rejection,
  services: readonly string[],
): void {
  const { callingAeTitle: aeTitle, remoteAddress: address } = association
  // PS3.8 Table 9-21: calling AE title not recognised.
  if (source === 1 && reason === 3) noteUnknown(context, association, services)
  const who = nameOf(context, association)
  const text = isSentence
    ? message('devices.refused-because', { who, why })
    : message('devices.refused', { who, why })
  addLine(context, association, 'rejected', 'danger', text)
  context.log.warn({ aeTitle, address, result, source, reason }, 'association rejected')
}

function noteAnswered(
  context: Context,
  association: AssociationInfo,
  { service, status, responses, ms }: Answered,
): void {
  const { callingAeTitle: aeTitle, remoteAddress: address } = association
  const facts = {
    ...{ aeTitle, address, service, status: status.toString(16).padStart(4, '0') },
    ...{ responses, ms: Math.round(ms) },
  }
  const isGood = status === 0
  context.log[isGood ? 'debug' : 'info'](facts, 'answered')
  // A worklist query has its own line, with its sentence, from the worklist.
  if (service !== 'Verification') return
  const who = nameOf(context, association)
  const text = isGood
    ? message('devices.echo-works', { who })
    : message('devices.echo-failed', { who, meaning: meaningOf(status) })
  addLine(context, association, 'echo', isGood ? 'good' : 'warning', text)
}

function noteClosed(
  context: Context,
  association: AssociationInfo | undefined,
  { kind, detail, remoteAddress }: Parameters<AssociationObserver['closed']>[1],
): void {
  if (!association) {
    const text = message('devices.nothing-asked', { address: remoteAddress, why: detail })
    addLine(context, { remoteAddress }, 'aborted', 'warning', text)
    return
  }
  const who = nameOf(context, association)
  if (kind === 'released')
    addLine(context, association, 'closed', 'plain', message('devices.closed', { who }))
  else {
    const text = message('devices.broke-off', { who, why: detail })
    addLine(context, association, 'aborted', 'warning', text)
  }
}

function noteUnknown(
  context: Context,
  { callingAeTitle: aeTitle, remoteAddress: address, calledAeTitle }: AssociationInfo,
  services: readonly string[],
): void {
  // Our own self-test calls by our own name.
  if (isCalledAeTitle(context, aeTitle) && isFromThisPc(address)) return
  // A device that is switched off is known: there is nothing to approve.
  if (
    !aeTitle ||
    context.settings.get('dimse.allowUnknownDevices') ||
    isDeviceSwitchedOff(context, aeTitle, address)
  )
    return
  void noteCaller(context, { aeTitle, address, calledAeTitle, services: [...services] }).catch(
    failed(context, 'an unknown caller could not be noted'),
  )
  context.feed.noteStatus()
}

/** Of a disk that takes no writes the log has one line already (`write-health.ts`). */
const failed =
  ({ log }: Context, message: string) =>
  (error: unknown): void =>
    log[diskFaultKind(error) === undefined ? 'error' : 'debug']({ err: error }, message)

function nameOf(
  context: Context,
  { callingAeTitle, remoteAddress }: AssociationInfo,
): string | Message {
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  if (device?.name) return visible(`${device.name} (${callingAeTitle})`)
  return visible(callingAeTitle) || message('devices.unnamed-caller')
}

function addLine(
  { feed }: Context,
  association: Pick<AssociationInfo, 'remoteAddress'> & Partial<AssociationInfo>,
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
): void {
  const { associationId = '', callingAeTitle = '', remoteAddress: address } = association
  const aeTitle = visible(callingAeTitle)
  feed.append({ associationId, kind, tone, aeTitle, address, text, inspectionId: null })
}
