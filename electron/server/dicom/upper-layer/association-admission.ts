import { APPLICATION_CONTEXT, IMPLEMENTATION, nameOfUid } from '#server/dicom/data-set/uids.ts'
import type { AssociationInfo, AssociationPolicy, Rejection } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import type { DimseLimits } from './limits.ts'
import type { AssociateAc, AssociateRq } from './pdu.ts'
import { type Negotiation, negotiate } from './presentation-contexts.ts'

/** Associations now open: all, and those of one AE title at one address. */
export interface OpenAssociations {
  readonly all: number
  readonly ofCaller: number
  /** Of this host, whatever AE titles it calls itself by; 0 where it is expected. */
  readonly ofHost: number
  /** Of callers that are not in the device list: all, and those of this host. */
  readonly unlisted: number
  readonly unlistedOfHost: number
}

/** What the service provider itself refuses (PS3.8 Table 9-21, sources 2 and 3). */
export function unacceptable(
  { protocolVersion }: AssociateRq,
  { all, ofCaller, ofHost }: OpenAssociations,
  limits: DimseLimits,
): Rejection | undefined {
  if ((protocolVersion & 1) === 0)
    return { result: 1, source: 2, reason: 2, why: 'protocol version not supported' }
  if (all >= limits.associations)
    return { result: 2, source: 3, reason: 2, why: `${all} associations are open, the limit` }
  if (ofCaller >= limits.associationsPerCaller) {
    return {
      result: 2,
      source: 3,
      reason: 2,
      why: `${ofCaller} associations of this device are open, the limit`,
    }
  }
  // What a host calls itself by is free text: none that is not expected takes more than half.
  if (ofHost >= Math.max(limits.associationsPerCaller, Math.ceil(limits.associations / 2))) {
    return {
      result: 2,
      source: 3,
      reason: 2,
      why: `${ofHost} associations of this host are open, the limit`,
    }
  }
  return undefined
}

/**
 * Callers that are not in the device list get half of the associations, and one host a tenth:
 * whatever names it invents, the other half is left to listed devices.
 */
export function tooManyUnlisted(
  { unlisted, unlistedOfHost }: OpenAssociations,
  limits: DimseLimits,
): Rejection | undefined {
  const [most, mostOfHost] = [
    Math.ceil(limits.associations / 2),
    Math.max(2, Math.ceil(limits.associations / 10)),
  ]
  if (unlisted < most && unlistedOfHost < mostOfHost) return undefined
  const why =
    unlistedOfHost >= mostOfHost
      ? `${unlistedOfHost} associations of this host are open that are not of listed devices, the limit`
      : `${unlisted} associations of callers outside the device list are open, the limit`
  return { result: 2, source: 3, reason: 2, why }
}

/** What the service user decides: the application context first, then the gateway's policy. */
export function decide(
  request: AssociateRq,
  info: AssociationInfo,
  open: OpenAssociations,
  policy: AssociationPolicy,
): ReturnType<AssociationPolicy['decide']> {
  if (request.applicationContext !== APPLICATION_CONTEXT) {
    return { reject: { result: 1, source: 1, reason: 2, why: 'application context not supported' } }
  }
  const abstractSyntaxes = [
    ...new Set(request.presentationContexts.map(({ abstractSyntax }) => abstractSyntax)),
  ]
  return policy.decide({
    ...info,
    abstractSyntaxes,
    openAssociations: open.all,
    openFromCaller: open.ofCaller,
  })
}

/** The A-ASSOCIATE-AC, and the contexts it agrees on. */
export function accept(
  request: AssociateRq,
  serviceOf: (abstractSyntax: string) => ServiceClass | undefined,
  maxPduLength: number,
): { readonly reply: AssociateAc; readonly accepted: Negotiation['accepted'] } {
  const { results, accepted, roles } = negotiate(
    request.presentationContexts,
    request.user.roles,
    serviceOf,
  )
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
      // PS3.7 D.3.3.3: answered only where it was asked, and always one at a time.
      asynchronousOperations: request.user.asynchronousOperations && { invoked: 1, performed: 1 },
      roles,
    },
  }
  return { reply, accepted }
}

/** What was proposed, in words. */
export const servicesOf = ({ presentationContexts }: AssociateRq): string[] => [
  ...new Set(presentationContexts.map(({ abstractSyntax }) => nameOfUid(abstractSyntax))),
]
