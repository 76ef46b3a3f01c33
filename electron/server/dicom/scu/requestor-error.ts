import type { AssociateRj } from '#server/dicom/upper-layer/pdu.ts'

/**
 * unreachable: no connection; tls: a connection that is not trusted, or to a side that speaks no
 * TLS; rejected: A-ASSOCIATE-RJ; not-accepted: not for the service that is needed; aborted: it
 * ended before its work was done; timeout: the other side went silent; cancelled: by us.
 */
export type RequestorFault =
  | 'unreachable'
  | 'tls'
  | 'rejected'
  | 'not-accepted'
  | 'aborted'
  | 'timeout'
  | 'cancelled'

/**
 * Why an association that we asked for came to nothing. `message` is one sentence for a person:
 * what is wrong, and what to do.
 */
export class RequestorError extends Error {
  override name = 'RequestorError'
  readonly kind: RequestorFault
  constructor(kind: RequestorFault, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Who called whom, for the sentences. */
export interface Call {
  readonly host: string
  readonly port: number
  readonly calledAeTitle: string
  readonly callingAeTitle: string
}

/** PS3.8 Table 9-21, by source and reason; any other is told by its numbers. */
const REJECTIONS: Readonly<Record<string, (call: Call) => string>> = {
  '1/1': () => 'it gave no reason',
  '1/2': () => 'it does not know the application context of DICOM',
  '1/3': ({ callingAeTitle }) =>
    `it does not recognise the calling AE title ${callingAeTitle}: enter ${callingAeTitle} in its list of known nodes`,
  '1/7': ({ calledAeTitle }) =>
    `it does not go by the AE title ${calledAeTitle}: enter the AE title that it calls itself by`,
  '2/1': () => 'it gave no reason',
  '2/2': () => 'it does not speak this version of the protocol',
  '3/1': () => 'it is busy: it takes no more connections now',
  '3/2': () => 'it is busy: its limit of connections is reached',
}

/** An A-ASSOCIATE-RJ in words. */
export function rejected({ result, source, reason }: AssociateRj, call: Call): RequestorError {
  const why =
    REJECTIONS[`${source}/${reason}`]?.(call) ??
    `result ${result}, source ${source}, reason ${reason}`
  return new RequestorError('rejected', `${call.calledAeTitle} refused the association: ${why}`)
}

type At = (place: string, call: Call) => string

/** Error codes of the network, by what a person can do about them. */
const FAULTS: Readonly<Record<string, At>> = {
  ECONNREFUSED: (place) =>
    `nothing listens at ${place}: check that it is switched on and that the port is right`,
  EHOSTUNREACH: (place) => `${place} cannot be reached: check the address and the network cable`,
  ENETUNREACH: (place) => `${place} cannot be reached: check the address and the network cable`,
  EHOSTDOWN: (place) => `${place} cannot be reached: check that it is switched on`,
  ETIMEDOUT: (place) => `${place} does not answer: check the address, the port and the firewall`,
  ENOTFOUND: (_, { host }) =>
    `the name ${host} is not known on this network: check it, or enter an address`,
  EAI_AGAIN: (_, { host }) =>
    `the name ${host} could not be looked up: check the network's name server, or enter an address`,
}

/** Why no connection came to be. */
export function unreachable(error: NodeJS.ErrnoException, call: Call): RequestorError {
  const place = placeOf(call)
  return new RequestorError(
    'unreachable',
    FAULTS[error.code ?? '']?.(place, call) ?? `${place} cannot be reached: ${error.message}`,
  )
}

export const placeOf = ({ host, port }: Call): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** What OpenSSL calls a certificate that is not the one entered, or not of its issuer. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/** Why TLS did not come to be on a connection that did. */
export function untrusted(error: NodeJS.ErrnoException, call: Call): RequestorError {
  const place = placeOf(call)
  const code = error.code ?? ''
  if (UNTRUSTED.has(code)) {
    return new RequestorError(
      'tls',
      `${place} shows another certificate than the one entered for it: check who is there, then enter its certificate`,
    )
  }
  if (code === 'CERT_HAS_EXPIRED')
    return new RequestorError('tls', `the certificate of ${place} has expired: it needs a new one`)
  if (code === 'CERT_NOT_YET_VALID')
    return new RequestorError(
      'tls',
      `the certificate of ${place} is not valid yet: check the clocks of both sides`,
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new RequestorError(
      'tls',
      `the certificate of ${place} is for another name: enter the name in it as host, or its own certificate`,
    )
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/i.test(code)) {
    return new RequestorError(
      'tls',
      `${place} refused TLS: it may want to know the gateway's certificate`,
    )
  }
  return new RequestorError(
    'tls',
    `no TLS with ${place}: check that this port of it speaks TLS (${code || error.message})`,
  )
}
