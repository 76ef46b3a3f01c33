import type { Context } from '#server/context.ts'
import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  AnsweredRequest,
  AssociationInfo,
  AssociationObserver,
  NegotiatedContexts,
  Rejection,
} from '#server/dicom/dimse/service.ts'
import { STATUS } from '#server/dicom/dimse/status.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { isFromThisPc } from '#server/platform/network-interfaces.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationCounts, AssociationTerms } from '#shared/contract/dashboard-activity.ts'
import { type Message, type MessageParam, message } from '#shared/messages/message.ts'
import type { AssociationLog } from './association-log.ts'
import { isCalledAeTitle, replaceInvisible } from './association-policy.ts'
import {
  isDeviceDisabled,
  recogniseDevice,
  recordDeviceSeen,
  recordUnknownCall,
} from './devices.ts'
import { retrievalRefusal } from './retrieval-rights.ts'

/**
 * Names the services of a proposal. If there are more than two storage SOP classes, they are
 * replaced by their number.
 */
function summarizeServices(services: readonly string[]): MessageParam {
  if (services.length === 0) return message('devices.nothing-offered')
  const storage = services.filter((name) => name.endsWith('Storage') || /^[\d.]+$/.test(name))
  if (storage.length <= 2) return services
  return [
    ...services.filter((name) => !storage.includes(name)),
    message('devices.storage-kinds', { count: storage.length }),
  ]
}

const statusMeaning = (status: number): MessageParam =>
  (STATUS as Readonly<Record<number, { readonly meaning: string }>>)[status]?.meaning ??
  message('devices.failed')

/** The counters that a request increments. */
function countersFor({
  commandField,
  status,
  responses,
  bytes,
}: AnsweredRequest): Partial<AssociationCounts> {
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

// PS3.7 Annex C: success, cancel and warning statuses are not failures.
const isFailure = (status: number): boolean =>
  status !== 0 &&
  status !== 0xfe00 &&
  (status & 0xf000) !== 0xb000 &&
  ![0x0001, 0x0107, 0x0116].includes(status)

function termsOf({ request, results }: NegotiatedContexts): AssociationTerms {
  const { maximumLength, implementationClassUid, implementationVersionName } = request.user
  return {
    ...{ maximumLength, implementationClassUid, implementationVersionName },
    contexts: request.presentationContexts.map(
      ({ id, abstractSyntax, transferSyntaxes }, index) => {
        const { result = 2, transferSyntax = '' } = results[index] ?? {}
        const agreedSyntax = result === 0 ? transferSyntax : ''
        return {
          id,
          abstractSyntax,
          name: nameOfUid(abstractSyntax),
          transferSyntaxes: [...transferSyntaxes],
          result,
          transferSyntax: agreedSyntax,
        }
      },
    ),
  }
}

/** Whether the gateway is retrieving studies (C-MOVE) from this caller. */
type IsRetrievingFrom = (callingAeTitle: string, remoteAddress: string) => boolean

/**
 * Records events of associations in the activity feed and the association log, and unknown callers
 * in the list of unknown devices.
 * @param isFetchedFrom a caller from which images are being retrieved is accepted without approval
 * @param ended called after an association has ended
 */
export function observeAssociations(
  context: Context,
  associationLog: AssociationLog,
  isFetchedFrom: IsRetrievingFrom,
  ended: (associationId: string, how: Parameters<AssociationObserver['closed']>[1]) => void,
): AssociationObserver {
  return {
    opened(association, services, negotiated) {
      recordOpened(context, associationLog, association, negotiated)
      addOpenedLine(context, association, services, isFetchedFrom)
      addRefusedRetrievalLine(context, association, negotiated)
      context.feed.noteStatus()
    },
    rejected(association, rejection, services) {
      recordOpened(context, associationLog, association)
      addRejectedLine(context, association, rejection, services)
      associationLog.closed(association.associationId, 'rejected', rejection.why)
    },
    answered(association, answer) {
      associationLog.counted(association.associationId, countersFor(answer))
      addAnsweredLine(context, association, answer)
    },
    closed(association, how) {
      context.feed.noteStatus()
      addClosedLine(context, association, how)
      if (!association) return
      associationLog.closed(association.associationId, how.kind, how.detail)
      ended(association.associationId, how)
    },
  }
}

function recordOpened(
  context: Context,
  associationLog: AssociationLog,
  association: AssociationInfo,
  negotiated?: NegotiatedContexts,
): void {
  const { associationId, callingAeTitle, calledAeTitle, remoteAddress, tls } = association
  associationLog.opened({
    ...{ associationId, address: remoteAddress, tls: tls?.protocol ?? '' },
    ...{
      aeTitle: replaceInvisible(callingAeTitle),
      calledAeTitle: replaceInvisible(calledAeTitle),
    },
    device: recogniseDevice(context, callingAeTitle, remoteAddress),
    terms: negotiated && (() => termsOf(negotiated)),
  })
}

function addOpenedLine(
  context: Context,
  association: AssociationInfo,
  services: readonly string[],
  isFetchedFrom: IsRetrievingFrom,
): void {
  const { callingAeTitle, calledAeTitle, remoteAddress } = association
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  if (device)
    void recordDeviceSeen(context, device.deviceId, remoteAddress).catch(
      failureLogger(context, 'the time of a device could not be recorded'),
    )
  else if (!isFetchedFrom(callingAeTitle, remoteAddress))
    recordUnknownDevice(context, association, services)
  const who = nameOf(context, association)
  const what = summarizeServices(services)
  if (isCalledAeTitle(context, calledAeTitle)) {
    addLine(context, association, 'opened', 'plain', message('devices.connected', { who, what }))
    return
  }
  const called = replaceInvisible(calledAeTitle) || message('devices.nobody')
  const aeTitle = context.settings.get('dimse.aeTitle')
  const text = message('devices.connected-to-another', { who, what, called, aeTitle })
  addLine(context, association, 'opened', 'warning', text)
}

/** Says why Query/Retrieve was refused to a caller that was accepted for other services. */
function addRefusedRetrievalLine(
  context: Context,
  association: AssociationInfo,
  { request }: NegotiatedContexts,
): void {
  const { callingAeTitle, remoteAddress } = association
  const refusal = retrievalRefusal(
    recogniseDevice(context, callingAeTitle, remoteAddress),
    request.presentationContexts.map(({ abstractSyntax }) => abstractSyntax),
  )
  if (!refusal) return
  const who = nameOf(context, association)
  const text = message('devices.retrieval-refused', { who, why: refusal.why })
  addLine(context, association, 'opened', 'warning', text)
}

function addRejectedLine(
  context: Context,
  association: AssociationInfo,
  { result, source, reason, why, isSentence }: Rejection,
  services: readonly string[],
): void {
  const { callingAeTitle: aeTitle, remoteAddress: address } = association
  // PS3.8 Table 9-21: calling AE title not recognized.
  if (source === 1 && reason === 3) recordUnknownDevice(context, association, services)
  const who = nameOf(context, association)
  const text = isSentence
    ? message('devices.refused-because', { who, why })
    : message('devices.refused', { who, why })
  addLine(context, association, 'rejected', 'danger', text)
  // Several causes have the same result, source and reason; the code distinguishes them.
  const { code } = why
  context.log.warn({ aeTitle, address, result, source, reason, code }, 'association rejected')
}

function addAnsweredLine(
  context: Context,
  association: AssociationInfo,
  { service, status, responses, ms }: AnsweredRequest,
): void {
  const { callingAeTitle: aeTitle, remoteAddress: address } = association
  const facts = {
    ...{ aeTitle, address, service, status: status.toString(16).padStart(4, '0') },
    ...{ responses, ms: Math.round(ms) },
  }
  const isSuccess = status === 0
  context.log[isSuccess ? 'debug' : 'info'](facts, 'answered')
  // The worklist module writes the entries for worklist queries.
  if (service !== 'Verification') return
  const who = nameOf(context, association)
  const text = isSuccess
    ? message('devices.echo-works', { who })
    : message('devices.echo-failed', { who, meaning: statusMeaning(status) })
  addLine(context, association, 'echo', isSuccess ? 'good' : 'warning', text)
}

function addClosedLine(
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

function recordUnknownDevice(
  context: Context,
  { callingAeTitle: aeTitle, remoteAddress: address, calledAeTitle }: AssociationInfo,
  services: readonly string[],
): void {
  // The gateway's self-test uses the gateway's own AE title.
  if (isCalledAeTitle(context, aeTitle) && isFromThisPc(address)) return
  // A disabled device is known, so there is nothing to approve.
  if (
    !aeTitle ||
    context.settings.get('dimse.allowUnknownDevices') ||
    isDeviceDisabled(context, aeTitle, address)
  )
    return
  void recordUnknownCall(context, {
    aeTitle,
    address,
    calledAeTitle,
    services: [...services],
  }).catch(failureLogger(context, 'an unknown caller could not be recorded'))
  context.feed.noteStatus()
}

/**
 * A disk fault is already logged elsewhere (`write-health.ts`), so it is logged only at debug level
 * here.
 */
const failureLogger =
  ({ log }: Context, message: string) =>
  (error: unknown): void =>
    log[diskFaultKind(error) === undefined ? 'error' : 'debug']({ err: error }, message)

function nameOf(
  context: Context,
  { callingAeTitle, remoteAddress }: AssociationInfo,
): string | Message {
  const device = recogniseDevice(context, callingAeTitle, remoteAddress)
  if (device?.name) return replaceInvisible(`${device.name} (${callingAeTitle})`)
  return replaceInvisible(callingAeTitle) || message('devices.unnamed-caller')
}

function addLine(
  { feed }: Context,
  association: Pick<AssociationInfo, 'remoteAddress'> & Partial<AssociationInfo>,
  kind: FeedLine['kind'],
  tone: FeedLine['tone'],
  text: Message,
): void {
  const { associationId = '', callingAeTitle = '', remoteAddress: address } = association
  const aeTitle = replaceInvisible(callingAeTitle)
  feed.append({ associationId, kind, tone, aeTitle, address, text, inspectionId: null })
}
