import { APPLICATION_CONTEXT, IMPLEMENTATION, nameOfUid } from '#server/dicom/data-set/uids.ts'
import type { AssociationInfo, AssociationPolicy, Rejection } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { DimseLimits } from './limits.ts'
import type { AssociateAc, AssociateRq } from './pdu.ts'
import {
  type AcceptedContext,
  type Negotiation,
  negotiate,
  scpContexts,
} from './presentation-contexts.ts'

/** Number of open associations: all, and those of one AE title at one address. */
export interface OpenAssociations {
  readonly all: number
  readonly ofCaller: number
  /** Open associations of this host under any AE title; 0 if the host is expected. */
  readonly ofHost: number
  /** Open associations of callers outside the device list: all, and those of this host. */
  readonly unlisted: number
  readonly unlistedOfHost: number
}

/** What the service provider itself rejects (PS3.8 Table 9-21, sources 2 and 3). */
export function providerRejection(
  { protocolVersion }: AssociateRq,
  { all, ofCaller, ofHost }: OpenAssociations,
  limits: DimseLimits,
): Rejection | undefined {
  if ((protocolVersion & 1) === 0)
    return { result: 1, source: 2, reason: 2, why: message('dicom.version-not-supported') }
  if (all >= limits.associations)
    return limitReachedRejection(message('dicom.limit', { count: all }))
  if (ofCaller >= limits.associationsPerCaller)
    return limitReachedRejection(message('dicom.limit-of-device', { count: ofCaller }))
  // A host can use any AE title, so a host that is not expected gets at most half of the
  // associations.
  if (ofHost >= Math.max(limits.associationsPerCaller, Math.ceil(limits.associations / 2)))
    return limitReachedRejection(message('dicom.limit-of-host', { count: ofHost }))
  return undefined
}

/** A transient rejection, after which the caller tries again. */
const limitReachedRejection = (why: Message): Rejection => ({
  result: 2,
  source: 3,
  reason: 2,
  why,
})

/**
 * Callers outside the device list get half of the associations, and one such host a tenth. Whatever
 * AE titles it uses, the other half remains for listed devices.
 */
export function unlistedRejection(
  { unlisted, unlistedOfHost }: OpenAssociations,
  limits: DimseLimits,
): Rejection | undefined {
  const [most, mostOfHost] = [
    Math.ceil(limits.associations / 2),
    Math.max(2, Math.ceil(limits.associations / 10)),
  ]
  if (unlisted < most && unlistedOfHost < mostOfHost) return undefined
  return limitReachedRejection(
    unlistedOfHost >= mostOfHost
      ? message('dicom.limit-unlisted-of-host', { count: unlistedOfHost })
      : message('dicom.limit-unlisted', { count: unlisted }),
  )
}

/**
 * The decision of the service user: first the application context, then the gateway's policy, then
 * the limit on callers outside the device list.
 */
export function decide(
  request: AssociateRq,
  info: AssociationInfo,
  open: OpenAssociations,
  policy: AssociationPolicy,
  limits: DimseLimits,
): ReturnType<AssociationPolicy['decide']> {
  if (request.applicationContext !== APPLICATION_CONTEXT) {
    const why = message('dicom.context-not-supported')
    return { reject: { result: 1, source: 1, reason: 2, why } }
  }
  const abstractSyntaxes = [
    ...new Set(request.presentationContexts.map(({ abstractSyntax }) => abstractSyntax)),
  ]
  const decision = policy.decide({
    ...info,
    abstractSyntaxes,
    openAssociations: open.all,
    openFromCaller: open.ofCaller,
  })
  const isUnlisted = 'accept' in decision && decision.isUnlisted
  const reject = isUnlisted ? unlistedRejection(open, limits) : undefined
  return reject ? { reject } : decision
}

/** The A-ASSOCIATE-AC, the contexts it accepts, and those on which the requestor is the SCP. */
export function accept(
  request: AssociateRq,
  serviceOf: (abstractSyntax: string) => ServiceClass | undefined,
  maxPduLength: number,
): {
  readonly reply: AssociateAc
  readonly accepted: Negotiation['accepted']
  readonly requestorAsScp: readonly AcceptedContext[]
} {
  const negotiation = negotiate(
    request.presentationContexts,
    request.user.roles,
    serviceOf,
    request.user.extended,
  )
  const { results, accepted, roles, extended } = negotiation
  const reply: AssociateAc = {
    type: 'A-ASSOCIATE-AC',
    protocolVersion: 1,
    calledAeTitle: request.calledAeTitle,
    callingAeTitle: request.callingAeTitle,
    applicationContext: APPLICATION_CONTEXT,
    presentationContexts: results,
    user: {
      maximumLength: maxPduLength,
      implementationClassUid: IMPLEMENTATION.classUid,
      implementationVersionName: IMPLEMENTATION.versionName,
      // PS3.7 D.3.3.3: answered only if it was proposed, and always with one operation at a time.
      asynchronousOperations: request.user.asynchronousOperations && { invoked: 1, performed: 1 },
      roles,
      extended,
    },
  }
  return { reply, accepted, requestorAsScp: scpContexts(negotiation) }
}

/** The names of the proposed services. */
export const serviceNamesOf = ({ presentationContexts }: AssociateRq): string[] => [
  ...new Set(presentationContexts.map(({ abstractSyntax }) => nameOfUid(abstractSyntax))),
]
