import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import type {
  Answered,
  AssociationInfo,
  AssociationObserver,
  Negotiated,
} from '#server/dicom/dimse/service.ts'
import { STATUS } from '#server/dicom/dimse/status.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { Log } from '#server/platform/log.ts'
import { isOfThisPc } from '#server/platform/network-interfaces.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { AssociationCounts, AssociationTerms } from '#shared/contract/dashboard-activity.ts'
import type { AssociationLog } from './association-log.ts'
import { isCalledAeTitle } from './association-policy.ts'
import type { Devices } from './devices.ts'

export interface AssociationFeedDeps {
  readonly feed: Feed
  /** Where connections are kept; it hears the lines of the feed too. */
  readonly associationLog: Pick<AssociationLog, 'opened' | 'counted' | 'closed'>
  readonly devices: Devices
  readonly settings: Settings
  readonly log: Log
  /**
   * Whether studies are being fetched from this caller (C-MOVE): it is let in for that, and there
   * is nothing to approve.
   */
  readonly isFetchedFrom: (callingAeTitle: string, remoteAddress: string) => boolean
}

/** More than two storage classes of one proposal are named by their number. */
function inShort(services: readonly string[]): string {
  const storage = services.filter((name) => name.endsWith('Storage') || /^[\d.]+$/.test(name))
  if (storage.length <= 2) return services.join(', ')
  return [
    ...services.filter((name) => !storage.includes(name)),
    `storage of ${storage.length} kinds of objects`,
  ].join(', ')
}

const visible = (text: string): string => text.replace(/\p{C}/gu, '\ufffd')

const meaningOf = (status: number): string =>
  (STATUS as Readonly<Record<number, { readonly meaning: string }>>)[status]?.meaning ?? 'failed'

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

/**
 * What happens on the network as lines of the feed and the log, in plain words; unknown callers go
 * to the inbox.
 */
export function observeAssociations(deps: AssociationFeedDeps): AssociationObserver {
  const { feed, associationLog, devices, settings, log, isFetchedFrom } = deps
  const begin = (association: AssociationInfo, negotiated?: Negotiated) => {
    const {
      associationId,
      callingAeTitle,
      calledAeTitle,
      remoteAddress: address,
      tls,
    } = association
    associationLog.opened({
      ...{
        associationId,
        address,
        tls: tls?.protocol ?? '',
        device: devices.recogniseDevice(callingAeTitle, address),
      },
      ...{ aeTitle: visible(callingAeTitle), calledAeTitle: visible(calledAeTitle) },
      terms: negotiated && (() => termsOf(negotiated)),
    })
  }
  const line = (
    association: AssociationInfo | undefined,
    address: string,
    kind: FeedLine['kind'],
    tone: FeedLine['tone'],
    text: string,
  ) => {
    const { associationId = '', callingAeTitle: aeTitle = '' } = association ?? {}
    // A caller may call itself anything: what cannot be seen is not put before a person.
    feed.append({
      associationId,
      kind,
      tone,
      aeTitle: visible(aeTitle),
      address,
      text: visible(text),
      inspectionId: null,
    })
  }
  const nameOf = (association: AssociationInfo) => {
    const device = devices.recogniseDevice(association.callingAeTitle, association.remoteAddress)
    return device?.name
      ? `${device.name} (${association.callingAeTitle})`
      : association.callingAeTitle || 'A caller without a name'
  }
  // Of a disk that takes no writes the log has one line already, see `records`.
  const background = (work: Promise<void>, what: string) =>
    work.catch((error: unknown) =>
      log[diskFaultKind(error) === undefined ? 'error' : 'debug']({ err: error }, what),
    )

  function noteCaller(association: AssociationInfo, services: readonly string[]): void {
    const { callingAeTitle: aeTitle, remoteAddress: address, calledAeTitle } = association
    // Our own self-test calls by our own name.
    if (isCalledAeTitle(settings, aeTitle) && isOfThisPc(address)) return
    // A device that is switched off is known: there is nothing to approve.
    if (
      !aeTitle ||
      settings.get('dimse.allowUnknownDevices') ||
      devices.isSwitchedOff(aeTitle, address)
    )
      return
    void background(
      devices.noteCaller({ aeTitle, address, calledAeTitle, services: [...services] }),
      'an unknown caller could not be noted',
    )
    feed.noteStatus()
  }

  return {
    opened(association, services, negotiated) {
      const { remoteAddress } = association
      begin(association, negotiated)
      const device = devices.recogniseDevice(association.callingAeTitle, remoteAddress)
      if (device)
        void background(
          devices.noteSeen(device.deviceId, remoteAddress),
          'a device could not be noted as seen',
        )
      else if (!isFetchedFrom(association.callingAeTitle, remoteAddress))
        noteCaller(association, services)
      const wrongTitle = isCalledAeTitle(settings, association.calledAeTitle)
        ? ''
        : `, calling us ${association.calledAeTitle} instead of ${settings.get('dimse.aeTitle')}`
      line(
        association,
        remoteAddress,
        'opened',
        wrongTitle ? 'warning' : 'plain',
        `${nameOf(association)} connected for ${inShort(services) || 'nothing we offer'}${wrongTitle}.`,
      )
      feed.noteStatus()
    },
    rejected(association, rejection, services) {
      const { remoteAddress } = association
      begin(association)
      // PS3.8 Table 9-21: calling AE title not recognised.
      if (rejection.source === 1 && rejection.reason === 3) noteCaller(association, services)
      line(
        association,
        remoteAddress,
        'rejected',
        'danger',
        `${nameOf(association)} was refused: ${rejection.why}.`,
      )
      associationLog.closed(association.associationId, 'rejected', rejection.why)
      log.warn(
        {
          aeTitle: association.callingAeTitle,
          address: remoteAddress,
          result: rejection.result,
          source: rejection.source,
          reason: rejection.reason,
        },
        'association rejected',
      )
    },
    answered(association, answer) {
      const { remoteAddress } = association
      const { service, status, responses, ms } = answer
      associationLog.counted(association.associationId, countedOf(answer))
      const facts = {
        aeTitle: association.callingAeTitle,
        address: remoteAddress,
        service,
        status: status.toString(16).padStart(4, '0'),
        responses,
        ms: Math.round(ms),
      }
      log[status === 0 ? 'debug' : 'info'](facts, 'answered')
      // A worklist query has its own line, with its sentence, from the worklist.
      if (service !== 'Verification') return
      const isGood = status === 0
      line(
        association,
        remoteAddress,
        'echo',
        isGood ? 'good' : 'warning',
        isGood
          ? `${nameOf(association)} tested the connection (C-ECHO): it works.`
          : `${nameOf(association)} tested the connection (C-ECHO): ${meaningOf(status)}.`,
      )
    },
    closed(association, { kind, detail, remoteAddress }) {
      feed.noteStatus()
      if (!association) {
        line(
          undefined,
          remoteAddress,
          'aborted',
          'warning',
          `A connection from ${remoteAddress} ended before it asked for anything: ${detail}.`,
        )
        return
      }
      if (kind === 'released')
        line(
          association,
          remoteAddress,
          'closed',
          'plain',
          `${nameOf(association)} closed the connection.`,
        )
      else
        line(
          association,
          remoteAddress,
          'aborted',
          'warning',
          `The connection of ${nameOf(association)} broke off: ${detail}.`,
        )
      associationLog.closed(association.associationId, kind, detail)
    },
  }
}
